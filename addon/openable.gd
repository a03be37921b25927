extends RefCounted
## Whether the editor can open a scene file without asking a human. Everything is found before it is
## asked, because it answers with dialogs.

const Cycles = preload("./cycles.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const SceneFiles = preload("./scene_files.gd")
const Suggest = preload("./suggest.gd")

const MAX_NEAR: int = 5


## The failure that opening this file would be; null when it opens.
static func refusal(path: String) -> Result:
	var bad: Result = SceneFiles.bad_path(path)
	if bad != null:
		return bad
	if not FileAccess.file_exists(path):
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"no scene file at %s" % path,
			{"scene_path": path, "near": _near(path)}
		).with_hint("list_scenes shows the scene files; details.near has similar ones")
	if not path.get_extension() in SceneFiles.FORMATS or FileAccess.file_exists(path + ".import"):
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s is not a scene that the editor can edit" % path,
			{"scene_path": path, "reason": "not_a_scene"}
		).with_hint("give a .tscn or .scn file; an imported scene can only be instanced")
	var missing: Array[Dictionary] = SceneFiles.missing(path)
	if not missing.is_empty():
		return _needs_files("%s needs files that do not exist" % path, "missing", missing)
	var cycle: Result = Cycles.of_file(
		path, path, SceneFiles.instanced(path), SceneFiles.dependencies(path)
	)
	return _cannot_load(path) if cycle == null else cycle


static func _cannot_load(path: String) -> Result:
	var loaded: SceneFiles.Loaded = SceneFiles.load_scene(path)
	if loaded.scene == null:
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s does not load: %s" % [path, "; ".join(loaded.messages.slice(0, 3))],
			{"scene_path": path, "reason": "scene_does_not_load", "messages": loaded.messages}
		).with_hint("mend the scene file")
	if not loaded.scene.can_instantiate():
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s has no nodes" % path,
			{"scene_path": path, "reason": "scene_is_empty"}
		).with_hint("mend the scene file")
	var broken: Array[String] = SceneFiles.unloadable(path)
	if not broken.is_empty():
		return _needs_files("%s needs files that do not load" % path, "broken", broken)
	return null


static func _needs_files(message: String, key: String, files: Array) -> Result:
	return (
		Result.fail(Protocol.CODE_PRECONDITION_FAILED, message, {key: files.slice(0, 50)})
		.needs("dependencies")
		.with_hint("mend the files in details.%s, or take them out of the scene file" % key)
	)


static func _near(path: String) -> Array[String]:
	var out: Array[String] = []
	for known: String in SceneFiles.all():
		if Suggest.is_near(path.get_file(), known.get_file()) and out.size() < MAX_NEAR:
			out.append(known)
	return out
