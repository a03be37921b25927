extends "./applier.gd"
## Puts a node into a group, or takes it out.

const Groups = preload("../persistence/groups.gd")
const NodeReport = preload("../node_report.gd")
const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "set_group" change: {node, group, member, persistent}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var node: Node = change["node"]
	var group: StringName = change["group"]
	var member: bool = change["member"]
	var persistent: bool = change["persistent"]
	var was: bool = node.is_in_group(group)
	var was_persistent: bool = Groups.is_persistent(the_call.root, node, group)
	_steps(_do, node, group, was, member, persistent)
	if node.is_in_group(group) != member:
		return Result.fail(
			Protocol.CODE_VALUE_REJECTED, "the engine did not change the group %s" % group
		)
	_recorder.open(the_call)
	_steps(_recorder.redo_step, node, group, was, member, persistent)
	_steps(_recorder.undo_step, node, group, member, was, was_persistent)
	planned.done = _recorder.close(the_call)
	planned.data["in_group"] = node.is_in_group(group)
	planned.data["groups"] = NodeReport.groups_of(node)
	return planned


# The engine does not change whether a member is one for good: it has to leave and come back.
static func _steps(
	step: Callable, node: Node, group: StringName, from: bool, to: bool, persistent: bool
) -> void:
	if from:
		step.call(node, &"remove_from_group", [group])
	if to:
		step.call(node, &"add_to_group", [group, persistent])


static func _do(node: Node, method: StringName, arguments: Array) -> void:
	var _nothing: Variant = node.callv(method, arguments)
