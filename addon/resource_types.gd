extends RefCounted
## What can be created as a resource file: built-in classes and the project's own (class_name), read
## from their descriptions. Nothing is instantiated here.

const NodeTypes = preload("./node_types.gd")
const ProjectFiles = preload("./project_files.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Suggest = preload("./suggest.gd")

const MAX_CHOICES: int = 12
## Classes that have tools of their own.
const ELSEWHERE: Dictionary[StringName, String] = {
	&"PackedScene": "create_scene makes scenes",
	&"Script": "scripts_create makes scripts",
}


## The class of that name: data.kind (a NodeTypes.Kind), or a failure with near matches or concrete
## choices.
static func find(name: String) -> Result:
	if ClassDB.class_exists(name):
		return _native(name)
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if entry["class"] == name:
			return _project(entry)
	var unscanned: String = _declares(name)
	if not unscanned.is_empty():
		return _unregistered(name, unscanned)
	return _refuse(name, "unknown_class", "there is no class %s" % name).with_detail(
		"suggestions", Suggest.near(name, _all_names())
	)


static func _native(name: String) -> Result:
	if not ClassDB.is_parent_class(name, &"Resource"):
		return _refuse(name, "not_a_resource", "%s is no Resource class" % name)
	for special: StringName in ELSEWHERE:
		if ClassDB.is_parent_class(name, special):
			return _refuse(name, "other_tool", "%s is not made so" % name).with_hint(
				ELSEWHERE[special]
			)
	if NodeTypes.is_editor_only(name):
		return _refuse(name, "editor_only_class", "%s exists in the editor only" % name)
	if not ClassDB.can_instantiate(name):
		return _abstract(name)
	var kind: NodeTypes.Kind = NodeTypes.Kind.new()
	kind.name = name
	kind.native = name
	return Result.good({"kind": kind})


static func _project(entry: Dictionary) -> Result:
	var name: String = entry["class"]
	var native: String = NodeTypes.native_of(name)
	if native.is_empty() or not ClassDB.is_parent_class(native, &"Resource"):
		return _refuse(name, "not_a_resource", "%s is no Resource class" % name)
	if entry.get("is_abstract", false):
		return _abstract(name)
	var path: String = entry["path"]
	var script: Script = load(path) as Script if ResourceLoader.exists(path) else null
	if script == null or script.get_instance_base_type().is_empty():
		return _refuse(name, "script_does_not_load", "%s (%s) does not load" % [name, path])
	if NodeTypes.needs_arguments(script):
		return _refuse(name, "init_needs_arguments", "%s cannot be made without arguments" % name)
	var kind: NodeTypes.Kind = NodeTypes.Kind.new()
	kind.name = name
	kind.native = script.get_instance_base_type()
	kind.code = script
	return Result.good({"kind": kind})


static func _abstract(name: String) -> Result:
	var concrete: Array[String] = []
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if entry["base"] == name and not entry.get("is_abstract", false):
			concrete.append(entry["class"])
	if ClassDB.class_exists(name):
		for child: String in ClassDB.get_inheriters_from_class(name):
			var core: bool = ClassDB.class_get_api_type(child) == ClassDB.API_CORE
			if core and ClassDB.can_instantiate(child):
				concrete.append(child)
	concrete.sort()
	return _refuse(name, "abstract_class", "%s is abstract" % name).with_detail(
		"concrete", concrete.slice(0, MAX_CHOICES)
	)


# A script that declares the class and that the editor has not looked at yet.
static func _declares(name: String) -> String:
	if not name.is_valid_ascii_identifier():
		return ""
	var form: RegEx = RegEx.create_from_string("(?m)^\\s*class_name\\s+%s\\b" % name)
	for path: String in ProjectFiles.all():
		if path.get_extension() != "gd":
			continue
		var text: String = FileAccess.get_file_as_string(path)
		if text.contains(name) and form.search(text) != null:
			return path
	return ""


static func _unregistered(name: String, path: String) -> Result:
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"%s declares %s, but the editor has not read that script yet" % [path, name],
			{"script": path, "rescan_pending": true, "got": name}
		)
		.needs("class_registered")
		.with_hint("call rescan_filesystem, then call again")
	)


static func _all_names() -> PackedStringArray:
	var names: PackedStringArray = PackedStringArray()
	for name: String in ClassDB.get_inheriters_from_class(&"Resource"):
		if not NodeTypes.is_editor_only(name):
			var _full: bool = names.append(name)
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		var name: String = entry["class"]
		var _full: bool = names.append(name)
	return names


static func _refuse(name: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		message,
		{"parameter": "resource_type", "reason": reason, "got": name}
	)
