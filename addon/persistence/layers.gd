extends RefCounted
## The scene files around a node: those of the instances that it is in, from the nearest to the
## farthest, then the bases of the edited scene; each with its own bases. What they give a node
## comes back at each load.

const States = preload("../states.gd")


## One scene file, placed in the edited scene.
class Layer:
	extends RefCounted
	## Where its root stands.
	var at: Node
	## The file.
	var file: String
	## What it says.
	var scene: PackedScene


## The layers around a node of the scene.
static func around(root: Node, node: Node) -> Array[Layer]:
	var out: Array[Layer] = []
	var at: Node = node
	while at != null and at != root:
		_add(out, at, at.scene_file_path)
		at = at.owner
	if not root.scene_file_path.is_empty():
		_add(out, root, States.base_path(root))
	return out


## The index of a node in what a layer says; -1 when it says nothing of it.
static func index_of(layer: Layer, node: Node) -> int:
	var path: String = path_in(layer, node)
	var state: SceneState = layer.scene.get_state()
	for index: int in state.get_node_count():
		if plain(state.get_node_path(index)) == path:
			return index
	return -1


## What the files around a node give this property; null when none names it.
static func given(root: Node, node: Node, property: StringName) -> Variant:
	for layer: Layer in around(root, node):
		var index: int = index_of(layer, node)
		var state: SceneState = layer.scene.get_state()
		for at: int in (0 if index < 0 else state.get_node_property_count(index)):
			if state.get_node_property_name(index, at) == property:
				return state.get_node_property_value(index, at)
	return null


## True when a file gives the parent a child of this name that it does not have now: another node
## has that path when the scene is read.
static func gives_again(root: Node, parent: Node, name: StringName) -> bool:
	if parent.has_node(NodePath(name)):
		return false
	for layer: Layer in around(root, parent):
		var above: String = path_in(layer, parent)
		var path: String = str(name) if above == "." else above.path_join(name)
		var state: SceneState = layer.scene.get_state()
		for index: int in state.get_node_count():
			if plain(state.get_node_path(index)) == path:
				return true
	return false


## The path of a node from a layer's root.
static func path_in(layer: Layer, node: Node) -> String:
	return str(layer.at.get_path_to(node))


## A path as a scene's state writes it, in the form of path_in().
static func plain(path: NodePath) -> String:
	return "." if str(path) == "." else str(path).trim_prefix("./")


static func _add(out: Array[Layer], at: Node, file: String) -> void:
	var next: String = file
	var seen: Dictionary[String, bool] = {}
	while not next.is_empty() and not seen.has(next) and ResourceLoader.exists(next, "PackedScene"):
		seen[next] = true
		var scene: PackedScene = ResourceLoader.load(next, "PackedScene") as PackedScene
		if scene == null or scene.get_state().get_node_count() == 0:
			return
		var layer: Layer = Layer.new()
		layer.at = at
		layer.file = next
		layer.scene = scene
		out.append(layer)
		var base: PackedScene = scene.get_state().get_node_instance(0)
		next = "" if base == null else base.resource_path
