extends RefCounted
## Connections as scene files hold them: a file lists those that start at a node of its own, unless
## an instance or base scene makes them already.

const Layers = preload("./layers.gd")

## The mark that the editor puts on connections of a base scene; no file has it.
const INHERITED: int = 32


## The two ends of a connection.
class Way:
	extends RefCounted
	## The node with the signal.
	var source: Node
	## The signal.
	var signal_name: StringName
	## The node with the method.
	var target: Node
	## The method.
	var method: StringName


## One connection that a scene file makes.
class Made:
	extends RefCounted
	## The file.
	var file: String
	## Its flags.
	var flags: int


## The way from a signal to a method.
static func way(
	source: Node, signal_name: StringName, target: Node, method: StringName
) -> Way:
	var made: Way = Way.new()
	made.source = source
	made.signal_name = signal_name
	made.target = target
	made.method = method
	return made


## Who makes this connection besides the edited scene's own file; null when nobody does.
static func given_by(root: Node, asked: Way) -> Made:
	for layer: Layers.Layer in Layers.around(root, _common(root, asked.source, asked.target)):
		var state: SceneState = layer.scene.get_state()
		for index: int in state.get_connection_count():
			if _is(layer, index, asked):
				var made: Made = Made.new()
				made.file = layer.file
				made.flags = state.get_connection_flags(index)
				return made
	return null


## Flags without the editor's own mark.
static func plain_flags(flags: int) -> int:
	return flags & ~INHERITED


static func _is(layer: Layers.Layer, index: int, asked: Way) -> bool:
	var state: SceneState = layer.scene.get_state()
	if state.get_connection_signal(index) != asked.signal_name:
		return false
	if state.get_connection_method(index) != asked.method:
		return false
	return (
		Layers.plain(state.get_connection_source(index)) == Layers.path_in(layer, asked.source)
		and Layers.plain(state.get_connection_target(index)) == Layers.path_in(layer, asked.target)
	)


# The engine looks for the connection in the scenes around the nearest node above both ends.
static func _common(root: Node, source: Node, target: Node) -> Node:
	var at: Node = source
	while at != root and at != target and not at.is_ancestor_of(target):
		at = at.get_parent()
	if at != root and at.scene_file_path.is_empty() and at.owner != null:
		return at.owner
	return at
