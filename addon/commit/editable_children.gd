extends "./applier.gd"
## Makes the children of an instance editable, or not any more.

const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "set_editable" change: {node, editable}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var root: Node = the_call.root
	var node: Node = change["node"]
	var editable: bool = change["editable"]
	# A placeholder brings no children along that could be edited: the Scene dock turns it off too.
	var loads: bool = editable and node.get_scene_instance_load_placeholder()
	root.set_editable_instance(node, editable)
	if loads:
		node.set_scene_instance_load_placeholder(false)
	_recorder.open(the_call)
	_recorder.redo_step(root, &"set_editable_instance", [node, editable])
	_recorder.undo_step(root, &"set_editable_instance", [node, not editable])
	if loads:
		_recorder.redo_step(node, &"set_scene_instance_load_placeholder", [false])
		_recorder.undo_step(node, &"set_scene_instance_load_placeholder", [true])
	planned.done = _recorder.close(the_call)
	planned.data["editable"] = root.is_editable_instance(node)
	return planned
