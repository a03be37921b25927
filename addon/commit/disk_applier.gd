extends "./applier.gd"
## What the appliers that write files share: the last look at the files before, and which files came
## along.

const Disk = preload("../disk.gd")
const ProjectFiles = preload("../project_files.gd")
const Protocol = preload("../protocol.gd")


## The failure when a file is not as the plan saw it; null when all are.
static func changed_since(planned: Result) -> Result:
	for file: Dictionary in planned.plan.files:
		if Disk.sha256(str(file["path"])) != file["sha256"]:
			return Result.fail(
				Protocol.CODE_DISK_CHANGED,
				"%s changed on disk; nothing was written" % file["path"],
				{"files": [file["path"]]}
			)
	return null


## The state of each file, in the form of protocol.FileState.
static func states(paths: PackedStringArray) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for path: String in paths:
		out.append({"path": path, "sha256": Disk.sha256(path)})
	return out


## Files that nobody can know of before a save: resources that had none yet, and the .uid files that
## the editor gives to scripts and shaders. `before` are the project's files as they were.
static func made_since(before: PackedStringArray) -> PackedStringArray:
	var known: Dictionary[String, bool] = {}
	for path: String in before:
		known[path] = true
	var out: PackedStringArray = PackedStringArray()
	for path: String in ProjectFiles.all():
		if not known.has(path):
			var _full: bool = out.append(path)
	return out
