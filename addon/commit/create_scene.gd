extends "./write_files.gd"
## Writes a new scene file, reads it back as the engine does, and opens it.

const OpenScene = preload("./open_scene.gd")
const Promises = preload("../promises.gd")
const SceneFiles = preload("../scene_files.gd")
const Scenes = preload("../scenes.gd")

var _opener: OpenScene


func _init(disk: Disk, history: History, scenes: Scenes, promises: Promises) -> void:
	super(disk, history)
	_opener = OpenScene.new(history, scenes, promises)


func _after(planned: Result, the_call: Call) -> Result:
	var path: String = planned.plan.changes[0]["path"]
	if ResourceLoader.has_cached(path):
		# Scenes that have instances of it are given the new content from now on.
		var _fresh: Resource = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_REPLACE)
	var loaded: SceneFiles.Loaded = SceneFiles.load_scene(path)
	if loaded.scene == null or loaded.scene.get_state().get_node_count() != 1:
		return _told(
			Result.fail(
				Protocol.CODE_INTERNAL_ERROR,
				"%s was written and does not read back as a scene of one node" % path,
				{"messages": loaded.messages}
			),
			planned
		)
	planned.data["nodes"] = 1
	if not planned.plan.changes[0]["open"]:
		return planned
	return _told(_opener.apply(planned, the_call), planned)


# A failure after the write says that the file is there.
static func _told(given: Result, planned: Result) -> Result:
	if given.pending.is_valid():
		var inner: Callable = given.pending
		given.pending = func() -> Result: return _told_later(inner, planned)
	elif not given.ok:
		return given.with_detail("on_disk", planned.done["on_disk"]).maybe_applied()
	return given


static func _told_later(inner: Callable, planned: Result) -> Result:
	var given: Result = inner.call()
	return null if given == null else _told(given, planned)
