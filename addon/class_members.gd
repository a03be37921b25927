extends RefCounted
## The members of a class in the form of replies, in one order: properties, methods, signals, enums,
## constants. Rows are made only for what is shown: a large class has hundreds.

const OwnHints = preload("./values/own_hints.gd")
const PropertyFacts = preload("./property_facts.gd")
const TextFilter = preload("./text_filter.gd")
const Values = preload("./values.gd")

const PROPERTIES: String = "properties"
const METHODS: String = "methods"
const SIGNALS: String = "signals"
const ENUMS: String = "enums"
const CONSTANTS: String = "constants"
const KINDS: Array[String] = [PROPERTIES, METHODS, SIGNALS, ENUMS, CONSTANTS]
const METHOD_FLAGS: Dictionary[int, String] = {
	METHOD_FLAG_CONST: "const",
	METHOD_FLAG_VIRTUAL: "virtual",
	METHOD_FLAG_VARARG: "vararg",
	METHOD_FLAG_STATIC: "static",
	METHOD_FLAG_VIRTUAL_REQUIRED: "required",
}


## One member, not yet made into a row.
class Member:
	extends RefCounted
	## One of KINDS.
	var kind: String = ""
	## Its name.
	var name: String = ""
	## The class that declares it.
	var by: String = ""
	## What the engine, or the script, says of it.
	var info: Dictionary = {}
	## The script that declares it; null: the engine.
	var code: Script = null


var _by_kind: Dictionary[String, Array] = {}
var _seen: Dictionary[String, bool] = {}


## Adds what a class of the engine itself declares.
func add_native(type: String) -> void:
	for info: Dictionary in ClassDB.class_get_property_list(type, true):
		var usage: int = info["usage"]
		var no_value: int = (
			PROPERTY_USAGE_GROUP | PROPERTY_USAGE_SUBGROUP | PROPERTY_USAGE_CATEGORY
		)
		if usage & (no_value | PROPERTY_USAGE_INTERNAL) == 0:
			_add(PROPERTIES, str(info["name"]), type, info)
	for info: Dictionary in ClassDB.class_get_method_list(type, true):
		_add(METHODS, str(info["name"]), type, info)
	for info: Dictionary in ClassDB.class_get_signal_list(type, true):
		_add(SIGNALS, str(info["name"]), type, info)
	for name: String in ClassDB.class_get_enum_list(type, true):
		_add(ENUMS, name, type, {})
	for name: String in ClassDB.class_get_integer_constant_list(type, true):
		if ClassDB.class_get_integer_constant_enum(type, name, true).is_empty():
			var value: int = ClassDB.class_get_integer_constant(type, name)
			_add(CONSTANTS, name, type, {"value": value})


## Adds what a script itself declares; by is the name to show for it. A script's lists have its
## bases' members too, except for constants.
func add_script(script: Script, by: String) -> void:
	var base: Script = script.get_base_script()
	var inherited: Dictionary[String, bool] = _names_of(base)
	for info: Dictionary in script.get_script_property_list():
		var usage: int = info["usage"]
		if usage & PROPERTY_USAGE_SCRIPT_VARIABLE != 0:
			_add_own(inherited, PROPERTIES, by, info, script)
	for info: Dictionary in script.get_script_method_list():
		if not str(info["name"]).begins_with("@"):
			_add_own(inherited, METHODS, by, info, script)
	for info: Dictionary in script.get_script_signal_list():
		_add_own(inherited, SIGNALS, by, info, script)
	var constants: Dictionary = script.get_script_constant_map()
	for name: StringName in constants:
		_add_constant(str(name), by, constants[name], script)


## The members of a kind ("all" for every kind) whose names fit.
func chosen(kind: String, filter: TextFilter) -> Array[Member]:
	var out: Array[Member] = []
	for one: String in KINDS:
		if kind != "all" and kind != one:
			continue
		for member: Member in _by_kind.get(one, []):
			if filter.is_empty() or filter.matches(member.name):
				out.append(member)
	return out


## A member as replies show it; with `own` false also which class declares it.
static func row(member: Member, own: bool) -> Dictionary:
	var out: Dictionary = {"name": member.name}
	match member.kind:
		PROPERTIES:
			out.merge(_property(member))
		METHODS:
			out.merge(_method(member))
		SIGNALS:
			out["args"] = _arguments(member)
		ENUMS:
			out.merge(_enum(member))
		CONSTANTS:
			out["value"] = Values.encode(member.info["value"], {})
	if not own:
		out["from"] = member.by
	return out


