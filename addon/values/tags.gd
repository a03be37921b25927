extends RefCounted
## The tags of a caller's value: objects with one key that starts with "$".

const FLOAT: String = "$float"
const INT: String = "$int"
const TYPE: String = "$type"
const BYTES: String = "$bytes"
const NODE: String = "$node"
const RESOURCE: String = "$resource"
## What kind_of says of an object that has a "$" key but is no tag.
const UNKNOWN: String = "$"

## The largest whole number that every JSON reader keeps exactly.
const SAFE_INT: int = 1 << 53

const _COMPANIONS: Dictionary[String, Array] = {
	FLOAT: [],
	INT: [],
	TYPE: ["value", "elem", "key"],
	BYTES: [],
	NODE: [],
	RESOURCE: ["path", "properties", "script"],
}
const _NON_FINITE: Dictionary[String, float] = {
	"nan": NAN,
	"inf": INF,
	"-inf": -INF,
}
const _MAX_INT_DIGITS: String = "9223372036854775807"
const _MIN_INT_DIGITS: String = "9223372036854775808"


## The tag that an object is; empty for a plain object, UNKNOWN for one that only looks like a tag.
static func kind_of(map: Dictionary) -> String:
	var tag: String = ""
	for key: Variant in map:
		if str(key).begins_with("$"):
			if not tag.is_empty():
				return UNKNOWN
			tag = str(key)
	if tag.is_empty():
		return ""
	if not _COMPANIONS.has(tag) or (tag == TYPE and not map.has("value")):
		return UNKNOWN
	for key: Variant in map:
		if str(key) != tag and not str(key) in _COMPANIONS[tag]:
			return UNKNOWN
	return tag


## The number that a value is, plain or as a tag; null when it is none.
static func number(value: Variant) -> Variant:
	if value is int or value is float:
		return value
	if not value is Dictionary:
		return null
	var map: Dictionary = value
	match kind_of(map):
		FLOAT:
			return _float(map[FLOAT])
		INT:
			return _int(map[INT])
	return null


## A float as a caller may write it: plain unless it is not finite.
static func show_float(value: float) -> Variant:
	if is_finite(value):
		return value
	if is_nan(value):
		return {FLOAT: "nan"}
	return {FLOAT: "inf" if value > 0.0 else "-inf"}


## A whole number as a caller may write it: as text where a JSON reader would round it.
static func show_int(value: int) -> Variant:
	if value > SAFE_INT or value < -SAFE_INT:
		return {INT: str(value)}
	return value


## {"$float": 1}, {"$float": "nan"}, or the bits as "0x3ff0000000000000", in which the daemon sends
## what the engine's own number reader would get wrong by one unit.
static func _float(content: Variant) -> Variant:
	if content is int or content is float:
		return type_convert(content, TYPE_FLOAT)
	if not content is String:
		return null
	var text: String = content
	if _NON_FINITE.has(text):
		return _NON_FINITE[text]
	var digits: String = text.trim_prefix("0x")
	if text.length() != 18 or digits.length() != 16 or not digits.is_valid_hex_number():
		return null
	var bytes: PackedByteArray = digits.hex_decode()
	bytes.reverse()
	return bytes.decode_double(0)


static func _int(content: Variant) -> Variant:
	if content is int:
		return content
	if not content is String:
		return null
	var text: String = content
	var digits: String = text.trim_prefix("-")
	var limit: String = _MAX_INT_DIGITS if digits == text else _MIN_INT_DIGITS
	if digits.length() > limit.length() or (digits.length() == limit.length() and digits > limit):
		return null
	if not digits.is_valid_int() or str(text.to_int()) != text:
		return null
	return text.to_int()
