extends "./applier.gd"
## Walks the editor's history step by step, and stops when a step did not do what was expected of
## it.

const History = preload("../history.gd")
const Protocol = preload("../protocol.gd")

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
		if not _history.walk(redoing, steps[index]):
			return _stopped(steps, index, before)
	planned.done = {"undoable": false}
	return planned


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
