extends "./applier.gd"
## Makes a node below a parent, owned by the scene's root, with its first properties.

const Assignments = preload("../assignments.gd")
const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")
const Resolve = preload("../resolve.gd")
const Structure = preload("./structure.gd")
const Touched = preload("../touched.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "create_node" change: {parent, native, script, name, index, values}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var parent: Node = change["parent"]
	var values: Dictionary[StringName, Variant] = change["values"]
	var node: Node = _make(change)
	if node == null:
		return Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "the engine did not make a %s" % change["native"]
		)
	var was: Array[Recorder.Before] = Structure.before(_recorder, parent)
	var above: Node = parent.get_parent()
	var index: int = change["index"]
	_add(parent, node, index, the_call.root)
	var failure: Result = null
	if is_instance_valid(node):
		failure = Assignments.apply(node, values, _recorder.properties)
	if not is_instance_valid(node) or node.is_queued_for_deletion():
		failure = Touched.removed_itself(str(change["name"]))
	elif failure == null and (node.get_parent() != parent or node.name != change["name"]):
		failure = Result.fail(
			Protocol.CODE_VALUE_REJECTED,
			"the node did not stay where it was put",
			{"asked": change["name"], "now": str(node.name)}
		)
	if failure == null and not Structure.stays(node, parent, the_call.root):
		failure = Touched.removed_itself(str(change["name"]))
	if failure != null:
		failure = _take_back(failure, node, was)
		return failure if Structure.stays(parent, above, the_call.root) else failure.maybe_applied()
	_record(the_call, node, parent, was)
	change["node"] = node
	planned.done = _recorder.close(the_call)
	_read_back(planned, the_call, node, values)
	return planned


static func _make(change: Dictionary) -> Node:
	var native: String = change["native"]
	var script: Script = change["script"]
	var node: Node = ClassDB.instantiate(native)
	if node == null:
		return null
	if script != null:
		node.set_script(script)
		if node.get_script() != script:
			node.free()
			return null
	node.name = change["name"]
	return node


static func _add(parent: Node, node: Node, index: int, root: Node) -> void:
	parent.add_child(node, true)
	if not is_instance_valid(node) or node.get_parent() != parent:
		return
	if index >= 0:
		parent.move_child(node, index)
	node.owner = root


func _take_back(failure: Result, node: Variant, was: Array[Recorder.Before]) -> Result:
	if is_instance_valid(node):
		var left: Node = node
		if left.get_parent() != null:
			left.get_parent().remove_child(left)
		left.free()
	return failure if Structure.restore(_recorder, was) else failure.maybe_applied()


func _record(the_call: Call, node: Node, parent: Node, was: Array[Recorder.Before]) -> void:
	_recorder.open(the_call)
	var owners: Array[Structure.Owned] = Structure.outside(node, Structure.owners(node))
	Structure.place_steps(_recorder.redo_step, node, parent, node.get_index(), owners)
	_recorder.keep_created(node)
	_recorder.placed(node, parent, null)
	_recorder.undo_step(parent, &"remove_child", [node])
	Structure.differences(_recorder, was)


func _read_back(
	planned: Result, the_call: Call, node: Node, values: Dictionary[StringName, Variant]
) -> void:
	planned.data["path"] = Resolve.path_of(the_call.root, node)
	planned.data["name"] = str(node.name)
	planned.data["index"] = node.get_index()
	if not values.is_empty():
		planned.data["properties"] = Assignments.shown(node, values.keys(), _recorder.properties)
