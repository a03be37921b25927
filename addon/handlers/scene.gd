extends RefCounted
## Opening and saving scenes.

const Call = preload("../call.gd")
const Cycles = preload("../cycles.gd")
const Disk = preload("../disk.gd")
const LostValues = preload("../lost_values.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SaveFiles = preload("../save_files.gd")
const SaveTarget = preload("../save_target.gd")
const SceneFiles = preload("../scene_files.gd")
const Scenes = preload("../scenes.gd")
const Suggest = preload("../suggest.gd")

const MAX_NEAR: int = 5

var _disk: Disk
var _save_files: SaveFiles
var _lost: LostValues


func _init(disk: Disk, save_files: SaveFiles, lost: LostValues) -> void:
	_disk = disk
	_save_files = save_files
	_lost = lost


## Makes a scene the edited one. Everything that would make the editor ask a human is found before.
func open_scene(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("scene_path"))
	var plan: Plan = Plan.new()
	plan.targets = [path]
	plan.undoable = false
	plan.add_effect(Protocol.EFFECT_CHANGES_VIEW)
	var is_open: bool = Scenes.find(path) != null
	var data: Dictionary = {"scene_path": path, "opened": true, "already_open": is_open}
	if is_open and path == Scenes.edited_id():
		data["opened"] = false
		return Result.planned(plan, data)
	if not is_open:
		var wrong: Result = _cannot_open(path)
		if wrong != null:
			return wrong
	var _plan: RefCounted = plan.change("open_scene", {"path": path})
	return Result.planned(plan, data)


## Saves the edited scene, at scene_path if given. The plan names every file that the editor writes
## with it.
func save_scene(the_call: Call) -> Result:
	var asked: String = Scenes.path_of(the_call.text("scene_path"))
	var own: String = the_call.root.scene_file_path
	if asked.is_empty() and own.is_empty():
		return (
			Result.fail(Protocol.CODE_PRECONDITION_FAILED, "the scene has no file yet")
			.needs("scene_path")
			.with_hint("call save_scene with scene_path, for example res://scene.tscn")
		)
	var target: String = own if asked.is_empty() else asked
	var overwrite: bool = the_call.flag("overwrite")
	var wrong: Result = SaveTarget.check(the_call.root, target, overwrite)
	if wrong == null:
		wrong = _lost_values(the_call.root)
	if wrong != null:
		return wrong
	return _plan_save(the_call.root, target, overwrite)


func _plan_save(root: Node, target: String, overwrite: bool) -> Result:
	var resources: PackedStringArray = _save_files.resources()
	var buffers: PackedStringArray = _save_files.buffers(target)
	var guarded: PackedStringArray = resources.duplicate()
	var replaces: bool = target != root.scene_file_path
	# With overwrite the caller has decided for the editor's version of the scene, but not of other
	# files.
	if not replaces and not overwrite:
		var _first: int = guarded.insert(0, target)
	_disk.look_at_buffers()
	var changed: Array[Dictionary] = _disk.changed(guarded, buffers)
	if not changed.is_empty():
		return _disk_changed(changed, target)
	var plan: Plan = Plan.new()
	plan.targets = [target]
	plan.undoable = false
	plan.add_effect(Protocol.EFFECT_TOUCHES_DISK)
	plan.files.append(_state(target))
	for path: String in resources + buffers:
		if not plan.files.any(func(file: Dictionary) -> bool: return file["path"] == path):
			plan.files.append(_state(path))
	var _plan: RefCounted = plan.change("save_scene", {"path": target, "save_as": replaces})
	var data: Dictionary = {"scene_path": target, "saved_as": replaces}
	if replaces and not root.scene_file_path.is_empty():
		data["previous_path"] = root.scene_file_path
	return Result.planned(plan, data)


func _lost_values(root: Node) -> Result:
	var lost: Array = _lost.of(root)
	if lost.is_empty():
		return null
	var scripts: Array[String] = []
	for value: Dictionary in lost:
		if not scripts.has(str(value["script"])):
			scripts.append(str(value["script"]))
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"a save would lose exported values: scripts did not parse when the scene was read",
			{"scripts": scripts, "lost": lost.slice(0, 20)}
		)
		.needs("scripts_parse")
		.with_hint("mend the scripts in details, then close the scene and open it again")
	)


func _cannot_open(path: String) -> Result:
	var bad: Result = SceneFiles.bad_path(path)
	if bad != null:
		return bad
	if not FileAccess.file_exists(path):
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"no scene file at %s" % path,
			{"scene_path": path, "near": _near(path)}
		).with_hint("give the path of a scene file that exists; details.near has similar ones")
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


func _cannot_load(path: String) -> Result:
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


static func _disk_changed(changed: Array[Dictionary], target: String) -> Result:
	var files: Array[String] = []
	for entry: Dictionary in changed:
		files.append(str(entry["file"]))
	var details: Dictionary = {"files": files, "changes": changed}
	# The first one's hashes also stand for themselves: mostly it is the only one.
	details.merge(changed[0])
	var failure: Result = Result.fail(
		Protocol.CODE_DISK_CHANGED,
		"%s changed on disk since the editor read it; nothing was written" % ", ".join(files),
		details
	)
	if files.size() == 1 and files[0] == target:
		var _same: RefCounted = failure.with_hint(
			"reload the scene in the editor to keep the file, or pass overwrite:true to replace it"
		)
	return failure


static func _state(path: String) -> Dictionary:
	return {"path": path, "sha256": Disk.sha256(path)}
