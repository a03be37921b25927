extends RefCounted
## The open scenes that have instances of scene files, or inherit them.

const CrossFile = preload("./cross_file.gd")
const OpenUsers = preload("./open_users.gd")
const Scenes = preload("./scenes.gd")
const States = preload("./states.gd")

const MAX_BASES: int = 64


## One place in an open scene where a file's nodes stand.
class Anchor:
	extends RefCounted
	## The root of the open scene.
	var root: Node
	## The node that stands for the file's root.
	var node: Node
	## The file.
	var file: CrossFile


var _anchors: Array[Anchor] = []
var _bases: Dictionary[String, PackedStringArray] = {}
var _files: Dictionary[String, CrossFile] = {}


## Looks for them.
static func of(files: Array[CrossFile]) -> OpenUsers:
	var out: OpenUsers = OpenUsers.new()
	for file: CrossFile in files:
		out._files[file.path] = file
	for root: Node in EditorInterface.get_open_scene_roots():
		out._look_at(root)
	return out


## True when there is none.
func is_empty() -> bool:
	return _anchors.is_empty()


## Where the files' nodes stand.
func anchors() -> Array[Anchor]:
	return _anchors


## What replies say: {scene, uses}, a row for each scene.
func rows() -> Array[Dictionary]:
	var uses: Dictionary[String, PackedStringArray] = {}
	for anchor: Anchor in _anchors:
		var id: String = Scenes.id_of(anchor.root)
		var known: PackedStringArray = uses.get(id, PackedStringArray())
		if not known.has(anchor.file.path):
			var _full: bool = known.append(anchor.file.path)
		uses[id] = known
	var out: Array[Dictionary] = []
	for id: String in uses:
		out.append({"scene": id, "uses": Array(uses[id])})
	return out


func _look_at(root: Node) -> void:
	_add(root, root, States.base_path(root))
	var queue: Array[Node] = root.get_children()
	var next: int = 0
	while next < queue.size():
		var node: Node = queue[next]
		next += 1
		_add(root, node, node.scene_file_path)
		queue.append_array(node.get_children())


func _add(root: Node, node: Node, path: String) -> void:
	if path.is_empty():
		return
	for file: String in _with_bases(path):
		if _files.has(file):
			var anchor: Anchor = Anchor.new()
			anchor.root = root
			anchor.node = node
			anchor.file = _files[file]
			_anchors.append(anchor)


# A file and the scenes that it inherits.
func _with_bases(path: String) -> PackedStringArray:
	if _bases.has(path):
		return _bases[path]
	var out: PackedStringArray = PackedStringArray()
	var at: String = path
	while not at.is_empty() and out.size() < MAX_BASES and not out.has(at):
		var _full: bool = out.append(at)
		var scene: PackedScene = null
		if ResourceLoader.exists(at, "PackedScene"):
			scene = ResourceLoader.load(at, "PackedScene") as PackedScene
		if scene == null or scene.get_state().get_node_count() == 0:
			break
		var base: PackedScene = scene.get_state().get_node_instance(0)
		at = "" if base == null else base.resource_path
	_bases[path] = out
	return out
