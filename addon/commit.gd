extends RefCounted
## Does what plans say. It alone opens undo actions or writes; handlers only plan.

const Applier = preload("./commit/applier.gd")
const AttachScript = preload("./commit/attach_script.gd")
const Batch = preload("./commit/batch.gd")
const BatchSet = preload("./commit/batch_set.gd")
const Call = preload("./call.gd")
const CreateNode = preload("./commit/create_node.gd")
const DeleteNode = preload("./commit/delete_node.gd")
const DuplicateNode = preload("./commit/duplicate_node.gd")
const EditableChildren = preload("./commit/editable_children.gd")
const Edits = preload("./edits.gd")
const Groups = preload("./commit/groups.gd")
const History = preload("./history.gd")
const InstanceScene = preload("./commit/instance_scene.gd")
const MoveNode = preload("./commit/move_node.gd")
const Plan = preload("./plan.gd")
const Promises = preload("./promises.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Recorder = preload("./commit/recorder.gd")
const RenameNode = preload("./commit/rename_node.gd")
const Result = preload("./result.gd")
const SceneDock = preload("./commit/scene_dock.gd")
const SelectNodes = preload("./commit/select_nodes.gd")
const SetProperties = preload("./commit/set_properties.gd")
const SetResourceProperty = preload("./commit/set_resource_property.gd")
const Signals = preload("./commit/signals.gd")
const WalkHistory = preload("./commit/walk_history.gd")

var _appliers: Dictionary[String, Applier] = {}
var _dock: SceneDock = SceneDock.new()
var _batch: Batch
var _promises: Promises = null
# What the promises have not been told yet.
var _untold: Array[Callable] = []


## Makes the appliers of node edits and history walks. The facade registers those of scenes.
func setup(undo: EditorUndoRedoManager, history: History, properties: Properties) -> void:
	var recorder: Recorder = Recorder.new(undo, properties, history)
	_batch = Batch.new(recorder, _apply)
	register("run_commands", _batch)
	register("batch_set", BatchSet.new(recorder))
	register("create_node", CreateNode.new(recorder))
	register("delete_node", DeleteNode.new(recorder))
	register("duplicate_node", DuplicateNode.new(recorder))
	register("instance_scene", InstanceScene.new(recorder))
	register("move_node", MoveNode.new(recorder))
	register("rename_node", RenameNode.new(recorder))
	register("set_properties", SetProperties.new(recorder))
	register("select_nodes", SelectNodes.new())
	register("set_connection", Signals.new(recorder))
	register("set_editable", EditableChildren.new(recorder))
	register("set_group", Groups.new(recorder))
	register("set_resource_property", SetResourceProperty.new(recorder))
	register("set_script", AttachScript.new(recorder))
	register("walk_history", WalkHistory.new(history, _dock))


## Takes what remembers changes until a save.
func remember_with(promises: Promises) -> void:
	_promises = promises


## Takes what makes plans of the calls in a batch.
func plan_with(handler: Callable) -> void:
	_batch.plan_with(handler)


## Says which applier does the changes with this "op".
func register(op: String, applier: Applier) -> void:
	_appliers[op] = applier


## Does the plan of `planned`, in this frame. Gives data with what was read back, and done, or a
## failure.
func apply(planned: Result, the_call: Call) -> Result:
	# A batch that died half way must not get the steps of other calls.
	Recorder.abandon()
	var applied: Result = _apply(planned, the_call)
	if _promises != null:
		_untold.append(_promises.settle.bind(applied.ok))
	return applied


## Has it remembered what was done until a save.
func note() -> void:
	var untold: Array[Callable] = _untold
	_untold = []
	for one: Callable in untold:
		one.call()


func _apply(planned: Result, the_call: Call) -> Result:
	if planned.plan == null:
		return Result.fail(Protocol.CODE_INTERNAL_ERROR, "%s gave no plan" % the_call.command)
	# A save in a batch looks at what the calls before it did.
	note()
	the_call.action = Edits.action_of(the_call.action, planned)
	var op: String = planned.plan.op()
	if op.is_empty():
		planned.done = {"undoable": planned.plan.undoable}
		return planned
	if not _appliers.has(op):
		return Result.fail(Protocol.CODE_INTERNAL_ERROR, "nothing can do %s" % op)
	if _appliers[op].ends_frame():
		_dock.settle()
	var applied: Result = _appliers[op].apply(planned, the_call)
	if applied.ok and _promises != null and the_call.root != null:
		_untold.append(_promises.note.bind(planned.plan, the_call.root, applied.done))
	return applied


## True when the editor has to draw a frame after this plan before anything else is done.
func ends_frame(plan: Plan) -> bool:
	var applier: Applier = _appliers.get(plan.op())
	return applier != null and applier.ends_frame()


## Marks the edited scene as unsaved.
func mark_unsaved() -> void:
	EditorInterface.mark_scene_as_unsaved()
