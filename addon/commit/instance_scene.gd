extends "./place_node.gd"
## Puts an instance of a scene below a node, as the editor does: its own nodes stay the other
## scene's.


## Does an "instance_scene" change: {parent, name, index, path}.
func apply(planned: Result, the_call: Call) -> Result:
	var path: String = planned.plan.changes[0]["path"]
	var scene: PackedScene = load(path) as PackedScene
	var node: Node = null
	if scene != null:
		node = scene.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
	if node == null:
		return Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "the engine made no instance of %s" % path
		).with_hint("read engine_errors")
	return _place(planned, the_call, node, [node])
