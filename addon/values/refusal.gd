extends RefCounted
## The failure of a decoder: the first thing that did not fit, where it stands in the value, and
## what was expected.

const Protocol = preload("../protocol.gd")
const Spec = preload("./spec.gd")

const _MAX_SHOWN: int = 80
const _MAX_ITEMS_SHOWN: int = 8

## The code of the failure; empty as long as there is none.
var code: String = ""
## What happened, in one sentence.
var message: String = ""
## The failure's details: property, expected, got, and where inside the value ("at").
var details: Dictionary = {}

## The name of the property that the value is for.
var _property: String = ""


## Whether the value did not fit.
func failed() -> bool:
	return not code.is_empty()


## Records that a value is not of the declared type. Gives null, for `return _refuse(…)`.
func _refuse(value: Variant, declared: Dictionary, more: Dictionary = {}) -> Variant:
	var expected: String = Spec.type_name(declared)
	var got: String = _shown(value)
	var facts: Dictionary = {"expected": expected, "got": got}
	facts.merge(more)
	return _fail(Protocol.CODE_VALIDATION_ERROR, "expected %s, got %s" % [expected, got], facts)


## Records any failure; the first one stays. Gives null.
func _fail(the_code: String, the_message: String, facts: Dictionary) -> Variant:
	if failed():
		return null
	code = the_code
	message = the_message if _property.is_empty() else "%s: %s" % [_property, the_message]
	details = facts
	if not _property.is_empty():
		details["property"] = _property
	return null


## Adds an outer step to the place of the failure. Gives null.
func _inside(step: Variant) -> Variant:
	details["at"] = "[%s]%s" % [_shown_key(step), details.get("at", "")]
	return null


static func _shown_key(step: Variant) -> String:
	return str(step) if step is int else str(step).left(_MAX_SHOWN).json_escape()


## A received value in a few words. Received values hold no objects.
static func _shown(value: Variant) -> String:
	if value == null:
		return "null"
	var size: int = _size_of(value)
	if size > _MAX_ITEMS_SHOWN:
		return "%s of %d" % [type_string(typeof(value)), size]
	var text: String = var_to_str(value)
	if value is String:
		text = '"%s"' % str(value).left(_MAX_SHOWN)
	text = text.replace("\n", " ")
	if text.length() > _MAX_SHOWN:
		text = text.left(_MAX_SHOWN) + "…"
	return "%s %s" % [type_string(typeof(value)), text]


static func _size_of(value: Variant) -> int:
	if value is Array:
		var list: Array = value
		return list.size()
	if value is Dictionary:
		var map: Dictionary = value
		return map.size()
	return 0
