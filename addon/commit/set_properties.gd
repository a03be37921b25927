extends "./applier.gd"
## Sets properties of a node in the order asked, reads each back, and restores everything when one
## did not keep.

const Assignments = preload("../assignments.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")
const Structure = preload("./structure.gd")
const Touched = preload("../touched.gd")
const Values = preload("../values.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "set_properties" change: {node, values}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var node: Node = change["node"]
	var values: Dictionary[StringName, Variant] = change["values"]
	var was: Recorder.Before = _recorder.before(node, values.keys())
	var others: Array[Recorder.Before] = Structure.companions(_recorder, node, values.keys())
	var parent: Node = node.get_parent()
	var name: String = str(node.name)
	var failure: Result = Assignments.apply(node, values, _recorder.properties)
	if not Structure.stays(node, parent, the_call.root):
		return Touched.removed_itself(name).maybe_applied()
	if failure != null:
		var whole: bool = _recorder.restore(was)
		whole = Structure.restore(_recorder, others) and whole
		return failure if whole else failure.maybe_applied()
	planned.data["properties"] = Assignments.shown(node, values.keys(), _recorder.properties)
	if _recorder.is_as(was) and _alike(values, was):
		# 30 degrees, asked again, are the same radians.
		planned.data["changed"] = false
		planned.done = {"undoable": false}
		return planned
	_recorder.open(the_call)
	# Trying the steps both ways would switch the others to and fro: they are written down as they
	# are.
	var sure: bool = _recorder.differences(was, others.is_empty())
	Structure.differences(_recorder, others)
	planned.done = _recorder.close(the_call)
	planned.done["undoable"] = sure
	return planned


## Properties leave the tree as it is.
func ends_frame() -> bool:
	return false


# Whether the old values count as the new ones. Two dictionaries are equal in whatever order, and
# that is not enough.
func _alike(values: Dictionary[StringName, Variant], was: Recorder.Before) -> bool:
	for property: StringName in values:
		var declared: Dictionary = _recorder.properties.info(was.object, property)
		if not Values.same(values[property], was.asked[property], declared):
			return false
	return true
