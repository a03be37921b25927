extends RefCounted
## Does what plans say. It alone opens undo actions or writes; handlers only plan.

const Applier = preload("./commit/applier.gd")
const Call = preload("./call.gd")
const CreateNode = preload("./commit/create_node.gd")
const DeleteNode = preload("./commit/delete_node.gd")
const History = preload("./history.gd")
const MoveNode = preload("./commit/move_node.gd")
const Plan = preload("./plan.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Recorder = preload("./commit/recorder.gd")
const Result = preload("./result.gd")
const SceneDock = preload("./commit/scene_dock.gd")
const SetProperties = preload("./commit/set_properties.gd")
const WalkHistory = preload("./commit/walk_history.gd")

var _appliers: Dictionary[String, Applier] = {}
var _dock: SceneDock = SceneDock.new()


## Makes the appliers of node edits and history walks. The facade registers those of scenes.
func setup(undo: EditorUndoRedoManager, history: History, properties: Properties) -> void:
	var recorder: Recorder = Recorder.new(undo, properties, history)
	register("create_node", CreateNode.new(recorder))
	register("delete_node", DeleteNode.new(recorder))
	register("move_node", MoveNode.new(recorder))
	register("set_properties", SetProperties.new(recorder))
	register("walk_history", WalkHistory.new(history, _dock))


## Says which applier does the changes with this "op".
func register(op: String, applier: Applier) -> void:
	_appliers[op] = applier


## Does the plan of `planned`, in this frame. Gives data with what was read back, and done, or a
## failure.
func apply(planned: Result, the_call: Call) -> Result:
	if planned.plan == null:
		return Result.fail(Protocol.CODE_INTERNAL_ERROR, "%s gave no plan" % the_call.command)
	var op: String = planned.plan.op()
	if op.is_empty():
		planned.done = {"undoable": planned.plan.undoable}
		return planned
	if not _appliers.has(op):
		return Result.fail(Protocol.CODE_INTERNAL_ERROR, "nothing can do %s" % op)
	if _appliers[op].ends_frame():
		_dock.settle()
	return _appliers[op].apply(planned, the_call)


## True when the editor has to draw a frame after this plan before anything else is done.
func ends_frame(plan: Plan) -> bool:
	var applier: Applier = _appliers.get(plan.op())
	return applier != null and applier.ends_frame()


## Marks the edited scene as unsaved.
func mark_unsaved() -> void:
	EditorInterface.mark_scene_as_unsaved()
