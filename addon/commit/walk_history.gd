extends "./applier.gd"
## Walks the editor's history step by step, and stops when a step did not do what was expected of
## it.

const DockRow = preload("../dock_row.gd")
const History = preload("../history.gd")
const Protocol = preload("../protocol.gd")
const SceneDock = preload("./scene_dock.gd")
const Touched = preload("../touched.gd")

var _history: History
var _dock: SceneDock


func _init(history: History, dock: SceneDock) -> void:
	_history = history
	_dock = dock


## Does a "walk_history" change: {redo, steps}.
func apply(planned: Result, _the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var steps: Array[History.Top] = change["steps"]
	if not _history.can_walk():
		return Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "the editor's menu for undo and redo was not found"
		)
	var failure: Result = _step(planned, 0)
	if failure != null:
		return failure
	if steps.size() == 1:
		return _walked(planned)
	var waiting: Result = Result.planned(planned.plan, planned.data)
	var next: Array[int] = [1]
	waiting.pending_frames = steps.size()
	waiting.pending = func() -> Result: return _go_on(planned, next)
	return waiting


# One step a frame, like a person: see Applier.ends_frame.
func _go_on(planned: Result, next: Array[int]) -> Result:
	var failure: Result = _step(planned, next[0])
	if failure != null:
		return failure
	next[0] += 1
	var steps: Array[History.Top] = planned.plan.changes[0]["steps"]
	return _walked(planned) if next[0] == steps.size() else null


static func _walked(planned: Result) -> Result:
	planned.done = {"undoable": false}
	return planned


# Walks over one action. Gives null, or the failure, which says how many were walked over.
func _step(planned: Result, index: int) -> Result:
	var redoing: bool = planned.plan.changes[0]["redo"]
	var steps: Array[History.Top] = planned.plan.changes[0]["steps"]
	var step: History.Top = steps[index]
	if step.touched != null and step.touched.is_freed():
		# The plan saw to it; a step before this one has freed something.
		var refused: Result = Touched.refusal(step.name).with_detail("walked", index)
		return refused if index == 0 else refused.maybe_applied()
	if index > 0 and not _is_next(redoing, step):
		return _stopped(step, index, true)
	var before: Dictionary[int, int] = _history.positions()
	_dock.settle()
	if step.touched != null:
		for node: Node in step.touched.nodes():
			DockRow.untie(node)
	if not _history.walk(redoing, step):
		return _stopped(step, index, index > 0 or _history.positions() != before)
	if step.touched != null and not step.touched.is_in_place(redoing):
		return _astray(step, index + 1)
	return null


# A person may have done something since the frame before.
func _is_next(redoing: bool, step: History.Top) -> bool:
	var top: Array[History.Top] = _history.upcoming(redoing, 1)
	return top.size() == 1 and top[0].sure and top[0].name == step.name


static func _astray(step: History.Top, walked: int) -> Result:
	return (
		Result
		. fail(
			Protocol.CODE_VALUE_REJECTED,
			"after walking over %s a node is not where that leaves it" % step.name,
			{"action": step.name, "walked": walked, "reason": "node_not_in_place"}
		)
		. with_hint("a script that runs in the editor (@tool) moved or freed it: read the tree")
		. maybe_applied()
	)


static func _stopped(step: History.Top, walked: int, moved: bool) -> Result:
	var failure: Result = Result.fail(
		Protocol.CODE_PRECONDITION_FAILED,
		"the editor did not walk over %s" % step.name,
		{"walked": walked, "top": step.name}
	)
	failure = failure.needs("editor_idle").with_hint(
		"the editor may be in a drag or a dialog: look at it, then call again"
	)
	return failure.maybe_applied() if moved else failure
