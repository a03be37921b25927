extends RefCounted
## Plans for whole scenes: new files, closing, reading again, saving all.

const Call = preload("../call.gd")
const Cycles = preload("../cycles.gd")
const Disk = preload("../disk.gd")
const FileWrites = preload("../file_writes.gd")
const LostValues = preload("../lost_values.gd")
const Names = preload("../names.gd")
const NewScene = preload("../new_scene.gd")
const NodeTypes = preload("../node_types.gd")
const Openable = preload("../openable.gd")
const Plan = preload("../plan.gd")
const Promises = preload("../promises.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SaveFiles = preload("../save_files.gd")
const SaveRefusals = preload("../save_refusals.gd")
const SaveTarget = preload("../save_target.gd")
const Scenes = preload("../scenes.gd")

var _disk: Disk
var _save_files: SaveFiles
var _lost: LostValues
var _scenes: Scenes
var _promises: Promises


func _init(
	disk: Disk, save_files: SaveFiles, lost: LostValues, scenes: Scenes, promises: Promises
) -> void:
	_disk = disk
	_save_files = save_files
	_lost = lost
	_scenes = scenes
	_promises = promises


## Plans a scene file with one node: root_type, root_name, scene_path, open, overwrite.
func create_scene(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("scene_path"))
	var found: Result = NodeTypes.find(the_call.text("root_type"))
	if not found.ok:
		return found.with_detail("parameter", "root_type")
	var kind: NodeTypes.Kind = found.data["kind"]
	var asked: String = the_call.text("root_name")
	var name: String = kind.name if asked.is_empty() else asked
	var wrong: Result = Names.refusal(name, "root_name")
	if wrong == null:
		wrong = _not_text(path)
	if wrong == null:
		wrong = SaveTarget.new_file(path, the_call.flag("overwrite"))
	if wrong == null and kind.code != null:
		wrong = Cycles.of_file(path, path, [], [kind.code.resource_path])
	if wrong != null:
		return wrong
	var opens: bool = the_call.flag("open", true)
	var plan: Plan = FileWrites.plan(
		[FileWrites.content(path, NewScene.bytes(path, kind, name))],
		"create_scene",
		{"path": path, "open": opens}
	)
	if opens:
		plan.add_effect(Protocol.EFFECT_CHANGES_VIEW)
	var data: Dictionary = {"scene_path": path, "root": name, "type": kind.name, "opened": opens}
	data["replaced"] = FileAccess.file_exists(path)
	return Result.planned(plan, data)


## Plans the closing of an open scene: scene_path, discard_unsaved.
func close_scene(the_call: Call) -> Result:
	var found: Result = _open_scene_of(the_call)
	if not found.ok:
		return found
	var root: Node = found.data["root"]
	var id: String = Scenes.id_of(root)
	if root.scene_file_path.is_empty() and not Scenes.is_active(root):
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"%s has no file and is in another tab" % id,
				{"scene": id}
			)
			.needs("active_scene")
			.with_hint("have its tab brought to the front in the editor, then call again")
		)
	var plan: Plan = _plan_discard(id, not _discards(found).is_empty())
	var _plan: RefCounted = plan.change("close_scene", {"path": id})
	var data: Dictionary = {"scene_path": id, "closed": true, "discards": _discards(found)}
	_tell_lost(found, data)
	return Result.planned(plan, data)


## Plans that an open scene is read from its file again: scene_path, discard_unsaved.
func reload_scene(the_call: Call) -> Result:
	var found: Result = _open_scene_of(the_call)
	if not found.ok:
		return found
	var root: Node = found.data["root"]
	var path: String = root.scene_file_path
	if path.is_empty():
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"the scene was never saved: there is no file to read",
				{"scene": Scenes.id_of(root)}
			)
			.needs("scene_path")
			.with_hint("save_scene with scene_path gives it a file")
		)
	var wrong: Result = Openable.refusal(path)
	if wrong != null:
		return wrong
	var plan: Plan = _plan_discard(path, not _discards(found).is_empty())
	var _plan: RefCounted = plan.change("reload_scene", {"path": path})
	var data: Dictionary = {"scene_path": path, "reloaded": true, "discards": _discards(found)}
	data["undo_history"] = "cleared: undo does not reach back beyond this call"
	_tell_lost(found, data)
	return Result.planned(plan, data)


## Plans a save of every open scene that has unsaved changes.
func save_all_scenes(_the_call: Call) -> Result:
	var dirty: Array[Node] = []
	for root: Node in EditorInterface.get_open_scene_roots():
		if _scenes.is_dirty(root):
			dirty.append(root)
	if dirty.is_empty():
		return Result.fail(
			Protocol.CODE_NOTHING_TO_SAVE,
			"no open scene has unsaved changes",
			{"open": Scenes.open_ids()}
		)
	var wrong: Result = _save_all_refusal(dirty)
	return _plan_save_all(dirty) if wrong == null else wrong


