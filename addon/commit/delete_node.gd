extends "./applier.gd"
## Takes a node and all below it out of the scene, and keeps it for undo.

const Recorder = preload("./recorder.gd")
const Structure = preload("./structure.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "delete_node" change: {node}.
func apply(planned: Result, the_call: Call) -> Result:
	var node: Node = planned.plan.changes[0]["node"]
	var parent: Node = node.get_parent()
	var index: int = node.get_index()
	var owners: Array[Structure.Owned] = Structure.outside(node, Structure.owners(node))
	var was: Array[Recorder.Before] = Structure.before(_recorder, parent)
	parent.remove_child(node)
	if not is_instance_valid(node) or node.is_queued_for_deletion():
		# A script freed it on its way out: it is gone for good.
		EditorInterface.mark_scene_as_unsaved()
		planned.done = {"undoable": false}
		return planned
	_recorder.open(the_call)
	_recorder.redo_step(parent, &"remove_child", [node])
	Structure.place_steps(_recorder.undo_step, node, parent, index, owners)
	_recorder.keep_removed(node)
	_recorder.placed(node, null, parent)
	Structure.differences(_recorder, was)
	planned.done = _recorder.close(the_call)
	_stop_inspecting(node)
	return planned


# The inspector goes on showing a node that is gone; the Scene dock clears it likewise.
static func _stop_inspecting(node: Node) -> void:
	var shown: Node = EditorInterface.get_inspector().get_edited_object() as Node
	if shown != null and (shown == node or node.is_ancestor_of(shown)):
		EditorInterface.inspect_object(null)
