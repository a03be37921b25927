extends RefCounted
## The project's autoloads: what they are called, what they are, and how the editor writes them.

const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SceneFiles = preload("../scene_files.gd")
const Suggest = preload("../suggest.gd")

const PREFIX: String = "autoload/"
## Marks the ones that scripts can use by name.
const SINGLETON: String = "*"

const _KEYWORDS: PackedStringArray = [
	"if", "elif", "else", "for", "while", "match", "when", "break", "continue", "pass", "return",
	"class", "class_name", "extends", "is", "in", "as", "self", "super", "signal", "func", "static",
	"const", "enum", "var", "breakpoint", "preload", "await", "yield", "assert", "void", "PI",
	"TAU", "INF", "NAN", "and", "or", "not", "true", "false", "null", "trait", "namespace",
]
# The engine's global constants, by how they begin.
const _CONSTANTS: String = (
	"^(OK|FAILED|CLOCKWISE|COUNTERCLOCKWISE|(ERR|KEY|JOY|MOUSE|MIDI|TYPE|PROPERTY|METHOD|SIDE"
	+ "|CORNER|HORIZONTAL|VERTICAL|INLINE|EULER|OP)_[A-Z0-9_]+)$"
)


## The names of all autoloads, in the order in which they are made.
static func names() -> Array[String]:
	var keys: Array[String] = []
	for info: Dictionary in ProjectSettings.get_property_list():
		var key: String = info["name"]
		if key.begins_with(PREFIX):
			keys.append(key)
	keys.sort_custom(
		func(a: String, b: String) -> bool:
			return ProjectSettings.get_order(a) < ProjectSettings.get_order(b)
	)
	var out: Array[String] = []
	for key: String in keys:
		out.append(key.trim_prefix(PREFIX))
	return out


## The file of an autoload, by its setting.
static func path_of(key: String) -> String:
	var value: String = str(ProjectSettings.get_setting(key)).trim_prefix(SINGLETON)
	if not value.begins_with("uid://"):
		return value
	var id: int = ResourceUID.text_to_id(value)
	return ResourceUID.get_id_path(id) if ResourceUID.has_id(id) else value


## Whether scripts can use the autoload by its name.
static func is_singleton(key: String) -> bool:
	return str(ProjectSettings.get_setting(key)).begins_with(SINGLETON)


## The setting's value as this editor writes it: since 4.6 with the file's uid, where it has one.
static func written(path: String, singleton: bool) -> String:
	var named_by: String = path
	var id: int = ResourceLoader.get_resource_uid(path)
	var engine: Dictionary = Engine.get_version_info()
	var version: int = engine["hex"]
	if version >= 0x040600 and id != ResourceUID.INVALID_ID:
		named_by = ResourceUID.id_to_text(id)
	return (SINGLETON if singleton else "") + named_by


## Why no autoload can have this name; null when one can.
static func name_refusal(name: String) -> Result:
	var taken_by: String = ""
	if not name.is_valid_ascii_identifier():
		return _bad_name(name, "not_an_identifier", "it is no identifier")
	if ClassDB.class_exists(name):
		taken_by = "a class of the engine"
	elif _is_global_class(name):
		taken_by = "a class of the project"
	elif _is_builtin_type(name):
		taken_by = "a type of the engine"
	elif Engine.has_singleton(name):
		taken_by = "a singleton of the engine"
	elif name in _KEYWORDS or RegEx.create_from_string(_CONSTANTS).search(name) != null:
		taken_by = "the script language"
	if taken_by.is_empty():
		return null
	return _bad_name(name, "name_taken", "it is taken by %s" % taken_by)


## Why this file can be no autoload; null when it can.
static func path_refusal(path: String) -> Result:
	if not FileAccess.file_exists(path):
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND, "there is no file %s" % path, {"path": path}
		).with_hint("search_files finds scripts and scenes")
	if path.get_extension() in SceneFiles.FORMATS:
		var loaded: SceneFiles.Loaded = SceneFiles.load_scene(path)
		if loaded.scene != null and loaded.scene.can_instantiate():
			return null
		return _bad_path(path, "scene_does_not_load", "the scene does not load")
	if not ResourceLoader.exists(path, "Script"):
		return _bad_path(path, "not_a_script_or_scene", "it is neither a script nor a scene")
	var script: Script = load(path) as Script
	if script == null or script.get_instance_base_type() == &"":
		return _bad_path(path, "script_does_not_parse", "the script does not parse")
	if not ClassDB.is_parent_class(script.get_instance_base_type(), &"Node"):
		return _bad_path(path, "not_a_node", "the script does not extend Node")
	return null


## The failure of a name that another autoload has.
static func taken(name: String) -> Result:
	var key: String = PREFIX + name
	return Result.fail(
		Protocol.CODE_ALREADY_EXISTS,
		"there is an autoload %s already" % name,
		{"name": name, "path": path_of(key), "singleton": is_singleton(key)}
	).with_hint("unregister_autoload it first, or choose another name")


## The failure of a name that no autoload has.
static func missing(name: String) -> Result:
	var known: Array[String] = names()
	return Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"there is no autoload %s" % name,
		{"name": name, "autoloads": known, "near": Suggest.near(name, PackedStringArray(known))}
	).with_hint("details.autoloads names those there are")


static func _bad_name(name: String, reason: String, because: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s cannot be the name of an autoload: %s" % [name.left(80), because],
		{"parameter": "name", "reason": reason}
	).with_hint("choose another name, such as GameState")


static func _bad_path(path: String, reason: String, because: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s cannot be an autoload: %s" % [path, because],
		{"path": path, "reason": reason}
	).with_hint("give a script that extends Node, or a scene")


static func _is_global_class(name: String) -> bool:
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if str(entry["class"]) == name:
			return true
	return false


static func _is_builtin_type(name: String) -> bool:
	for type: int in TYPE_MAX:
		if type_string(type) == name:
			return true
	return false
