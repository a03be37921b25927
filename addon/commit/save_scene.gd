extends "./disk_applier.gd"
## Saves the edited scene and says what was written. The engine reports no failures here, so the
## files, the tab's mark and the editor's dialogs are read instead.

const History = preload("../history.gd")
const Promises = preload("../promises.gd")
const Scenes = preload("../scenes.gd")

var _disk: Disk
var _history: History
var _scenes: Scenes
var _promises: Promises


func _init(disk: Disk, history: History, scenes: Scenes, promises: Promises) -> void:
	_disk = disk
	_history = history
	_scenes = scenes
	_promises = promises


## Checks the files once more, saves, and reads back.
func apply(planned: Result, the_call: Call) -> Result:
	var path: String = planned.plan.changes[0]["path"]
	var changed: Result = changed_since(planned)
	if changed != null:
		return changed
	# The plan was made in this frame.
	var before: PackedStringArray = _disk.listing
	# Marked as unsaved, so that the mark's absence afterwards proves a save, also of a scene
	# without changes.
	EditorInterface.mark_scene_as_unsaved()
	var wanted: Array[Promises.Wanted] = _promises.wanted(the_call.root)
	_disk.own_save = true
	if planned.plan.changes[0]["save_as"]:
		EditorInterface.save_scene_as(path)
	else:
		var _always_ok: int = EditorInterface.save_scene()
	_disk.own_save = false
	var told: Result = _read_back(planned, the_call.root, path, before)
	if told.ok:
		_promises.tell(told.data, the_call.root, wanted)
	return told


func _read_back(
	planned: Result, root: Node, path: String, before: PackedStringArray
) -> Result:
	var written: Array[Dictionary] = []
	for file: Dictionary in planned.plan.files:
		var known: String = file["path"]
		_disk.remember(known)
		var now: String = Disk.sha256(known)
		if known != path and now != file["sha256"]:
			written.append({"path": known, "sha256": now})
	_history.bump()
	if not _was_saved(root, path):
		return _failed(path, written)
	_scenes.note_saved(root)
	for made: String in made_since(before):
		written.append({"path": made, "sha256": Disk.sha256(made)})
	planned.done = {
		"undoable": false, "on_disk": [{"path": path, "sha256": Disk.sha256(path)}]
	}
	if not written.is_empty():
		planned.done["also_written"] = written
	return planned


# Other editors of the engine keep the mark as long as they have unsaved data of the scene: without
# a dialog the save itself went well.
func _was_saved(root: Node, path: String) -> bool:
	if not is_instance_valid(root) or root.scene_file_path != path or Disk.sha256(path).is_empty():
		return false
	return not _scenes.is_marked_dirty(root) or Scenes.modal_window() == null


static func _failed(path: String, written: Array[Dictionary]) -> Result:
	var details: Dictionary = {"scene_path": path}
	var dialog: Window = Scenes.modal_window()
	if dialog != null:
		details["modal"] = Scenes.modal()
		if dialog.get_class() == "AcceptDialog":
			# It only reports what is reported here.
			dialog.hide()
	if not written.is_empty():
		details["also_written"] = written
	return (
		Result.fail(Protocol.CODE_INTERNAL_ERROR, "the editor did not save %s" % path, details)
		.with_hint("read engine_errors and details.modal; the scene is still unsaved")
		.maybe_applied()
	)
