extends SceneTree
## Reads saved scenes in a process that no editor has touched, and writes down what it sees.
##
## Run as `godot --headless -s res://gd/reader.gd -- ASK ANSWER`: ASK is a JSON list of res://
## paths, ANSWER the file to write, an object by path (see Scene in daemon/harness/reader.go).
## Nothing is taken from a cache. A value is encoded so that equal values have equal text:
## JSON.from_native for plain Variants, own marks for containers, resources and nodes. Resources are
## followed to a fixed depth, each with its stored properties.

const MAX_DEPTH: int = 6
## Following these would only repeat a file that has its own name, or the imported form of one.
const OPAQUE: Array[String] = ["Script", "PackedScene", "Image"]

var _done: bool = false
var _root: Node = null


## Runs once. Returning true ends the process, also when a script error broke the reading: a script
## that only called quit() would stay for ever.
func _process(_delta: float) -> bool:
	if not _done:
		_done = true
		_run()
	return true


func _run() -> void:
	var args: PackedStringArray = OS.get_cmdline_user_args()
	if args.size() != 2:
		printerr("usage: -- ASK ANSWER")
		return
	var asked: Variant = JSON.parse_string(FileAccess.get_file_as_string(args[0]))
	if not asked is Array:
		printerr("ASK is not a JSON list")
		return
	var list: Array = asked
	var answer: Dictionary[String, Dictionary] = {}
	for item: Variant in list:
		var path: String = str(item)
		answer[path] = _read(path)
	var file: FileAccess = FileAccess.open(args[1], FileAccess.WRITE)
	if file == null or not file.store_string(JSON.stringify(answer, "", true, true)):
		printerr("cannot write the answer")


func _read(path: String) -> Dictionary:
	if not ResourceLoader.exists(path, "PackedScene"):
		return {"error": "no scene at that path"}
	var loaded: Resource = ResourceLoader.load(
			path, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE_DEEP)
	var packed: PackedScene = loaded as PackedScene
	if packed == null:
		return {"error": "does not load"}
	_root = packed.instantiate(PackedScene.GEN_EDIT_STATE_DISABLED)
	if _root == null:
		return {"error": "does not instantiate"}
	var scene: Dictionary = _describe_scene()
	_root.free()
	_root = null
	return scene


func _describe_scene() -> Dictionary:
	var nodes: Dictionary[String, Dictionary] = {}
	var order: Array[String] = []
	var connections: Array[Dictionary] = []
	var waiting: Array[Node] = [_root]
	while not waiting.is_empty():
		var node: Node = waiting.pop_back()
		var path: String = _path(node)
		order.append(path)
		nodes[path] = _describe_node(node)
		connections.append_array(_describe_connections(node))
		var children: Array[Node] = node.get_children(true)
		children.reverse()
		waiting.append_array(children)
	connections.sort_custom(_comes_first)
	return {
		"error": "", "root": String(_root.name), "nodes": nodes, "order": order,
		"connections": connections,
	}


func _describe_node(node: Node) -> Dictionary:
	var owner_path: String = "" if node.owner == null else _path(node.owner)
	var groups: Array[String] = []
	for group: StringName in node.get_groups():
		groups.append(String(group))
	groups.sort()
	return {
		"type": node.get_class(),
		"owner": owner_path,
		"index": node.get_index(true),
		"instance_of": node.scene_file_path,
		"editable_children": node != _root and _root.is_editable_instance(node),
		"script": _script_path(node),
		"unique_name": node.unique_name_in_owner,
		"groups": groups,
		"metadata": _metadata(node),
		"properties": _stored(node, 0),
	}


func _script_path(object: Object) -> String:
	var attached: Variant = object.get_script()
	if not attached is Script:
		return ""
	var script: Script = attached
	return script.resource_path


func _metadata(object: Object) -> Dictionary[String, Variant]:
	var found: Dictionary[String, Variant] = {}
	for key: StringName in object.get_meta_list():
		found[String(key)] = _encode(object.get_meta(key), 0)
	return found


