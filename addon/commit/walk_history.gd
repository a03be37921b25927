extends "./applier.gd"
## Walks the editor's history step by step, and stops when a step did not do what was expected of
## it.

const History = preload("../history.gd")
const Protocol = preload("../protocol.gd")
const Touched = preload("../touched.gd")

var _history: History


func _init(history: History) -> void:
	_history = history


## Does a "walk_history" change: {redo, steps}.
func apply(planned: Result, _the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var redoing: bool = change["redo"]
	var steps: Array[History.Top] = change["steps"]
	if not _history.can_walk():
		return Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "the editor's menu for undo and redo was not found"
		)
	var before: Dictionary[int, int] = _history.positions()
	for index: int in steps.size():
		var step: History.Top = steps[index]
		if step.touched != null and step.touched.is_freed():
			# The plan saw to it; a step before this one has freed something.
			var refused: Result = Touched.refusal(step.name).with_detail("walked", index)
			return refused if index == 0 else refused.maybe_applied()
		if not _history.walk(redoing, step):
			return _stopped(steps, index, before)
		if step.touched != null and not step.touched.is_in_place(redoing):
			return _astray(step, index + 1)
	planned.done = {"undoable": false}
	return planned


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


func _stopped(steps: Array[History.Top], index: int, before: Dictionary[int, int]) -> Result:
	var failure: Result = Result.fail(
		Protocol.CODE_PRECONDITION_FAILED,
		"the editor did not walk over %s" % steps[index].name,
		{"walked": index, "top": steps[index].name}
	)
	failure = failure.needs("editor_idle").with_hint(
		"the editor may be in a drag or a dialog: look at it, then call again"
	)
	if _history.positions() != before:
		return failure.maybe_applied()
	return failure
