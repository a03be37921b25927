@tool
extends RefCounted
## The edited scene as text, to the last stored bit: two equal texts are two equal scenes in this
## editor.
##
## Resources carry their instance id, so a read that replaced one by a twin would show.

const MAX_DEPTH: int = 4

var _root: Node = null
var _lines: PackedStringArray = PackedStringArray()


## The whole edited scene; "" when none is open.
func of_edited() -> String:
	_root = EditorInterface.get_edited_scene_root()
	if _root == null:
		return ""
	_add_node(_root)
	return "\n".join(_lines)


func _add_node(node: Node) -> void:
	var groups: Array[String] = []
	for group: StringName in node.get_groups():
		# The engine's own groups hold ids that change by themselves.
		if not String(group).begins_with("_"):
			groups.append(String(group))
	groups.sort()
	_line("%s [%s] owner=%s index=%d instance=%s editable=%s unique=%s groups=%s" % [
		_path(node), node.get_class(), _path(node.owner), node.get_index(true),
		node.scene_file_path,
		node != _root and _root.is_editable_instance(node), node.unique_name_in_owner, groups,
	])
	for line: String in _stored(node, 0):
		_line("\t" + line)
	for line: String in _connections(node):
		_line("\t" + line)
	for child: Node in node.get_children():
		_add_node(child)


func _line(text: String) -> void:
	if _lines.append(text):
		push_error("out of memory")


func _stored(object: Object, depth: int) -> Array[String]:
	var found: Array[String] = []
	for property: Dictionary in object.get_property_list():
		var usage: int = property["usage"]
		if usage & PROPERTY_USAGE_STORAGE != 0:
			var property_name: String = property["name"]
			found.append("%s = %s" % [property_name, _text(object.get(property_name), depth)])
	return found


func _connections(node: Node) -> Array[String]:
	var found: Array[String] = []
	for entry: Dictionary in node.get_signal_list():
		var signal_name: StringName = entry["name"]
		for connection: Dictionary in node.get_signal_connection_list(signal_name):
			var flags: int = connection["flags"]
			var callable: Callable = connection["callable"]
			var target: Node = callable.get_object() as Node
			if flags & CONNECT_PERSIST != 0:
				found.append("%s -> %s.%s flags=%d" % [
					signal_name, _path(target), callable.get_method(), flags,
				])
	found.sort()
	return found


func _text(value: Variant, depth: int) -> String:
	match typeof(value):
		TYPE_ARRAY:
			var list: Array = value
			return _list(list, depth) + (_kind(list) if list.is_typed() else "")
		TYPE_DICTIONARY:
			var dictionary: Dictionary = value
			return _list(dictionary.keys(), depth) + ":" + _list(dictionary.values(), depth)
		TYPE_OBJECT:
			var object: Object = value
			return _object(object, depth)
	return var_to_str(value)


func _kind(list: Array) -> String:
	return " of %d %s" % [list.get_typed_builtin(), list.get_typed_class_name()]


func _list(list: Array, depth: int) -> String:
	var parts: PackedStringArray = PackedStringArray()
	for item: Variant in list:
		if parts.append(_text(item, depth)):
			push_error("out of memory")
	return "[%s]" % ", ".join(parts)


func _object(object: Object, depth: int) -> String:
	if object == null:
		return "null"
	var node: Node = object as Node
	if node != null:
		return "node " + _path(node)
	var resource: Resource = object as Resource
	if resource == null:
		return object.get_class()
	var text: String = "%s#%d %s" % [
		resource.get_class(), resource.get_instance_id(), resource.resource_path,
	]
	if depth >= MAX_DEPTH or resource is Script or resource is PackedScene or resource is Image:
		return text
	return "%s {%s}" % [text, ", ".join(PackedStringArray(_stored(resource, depth + 1)))]


func _path(node: Node) -> String:
	if node == null:
		return ""
	if not node.is_inside_tree():
		return "gone:" + str(node.name)
	if node != _root and not _root.is_ancestor_of(node):
		return "outside:" + str(node.get_path())
	return str(_root.get_path_to(node))
