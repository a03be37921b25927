extends "./applier.gd"
## Gives a node a script, or takes its script off. Undo brings back the exported values of the
## script that it had.

const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")
const Structure = preload("./structure.gd")
const Touched = preload("../touched.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "set_script" change: {node, script}; a null script takes it off.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var node: Node = change["node"]
	var script: Script = change["script"]
	var parent: Node = node.get_parent()
	var name: String = str(node.name)
	var was: Recorder.Before = _recorder.before(node, [&"script"])
	node.set_script(script)
	if not Structure.stays(node, parent, the_call.root):
		return Touched.removed_itself(name).maybe_applied()
	if node.get_script() != script:
		var failure: Result = Result.fail(
			Protocol.CODE_VALUE_REJECTED, "the engine did not take the script"
		)
		return failure if _recorder.restore(was) else failure.maybe_applied()
	_recorder.open(the_call)
	var sure: bool = _recorder.differences(was)
	planned.done = _recorder.close(the_call)
	planned.done["undoable"] = sure
	return planned
