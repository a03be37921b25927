extends RefCounted
## Plans of instances of other scenes. Nothing is made here: what is told of the scene is read from
## its own description.

const Call = preload("./call.gd")
const Cycles = preload("./cycles.gd")
const Edits = preload("./edits.gd")
const Names = preload("./names.gd")
const Openable = preload("./openable.gd")
const Persistence = preload("./persistence.gd")
const Plan = preload("./plan.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const SceneFiles = preload("./scene_files.gd")
const Scenes = preload("./scenes.gd")

const MAX_BASES: int = 100


## The plan of an instance below parent: scene_path, node_name, index.
static func plan(the_call: Call, parent: Node) -> Result:
	var file: String = Scenes.path_of(the_call.text("scene_path"))
	var failure: Result = _refusal(the_call.root, file)
	if failure != null:
		return failure
	var scene: PackedScene = load(file) as PackedScene
	if scene == null or not scene.can_instantiate():
		return _not_a_scene(file)
	var asked: String = the_call.text("node_name")
	var wanted: String = str(scene.get_state().get_node_name(0)) if asked.is_empty() else asked
	var name: String = Names.free_name(parent, wanted)
	var path: String = Edits.path_below(the_call.root, parent, name)
	var index: int = the_call.number("index", Edits.LAST)
	var verdict: Dictionary = Persistence.of_child(the_call.root, parent, path, index)
	var made: Plan = Edits.plan(path, verdict)
	var _plan_itself: RefCounted = made.change(
		"instance_scene", {"parent": parent, "name": name, "index": index, "path": file}
	)
	var data: Dictionary = {
		"path": path, "name": name, "type": _type(scene), "instance_of": file,
	}
	Edits.tell_renamed(data, wanted, name)
	return Result.planned(made, data)


static func _refusal(root: Node, file: String) -> Result:
	var imported: bool = FileAccess.file_exists(file + ".import")
	if not imported:
		var own: Result = _cycle(root, file)
		if own != null:
			return own
		return Openable.refusal(file)
	var bad: Result = SceneFiles.bad_path(file)
	return bad if bad != null or load(file) is PackedScene else _not_a_scene(file)


static func _cycle(root: Node, file: String) -> Result:
	var own: String = root.scene_file_path
	if own.is_empty() or not FileAccess.file_exists(file):
		return null
	return Cycles.of_file(own, own, [file], [file])


static func _not_a_scene(file: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s is not a scene" % file,
		{"scene_path": file, "reason": "not_a_scene"}
	).with_hint("give a scene file, or an imported model")


# The root of an inherited scene has the class of its base's.
static func _type(scene: PackedScene) -> String:
	var at: PackedScene = scene
	for _step: int in MAX_BASES:
		var state: SceneState = at.get_state()
		var type: String = state.get_node_type(0)
		if not type.is_empty() or state.get_node_instance(0) == null:
			return type
		at = state.get_node_instance(0)
	return ""
