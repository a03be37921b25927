extends RefCounted
## The appliers, one line for each domain.

const Commit = preload("../commit.gd")
const FileWrites = preload("../file_writes.gd")
const Parts = preload("../parts.gd")
const ProjectCommits = preload("./project_commits.gd")
const Recorder = preload("./recorder.gd")
const ResourceCommits = preload("./resources.gd")
const RestoreFiles = preload("./restore_files.gd")
const SceneCommits = preload("./scene_commits.gd")
const ScriptWrites = preload("../script_writes.gd")
const WriteFiles = preload("./write_files.gd")
const WriteScript = preload("./write_script.gd")


## Registers them all.
static func register(commit: Commit, parts: Parts) -> void:
	var recorder: Recorder = Recorder.new(parts.undo, parts.properties, parts.history)
	commit.setup(parts.undo, parts.history, parts.properties)
	commit.remember_with(parts.promises)
	SceneCommits.register(commit, recorder, parts.disk, parts.history, parts.scenes, parts.promises)
	ProjectCommits.register(commit, parts.history, parts.settings, parts.scan)
	ResourceCommits.register(commit, parts.disk, parts.history, parts.properties)
	commit.register(FileWrites.OP, WriteFiles.new(parts.disk, parts.history))
	commit.register(ScriptWrites.OP, WriteScript.new(parts.disk, parts.history))
	commit.register(FileWrites.RESTORE_OP, RestoreFiles.new(parts.disk, parts.history))
