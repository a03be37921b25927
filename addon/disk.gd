extends RefCounted
## What the editor's memory of each file is based on: the sha256 of the content when the editor last
## read or wrote it. A file whose content is another one now was changed behind the editor's back,
## and a save would destroy that. Content only, never times: their steps are too coarse.
##
## Three kinds of memory, each with its own base: open scenes, cached resources, and buffers of the
## script editor. A base is taken when the thing is first seen, and again whenever the editor
## provably read or wrote the file.

const Buffers = preload("./buffers.gd")
const ProjectFiles = preload("./project_files.gd")
const Scenes = preload("./scenes.gd")
const SceneFiles = preload("./scene_files.gd")

## The part of the time that goes into looking at the project's files, whatever their number and the
## frame rate. A file costs 5 µs, and one whose resource is in memory some 20.
const TIME_SHARE: float = 0.004
## It is spent in portions of so many µs: the first steps after a frame's sleep are slow ones.
const PORTION: float = 500.0
## Files looked at because a call names them, with what they need in turn.
const MAX_NAMED: int = 1000
const MAX_PATH: int = 2000
## Buffers are few but asking for them is not free.
const BUFFER_FRAMES: int = 12

## All files of the project, scenes aside, when cached_files() was last asked.
var listing: PackedStringArray = PackedStringArray()
## True while our own save runs: it takes the bases itself.
var own_save: bool = false

var _editor: Object = Engine.get_singleton(&"EditorInterface")
var _knows_edited: bool = _editor.has_method(&"is_object_edited")
var _scene_bases: Dictionary[String, String] = {}
var _bases: Dictionary[String, String] = {}
# For resources: the object in the cache, and whether it was edited when last seen.
var _cached: Dictionary[String, int] = {}
var _edited: Dictionary[String, bool] = {}
var _buffer_bases: Dictionary[String, String] = {}
# The editor that shows a file, and the version that it saved last.
var _buffer_saves: Dictionary[String, Array] = {}
# Files that the editor is writing right now; their bases are taken in the next frame.
var _writing: PackedStringArray = PackedStringArray()
# The round through the project's files: what is left of it, and of the folder in hand.
var _round: ProjectFiles = ProjectFiles.new()
var _files: PackedStringArray = PackedStringArray()
var _cursor: int = 0
var _looked_at: int = 0
var _credit: float = 0.0
var _buffers: Buffers = Buffers.new()


## The content's sha256; empty when there is no such file.
static func sha256(path: String) -> String:
	return FileAccess.get_sha256(path) if FileAccess.file_exists(path) else ""


## True when the object has changes that the editor's next save writes.
func is_edited(object: Object) -> bool:
	# By name, because engines older than 4.6 may lack it; without it everything counts as edited.
	return not _knows_edited or _editor.call(&"is_object_edited", object) == true


## The files, scenes aside, whose resources are in the editor's memory: what a save can write.
func cached_files() -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	listing = ProjectFiles.all()
	for path: String in listing:
		if ResourceLoader.has_cached(path):
			var _full: bool = out.append(path)
	return out


## The files that unsaved buffers are written to when `saving` is saved.
func buffers_written_with(saving: String) -> PackedStringArray:
	return _buffers.written_with(saving)


## Takes the base of a file anew: the editor has just read or written it.
func remember(path: String) -> void:
	var now: String = sha256(path)
	if _is_open_scene(path):
		_scene_bases[path] = now
	else:
		_bases[path] = now
	if _buffer_bases.has(path):
		_buffer_bases[path] = now


## Forgets a scene that was closed; when it is only read again, the next frame takes its new base.
func forget(path: String) -> void:
	var _known: bool = _scene_bases.erase(path)


## The editor reloads these cached files. Buffers with unsaved text keep their base: they are not
## reloaded.
func note_reloaded(paths: PackedStringArray) -> void:
	for path: String in paths:
		if _bases.has(path):
			_bases[path] = sha256(path)


## The editor is about to write these files without saying so for each.
func note_writing(paths: PackedStringArray) -> void:
	_writing.append_array(paths)


## Looks at some of the files. To be called each frame.
func frame() -> void:
	if not _writing.is_empty():
		for path: String in _writing:
			remember(path)
		_writing.clear()
	if _look_at_scenes():
		# What the scene uses is in the cache from now on.
		for path: String in cached_files():
			_look_at(path)
	if Engine.get_process_frames() % BUFFER_FRAMES == 0:
		look_at_buffers()
	_look_at_some_files()


