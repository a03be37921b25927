extends RefCounted
## Tells which nodes are of a type: an engine class, or a class of the project, with all that
## inherit from it.

const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Suggest = preload("./suggest.gd")

var _engine_class: StringName = &""
var _script_paths: Dictionary[String, bool] = {}
# Answers per script (its instance id), so that each base chain is walked once.
var _known: Dictionary[int, bool] = {}


## Takes the type's name. A failure when there is no such class.
func setup(type: String) -> Result:
	if ClassDB.class_exists(type):
		_engine_class = StringName(type)
		return Result.good({})
	_script_paths = _project_classes(type)
	if not _script_paths.is_empty():
		return Result.good({})
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"there is no class %s" % type,
		{"got": type, "reason": "unknown_class", "near": Suggest.near(type, _names())}
	)


## True when the node is of the type.
func matches(node: Node) -> bool:
	if not _engine_class.is_empty():
		return node.is_class(_engine_class)
	var script: Script = node.get_script()
	return _has(script)


## True when a node of this built-in class with this script (null: none) is of the type.
func matches_kind(native: StringName, script: Script) -> bool:
	if not _engine_class.is_empty():
		return ClassDB.is_parent_class(native, _engine_class)
	return _has(script)


func _has(script: Script) -> bool:
	if script == null:
		return false
	var id: int = script.get_instance_id()
	if not _known.has(id):
		_known[id] = _inherits(script)
	return _known[id]


func _inherits(script: Script) -> bool:
	var at: Script = script
	while at != null:
		if _script_paths.has(at.resource_path):
			return true
		at = at.get_base_script()
	return false


# The files of the class and of every project class below it: one list entry names its direct base
# only.
static func _project_classes(type: String) -> Dictionary[String, bool]:
	var bases: Dictionary[String, String] = {}
	var paths: Dictionary[String, String] = {}
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		var name: String = entry["class"]
		bases[name] = entry["base"]
		paths[name] = entry["path"]
	var out: Dictionary[String, bool] = {}
	for name: String in paths:
		var at: String = name
		var steps: int = 0
		while at != type and bases.has(at) and steps <= bases.size():
			at = bases[at]
			steps += 1
		if at == type:
			out[paths[name]] = true
	return out


static func _names() -> PackedStringArray:
	var names: PackedStringArray = ClassDB.get_inheriters_from_class("Node")
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		var _full: bool = names.append(str(entry["class"]))
	return names