## Metadata is stored as properties too, and the script has its own field.
func _stored(object: Object, depth: int) -> Dictionary[String, Variant]:
	var found: Dictionary[String, Variant] = {}
	for property: Dictionary in object.get_property_list():
		var usage: int = property["usage"]
		var property_name: String = property["name"]
		if usage & PROPERTY_USAGE_STORAGE == 0 or property_name.begins_with("metadata/"):
			continue
		if property_name == "script":
			continue
		found[property_name] = _encode(object.get(property_name), depth)
	return found


func _describe_connections(node: Node) -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	for entry: Dictionary in node.get_signal_list():
		var signal_name: StringName = entry["name"]
		for connection: Dictionary in node.get_signal_connection_list(signal_name):
			var flags: int = connection["flags"]
			if flags & CONNECT_PERSIST:
				found.append(_describe_connection(node, signal_name, connection))
	return found


func _describe_connection(
		node: Node, signal_name: StringName, connection: Dictionary) -> Dictionary:
	var callable: Callable = connection["callable"]
	var target: Node = callable.get_object() as Node
	return {
		"source": _path(node),
		"signal": String(signal_name),
		"target": "" if target == null else _path(target),
		"method": String(callable.get_method()),
		"flags": connection["flags"],
		"binds": _encode(callable.get_bound_arguments(), 0),
	}


func _comes_first(a: Dictionary, b: Dictionary) -> bool:
	return JSON.stringify(a) < JSON.stringify(b)


func _path(node: Node) -> String:
	return String(_root.get_path_to(node))


func _encode(value: Variant, depth: int) -> Variant:
	match typeof(value):
		TYPE_ARRAY:
			var list: Array = value
			return _encode_array(list, depth)
		TYPE_DICTIONARY:
			var dictionary: Dictionary = value
			return _encode_dictionary(dictionary, depth)
		TYPE_OBJECT:
			var object: Object = value
			return _encode_object(object, depth)
		TYPE_CALLABLE, TYPE_SIGNAL, TYPE_RID:
			return {"$unencoded": type_string(typeof(value))}
	return JSON.from_native(value)


func _encode_array(list: Array, depth: int) -> Dictionary:
	var items: Array = []
	for item: Variant in list:
		items.append(_encode(item, depth))
	var kind: String = "Array"
	if list.is_typed():
		kind = "Array[%s]" % _type_name(list.get_typed_builtin(), list.get_typed_class_name())
	return {"$type": kind, "$items": items}


func _encode_dictionary(dictionary: Dictionary, depth: int) -> Dictionary:
	var items: Array = []
	for key: Variant in dictionary:
		items.append([_encode(key, depth), _encode(dictionary[key], depth)])
	var kind: String = "Dictionary"
	if dictionary.is_typed():
		kind = "Dictionary[%s, %s]" % [
			_type_name(
					dictionary.get_typed_key_builtin(),
					dictionary.get_typed_key_class_name()),
			_type_name(
					dictionary.get_typed_value_builtin(),
					dictionary.get_typed_value_class_name()),
		]
	return {"$type": kind, "$items": items}


func _type_name(builtin: int, native: StringName) -> String:
	return String(native) if builtin == TYPE_OBJECT else type_string(builtin)


func _encode_object(object: Object, depth: int) -> Variant:
	if object == null:
		return null
	var node: Node = object as Node
	if node != null:
		return {"$node": _path(node)}
	var resource: Resource = object as Resource
	if resource == null:
		return {"$unencoded": object.get_class()}
	return _encode_resource(resource, depth)


## A sub-resource has no path of its own (ids change with a save); inside names the file with it.
func _encode_resource(resource: Resource, depth: int) -> Dictionary:
	var parts: PackedStringArray = resource.resource_path.split("::")
	var is_inline: bool = parts.size() > 1 or resource.resource_path.is_empty()
	var marks: Dictionary = {
		"$resource": resource.get_class(),
		"path": "" if is_inline else resource.resource_path,
		"inside": parts[0] if is_inline else "",
		"script": _script_path(resource),
	}
	if depth >= MAX_DEPTH or _is_opaque(resource):
		return marks
	marks["properties"] = _stored(resource, depth + 1)
	marks["metadata"] = _metadata(resource)
	return marks


func _is_opaque(resource: Resource) -> bool:
	for type: String in OPAQUE:
		if resource.is_class(type):
			return true
	return false