## Takes the bases of the files that a call names, and of what they need in turn: it may have loaded
## them. `params` are the call's, as they came over the wire.
func look_at_named(params: Variant) -> void:
	var queue: Array[String] = []
	_add_named(queue, params)
	var seen: Dictionary[String, bool] = {}
	while not queue.is_empty() and seen.size() < MAX_NAMED:
		var path: String = queue.pop_back()
		if seen.has(path):
			continue
		seen[path] = true
		var known: int = _cached.get(path, 0)
		_look_at(path)
		if _cached.get(path, 0) != known:
			queue.append_array(Array(SceneFiles.dependencies(path)))


## Takes the bases of buffers that are new, or that the editor saved or reloaded.
func look_at_buffers() -> void:
	for buffer: Buffers.Buffer in _buffers.open():
		var saved: Array[int] = [buffer.edit.get_instance_id(), buffer.saved_version()]
		if _buffer_saves.get(buffer.path) != saved:
			_buffer_saves[buffer.path] = saved
			_buffer_bases[buffer.path] = sha256(buffer.path)


## Those of the files whose content is not what the editor's memory is based on: {file, disk_sha256,
## opened_sha256}. buffers are files that a script buffer would overwrite, files those that scenes
## and resources would.
func changed(files: PackedStringArray, buffers: PackedStringArray) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for path: String in files:
		_add_changed(out, path, _base_of(path))
	for path: String in buffers:
		_add_changed(out, path, _buffer_base_of(path))
	return out


func _add_changed(out: Array[Dictionary], path: String, base: String) -> void:
	var now: String = sha256(path)
	if now != base:
		out.append({"file": path, "disk_sha256": now, "opened_sha256": base})


# A resource that was loaded anew since it was last seen is based on what is there now.
func _base_of(path: String) -> String:
	if _is_open_scene(path):
		var _new: bool = _look_at_scenes()
		return _scene_bases[path]
	_look_at(path)
	if not _bases.has(path):
		_bases[path] = sha256(path)
	return _bases[path]


func _buffer_base_of(path: String) -> String:
	if _is_open_scene(path):
		# The buffer is a script inside that scene, which is written as a whole.
		return _base_of(path)
	if not _buffer_bases.has(path):
		_buffer_bases[path] = sha256(path)
	return _buffer_bases[path]


# True when there is a new scene.
func _look_at_scenes() -> bool:
	var open: PackedStringArray = EditorInterface.get_open_scenes()
	var is_new: bool = false
	for path: String in open:
		if not path.is_empty() and not _scene_bases.has(path):
			_scene_bases[path] = sha256(path)
			is_new = true
	if _scene_bases.size() > open.size():
		for path: String in _scene_bases.keys():
			if not open.has(path):
				var _known: bool = _scene_bases.erase(path)
	return is_new


func _look_at_some_files() -> void:
	var now: int = Time.get_ticks_usec()
	_credit = minf(_credit + (now - _looked_at) * TIME_SHARE, PORTION)
	_looked_at = now
	if _credit < PORTION:
		return
	while Time.get_ticks_usec() - now < _credit:
		if _cursor < _files.size():
			_look_at(_files[_cursor])
			_cursor += 1
		elif _round.is_done():
			_round = ProjectFiles.new()
		else:
			_files = _round.next()
			_cursor = 0
	# A long folder is a debt.
	_credit -= Time.get_ticks_usec() - now


static func _add_named(out: Array[String], value: Variant) -> void:
	if value is Dictionary:
		var map: Dictionary = value
		for key: Variant in map:
			_add_named(out, map[key])
	elif value is Array:
		for element: Variant in value:
			_add_named(out, element)
	elif value is String:
		var text: String = value
		_add_path(out, text)


# Inside values texts have the prefix of JSON.from_native.
static func _add_path(out: Array[String], text: String) -> void:
	if text.length() > MAX_PATH:
		return
	var path: String = text.trim_prefix("s:")
	if path.begins_with("res://") or path.begins_with("uid://"):
		out.append(Scenes.path_of(path).get_slice("::", 0))


func _look_at(path: String) -> void:
	if not ResourceLoader.has_cached(path):
		if _cached.has(path):
			var _a: bool = _cached.erase(path)
			var _b: bool = _edited.erase(path)
			var _c: bool = _bases.erase(path)
		return
	var resource: Resource = ResourceLoader.get_cached_ref(path)
	if resource == null:
		return
	var edited: bool = is_edited(resource)
	var id: int = resource.get_instance_id()
	# Only a save takes the edited flag away, so the editor has written the file.
	var was_saved: bool = _edited.get(path, false) and not edited
	if _cached.get(path, 0) != id or was_saved:
		_cached[path] = id
		_bases[path] = sha256(path)
	_edited[path] = edited


static func _is_open_scene(path: String) -> bool:
	return EditorInterface.get_open_scenes().has(path)
