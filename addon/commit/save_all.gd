extends "./disk_applier.gd"
## Saves every unsaved scene through the editor's own menu item and says which ones are saved now.
## EditorInterface.save_all_scenes() would also stop a running game.

const History = preload("../history.gd")
const Promises = preload("../promises.gd")
const Scenes = preload("../scenes.gd")

const ITEM: String = "Save All Scenes"
const SHORTCUT: String = "editor/save_all_scenes"

var _disk: Disk
var _history: History
var _scenes: Scenes
var _promises: Promises


func _init(disk: Disk, history: History, scenes: Scenes, promises: Promises) -> void:
	_disk = disk
	_history = history
	_scenes = scenes
	_promises = promises


## Does a "save_all" change: {paths}. Checks the files once more, saves, and reads back.
func apply(planned: Result, _the_call: Call) -> Result:
	var changed: Result = changed_since(planned)
	if changed != null:
		return changed
	var menu: Dictionary = _menu()
	if menu.is_empty():
		return Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "the editor's menu has no item %s" % ITEM
		).with_hint("open_scene and save_scene each scene instead")
	# The plan was made in this frame.
	var before: PackedStringArray = _disk.listing
	var wanted: Dictionary[String, Array] = _wanted(planned)
	var popup: PopupMenu = menu["popup"]
	_disk.own_save = true
	popup.id_pressed.emit(menu["id"])
	_disk.own_save = false
	var told: Result = _read_back(planned, before)
	var files: Dictionary = {}
	for path: String in wanted:
		var root: Node = Scenes.find(path)
		if root != null and not _scenes.is_marked_dirty(root):
			_promises.tell(files, root, wanted[path])
	if told.ok:
		told.data.merge(files)
		return told
	for key: String in files:
		told = told.with_detail(key, files[key])
	return told


func _wanted(planned: Result) -> Dictionary[String, Array]:
	var out: Dictionary[String, Array] = {}
	for path: String in planned.plan.changes[0]["paths"]:
		out[path] = _promises.wanted(Scenes.find(path))
	return out


func _read_back(planned: Result, before: PackedStringArray) -> Result:
	var paths: PackedStringArray = planned.plan.changes[0]["paths"]
	var written: Array[Dictionary] = []
	for file: Dictionary in planned.plan.files:
		var known: String = file["path"]
		_disk.remember(known)
		var now: String = Disk.sha256(known)
		if not paths.has(known) and now != file["sha256"]:
			written.append({"path": known, "sha256": now})
	_history.bump()
	var saved: PackedStringArray = PackedStringArray()
	var left: PackedStringArray = PackedStringArray()
	for path: String in paths:
		if _was_saved(path):
			var _s: bool = saved.append(path)
		else:
			var _l: bool = left.append(path)
	for made: String in made_since(before):
		written.append({"path": made, "sha256": Disk.sha256(made)})
	if not left.is_empty():
		return _failed(saved, left)
	planned.data["saved"] = saved
	planned.data["count"] = saved.size()
	planned.done = {"undoable": false, "on_disk": states(saved)}
	if not written.is_empty():
		planned.done["also_written"] = written
	return planned


func _was_saved(path: String) -> bool:
	var root: Node = Scenes.find(path)
	if root == null or Disk.sha256(path).is_empty() or _scenes.is_marked_dirty(root):
		return false
	_scenes.note_saved(root)
	return true


static func _failed(saved: PackedStringArray, left: PackedStringArray) -> Result:
	var details: Dictionary = {"saved": saved, "not_saved": left, "on_disk": states(saved)}
	var dialog: Dictionary = Scenes.modal()
	if not dialog.is_empty():
		details["modal"] = dialog
	return (
		Result.fail(
			Protocol.CODE_INTERNAL_ERROR,
			"the editor did not save %s" % ", ".join(left),
			details
		)
		.with_hint("details.saved are saved; read details.modal and engine_errors for the others")
		.maybe_applied()
	)


# By the shortcut, not by the text, which is translated.
static func _menu() -> Dictionary:
	var base: Control = EditorInterface.get_base_control()
	var wanted: Shortcut = null
	var settings: EditorSettings = EditorInterface.get_editor_settings()
	if settings.has_method(&"get_shortcut"):
		wanted = settings.call(&"get_shortcut", SHORTCUT)
	for found: Node in base.find_children("*", "PopupMenu", true, false):
		var popup: PopupMenu = found
		for index: int in popup.item_count:
			var shortcut: Shortcut = popup.get_item_shortcut(index)
			if shortcut == null:
				continue
			if shortcut == wanted or shortcut.resource_name == ITEM:
				return {"popup": popup, "id": popup.get_item_id(index)}
	return {}
