extends "./applier.gd"
## Has the editor read an open scene from its file again: a new root, and a new, empty history.

const Disk = preload("../disk.gd")
const History = preload("../history.gd")
const Protocol = preload("../protocol.gd")
const Scenes = preload("../scenes.gd")

const MAX_FRAMES: int = 4

var _disk: Disk
var _history: History


func _init(disk: Disk, history: History) -> void:
	_disk = disk
	_history = history


## Does a "reload_scene" change: {path}.
func apply(planned: Result, _the_call: Call) -> Result:
	var path: String = planned.plan.changes[0]["path"]
	var old: int = Scenes.find(path).get_instance_id()
	var front: String = Scenes.edited_id()
	EditorInterface.reload_scene_from_path(path)
	if _is_there(path, old, front):
		return _reloaded(planned, path)
	var waiting: Result = Result.planned(planned.plan, planned.data)
	var frames: Array[int] = [0]
	waiting.pending = func() -> Result: return _again(planned, path, old, front, frames)
	return waiting


func _again(
	planned: Result, path: String, old: int, front: String, frames: Array[int]
) -> Result:
	frames[0] += 1
	if _is_there(path, old, front):
		return _reloaded(planned, path)
	if frames[0] < MAX_FRAMES and Scenes.modal_window() == null:
		if _is_new(path, old) and not front.begins_with(Scenes.UNSAVED_PREFIX):
			EditorInterface.open_scene_from_path(front)
		return null
	var details: Dictionary = {"scene_path": path, "open": Scenes.open_ids()}
	var dialog: Dictionary = Scenes.modal()
	if not dialog.is_empty():
		details["modal"] = dialog
	return (
		Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "the editor did not read %s again" % path, details
		)
		.with_hint("read engine_errors and details; open_scene opens it if it is closed now")
		.maybe_applied()
	)


func _reloaded(planned: Result, path: String) -> Result:
	_disk.remember(path)
	_history.bump()
	var root: Node = Scenes.find(path)
	planned.data["root"] = str(root.name)
	planned.data["type"] = root.get_class()
	planned.done = {"undoable": false}
	return planned


static func _is_there(path: String, old: int, front: String) -> bool:
	return _is_new(path, old) and Scenes.edited_id() == front and Scenes.is_active(Scenes.edited())


static func _is_new(path: String, old: int) -> bool:
	var root: Node = Scenes.find(path)
	return root != null and root.get_instance_id() != old
