extends "./applier.gd"
## Switches the editor to a scene, which may take some frames: the engine ignores a second switch in
## one frame.

const History = preload("../history.gd")
const Promises = preload("../promises.gd")
const Protocol = preload("../protocol.gd")
const Remade = preload("../remade.gd")
const Scenes = preload("../scenes.gd")

const MAX_FRAMES: int = 5

var _history: History
var _scenes: Scenes
var _promises: Promises
var _remade: Remade = null
var _clears: int = 0


func _init(history: History, scenes: Scenes, promises: Promises) -> void:
	_history = history
	_scenes = scenes
	_promises = promises


## Opens the scene and answers once it is the edited one.
func apply(planned: Result, _the_call: Call) -> Result:
	var path: String = planned.plan.changes[0]["path"]
	_clears = _scenes.clears
	_remade = Remade.new()
	EditorInterface.open_scene_from_path(path)
	if _is_open(path):
		return _opened(planned)
	var waiting: Result = Result.planned(planned.plan, planned.data)
	var frames: Array[int] = [0]
	waiting.pending = func() -> Result: return _again(planned, path, frames)
	return waiting


func _again(planned: Result, path: String, frames: Array[int]) -> Result:
	frames[0] += 1
	if _is_open(path):
		return _opened(planned)
	# A dialog means that the engine has given up: asking again would only open another.
	var dialog: Window = Scenes.modal_window()
	if dialog == null and frames[0] < MAX_FRAMES:
		EditorInterface.open_scene_from_path(path)
		return _opened(planned) if _is_open(path) else null
	return _failed(path, dialog)


func _opened(planned: Result) -> Result:
	_history.bump()
	var root: Node = EditorInterface.get_edited_scene_root()
	planned.data["root"] = str(root.name)
	planned.data["type"] = root.get_class()
	planned.data.merge(_scenes.cleared_since(_clears))
	if Scenes.edited() != null:
		_remade.tell(planned.data, Scenes.edited(), _promises)
	planned.done["undoable"] = false
	return planned


static func _failed(path: String, dialog: Window) -> Result:
	var details: Dictionary = {"scene_path": path, "active": Scenes.edited_id()}
	if dialog != null:
		details["modal"] = Scenes.modal()
		if dialog.title.contains(path.get_file()):
			# Our own call brought it up; nobody else is going to answer it.
			dialog.hide()
	var failure: Result = Result.fail(
		Protocol.CODE_INTERNAL_ERROR, "the editor did not open %s" % path, details
	)
	return failure.with_hint("read engine_errors and details.modal, then look at the editor")


static func _is_open(path: String) -> bool:
	var root: Node = EditorInterface.get_edited_scene_root()
	return root != null and root.scene_file_path == path and root.is_inside_tree()
