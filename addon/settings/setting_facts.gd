extends RefCounted
## What is known of a setting: its declared type, how replies show it, and which names and values
## may be set.

const Autoloads = preload("./autoloads.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const Settings = preload("./settings.gd")
const Suggest = preload("../suggest.gd")
const Values = preload("../values.gd")

const INPUT: String = "input/"
## Settings that other means change, and what to do instead.
const ELSEWHERE: Dictionary[String, String] = {
	INPUT: "use add_input_action, add_input_event and remove_input_action",
	"autoload/": "use register_autoload and unregister_autoload",
	"editor_plugins/": "addons are switched on and off in the editor's project settings",
}
# Sections that are the engine's although their settings have no defaults.
const _ENGINE_SECTIONS: PackedStringArray = [
	"file_customization", "global_group", "importer_defaults", "shader_globals",
]
const _MAX_NAME: int = 200
# How a text begins from which the engine's reader would make an object.
const _OBJECT_TEXT: String = (
	"^\\s*(Object|Resource|SubResource|ExtResource|RID|Callable|Signal)\\s*\\("
)
const _REDACTED: Dictionary = {"value": null, "redacted": true}


## A setting as get_setting shows it.
static func shown(info: Dictionary) -> Dictionary:
	var key: String = info["name"]
	var typed: Dictionary = truly(info)
	var out: Dictionary = shown_value(ProjectSettings.get_setting(key), typed)
	var builtin: bool = Settings.has_default(key)
	out["engine_setting"] = builtin
	if builtin:
		var initial: Variant = ProjectSettings.property_get_revert(key)
		out["default"] = shown_value(initial, typed).get("value")
		out["is_default"] = Settings.is_default(key)
	return out


## A value of a setting: type, value, and the name of an enum's value. Passwords are never shown.
static func shown_value(value: Variant, info: Dictionary) -> Dictionary:
	var out: Dictionary = {"type": Values.type_name(info)}
	if info.get("hint") == PROPERTY_HINT_PASSWORD:
		out.merge(_REDACTED)
		return out
	out["value"] = Values.encode(value, info)
	var name: String = Values.enum_name(value, info)
	if not name.is_empty():
		out["enum_name"] = name
	return out


## How a setting's values are declared: by the setting itself, by the one that it overrides for a
## feature ("name.feature"), or not at all.
static func declared(key: String, infos: Dictionary[String, Dictionary]) -> Dictionary:
	var out: Dictionary = {"type": TYPE_NIL}
	for known: String in [key, _base(key)]:
		if infos.has(known):
			out = truly(infos[known])
			break
	out["name"] = key
	return out


## A setting's property dictionary, put right: the engine declares some lists as texts.
static func truly(info: Dictionary) -> Dictionary:
	var initial: Variant = ProjectSettings.property_get_revert(str(info["name"]))
	if initial == null or typeof(initial) == info["type"]:
		return info.duplicate()
	return {"type": typeof(initial), "usage": info["usage"]}


## Why this name cannot be set; null when it can.
static func refusal(key: String, infos: Dictionary[String, Dictionary]) -> Result:
	for prefix: String in ELSEWHERE:
		if key.begins_with(prefix):
			return Result.fail(
				Protocol.CODE_PROTECTED_TARGET,
				"%s is not changed as a setting" % key,
				{"name": key, "reason": "has_own_tools"}
			).with_hint(ELSEWHERE[prefix])
	if infos.has(key) or infos.has(_base(key)):
		return null if _feature_is_plain(key, infos) else _bad_name(key)
	var form: RegEx = RegEx.create_from_string("^[A-Za-z][A-Za-z0-9_\\-]*(/[A-Za-z0-9_\\-]+)+$")
	if form.search(key) == null or key.length() > _MAX_NAME:
		return _bad_name(key)
	if not _is_engine_section(key.get_slice("/", 0), infos):
		return null
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"the engine has no setting %s" % key,
		{"name": key, "reason": "unknown_setting", "near": near(key, infos)}
	).with_hint("take a name from details.near, or a section of your own such as my_game/…")


## Why this value is not stored; null when it is. Objects, and texts that the engine's reader would
## make one of, have no business in a text file of settings.
static func value_refusal(value: Variant) -> Result:
	var found: String = _object_in(value, RegEx.create_from_string(_OBJECT_TEXT))
	if found.is_empty():
		return null
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"settings hold no objects, and no texts that look like one",
		{"parameter": "value", "reason": "object_value", "got": found.left(80)}
	).with_hint("store the path of a resource as a text, and load it in the game")


## The names most like this one; those of the same section, or with the same last part, first.
static func near(key: String, infos: Dictionary[String, Dictionary]) -> Array[String]:
	var names: PackedStringArray = PackedStringArray()
	var last: String = key.get_slice("/", key.get_slice_count("/") - 1)
	var out: Array[String] = []
	for name: String in infos:
		if name.get_slice("/", name.get_slice_count("/") - 1) == last and out.size() < 3:
			out.append(name)
		elif name.get_slice("/", 0) == key.get_slice("/", 0) or not key.contains("/"):
			var _full: bool = names.append(name)
	if names.is_empty():
		names = PackedStringArray(infos.keys())
	for name: String in Suggest.near(key, names):
		if not out.has(name):
			out.append(name)
	return out.slice(0, Suggest.MAX_SHOWN)


static func _bad_name(key: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s is no name for a setting" % key.left(80),
		{"name": key.left(_MAX_NAME), "reason": "bad_setting_name"}
	).with_hint("a name of your own is section/name, of letters, digits, _ and -")


static func _is_engine_section(section: String, infos: Dictionary[String, Dictionary]) -> bool:
	if section in _ENGINE_SECTIONS:
		return true
	for name: String in infos:
		if name.begins_with(section + "/") and Settings.has_default(name):
			return true
	return false


# The setting that "name.feature" overrides.
static func _base(key: String) -> String:
	return key.get_slice(".", 0)


static func _feature_is_plain(key: String, infos: Dictionary[String, Dictionary]) -> bool:
	var form: RegEx = RegEx.create_from_string("^[a-z0-9_]+(\\.[a-z0-9_]+)*$")
	return infos.has(key) or form.search(key.trim_prefix(_base(key) + ".")) != null


static func _object_in(value: Variant, form: RegEx) -> String:
	if value is Object or typeof(value) in [TYPE_RID, TYPE_CALLABLE, TYPE_SIGNAL]:
		return str(value)
	if value is String or value is StringName or value is NodePath:
		return str(value) if form.search(str(value)) != null else ""
	var parts: Array = []
	if value is Dictionary:
		var map: Dictionary = value
		parts = map.keys() + map.values()
	elif value is Array or value is PackedStringArray:
		parts = type_convert(value, TYPE_ARRAY)
	for part: Variant in parts:
		var found: String = _object_in(part, form)
		if not found.is_empty():
			return found
	return ""
