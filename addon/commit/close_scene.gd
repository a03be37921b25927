extends "./applier.gd"
## Closes one scene, also in another tab. The editor closes the one in front only and ignores a
## second switch in one frame, so this takes some frames; the tab that was in front is so again.

const History = preload("../history.gd")
const Promises = preload("../promises.gd")
const Protocol = preload("../protocol.gd")
const Remade = preload("../remade.gd")
const Scenes = preload("../scenes.gd")

const MAX_FRAMES: int = 4

var _history: History
var _scenes: Scenes
var _promises: Promises
var _remade: Remade = null
var _clears: int = 0


func _init(history: History, scenes: Scenes, promises: Promises) -> void:
	_history = history
	_scenes = scenes
	_promises = promises


## Does a "close_scene" change: {path}, the id of an open scene.
func apply(planned: Result, _the_call: Call) -> Result:
	var id: String = planned.plan.changes[0]["path"]
	var front: String = Scenes.edited_id()
	_clears = _scenes.clears
	_remade = Remade.new()
	if front == id:
		var failure: Result = _close(planned, id)
		return _closed(planned) if failure == null else failure
	EditorInterface.open_scene_from_path(id)
	var waiting: Result = Result.planned(planned.plan, planned.data)
	var frames: Array[int] = [0]
	waiting.pending = func() -> Result: return _again(planned, id, front, frames)
	return waiting


func _again(planned: Result, id: String, front: String, frames: Array[int]) -> Result:
	frames[0] += 1
	if Scenes.find(id) == null:
		if Scenes.edited_id() != front and frames[0] < MAX_FRAMES:
			EditorInterface.open_scene_from_path(front)
			return _closed(planned) if Scenes.edited_id() == front else null
		return _closed(planned)
	if Scenes.edited_id() != id:
		if frames[0] >= MAX_FRAMES:
			return _failed(id, "the editor did not bring %s to the front" % id)
		EditorInterface.open_scene_from_path(id)
		return null
	var failure: Result = _close(planned, id)
	if failure != null:
		return failure
	return _closed(planned) if Scenes.edited_id() == front else null


# The failure; null when the scene is closed.
func _close(planned: Result, id: String) -> Result:
	var root: Node = Scenes.edited()
	var decided: bool = planned.plan.effects.has(Protocol.EFFECT_DISCARDS_UNSAVED)
	if not Scenes.is_active(root) or (not decided and _scenes.is_dirty(root)):
		return _failed(id, "%s changed while it was about to be closed" % id)
	var code: Error = EditorInterface.close_scene()
	if code != OK or Scenes.find(id) != null:
		return _failed(id, "the editor did not close %s: %s" % [id, error_string(code)])
	return null


func _closed(planned: Result) -> Result:
	_history.bump()
	planned.data["edited"] = Scenes.edited_id()
	planned.data.merge(_scenes.cleared_since(_clears))
	if Scenes.edited() != null:
		_remade.tell(planned.data, Scenes.edited(), _promises)
	planned.done = {"undoable": false}
	return planned


static func _failed(id: String, message: String) -> Result:
	var details: Dictionary = {"scene_path": id, "edited": Scenes.edited_id()}
	var dialog: Dictionary = Scenes.modal()
	if not dialog.is_empty():
		details["modal"] = dialog
	return Result.fail(Protocol.CODE_INTERNAL_ERROR, message, details).with_hint(
		"the scene is open as before; read details, then look at the editor"
	)
