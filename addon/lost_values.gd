extends RefCounted
## Values that an open scene lost because a script did not parse when the scene was read: the engine
## cannot hold some of them (lists of nodes), and a save would take them out of the file for good.
## Mending the script does not bring them back; reading the scene again does.

const States = preload("./states.gd")

# By the root's instance id: {script, node_path, property} for each value that the file has and the
# node has not.
var _lost: Dictionary[int, Array] = {}


## Looks at scenes that were opened or read again. To be called each frame.
func frame() -> void:
	for root: Node in EditorInterface.get_open_scene_roots():
		if not _lost.has(root.get_instance_id()):
			_note(root)


## What the scene lost when it was read: {script, node_path, property}, empty when nothing.
func of(root: Node) -> Array:
	if not _lost.has(root.get_instance_id()):
		_note(root)
	return _lost[root.get_instance_id()]


func _note(root: Node) -> void:
	for id: int in _lost.keys():
		if not is_instance_id_valid(id):
			var _known: bool = _lost.erase(id)
	var found: Array[Dictionary] = []
	var broken: Array[Node] = _with_broken_script(root)
	if not broken.is_empty() and not root.scene_file_path.is_empty():
		var written: States.Written = States.written(root.scene_file_path)
		for node: Node in broken:
			_compare(found, root, node, written)
	_lost[root.get_instance_id()] = found


# A script that never parsed does not know its engine class.
static func _with_broken_script(root: Node) -> Array[Node]:
	var out: Array[Node] = []
	var queue: Array[Node] = [root]
	while not queue.is_empty():
		var node: Node = queue.pop_back()
		var script: Script = node.get_script()
		if script != null and script.get_instance_base_type().is_empty():
			out.append(node)
		queue.append_array(node.get_children())
	return out


static func _compare(
	found: Array[Dictionary], root: Node, node: Node, written: States.Written
) -> void:
	var path: String = str(root.get_path_to(node))
	var has: Dictionary[String, bool] = {}
	for info: Dictionary in node.get_property_list():
		has[str(info["name"])] = true
	var script: Script = node.get_script()
	for property: StringName in written.properties(path):
		if not has.has(str(property)):
			found.append(
				{"script": script.resource_path, "node_path": path, "property": str(property)}
			)
