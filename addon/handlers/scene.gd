extends RefCounted
## Opening and saving scenes.

const Call = preload("../call.gd")
const Disk = preload("../disk.gd")
const LostValues = preload("../lost_values.gd")
const Openable = preload("../openable.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SaveFiles = preload("../save_files.gd")
const SaveRefusals = preload("../save_refusals.gd")
const SaveTarget = preload("../save_target.gd")
const Scenes = preload("../scenes.gd")
const StaleScripts = preload("../stale_scripts.gd")

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
	var there: Node = Scenes.find(path)
	var is_open: bool = there != null
	var data: Dictionary = {"scene_path": path, "opened": true, "already_open": is_open}
	if is_open and StaleScripts.first_in(there, StaleScripts.MAX_LOOKED) != null:
		data["stale"] = true
		data["stale_hint"] = StaleScripts.HINT
	if is_open and path == Scenes.edited_id():
		data["opened"] = false
		return Result.planned(plan, data)
	if not is_open:
		var wrong: Result = Openable.refusal(path)
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
		wrong = SaveRefusals.lost_values(_lost.of(the_call.root))
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
		return SaveRefusals.disk_changed(changed, target)
	var plan: Plan = Plan.new()
	plan.targets = [target]
	plan.undoable = false
	plan.add_effect(Protocol.EFFECT_TOUCHES_DISK)
	plan.files.append(SaveRefusals.state(target))
	for path: String in resources + buffers:
		if not plan.files.any(func(file: Dictionary) -> bool: return file["path"] == path):
			plan.files.append(SaveRefusals.state(path))
	var _plan: RefCounted = plan.change("save_scene", {"path": target, "save_as": replaces})
	var data: Dictionary = {"scene_path": target, "saved_as": replaces}
	if replaces and not root.scene_file_path.is_empty():
		data["previous_path"] = root.scene_file_path
	return Result.planned(plan, data)
