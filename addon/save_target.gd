extends RefCounted
## Whether a scene may be saved at a path. Everything is answered before the engine is asked,
## because the engine overwrites silently or asks a human.

const Cycles = preload("./cycles.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const SceneFiles = preload("./scene_files.gd")
const Scenes = preload("./scenes.gd")
const States = preload("./states.gd")

## Folders that no tool writes to, besides the addon's own.
const PROTECTED_FOLDERS: PackedStringArray = [
	".godot", ".git", ".hg", ".svn", ".jj", ".bzr", ".pijul", ".plastic", "_darcs", "cvs"
]


## The failure that saving `root` at `target` would be; null when it may be done.
static func check(root: Node, target: String, overwrite: bool) -> Result:
	var wrong: Result = of_scene(root, target, overwrite)
	return dialog() if wrong == null else wrong


## The same without a look for dialogs, which is the same for all scenes.
static func of_scene(root: Node, target: String, overwrite: bool) -> Result:
	var wrong: Result = of_path(target)
	if wrong == null:
		wrong = _cycle(root, target)
	if wrong == null and target != root.scene_file_path:
		wrong = _other_file(root, target, overwrite)
	return protected(target) if wrong == null else wrong


## The failure for a file that cannot be written; null for one that can, or that is not there.
static func protected(target: String) -> Result:
	if _is_writable(target):
		return null
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"%s cannot be written" % target,
			{"scene_path": target}
		)
		.needs("writable_file")
		.with_hint("take the write protection off the file, or save at another scene_path")
	)


## The failure while a dialog waits for an answer; null when none does. The editor shows a save's
## progress inside the dialog, and takes it down with the dialog: the next save then ends the editor
## (seen on 4.6.3).
static func dialog() -> Result:
	var waiting: Dictionary = Scenes.modal()
	if waiting.is_empty():
		return null
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"a dialog waits for an answer in the editor: %s" % waiting["title"],
			{"modal": waiting}
		)
		.needs("no_dialog")
		.with_hint("have the dialog answered in the editor, then save again")
	)


## The failure for a path at which no new scene file can be made; null for a good one.
static func new_file(path: String, overwrite: bool) -> Result:
	var wrong: Result = of_path(path)
	if wrong != null:
		return wrong
	if DirAccess.dir_exists_absolute(path):
		return Result.fail(
			Protocol.CODE_INVALID_PATH, "%s is a folder" % path, {"scene_path": path}
		)
	if FileAccess.file_exists(path) and not overwrite:
		return Result.fail(
			Protocol.CODE_ALREADY_EXISTS, "%s exists already" % path, {"scene_path": path}
		).with_hint("choose another scene_path, or pass overwrite:true to replace it")
	if Scenes.find(path) != null:
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"%s is open in the editor" % path,
				{"scene_path": path}
			)
			.needs("scene_not_open")
			.with_hint("close_scene it first, or choose another scene_path")
		)
	return null


## The failure for a path that no scene is written to, whatever is there; null for a good one.
static func of_path(target: String) -> Result:
	var bad: Result = SceneFiles.bad_path(target)
	if bad != null:
		return bad
	if not target.get_extension() in SceneFiles.FORMATS:
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s is no scene file" % target,
			{"scene_path": target, "reason": "extension", "expected": Array(SceneFiles.FORMATS)}
		).with_hint("scene_path must end in .tscn or .scn")
	if FileAccess.file_exists(target + ".import"):
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s is made by the importer" % target,
			{"scene_path": target, "reason": "imported_scene"}
		).with_hint("save at another scene_path")
	if is_protected(target):
		return Result.fail(
			Protocol.CODE_PROTECTED_TARGET, "%s is never written" % target, {"scene_path": target}
		).with_hint("choose another scene_path")
	return null


static func _other_file(root: Node, target: String, overwrite: bool) -> Result:
	var folder: String = target.get_base_dir()
	if not DirAccess.dir_exists_absolute(folder):
		return (
			Result.fail(
				Protocol.CODE_RESOURCE_NOT_FOUND, "no folder %s" % folder, {"folder": folder}
			)
			.needs("parent_dir")
			.with_hint("make the folder first, or save in one that exists")
		)
	if DirAccess.dir_exists_absolute(target):
		return Result.fail(
			Protocol.CODE_INVALID_PATH, "%s is a folder" % target, {"scene_path": target}
		)
	if Scenes.find(target) != null:
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"%s is open in another tab" % target,
				{"active": Scenes.id_of(root), "asked": target}
			)
			.needs("scene_not_open")
			.with_hint("close_scene that one, or save at another scene_path")
		)
	if FileAccess.file_exists(target) and not overwrite:
		return Result.fail(
			Protocol.CODE_SCENE_MISMATCH,
			"%s exists already and is not the edited scene" % target,
			{"active": Scenes.id_of(root), "asked": target}
		).with_hint(
			"to save that scene, open_scene %s first; to replace it, pass overwrite:true" % target
		)
	return null


# A plain save is looked at as the engine does: only instances of the file itself, which is quick.
static func _cycle(root: Node, target: String) -> Result:
	var id: String = Scenes.id_of(root)
	var instances: PackedStringArray = SceneFiles.instances(root)
	if target == root.scene_file_path:
		if instances.has(target):
			return Cycles.failure(target, id, [target], Cycles.INSTANCE)
	elif FileAccess.file_exists(target):
		var base: String = States.base_path(root)
		if not base.is_empty():
			var _full: bool = instances.append(base)
		return Cycles.of_file(target, id, instances, SceneFiles.parts(root, base))
	return null


## True for files that no tool writes: the addon's own, the editor's, and version control's. Letter
## case does not matter, because file systems differ in it. The daemon has looked before, and knows
## more ways to spell a name.
static func is_protected(target: String) -> bool:
	var lower: String = target.to_lower()
	if lower.begins_with(_own_folder().to_lower() + "/"):
		return true
	for segment: String in lower.trim_prefix("res://").split("/"):
		if segment in PROTECTED_FOLDERS:
			return true
	return false


static func _own_folder() -> String:
	var script: Script = States
	return script.resource_path.get_base_dir()


static func _is_writable(target: String) -> bool:
	if not FileAccess.file_exists(target):
		return true
	return FileAccess.open(target, FileAccess.READ_WRITE) != null
