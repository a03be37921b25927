extends RefCounted
## Reads of what the editor shows and remembers: open scenes, the selection, the undo history, and
## what it logged. None of them needs an open scene.

const Call = preload("../call.gd")
const ErrorRing = preload("../error_ring.gd")
const History = preload("../history.gd")
const HistoryReport = preload("../history_report.gd")
const Paging = preload("../paging.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")
const Scenes = preload("../scenes.gd")

var _scenes: Scenes
var _history: HistoryReport
var _errors: ErrorRing


func _init(scenes: Scenes, history: HistoryReport, errors: ErrorRing) -> void:
	_scenes = scenes
	_history = history
	_errors = errors


## The edited scene: is_open, id, path, name, type, dirty.
func get_active_scene(_the_call: Call) -> Result:
	var root: Node = Scenes.edited()
	if root == null:
		return Result.good({"is_open": false, "open_scenes": Scenes.open_ids().size()})
	var data: Dictionary = {"is_open": true}
	data.merge(_scene(root))
	return Result.good(data)


## The open scenes in the order of their tabs, each with id, path, name, type, dirty and is_active.
func list_open_scenes(_the_call: Call) -> Result:
	var scenes: Array[Dictionary] = []
	var dirty: int = 0
	for root: Node in EditorInterface.get_open_scene_roots():
		var entry: Dictionary = _scene(root)
		entry["is_active"] = root == Scenes.edited()
		dirty += 1 if entry["dirty"] else 0
		scenes.append(entry)
	return Result.good({"scenes": scenes, "total": scenes.size(), "dirty": dirty})


## The selected nodes of the edited scene: path and type.
func get_selected_nodes(the_call: Call) -> Result:
	var root: Node = Scenes.edited()
	var nodes: Array[Dictionary] = []
	for node: Node in EditorInterface.get_selection().get_selected_nodes():
		if root != null and (node == root or root.is_ancestor_of(node)):
			nodes.append({"path": Resolve.path_of(root, node), "type": node.get_class()})
	var paging: Paging = Paging.new(the_call, 200, 2000)
	var data: Dictionary = {"nodes": nodes.slice(paging.offset, paging.offset + paging.limit)}
	paging.tell(data, nodes.size())
	data["scene"] = Scenes.edited_id()
	return Result.good(data)


## What undo and redo would walk over, and how many actions each history has.
func list_history(the_call: Call) -> Result:
	return Result.good(_history.of(clampi(the_call.number("count", 10), 1, 100)))


## What was logged after number since_seq.
func get_editor_errors(the_call: Call) -> Result:
	var limit: int = clampi(the_call.number("limit", 100), 1, ErrorRing.MAX_ENTRIES)
	return Result.good(_errors.after(maxi(0, the_call.number("since_seq", 0)), limit))


# The path is null while the scene has no file.
func _scene(root: Node) -> Dictionary:
	var data: Dictionary = {
		"id": Scenes.id_of(root),
		"path": null,
		"name": str(root.name),
		"type": root.get_class(),
		"dirty": _scenes.is_dirty(root),
	}
	if not root.scene_file_path.is_empty():
		data["path"] = root.scene_file_path
	return data
