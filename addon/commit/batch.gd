extends "./applier.gd"
## Carries out several calls as one: each is planned and done in its turn, so that it finds what the
## ones before it made, and all become one undo action. When one fails, the ones before it are taken
## back and the history is as it was.

const Joint = preload("./joint.gd")
const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")

var _recorder: Recorder
var _handler: Callable
var _commit: Callable
var _joint: Joint = null


func _init(recorder: Recorder, commit: Callable) -> void:
	_recorder = recorder
	_commit = commit


## Takes what makes a plan of a call: the result of its handler, or null.
func plan_with(handler: Callable) -> void:
	_handler = handler


## Does a "run_commands" change: {entries}, each {command, params, effects, confirmed}.
func apply(planned: Result, the_call: Call) -> Result:
	var entries: Array[Dictionary] = planned.plan.changes[0]["entries"]
	var results: Array[Dictionary] = []
	_joint = _recorder.join(the_call.root)
	for index: int in entries.size():
		var failure: Result = _run(entries[index], the_call, results)
		if failure != null:
			return _taken_back(failure, index)
	planned.data["results"] = results
	planned.done = _recorder.finish(the_call)
	return planned


func _taken_back(failure: Result, index: int) -> Result:
	Recorder.abandon()
	var undone: int = _joint.size()
	var whole: bool = _joint.roll_back()
	failure = (
		failure
		. with_detail("entry", index)
		. with_detail("rolled_back", whole)
		. with_detail("undone", undone)
	)
	return failure if whole else failure.maybe_applied()


# Null when it went well.
func _run(entry: Dictionary, the_call: Call, results: Array[Dictionary]) -> Result:
	var inner: Call = _call_of(entry, the_call)
	var given: Variant = _handler.call(inner)
	if not given is Result:
		return _died(inner)
	var planned: Result = given
	if not planned.ok:
		return planned
	var refused: Result = _refusal(entry, planned)
	if refused != null:
		return refused
	var report: Dictionary = planned.plan.report()
	var before: int = _joint.size()
	given = _commit.call(planned, inner)
	if not given is Result:
		return _died(inner).maybe_applied()
	var applied: Result = given
	if not applied.ok:
		return applied
	var recorded: bool = _joint.size() > before
	if applied.pending.is_valid() or _joint.is_mixed:
		return _not_undoable(inner)
	if applied.done.get("undoable") != true and (recorded or not _is_nothing(applied)):
		return _not_undoable(inner).maybe_applied()
	results.append({"data": applied.data, "plan": report, "done": applied.done})
	return null


static func _call_of(entry: Dictionary, the_call: Call) -> Call:
	var inner: Call = Call.new()
	inner.command = str(entry.get("command", ""))
	inner.params = entry.get("params", {})
	inner.root = the_call.root
	inner.scene = the_call.scene
	inner.phase = the_call.phase
	inner.action = the_call.action
	return inner


# The same last look as at a call of its own.
static func _refusal(entry: Dictionary, planned: Result) -> Result:
	if planned.plan == null:
		return Result.fail(Protocol.CODE_INTERNAL_ERROR, "a read in a batch that is one edit")
	var declared: Array = entry.get("effects", [])
	for effect: String in planned.plan.effects:
		if not declared.has(effect) or effect == Protocol.EFFECT_TOUCHES_DISK:
			return Result.fail(
				Protocol.CODE_INTERNAL_ERROR,
				"%s would do more than its tool declares" % entry.get("command"),
				{"effect": effect}
			)
	if (planned.plan.removes or planned.plan.writes) and entry.get("confirmed") != true:
		return Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"%s removes and is not confirmed" % entry.get("command")
		).needs("confirm")
	return null


# True when the call found everything as it asked for it.
static func _is_nothing(applied: Result) -> bool:
	return applied.plan.op().is_empty() or applied.data.get("changed") == false


static func _died(inner: Call) -> Result:
	return Result.fail(
		Protocol.CODE_INTERNAL_ERROR, "%s failed inside the addon" % inner.command
	)


static func _not_undoable(inner: Call) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"undo of the scene would not take %s back" % inner.command,
		{"reason": "not_undoable", "command": inner.command}
	).with_hint("leave it out of the batch, or run the batch without atomic")
