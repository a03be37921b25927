extends RefCounted
## Changes what a scene's description says of single properties, and nothing else: no node is made,
## nothing is packed. The form is the one in which scene resources are stored.

const SceneModel = preload("./scene_model.gd")

# The same numbers as in the engine's SceneState.
const _IS_PATH: int = 1 << 30
const _IS_NODE: int = 1 << 30
const _MASK: int = (1 << 24) - 1
const _NAME_MASK: int = _IS_NODE - 1
const _FROM_ELSEWHERE: int = 0x7FFFFFFF
const _HEAD: int = 5
const _INSTANCE: int = 4


## What is stored of one node.
class Record:
	extends RefCounted
	## Parent, owner, type, name and instance.
	var head: PackedInt32Array
	## Names and values in turn.
	var properties: PackedInt32Array = PackedInt32Array()
	## The groups.
	var groups: PackedInt32Array = PackedInt32Array()


var _bundle: Dictionary
var _names: PackedStringArray
var _nodes: Array[Record] = []
var _scene: PackedScene
var _values: Array


func _init(scene: PackedScene) -> void:
	_scene = scene
	_bundle = scene.get("_bundled")
	_names = _bundle["names"]
	var values: Array = _bundle["variants"]
	_values = values.duplicate()
	var stored: PackedInt32Array = _bundle["nodes"]
	var at: int = 0
	for _number: int in _bundle["node_count"]:
		var record: Record = Record.new()
		record.head = stored.slice(at, at + _HEAD)
		at += _HEAD
		var size: int = stored[at] * 2
		record.properties = stored.slice(at + 1, at + 1 + size)
		at += 1 + size
		size = stored[at]
		record.groups = stored.slice(at + 1, at + 1 + size)
		at += 1 + size
		_nodes.append(record)


## Gives a node a value. `order` has the names of its properties in the order in which the engine
## stores them: setters that look at others count on it.
func set_value(node: int, property: StringName, value: Variant, order: Array[StringName]) -> void:
	_values.append(value)
	var record: Record = _nodes[node]
	var at: int = _find(record, property)
	if at >= 0:
		record.properties[at] = _name(property)
		record.properties[at + 1] = _values.size() - 1
		return
	at = 0
	var place: int = order.find(property)
	while at < record.properties.size() and order.find(_name_at(record, at)) < place:
		at += 2
	var _a: int = record.properties.insert(at, _name(property))
	var _b: int = record.properties.insert(at + 1, _values.size() - 1)


## Has the file say nothing of a node's property.
func erase_value(node: int, property: StringName) -> void:
	var at: int = _find(_nodes[node], property)
	if at >= 0:
		_nodes[node].properties.remove_at(at + 1)
		_nodes[node].properties.remove_at(at)


## A place for what the file says of a node that an instance or the base brings along: its number.
func add_node(path: String) -> int:
	var paths: Array = _bundle["node_paths"]
	paths = paths.duplicate()
	paths.append(NodePath(SceneModel.parent(path)))
	_bundle["node_paths"] = paths
	_add_ids()
	var record: Record = Record.new()
	record.head = PackedInt32Array(
		[_IS_PATH | (paths.size() - 1), -1, _FROM_ELSEWHERE, _name(path.get_file()), -1]
	)
	_nodes.append(record)
	return _nodes.size() - 1


## The scene with these changes.
func packed() -> PackedScene:
	_forget_unused()
	_bundle["names"] = _names
	_bundle["variants"] = _values
	_bundle["node_count"] = _nodes.size()
	var stored: PackedInt32Array = PackedInt32Array()
	for record: Record in _nodes:
		stored.append_array(record.head)
		var _a: bool = stored.append(record.properties.size() >> 1)
		stored.append_array(record.properties)
		var _b: bool = stored.append(record.groups.size())
		stored.append_array(record.groups)
	_bundle["nodes"] = stored
	var out: PackedScene = PackedScene.new()
	for info: Dictionary in _scene.get_property_list():
		var usage: int = info["usage"]
		var name: String = info["name"]
		if usage & PROPERTY_USAGE_STORAGE != 0 and not name in ["_bundled", "resource_path"]:
			out.set(name, _scene.get(name))
	out.set("_bundled", _bundle)
	return out


# Engines from 4.6 on know nodes by numbers too. A node without one is found by its path.
func _add_ids() -> void:
	if _bundle.has("node_ids"):
		var ids: PackedInt32Array = _bundle["node_ids"]
		var _full: bool = ids.append(0)
		_bundle["node_ids"] = ids
	if _bundle.has("id_paths"):
		var paths: Array = _bundle["id_paths"]
		paths = paths.duplicate()
		paths.append(PackedInt32Array())
		_bundle["id_paths"] = paths


# A value that nothing refers to would be written all the same, if it is a resource.
func _forget_unused() -> void:
	var base: int = _bundle.get("base_scene", -1)
	var used: Dictionary[int, bool] = {base: true}
	for record: Record in _nodes:
		used[record.head[_INSTANCE] & _MASK] = true
		for at: int in range(1, record.properties.size(), 2):
			used[record.properties[at]] = true
	var stored: PackedInt32Array = _bundle["conns"]
	var at: int = 0
	for _number: int in _bundle["conn_count"]:
		var binds: int = stored[at + 5]
		for bind: int in binds:
			used[stored[at + 6 + bind]] = true
		at += 7 + binds
	for index: int in _values.size():
		if not used.has(index):
			_values[index] = null


func _name(text: String) -> int:
	var at: int = _names.find(text)
	if at < 0:
		var _full: bool = _names.append(text)
		at = _names.size() - 1
	return at


func _name_at(record: Record, at: int) -> StringName:
	return _names[record.properties[at] & _NAME_MASK]


func _find(record: Record, property: StringName) -> int:
	for at: int in range(0, record.properties.size(), 2):
		if _name_at(record, at) == property:
			return at
	return -1