func _plan_save_all(dirty: Array[Node]) -> Result:
	var paths: PackedStringArray = PackedStringArray()
	for root: Node in dirty:
		var _full: bool = paths.append(root.scene_file_path)
	var resources: PackedStringArray = _save_files.resources()
	var buffers: PackedStringArray = PackedStringArray()
	for path: String in _save_files.buffers(""):
		if not paths.has(path):
			var _full: bool = buffers.append(path)
	_disk.look_at_buffers()
	var changed: Array[Dictionary] = _disk.changed(paths + resources, buffers)
	if not changed.is_empty():
		return SaveRefusals.disk_changed(changed, str(changed[0]["file"]))
	var plan: Plan = Plan.new()
	plan.targets = paths
	plan.undoable = false
	plan.add_effect(Protocol.EFFECT_TOUCHES_DISK)
	for path: String in paths + resources + buffers:
		if not plan.files.any(func(file: Dictionary) -> bool: return file["path"] == path):
			plan.files.append(SaveRefusals.state(path))
	var _plan: RefCounted = plan.change("save_all", {"paths": paths})
	var open: int = EditorInterface.get_open_scene_roots().size()
	return Result.planned(
		plan, {"saved": Array(paths), "count": paths.size(), "unchanged": open - paths.size()}
	)


func _save_all_refusal(dirty: Array[Node]) -> Result:
	var unnamed: Array[String] = []
	for root: Node in dirty:
		if root.scene_file_path.is_empty():
			unnamed.append(Scenes.id_of(root))
	if not unnamed.is_empty():
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"a scene has no file yet: %s; nothing was saved" % ", ".join(unnamed),
				{"scenes": unnamed}
			)
			.needs("scene_path")
			.with_hint("save_scene it with scene_path while it is edited, or close_scene it")
		)
	for root: Node in dirty:
		var path: String = root.scene_file_path
		var wrong: Result = SaveTarget.of_scene(root, path, false)
		if wrong == null and not DirAccess.dir_exists_absolute(path.get_base_dir()):
			wrong = _no_folder(path)
		if wrong == null:
			wrong = SaveRefusals.lost_values(_lost.of(root))
		if wrong != null:
			return wrong.with_detail("scene", path)
	return SaveTarget.dialog()


# data.root and data.dirty of the scene that the call names, or why it cannot be thrown away.
func _open_scene_of(the_call: Call) -> Result:
	var asked: String = the_call.text("scene_path")
	var root: Node = Scenes.find(asked)
	if root == null:
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"%s is not open" % asked,
			{"scene_path": asked, "open": Scenes.open_ids()}
		).with_hint("details.open names the open scenes")
	var dirty: bool = _scenes.is_dirty(root)
	if dirty and not the_call.flag("discard_unsaved"):
		var id: String = Scenes.id_of(root)
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"%s has unsaved changes, which would be lost" % id,
				{"discards": [id]}
			)
			.needs("discard_unsaved")
			.with_hint("save_scene it first, or pass discard_unsaved:true to lose them")
		)
	return Result.good({"root": root, "dirty": dirty})


static func _discards(found: Result) -> Array[String]:
	var root: Node = found.data["root"]
	var out: Array[String] = []
	if found.data["dirty"]:
		out.append(Scenes.id_of(root))
	return out


# A scene without unsaved changes can hold edits that no file has.
func _tell_lost(found: Result, data: Dictionary) -> void:
	var root: Node = found.data["root"]
	var lost: Array[Dictionary] = _promises.lost_edits(root)
	if not lost.is_empty():
		data["lost_edits"] = lost


static func _plan_discard(id: String, dirty: bool) -> Plan:
	var plan: Plan = Plan.new()
	plan.targets = [id]
	plan.undoable = false
	plan.add_effect(Protocol.EFFECT_CHANGES_VIEW)
	if dirty:
		plan.add_effect(Protocol.EFFECT_DISCARDS_UNSAVED)
	return plan


static func _no_folder(path: String) -> Result:
	return (
		Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"no folder %s" % path.get_base_dir(),
			{"folder": path.get_base_dir()}
		)
		.needs("parent_dir")
		.with_hint("save_scene it at another scene_path")
	)


static func _not_text(path: String) -> Result:
	if path.get_extension() != "tscn":
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s is no text scene" % path,
			{"scene_path": path, "reason": "extension", "expected": ["tscn"]}
		).with_hint("scene_path must end in .tscn")
	return null
