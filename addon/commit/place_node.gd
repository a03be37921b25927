extends "./applier.gd"
## Puts a branch of nodes that was just made into the scene: what copies and instances share.

const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")
const Resolve = preload("../resolve.gd")
const Structure = preload("./structure.gd")
const Touched = preload("../touched.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Puts the node below change.parent, as change.name, at change.index; the scene owns those of `own`
## (the node itself, and nodes below it). When it does not stay, all is as before.
func _place(planned: Result, the_call: Call, node: Node, own: Array[Node]) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var parent: Node = change["parent"]
	var above: Node = parent.get_parent()
	var was: Array[Recorder.Before] = Structure.before(_recorder, parent)
	var index: int = change["index"]
	node.name = change["name"]
	_add(parent, node, index, own, the_call.root)
	var failure: Result = _failure(change, node, the_call.root)
	if failure != null:
		failure = _take_back(failure, node, was)
		return failure if Structure.stays(parent, above, the_call.root) else failure.maybe_applied()
	_recorder.open(the_call)
	var owners: Array[Structure.Owned] = Structure.outside(node, Structure.owners(node))
	Structure.place_steps(_recorder.redo_step, node, parent, node.get_index(), owners)
	_recorder.keep_created(node)
	_recorder.placed(node, parent, null)
	_recorder.undo_step(parent, &"remove_child", [node])
	Structure.differences(_recorder, was)
	planned.done = _recorder.close(the_call)
	planned.data["path"] = Resolve.path_of(the_call.root, node)
	planned.data["name"] = str(node.name)
	planned.data["index"] = node.get_index()
	return planned


static func _add(parent: Node, node: Node, index: int, own: Array[Node], root: Node) -> void:
	parent.add_child(node, true)
	if not is_instance_valid(node) or node.get_parent() != parent:
		return
	if index >= 0:
		parent.move_child(node, index)
	for one: Node in own:
		if is_instance_valid(one) and (one == node or node.is_ancestor_of(one)):
			one.owner = root


static func _failure(change: Dictionary, node: Variant, root: Node) -> Result:
	if not is_instance_valid(node):
		return Touched.removed_itself(str(change["name"]))
	var there: Node = node
	if there.get_parent() == change["parent"] and there.name != change["name"]:
		return Result.fail(
			Protocol.CODE_VALUE_REJECTED,
			"the node did not keep its name",
			{"asked": change["name"], "now": str(there.name)}
		)
	if not Structure.stays(there, change["parent"], root):
		return Touched.removed_itself(str(change["name"]))
	return null


func _take_back(failure: Result, node: Variant, was: Array[Recorder.Before]) -> Result:
	if is_instance_valid(node):
		var left: Node = node
		if left.get_parent() != null:
			left.get_parent().remove_child(left)
		left.free()
	return failure if Structure.restore(_recorder, was) else failure.maybe_applied()
