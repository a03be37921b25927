extends RefCounted
## Groups of nodes as scene files hold them: a file lists only the groups that a node has on top of
## those that its instance or base scene gives it, so a group that is given cannot be taken away.

const Layers = preload("./layers.gd")


## The file that gives the node this group; empty when none does.
static func given_by(root: Node, node: Node, group: StringName) -> String:
	for layer: Layers.Layer in Layers.around(root, node):
		var index: int = Layers.index_of(layer, node)
		if index >= 0 and layer.scene.get_state().get_node_groups(index).has(group):
			return layer.file
	return ""


## Whether the node is in the group for good. The engine tells scripts only which groups a node is
## in; what it would write is asked for instead.
static func is_persistent(root: Node, node: Node, group: StringName) -> bool:
	if not node.is_in_group(group):
		return false
	return not given_by(root, node, group).is_empty() or _is_written(root, node, group)


# Packing gives an id to each node that it takes for the file's own. A plain node of the scene gets
# one at the next save anyhow, so it is packed alone: that stops at nodes that it does not own.
# Nodes of instances never get one, so there the whole scene is packed, as a save does.
static func _is_written(root: Node, node: Node, group: StringName) -> bool:
	var foreign: bool = node.owner != root or not node.scene_file_path.is_empty()
	var top: Node = root if foreign or not Layers.around(root, node).is_empty() else node
	var packed: PackedScene = PackedScene.new()
	if packed.pack(top) != OK:
		return false
	var path: String = str(top.get_path_to(node))
	var state: SceneState = packed.get_state()
	for index: int in state.get_node_count():
		if Layers.plain(state.get_node_path(index)) == path:
			return state.get_node_groups(index).has(group)
	return false
