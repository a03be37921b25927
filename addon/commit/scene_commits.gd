extends RefCounted
## Registers the appliers that make, open, close, read again and save whole scenes.

const CloseScene = preload("./close_scene.gd")
const Commit = preload("../commit.gd")
const CreateScene = preload("./create_scene.gd")
const CrossScene = preload("./cross_scene.gd")
const Disk = preload("../disk.gd")
const ExtractScene = preload("./extract_scene.gd")
const History = preload("../history.gd")
const OpenScene = preload("./open_scene.gd")
const Promises = preload("../promises.gd")
const Recorder = preload("./recorder.gd")
const ReloadScene = preload("./reload_scene.gd")
const SaveAll = preload("./save_all.gd")
const SaveScene = preload("./save_scene.gd")
const Scenes = preload("../scenes.gd")


## Registers them all.
static func register(
	commit: Commit,
	recorder: Recorder,
	disk: Disk,
	history: History,
	scenes: Scenes,
	promises: Promises
) -> void:
	commit.register("close_scene", CloseScene.new(history, scenes, promises))
	commit.register("create_scene", CreateScene.new(disk, history, scenes, promises))
	commit.register("cross_scene", CrossScene.new(disk, history))
	commit.register("extract_scene", ExtractScene.new(disk, history, recorder))
	commit.register("open_scene", OpenScene.new(history, scenes, promises))
	commit.register("reload_scene", ReloadScene.new(disk, history))
	commit.register("save_all", SaveAll.new(disk, history, scenes, promises))
	commit.register("save_scene", SaveScene.new(disk, history, scenes, promises))
