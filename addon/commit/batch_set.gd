extends "./applier.gd"
## Sets properties of many nodes as one action. A node that does not keep a value takes the whole
## call back, or, where nodes were found by their class, is itself put back and told.

const Assignments = preload("../assignments.gd")
const Batch = preload("../batch.gd")
const Recorder = preload("./recorder.gd")
const Structure = preload("./structure.gd")
const Touched = preload("../touched.gd")


## A target with what it was.
class Done:
	extends RefCounted
	## The target.
	var target: Batch.Target
	## Its parent.
	var parent: Node
	## The node as it was.
	var was: Recorder.Before
	## The nodes that go with it.
	var others: Array[Recorder.Before]


var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "batch_set" change: {targets, lenient, skipped}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var targets: Array[Batch.Target] = change["targets"]
	var all: Array[Done] = _before(targets)
	var kept: Array[Done] = []
	for done: Done in all:
		var failure: Result = _give(done, the_call.root)
		if failure == null:
			kept.append(done)
			continue
		if not _is_there(done, the_call.root):
			return failure
		kept.append(done)
		if not change["lenient"]:
			return _restore(kept, failure.with_detail("node_path", done.target.path))
		var _last: Done = kept.pop_back()
		failure = _restore([done], failure)
		if failure.error.get("may_have_applied", false):
			return failure
		_skip(planned, done, failure)
	return _record(planned, the_call, kept)


func _before(targets: Array[Batch.Target]) -> Array[Done]:
	var all: Array[Done] = []
	for target: Batch.Target in targets:
		var done: Done = Done.new()
		done.target = target
		done.parent = target.node.get_parent()
		done.was = _recorder.before(target.node, target.values.keys())
		done.others = Structure.companions(_recorder, target.node, target.values.keys())
		all.append(done)
	return all


func _give(done: Done, root: Node) -> Result:
	if not _is_there(done, root):
		return Touched.removed_itself(done.target.path).maybe_applied()
	var failure: Result = Assignments.apply(
		done.target.node, done.target.values, _recorder.properties
	)
	if not _is_there(done, root):
		return Touched.removed_itself(done.target.path).maybe_applied()
	return failure


# Last first: a later node may have changed an earlier one.
func _restore(some: Array[Done], failure: Result) -> Result:
	var whole: bool = true
	var backwards: Array[Done] = some.duplicate()
	backwards.reverse()
	for done: Done in backwards:
		whole = is_instance_valid(done.was.object) and _recorder.restore(done.was) and whole
		whole = Structure.restore(_recorder, done.others) and whole
	return failure if whole else failure.maybe_applied()


static func _is_there(done: Done, root: Node) -> bool:
	return Structure.stays(done.was.object, done.parent, root)


func _record(planned: Result, the_call: Call, kept: Array[Done]) -> Result:
	var rows: Array[Dictionary] = []
	for done: Done in kept.slice(0, Batch.MAX_SHOWN):
		var names: Array[StringName] = done.target.values.keys()
		var shown: Dictionary = Assignments.shown(done.target.node, names, _recorder.properties)
		rows.append(Batch.row(done.target.path, shown))
	Batch.tell(planned.data, "applied", rows)
	planned.data["applied_total"] = kept.size()
	planned.data["changed"] = not kept.is_empty()
	planned.done = {"undoable": false}
	if kept.is_empty():
		return planned
	_recorder.open(the_call)
	var alone: bool = kept.all(func(done: Done) -> bool: return done.others.is_empty())
	var sure: bool = true
	for done: Done in kept:
		sure = _recorder.differences(done.was, alone) and sure
		Structure.differences(_recorder, done.others)
	planned.done = _recorder.close(the_call)
	planned.done["undoable"] = sure
	return planned


func _skip(planned: Result, done: Done, failure: Result) -> void:
	var path: String = done.target.path
	var skipped: Array[Dictionary] = planned.plan.changes[0]["skipped"]
	skipped.append(Batch.skipped(path, failure))
	Batch.tell(planned.data, "skipped", skipped)
	var at: int = planned.plan.targets.find(path)
	if at >= 0:
		planned.plan.targets.remove_at(at)
	planned.plan.verdicts = planned.plan.verdicts.filter(
		func(verdict: Dictionary) -> bool:
			var target: String = verdict["target"]
			return target != path and not target.begins_with(path + ":")
	)
