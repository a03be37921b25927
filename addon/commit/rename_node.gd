extends "./applier.gd"
## Gives a node another name, and leads the references to it there.

const Found = preload("../references/found.gd")
const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")
const Repair = preload("./repair.gd")
const Resolve = preload("../resolve.gd")
const Structure = preload("./structure.gd")
const Touched = preload("../touched.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "rename_node" change: {node, name, found}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var node: Node = change["node"]
	var parent: Node = node.get_parent()
	var old_name: String = str(node.name)
	var was: Recorder.Before = _recorder.before(node)
	var found: Found = change["found"]
	var repair: Repair = Repair.new(_recorder, found)
	node.name = change["name"]
	if not Structure.stays(node, parent, the_call.root):
		return Touched.removed_itself(old_name).maybe_applied()
	if node.name != change["name"]:
		return _take_back(change, node, old_name)
	var wrong: Result = repair.apply(the_call.root)
	if wrong != null:
		node.name = old_name
		var whole: bool = repair.take_back() and node.name == old_name
		return wrong if _recorder.restore(was) and whole else wrong.maybe_applied()
	_recorder.open(the_call)
	_recorder.redo_step(node, &"set_name", [change["name"]])
	_recorder.undo_step(node, &"set_name", [old_name])
	var _sure: bool = _recorder.differences(was)
	repair.record()
	planned.done = _recorder.close(the_call)
	planned.data["path"] = Resolve.path_of(the_call.root, node)
	planned.data["name"] = str(node.name)
	return planned


static func _take_back(change: Dictionary, node: Node, old_name: String) -> Result:
	var failure: Result = Result.fail(
		Protocol.CODE_VALUE_REJECTED,
		"the node did not keep the name",
		{"asked": change["name"], "now": str(node.name)}
	)
	node.name = old_name
	return failure if node.name == old_name else failure.maybe_applied()
