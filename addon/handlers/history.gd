extends RefCounted
## Plans for walking the editor's undo history. An action that is not Drawbridge's has to be named.

const Call = preload("../call.gd")
const History = preload("../history.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const Touched = preload("../touched.gd")

var _history: History


func _init(history: History) -> void:
	_history = history


## Plans `count` undos; expect_action names the action on top.
func undo(the_call: Call) -> Result:
	return _plan(the_call, false)


## Plans `count` redos; expect_action names the action that the first one brings back.
func redo(the_call: Call) -> Result:
	return _plan(the_call, true)


func _plan(the_call: Call, redoing: bool) -> Result:
	var count: int = the_call.number("count", 1)
	if count < 1 or count > 100:
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"count is 1 to 100",
			{"parameter": "count", "reason": "out_of_range", "got": count}
		)
	var steps: Array[History.Top] = _history.upcoming(redoing, count)
	var expected: String = the_call.text("expect_action")
	var refused: Result = _refusal(steps, expected, redoing)
	if refused != null:
		return refused
	var plan: Plan = Plan.new()
	plan.add_effect(Protocol.EFFECT_WALKS_HISTORY)
	# The opposite tool takes it back; undo would walk further.
	plan.undoable = false
	var names: Array[String] = []
	for step: History.Top in steps:
		names.append(step.name)
	if not steps.is_empty():
		var _plan_itself: RefCounted = plan.change(
			"walk_history", {"redo": redoing, "steps": steps}
		)
	return Result.planned(plan, _data(names, redoing))


static func _data(names: Array[String], redoing: bool) -> Dictionary:
	var data: Dictionary = {"redone" if redoing else "undone": names.size(), "actions": names}
	if names.is_empty():
		data["nothing_to_redo" if redoing else "nothing_to_undo"] = true
	return data


static func _refusal(steps: Array[History.Top], expected: String, redoing: bool) -> Result:
	if steps.is_empty() and expected.is_empty():
		return null
	if steps.is_empty():
		return _not_top("", expected, "there is nothing to %s" % ("redo" if redoing else "undo"))
	for index: int in steps.size():
		var step: History.Top = steps[index]
		if not step.sure:
			return _not_top(
				step.name,
				expected,
				"two histories have actions and which is newer is not known"
			).with_hint("undo or redo once in the editor, then call again")
		if index == 0 and not expected.is_empty():
			if step.name != expected:
				return _not_top(step.name, expected, "another action is on top")
		elif not step.name.begins_with(History.OURS):
			return _not_top(step.name, expected, "%s is not Drawbridge's action" % step.name)
		if step.touched != null and step.touched.is_freed():
			return Touched.refusal(step.name)
	return null


static func _not_top(top: String, expected: String, message: String) -> Result:
	var details: Dictionary = {"top": top}
	if not expected.is_empty():
		details["expect_action"] = expected
	return (
		Result
		. fail(Protocol.CODE_PRECONDITION_FAILED, message, details)
		. needs("top_action")
		. with_hint("pass the name in details.top as expect_action if that is what you mean")
	)
