extends RefCounted
## What scene files say of the nodes of an open scene: the values that instances and the base scene
## give a node, and which nodes come from the base scene. Reads PackedScene states only; nothing is
## instantiated.

const NODE_SECTION: String = "[node "


## What one scene file itself says, read past the cache.
class Written:
	extends RefCounted
	## Property names by node path.
	var _by_path: Dictionary[String, Array] = {}

	## The properties that the file gives the node at this path.
	func properties(path: String) -> Array:
		return _by_path.get(path, [])


## The paths that a scene's base scenes define, by the root's instance id: a root never changes its
## base.
var _inherited: Dictionary[int, Dictionary] = {}


## The properties that the instances around `node`, or the base scene, give it; what is nearer to
## the root wins.
func given(root: Node, node: Node) -> Dictionary[StringName, Variant]:
	var out: Dictionary[StringName, Variant] = {}
	var is_instance: bool = node != root and not node.scene_file_path.is_empty()
	var at: Node = node if is_instance else node.owner
	while at != null and at != root:
		_merge(out, _state_of(at.scene_file_path), str(at.get_path_to(node)))
		at = at.owner
	if not inherited(root).is_empty():
		_merge(out, _base_of(_own_state(root)), str(root.get_path_to(node)))
	return out


## The paths (relative to root, "." for it) of the nodes that the base scene defines; empty when
## there is no base.
func inherited(root: Node) -> Dictionary[String, bool]:
	var id: int = root.get_instance_id()
	if not _inherited.has(id):
		if _inherited.size() > 64:
			_inherited.clear()
		_inherited[id] = _read_inherited(root)
	return _inherited[id]


## What the file says of each node, without the values of instances and base scenes.
static func written(path: String) -> Written:
	var out: Written = Written.new()
	var scene: PackedScene = (
		ResourceLoader.load(path, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE) as PackedScene
	)
	if scene == null:
		return out
	var state: SceneState = scene.get_state()
	for index: int in state.get_node_count():
		var names: Array[StringName] = []
		for property: int in state.get_node_property_count(index):
			names.append(state.get_node_property_name(index, property))
		out._by_path[_plain(state.get_node_path(index))] = names
	return out


## The file of the scene's base, empty when it has none.
static func base_path(root: Node) -> String:
	var state: SceneState = _own_state(root)
	if root.scene_file_path.is_empty():
		# Only packing tells, and that costs some 0.1 ms a node.
		var packed: PackedScene = PackedScene.new()
		state = packed.get_state() if packed.pack(root) == OK else null
	var base: PackedScene = null
	if state != null and state.get_node_count() > 0:
		base = state.get_node_instance(0)
	return "" if base == null else base.resource_path


static func _read_inherited(root: Node) -> Dictionary[String, bool]:
	var out: Dictionary[String, bool] = {}
	var state: SceneState = _base_of(_own_state(root))
	while state != null:
		for index: int in state.get_node_count():
			out[_plain(state.get_node_path(index))] = true
		state = state.get_base_scene_state()
	return out


# What tells of a scene's base; null when it has none, or no file that could tell.
static func _own_state(root: Node) -> SceneState:
	return _state_of(root.scene_file_path) if _is_derived(root.scene_file_path) else null


# Loading a large scene only to learn that it has no base costs more than a whole tree read, so a
# text scene's first node section is looked at instead.
static func _is_derived(path: String) -> bool:
	if path.is_empty() or not FileAccess.file_exists(path):
		return false
	if path.get_extension() != "tscn":
		return true
	var file: FileAccess = FileAccess.open(path, FileAccess.READ)
	while file != null and not file.eof_reached():
		var line: String = file.get_line()
		if line.begins_with(NODE_SECTION):
			return line.contains(" instance=ExtResource(")
	return false


static func _state_of(path: String) -> SceneState:
	if path.is_empty() or not ResourceLoader.exists(path, "PackedScene"):
		return null
	var scene: PackedScene = ResourceLoader.load(path, "PackedScene") as PackedScene
	return null if scene == null else scene.get_state()


static func _base_of(state: SceneState) -> SceneState:
	return null if state == null else state.get_base_scene_state()


static func _merge(out: Dictionary[StringName, Variant], state: SceneState, path: String) -> void:
	if state == null:
		return
	_merge(out, state.get_base_scene_state(), path)
	for index: int in state.get_node_count():
		if _plain(state.get_node_path(index)) != path:
			continue
		for property: int in state.get_node_property_count(index):
			var name: StringName = state.get_node_property_name(index, property)
			out[name] = state.get_node_property_value(index, property)
		return


static func _plain(path: NodePath) -> String:
	return "." if str(path) == "." else str(path).trim_prefix("./")
