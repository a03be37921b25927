extends RefCounted
## Which nodes of an inherited scene come from its base scenes, at any depth. Read from the files'
## own description; kept while the scene and its bases stay what they are, as reading a large scene
## takes its time.

## The root that is known now.
static var _root_id: int = 0
## Its scene and the bases, and when each was last written.
static var _files: Dictionary[String, int] = {}
## The paths that the bases define, as SceneState writes them: ".", "./A".
static var _paths: Dictionary[String, bool] = {}


## True when a base scene of root's scene has a node at this path (relative to root; "." is the
## root).
static func has(root: Node, path: String) -> bool:
	var file: String = root.scene_file_path
	if file.is_empty():
		return false
	if _root_id != root.get_instance_id() or not _files.has(file) or _is_stale():
		_read(root)
	return _paths.has("." if path == "." else "./" + path)


static func _is_stale() -> bool:
	for file: String in _files:
		if FileAccess.get_modified_time(file) != _files[file]:
			return true
	return false


static func _read(root: Node) -> void:
	_root_id = root.get_instance_id()
	_files.clear()
	_paths.clear()
	var file: String = root.scene_file_path
	while not file.is_empty() and not _files.has(file):
		_files[file] = FileAccess.get_modified_time(file)
		var base: PackedScene = _base_of(file)
		if base == null:
			return
		var state: SceneState = base.get_state()
		for index: int in state.get_node_count():
			_paths[str(state.get_node_path(index))] = true
		file = base.resource_path


# The scene that the file's root is an instance of.
static func _base_of(file: String) -> PackedScene:
	if not ResourceLoader.exists(file):
		return null
	var scene: PackedScene = load(file) as PackedScene
	if scene == null or scene.get_state().get_node_count() == 0:
		return null
	return scene.get_state().get_node_instance(0)
