extends RefCounted
## Plans changes of many scene files at once.

const Call = preload("../call.gd")
const CrossScene = preload("../cross_scene.gd")
const Result = preload("../result.gd")


## Plans one property on nodes of many scene files: scenes, node_type, node_pattern, property,
## value.
func cross_scene_set_property(the_call: Call) -> Result:
	return CrossScene.new().plan(the_call)
