extends SceneTree
## Reads resource files in a process that no editor has touched. Run with ASK and ANSWER: ASK is a
## JSON list of res:// paths or uids, ANSWER gets an object by path: class, script, properties (as
## text; resources as "class path"), and what the engine said on the way.


## What the engine says meanwhile.
class Log:
	extends Logger
	var messages: PackedStringArray = PackedStringArray()

	func _log_error(
		_function: String, _file: String, _line: int, code: String, rationale: String,
		_notify: bool, _type: int, _traces: Array[ScriptBacktrace]
	) -> void:
		var _full: bool = messages.append(code if rationale.is_empty() else rationale)


func _process(_delta: float) -> bool:
	var arguments: PackedStringArray = OS.get_cmdline_user_args()
	var paths: Array = JSON.parse_string(FileAccess.get_file_as_string(arguments[0]))
	var out: Dictionary[String, Dictionary] = {}
	for path: Variant in paths:
		out[str(path)] = _read(str(path))
	var answer: FileAccess = FileAccess.open(arguments[1], FileAccess.WRITE)
	var _stored: bool = answer.store_string(JSON.stringify(out))
	answer.close()
	return true


func _read(path: String) -> Dictionary:
	var heard: Log = Log.new()
	OS.add_logger(heard)
	var resource: Resource = null
	if ResourceLoader.exists(path):
		resource = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE_DEEP)
	OS.remove_logger(heard)
	var out: Dictionary = {"messages": Array(heard.messages), "class": "", "script": ""}
	if path.begins_with("uid://"):
		var id: int = ResourceUID.text_to_id(path)
		out["path"] = ResourceUID.get_id_path(id) if ResourceUID.has_id(id) else ""
	if resource == null:
		return out
	out["class"] = resource.get_class()
	var script: Script = resource.get_script()
	out["script"] = "" if script == null else script.resource_path
	var values: Dictionary[String, String] = {}
	_add(values, resource, "")
	out["properties"] = values
	return out


func _add(values: Dictionary[String, String], resource: Resource, prefix: String) -> void:
	for info: Dictionary in resource.get_property_list():
		var usage: int = info["usage"]
		var name: String = info["name"]
		if usage & PROPERTY_USAGE_STORAGE == 0 or name == "script":
			continue
		var value: Variant = resource.get(name)
		if not value is Resource:
			values[prefix + name] = var_to_str(value)
			continue
		var held: Resource = value
		values[prefix + name] = held.get_class() + " " + held.resource_path
		if prefix.count(":") < 3 and (held.resource_path.is_empty() or "::" in held.resource_path):
			_add(values, held, prefix + name + ":")
