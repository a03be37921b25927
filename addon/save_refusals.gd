extends RefCounted
## Why a save is refused that would destroy something, and the files of a plan to save.

const Disk = preload("./disk.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")

const RESOURCES: PackedStringArray = ["tres", "res"]
const RESOURCE_HINT: String = (
	"%s has unsaved edits in the editor's memory, which every save would write over the newer file:"
	+ " note them with read_resource_file if they are wanted; then create_resource it with"
	+ " overwrite:true (the newer file is kept) and restore_file it, which the editor reads again"
)


## The failure for a scene that lost values when it was read; null when it lost none.
static func lost_values(lost: Array) -> Result:
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
		.with_hint("mend them with scripts_patch, then reload_scene with discard_unsaved:true")
	)


## The failure for files that changed behind the editor's back; `target` is the scene to be saved.
static func disk_changed(changed: Array[Dictionary], target: String) -> Result:
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
	var resources: Array[String] = files.filter(
		func(file: String) -> bool: return file.get_extension() in RESOURCES
	)
	if not resources.is_empty():
		var _resource: RefCounted = failure.with_hint(RESOURCE_HINT % resources[0])
	elif files.size() == 1 and files[0] == target:
		var _same: RefCounted = failure.with_hint(
			"reload_scene it to keep the file, or save_scene with overwrite:true to replace it"
		)
	return failure


## A file as it is now, as plans name it.
static func state(path: String) -> Dictionary:
	return {"path": path, "sha256": Disk.sha256(path)}
