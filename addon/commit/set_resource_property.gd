extends "./applier.gd"
## Sets properties of a resource in memory, reads each back, and restores everything when one did
## not keep. With a chain it first gives the node resources of its own.

const Assignments = preload("../assignments.gd")
const OwnResources = preload("./own_resources.gd")
const Recorder = preload("./recorder.gd")
const ResourceMemory = preload("../resource_memory.gd")
const Values = preload("../values.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "set_resource_property" change: {resource, values, context}, or for one of the node's own
## {node, way, chain, values}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var values: Dictionary[StringName, Variant] = change["values"]
	if change.has("chain"):
		return _apply_unique(planned, the_call, values)
	var resource: Resource = change["resource"]
	var was_edited: bool = ResourceMemory.is_marked(resource)
	var was: Recorder.Before = _recorder.before(resource, values.keys())
	var failure: Result = Assignments.apply(resource, values, _recorder.properties)
	if failure != null:
		var whole: bool = _recorder.restore(was)
		_unmark(resource, was_edited)
		return failure if whole else failure.maybe_applied()
	planned.data["properties"] = Assignments.shown(resource, values.keys(), _recorder.properties)
	if _recorder.is_as(was) and _alike(values, was):
		_unmark(resource, was_edited)
		planned.data["changed"] = false
		planned.done = {"undoable": false}
		return planned
	var context: Object = change["context"]
	_recorder.open(the_call, context)
	var sure: bool = _recorder.differences(was, true)
	planned.done = _recorder.close(the_call)
	planned.done["undoable"] = sure
	return planned


# The copies are made and changed before the node gets them: a failure leaves nothing behind.
func _apply_unique(
	planned: Result, the_call: Call, values: Dictionary[StringName, Variant]
) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var node: Node = change["node"]
	var chain: Array[Resource] = change["chain"]
	var way: PackedStringArray = change["way"]
	var copy: Resource = chain[0].duplicate()
	OwnResources.give(copy, the_call.root, _recorder.properties)
	var failure: Result = Assignments.apply(copy, values, _recorder.properties)
	if failure != null:
		return failure
	planned.data["properties"] = Assignments.shown(copy, values.keys(), _recorder.properties)
	var inner: Resource = copy
	for index: int in range(1, chain.size()):
		var outer: Resource = chain[index].duplicate()
		outer.set(way[chain.size() - index], inner)
		OwnResources.give(outer, the_call.root, _recorder.properties)
		inner = outer
	var property: StringName = way[0]
	var asked: Array[StringName] = [property]
	var was: Recorder.Before = _recorder.before(node, asked)
	node.set(property, inner)
	if node.get(property) != inner:
		var whole: bool = _recorder.restore(was)
		failure = Result.fail(
			Result.Protocol.CODE_VALUE_REJECTED,
			"%s did not keep the copy" % property, {"property": str(property)}
		)
		return failure if whole else failure.maybe_applied()
	_recorder.open(the_call)
	var sure: bool = _recorder.differences(was, true)
	planned.done = _recorder.close(the_call)
	planned.done["undoable"] = sure
	return planned


# What was put back has not changed, so a save must not write it.
static func _unmark(resource: Resource, was_edited: bool) -> void:
	if not was_edited:
		ResourceMemory.mark(resource, false)


func _alike(values: Dictionary[StringName, Variant], was: Recorder.Before) -> bool:
	for property: StringName in values:
		var declared: Dictionary = _recorder.properties.info(was.object, property)
		if not Values.same(values[property], was.asked[property], declared):
			return false
	return true
