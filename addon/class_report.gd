extends RefCounted
## What describe_class says of a class of the engine or of the project: its place among the classes,
## whether it can be made, and its members. Nothing is instantiated for it.

const ClassMembers = preload("./class_members.gd")
const NodeTypes = preload("./node_types.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Suggest = preload("./suggest.gd")

const MAX_CHOICES: int = 50


## A class as it was found.
class Found:
	extends RefCounted
	## Its name.
	var name: String = ""
	## The engine's class that it is, or extends.
	var native: String = ""
	## The script; null for a class of the engine.
	var code: Script = null
	## The project's own entry of it.
	var entry: Dictionary = {}


## The class of that name as data.found, or a failure with near matches.
static func find(name: String) -> Result:
	var found: Found = Found.new()
	found.name = name
	if ClassDB.class_exists(name):
		found.native = name
		return Result.good({"found": found})
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if entry["class"] == name:
			return _project(found, entry)
	for type: int in range(TYPE_BOOL, TYPE_MAX):
		if type_string(type) == name:
			return _refuse(name, "value_type", "%s is a type of values, not a class" % name)
	var refused: Result = _refuse(name, "unknown_class", "there is no class %s" % name)
	return refused.with_detail("suggestions", Suggest.near(name, _all_names()))


## Where the class stands: bases, subclasses, whether it can be made, and what to make instead.
static func head(found: Found) -> Dictionary:
	var out: Dictionary = {"class_name": found.name, "inherits": bases(found)}
	var below: Array[String] = _subclasses(found)
	out["subclasses"] = below.slice(0, MAX_CHOICES)
	out["subclass_count"] = below.size()
	var can: bool = _can_instantiate(found)
	out["can_instantiate"] = can
	if found.code == null:
		out["source"] = "engine"
		if NodeTypes.is_editor_only(found.name):
			out["editor_only"] = true
		if Engine.has_singleton(found.name):
			out["singleton"] = true
	else:
		out["source"] = "project"
		out["script"] = found.code.resource_path
		out["tool"] = found.code.is_tool()
		if NodeTypes.needs_arguments(found.code):
			out["init_needs_arguments"] = true
	if not can and not below.is_empty():
		var concrete: Array[String] = _concrete(found)
		out["concrete"] = concrete.slice(0, MAX_CHOICES)
		out["concrete_count"] = concrete.size()
	return out


## The class's members.
static func members(found: Found, inherited: bool) -> ClassMembers:
	var out: ClassMembers = ClassMembers.new()
	var script: Script = found.code
	while script != null:
		out.add_script(script, _script_name(script))
		script = script.get_base_script() if inherited else null
	var native: String = found.native if found.code == null or inherited else ""
	while not native.is_empty():
		out.add_native(native)
		native = str(ClassDB.get_parent_class(native)) if inherited else ""
	return out


## The classes that it extends, the nearest first. A base script without a name goes by its path.
static func bases(found: Found) -> Array[String]:
	var out: Array[String] = []
	var script: Script = null if found.code == null else found.code.get_base_script()
	while script != null:
		out.append(_script_name(script))
		script = script.get_base_script()
	if found.code != null:
		out.append(found.native)
	var native: String = str(ClassDB.get_parent_class(found.native))
	while not native.is_empty():
		out.append(native)
		native = str(ClassDB.get_parent_class(native))
	return out


static func _project(found: Found, entry: Dictionary) -> Result:
	var path: String = entry["path"]
	var script: Script = load(path) as Script if ResourceLoader.exists(path) else null
	if script == null or script.get_instance_base_type().is_empty():
		return _refuse(
			found.name, "script_does_not_load", "%s (%s) does not load" % [found.name, path]
		).with_hint("mend the script named in the message with scripts_patch")
	found.native = script.get_instance_base_type()
	found.code = script
	found.entry = entry
	return Result.good({"found": found})


static func _can_instantiate(found: Found) -> bool:
	if found.code != null:
		return not found.entry.get("is_abstract", false) and ClassDB.can_instantiate(found.native)
	return ClassDB.can_instantiate(found.name)


# The direct ones, the project's first.
static func _subclasses(found: Found) -> Array[String]:
	var out: Array[String] = []
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if entry["base"] == found.name:
			out.append(entry["class"])
	if found.code == null:
		for name: String in ClassDB.get_inheriters_from_class(found.name):
			if ClassDB.get_parent_class(name) == found.name:
				out.append(name)
	return out


# Those below it, at any depth, that can be made.
static func _concrete(found: Found) -> Array[String]:
	var out: Array[String] = []
	var below: Dictionary[String, bool] = {found.name: true}
	var natives: PackedStringArray = PackedStringArray()
	if found.code == null:
		natives = ClassDB.get_inheriters_from_class(found.name)
	for name: String in natives:
		below[name] = true
		if ClassDB.can_instantiate(name) and not NodeTypes.is_editor_only(name):
			out.append(name)
	out.sort()
	var project: Array[String] = []
	var left: Array[Dictionary] = ProjectSettings.get_global_class_list()
	var grew: bool = true
	while grew:
		grew = false
		for entry: Dictionary in left:
			if below.has(entry["base"]) and not below.has(entry["class"]):
				below[entry["class"]] = true
				grew = true
				if not entry.get("is_abstract", false):
					project.append(entry["class"])
	project.append_array(out)
	return project


static func _script_name(script: Script) -> String:
	var name: String = str(script.get_global_name())
	return script.resource_path if name.is_empty() else name


static func _all_names() -> PackedStringArray:
	var names: PackedStringArray = PackedStringArray()
	for name: String in ClassDB.get_class_list():
		if not NodeTypes.is_editor_only(name):
			var _full: bool = names.append(name)
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		var _full: bool = names.append(str(entry["class"]))
	return names


static func _refuse(name: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		message,
		{"parameter": "class_name", "reason": reason, "got": name}
	)
