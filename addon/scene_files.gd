extends RefCounted
## What can be said of scene files without opening them: what they need, whether it is there, and
## whether they load.

const LoadProbe = preload("./load_probe.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")

## The formats that the editor saves scenes in.
const FORMATS: PackedStringArray = ["tscn", "scn"]
## Files followed when looking for dependencies; a project with more is not looked at further.
const MAX_FILES: int = 20000


## What loading a scene showed.
class Loaded:
	extends RefCounted
	## The scene; null when it does not load.
	var scene: PackedScene = null
	## What the engine said.
	var messages: Array[String] = []


## Loads a scene as the editor would, past the cache, so that nothing that is open is touched.
static func load_scene(path: String) -> Loaded:
	var loaded: Loaded = Loaded.new()
	var probe: LoadProbe = LoadProbe.new()
	OS.add_logger(probe)
	loaded.scene = (
		ResourceLoader.load(path, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE) as PackedScene
	)
	OS.remove_logger(probe)
	loaded.messages = probe.messages()
	return loaded


## The files that a file names, uids resolved.
static func dependencies(path: String) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	# Of a file that is gone (it was just moved) the engine would log an error.
	if not FileAccess.file_exists(path):
		return out
	for entry: String in ResourceLoader.get_dependencies(path):
		var found: String = _resolve(entry)
		if not out.has(found):
			var _full: bool = out.append(found)
	return out


## The files that are missing below a file, each with the file that names it: {file, needed_by}.
static func missing(path: String) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	var seen: Dictionary[String, bool] = {path: true}
	var queue: Array[String] = [path]
	while not queue.is_empty() and seen.size() < MAX_FILES:
		var at: String = queue.pop_back()
		for needed: String in dependencies(at):
			if seen.has(needed):
				continue
			seen[needed] = true
			if ResourceLoader.exists(needed) or FileAccess.file_exists(needed):
				queue.append(needed)
			else:
				out.append({"file": needed, "needed_by": at})
	return out


## The files below a scene that exist and do not load, which makes the editor ask a human. To be
## called while the loaded scene is held: what it uses is cached then, and only the rest is tried.
static func unloadable(path: String) -> Array[String]:
	var out: Array[String] = []
	var seen: Dictionary[String, bool] = {path: true}
	var queue: Array[String] = [path]
	while not queue.is_empty() and seen.size() < MAX_FILES:
		var at: String = queue.pop_back()
		for needed: String in dependencies(at):
			if seen.has(needed):
				continue
			seen[needed] = true
			queue.append(needed)
			if not ResourceLoader.has_cached(needed) and ResourceLoader.load(needed) == null:
				out.append(needed)
	return out


## The failure for a path that is no file inside the project; null when it may be one. The daemon
## checks too.
static func bad_path(path: String) -> Result:
	var details: Dictionary = {"scene_path": path}
	if not path.begins_with("res://") or path.contains("::") or path.contains("\\"):
		return Result.fail(Protocol.CODE_INVALID_PATH, "%s is no project file" % path, details)
	if path.trim_prefix("res://").split("/").has(".."):
		return Result.fail(Protocol.CODE_PATH_OUTSIDE_PROJECT, "%s climbs out" % path, details)
	return null


## The scenes that a scene file has instances of, its base among them; of a binary file, all that it
## needs.
static func instanced(path: String) -> PackedStringArray:
	if path.get_extension() != "tscn":
		return dependencies(path) if path.get_extension() == "scn" else PackedStringArray()
	var text: String = FileAccess.get_file_as_string(path)
	var uses: RegEx = RegEx.create_from_string("instance=ExtResource\\(\\s*\"?([^\")]+?)\"?\\s*\\)")
	var ids: PackedStringArray = PackedStringArray()
	for use: RegExMatch in uses.search_all(text):
		_add(ids, use.get_string(1))
	var out: PackedStringArray = PackedStringArray()
	var heads: RegEx = RegEx.create_from_string("(?m)^\\[ext_resource [^\\n]*\\]")
	for head: RegExMatch in heads.search_all(text):
		if _attribute(head.get_string(), "id") in ids:
			var file: String = _attribute(head.get_string(), "path")
			_add(out, _by_uid(_attribute(head.get_string(), "uid"), file))
	return out