func _add(kind: String, name: String, by: String, info: Dictionary, code: Script = null) -> void:
	# What a class says itself hides what its bases say.
	var key: String = kind + ":" + name
	if _seen.has(key):
		return
	_seen[key] = true
	var member: Member = Member.new()
	member.kind = kind
	member.name = name
	member.by = by
	member.info = info
	member.code = code
	var of_kind: Array = _by_kind.get_or_add(kind, [])
	of_kind.append(member)


func _add_own(
	inherited: Dictionary[String, bool],
	kind: String,
	by: String,
	info: Dictionary,
	script: Script
) -> void:
	var name: String = str(info["name"])
	if not inherited.has(kind + ":" + name):
		_add(kind, name, by, info, script)


# An enum of a script is a constant that holds a dictionary; inner classes and preloaded files are
# constants too, and said by what they are.
func _add_constant(name: String, by: String, value: Variant, script: Script) -> void:
	if _is_enum(value):
		_add(ENUMS, name, by, {"value": value}, script)
	else:
		_add(CONSTANTS, name, by, {"value": value}, script)


static func _is_enum(value: Variant) -> bool:
	if not value is Dictionary:
		return false
	var map: Dictionary = value
	for key: Variant in map:
		if not (key is String and map[key] is int):
			return false
	return not map.is_empty()


static func _names_of(script: Script) -> Dictionary[String, bool]:
	var out: Dictionary[String, bool] = {}
	if script == null:
		return out
	for info: Dictionary in script.get_script_property_list():
		out[PROPERTIES + ":" + str(info["name"])] = true
	for info: Dictionary in script.get_script_signal_list():
		out[SIGNALS + ":" + str(info["name"])] = true
	return out


static func _property(member: Member) -> Dictionary:
	var info: Dictionary = member.info
	var usual: Variant = null
	if member.code == null:
		var one: Dictionary[StringName, Dictionary] = {StringName(member.name): info}
		OwnHints.add_to(one, member.by)
		info = one[StringName(member.name)]
		if not ClassDB.class_get_api_type(member.by) in [ClassDB.API_EDITOR]:
			usual = ClassDB.class_get_property_default_value(member.by, member.name)
	else:
		usual = member.code.get_property_default_value(member.name)
	var out: Dictionary = PropertyFacts.of(info)
	if usual != null:
		out["default"] = Values.encode(usual, info)
	if member.code == null and _has_no_setter(member):
		out["read_only"] = true
	return out


static func _has_no_setter(member: Member) -> bool:
	if ClassDB.class_get_property_getter(member.by, member.name).is_empty():
		return false
	return ClassDB.class_get_property_setter(member.by, member.name).is_empty()


static func _method(member: Member) -> Dictionary:
	var result: Dictionary = member.info["return"]
	var out: Dictionary = {"args": _arguments(member), "returns": PropertyFacts.result_of(result)}
	var flags: int = member.info["flags"]
	var words: Array[String] = []
	for flag: int in METHOD_FLAGS:
		if flags & flag != 0:
			words.append(METHOD_FLAGS[flag])
	if not words.is_empty():
		out["flags"] = words
	return out


static func _arguments(member: Member) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	var arguments: Array = member.info["args"]
	var defaults: Array = member.info.get("default_args", [])
	for index: int in arguments.size():
		var argument: Dictionary = arguments[index]
		var row_of_one: Dictionary = {
			"name": str(argument["name"]), "type": PropertyFacts.type_of(argument)
		}
		var from: int = index - (arguments.size() - defaults.size())
		if from >= 0:
			row_of_one["default"] = Values.encode(defaults[from], argument)
		out.append(row_of_one)
	return out


static func _enum(member: Member) -> Dictionary:
	if member.code != null:
		return {"values": member.info["value"]}
	var values: Dictionary[String, int] = {}
	for name: String in ClassDB.class_get_enum_constants(member.by, member.name, true):
		values[name] = ClassDB.class_get_integer_constant(member.by, name)
	var out: Dictionary = {"values": values}
	if ClassDB.is_class_enum_bitfield(member.by, member.name, true):
		out["bitfield"] = true
	return out
