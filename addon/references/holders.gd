extends RefCounted
## Which properties of an object may hold node paths. A full list costs up to a millisecond, so
## nodes are asked by class and script wherever the list cannot differ from one node to another.

const METADATA: String = "metadata/"
const SKIPPED: Array[StringName] = [&"script", &"owner", &"multiplayer", &"scene_file_path"]
const TYPES: Array[int] = [
	TYPE_NIL, TYPE_NODE_PATH, TYPE_ARRAY, TYPE_DICTIONARY, TYPE_OBJECT,
]

## The lists of nodes, by class and script.
var _known: Dictionary[StringName, Dictionary] = {}


## The names of the stored properties of a node that may hold paths.
func of_node(node: Node) -> PackedStringArray:
	if _differs(node):
		return of_object(node)
	var script: Script = node.get_script()
	var out: PackedStringArray = _of_kind(node.get_class(), script).duplicate()
	for key: StringName in node.get_meta_list():
		var _full: bool = out.append(METADATA + key)
	return out


## The names of the stored properties of any object that may hold paths.
static func of_object(object: Object) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for info: Dictionary in object.get_property_list():
		_add(out, info)
	return out


# Bones, joints and the like are listed by the node itself, as its settings are.
static func _differs(node: Node) -> bool:
	if node is SkeletonModifier3D or node is Skeleton3D or node is AnimationMixer:
		return true
	var api: ClassDB.APIType = ClassDB.class_get_api_type(node.get_class())
	if api == ClassDB.API_EXTENSION or api == ClassDB.API_EDITOR_EXTENSION:
		return true
	var script: Script = node.get_script()
	return script != null and script.is_tool()


func _of_kind(type: StringName, script: Script) -> PackedStringArray:
	var script_id: int = 0 if script == null else script.get_instance_id()
	var by_script: Dictionary = _known.get_or_add(type, {})
	if not by_script.has(script_id):
		by_script[script_id] = _list(type, script)
	return by_script[script_id]


static func _list(type: StringName, script: Script) -> PackedStringArray:
	var names: PackedStringArray = PackedStringArray()
	for info: Dictionary in ClassDB.class_get_property_list(type):
		_add(names, info)
	if script != null:
		for info: Dictionary in script.get_script_property_list():
			_add(names, info)
	return names


static func _add(names: PackedStringArray, info: Dictionary) -> void:
	var usage: int = info["usage"]
	var name: StringName = info["name"]
	if usage & PROPERTY_USAGE_STORAGE == 0 or not info["type"] in TYPES or SKIPPED.has(name):
		return
	if not names.has(name):
		var _full: bool = names.append(name)