## The way from one of the files `from` to the file `to`, both ends included, along what `links`
## gives for a file; empty when there is none.
static func chain(
	from: PackedStringArray, to: String, links: Callable = dependencies
) -> Array[String]:
	var came_from: Dictionary[String, String] = {}
	var queue: Array[String] = []
	for start: String in from:
		came_from[start] = ""
		queue.append(start)
	var next: int = 0
	while next < queue.size() and came_from.size() < MAX_FILES:
		var at: String = queue[next]
		next += 1
		if at == to:
			return _way(came_from, at)
		var next_files: PackedStringArray = links.call(at)
		for needed: String in next_files:
			if not came_from.has(needed) and FileAccess.file_exists(needed):
				came_from[needed] = at
				queue.append(needed)
	return []


## The scene files that an open scene has instances of, at any depth.
static func instances(root: Node) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for node: Node in _below(root):
		_add(out, node.scene_file_path)
	return out


## The scene files that an open scene needs: its instances, its base, and scenes that its nodes'
## scripts hold.
static func parts(root: Node, base: String) -> PackedStringArray:
	var out: PackedStringArray = instances(root)
	_add(out, base)
	_add_held(out, root)
	for node: Node in _below(root):
		_add_held(out, node)
	return out


## Scene files of the project.
static func all() -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	var queue: Array[EditorFileSystemDirectory] = [
		EditorInterface.get_resource_filesystem().get_filesystem()
	]
	while not queue.is_empty() and out.size() < MAX_FILES:
		var directory: EditorFileSystemDirectory = queue.pop_back()
		if directory == null:
			continue
		for index: int in directory.get_file_count():
			if directory.get_file_type(index) == &"PackedScene":
				var _full: bool = out.append(directory.get_file_path(index))
		for index: int in directory.get_subdir_count():
			queue.append(directory.get_subdir(index))
	return out


static func _below(root: Node) -> Array[Node]:
	var out: Array[Node] = root.get_children()
	var next: int = 0
	while next < out.size():
		out.append_array(out[next].get_children())
		next += 1
	return out


static func _add_held(out: PackedStringArray, node: Node) -> void:
	if node.get_script() == null:
		return
	for info: Dictionary in node.get_property_list():
		var usage: int = info["usage"]
		if usage & PROPERTY_USAGE_STORAGE == 0 or info["type"] != TYPE_OBJECT:
			continue
		var value: Variant = node.get(str(info["name"]))
		if value is PackedScene:
			var scene: PackedScene = value
			_add(out, scene.resource_path)


static func _add(out: PackedStringArray, path: String) -> void:
	if not path.is_empty() and not out.has(path):
		var _full: bool = out.append(path)


# An attribute of a section's head in a text scene; ids are texts or bare numbers.
static func _attribute(head: String, name: String) -> String:
	var form: RegEx = RegEx.create_from_string("\\s%s=\"?([^\"\\]\\s]+)" % name)
	var found: RegExMatch = form.search(head)
	return "" if found == null else found.get_string(1)


# An entry is a path, or "uid://…::type::path", the path being where the file was when the uid was
# written.
static func _resolve(entry: String) -> String:
	if not entry.contains("::"):
		return _by_uid(entry, entry)
	var parts_of: PackedStringArray = entry.split("::")
	return _by_uid(parts_of[0], parts_of[parts_of.size() - 1])


static func _by_uid(uid: String, path: String) -> String:
	if not uid.begins_with("uid://"):
		return path
	var id: int = ResourceUID.text_to_id(uid)
	return ResourceUID.get_id_path(id) if ResourceUID.has_id(id) else path


static func _way(came_from: Dictionary[String, String], end: String) -> Array[String]:
	var out: Array[String] = []
	var at: String = end
	while not at.is_empty():
		out.push_front(at)
		at = came_from[at]
	return out
