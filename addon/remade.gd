extends RefCounted
## What goes when the editor makes the nodes of an open scene anew, because a scene inside it was
## saved: nodes at or below places that the inner scene does not give any more, and all that was set
## on them. The editor says nothing of it.

const Promises = preload("./promises.gd")
const Scenes = preload("./scenes.gd")

## How many nodes are looked at: some 10 ms.
const MAX_LOOKED: int = 10_000
## How many a reply lists.
const MAX_SHOWN: int = 20
const HINT: String = (
	"a scene inside this one was saved without their places, so the editor left them out with all"
	+ " that was set on them; what was saved of them is in this scene's file until the next save:"
	+ " close_scene it unsaved, bring the places back in the inner scene, and open it again"
)

# By the id of a scene that waits in another tab: its nodes.
var _paths: Dictionary[String, PackedStringArray] = {}


## Looks at the scenes in other tabs. To be made before one of them comes to the front.
func _init() -> void:
	var left: int = MAX_LOOKED
	for root: Node in EditorInterface.get_open_scene_roots():
		if root == Scenes.edited():
			continue
		var paths: PackedStringArray = PackedStringArray()
		var queue: Array[Node] = root.get_children()
		while not queue.is_empty() and left > 0:
			left -= 1
			var node: Node = queue.pop_back()
			queue.append_array(node.get_children())
			# What has no owner is in no file.
			if node.owner != null:
				var _full: bool = paths.append(str(root.get_path_to(node)))
		_paths[Scenes.id_of(root)] = paths


## Says which nodes of the scene, which is in front now, are gone, and has the next save say it too.
func tell(data: Dictionary, root: Node, promises: Promises) -> void:
	var gone: PackedStringArray = PackedStringArray()
	for path: String in _paths.get(Scenes.id_of(root), PackedStringArray()):
		if not root.has_node(NodePath(path)):
			var _full: bool = gone.append(path)
	if gone.is_empty():
		return
	data["lost_nodes"] = Array(gone.slice(0, MAX_SHOWN))
	data["lost_nodes_total"] = gone.size()
	data["lost_nodes_hint"] = HINT
	promises.note_gone(root, gone)
