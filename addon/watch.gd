extends RefCounted
## Hears what the editor says of scenes, files and resources, and tells the disk's memory and the
## scenes.

## Another scene is edited, or none.
signal scene_changed
## Files of the project appeared, changed or went.
signal filesystem_changed
## Other nodes are selected.
signal selection_changed

const Disk = preload("./disk.gd")
const SaveFiles = preload("./save_files.gd")
const Scenes = preload("./scenes.gd")

var _disk: Disk
var _scenes: Scenes
var _save_files: SaveFiles
# [object, signal name, callable] of each connection made.
var _connections: Array[Array] = []


## Starts listening.
func setup(disk: Disk, scenes: Scenes, save_files: SaveFiles) -> void:
	_disk = disk
	_scenes = scenes
	_save_files = save_files
	# EditorNode has no public name, but it is the base control's parent and its signals are the
	# editor's own.
	var editor: Node = EditorInterface.get_base_control().get_parent()
	_listen(editor, &"scene_changed", _on_scene_changed)
	_listen(editor, &"scene_saved", _on_scene_saved)
	_listen(editor, &"resource_saved", _on_resource_saved)
	# EditorNode's own scene_closed names the file that the tab was opened with; plugins get the
	# present one.
	for child: Node in editor.get_children():
		if child is EditorPlugin:
			_listen(child, &"scene_closed", _on_scene_closed)
			break
	var files: EditorFileSystem = EditorInterface.get_resource_filesystem()
	_listen(files, &"filesystem_changed", filesystem_changed.emit)
	_listen(files, &"resources_reload", _disk.note_reloaded)
	_listen(EditorInterface.get_selection(), &"selection_changed", selection_changed.emit)


## Stops listening.
func teardown() -> void:
	for connection: Array in _connections:
		var from: Variant = connection[0]
		if is_instance_valid(from):
			var source: Object = from
			var to: Callable = connection[2]
			source.disconnect(str(connection[1]), to)
	_connections.clear()


func _listen(from: Object, name: StringName, to: Callable) -> void:
	if from.has_signal(name) and from.connect(name, to) == OK:
		_connections.append([from, name, to])


func _on_scene_changed() -> void:
	scene_changed.emit()


# Comes before the editor writes resources and scripts along with the scene; those are written in
# this frame.
func _on_scene_saved(path: String) -> void:
	if _disk.own_save:
		return
	var files: PackedStringArray = _save_files.resources()
	files.append_array(_save_files.buffers(path))
	var _full: bool = files.append(path)
	_disk.note_writing(files)
	_note_saved_later.call_deferred(path)


# The history counts as saved only when the editor is done.
func _note_saved_later(path: String) -> void:
	var root: Node = Scenes.find(path)
	if root != null:
		_scenes.note_saved(root)


func _on_scene_closed(path: String) -> void:
	_disk.forget(path)


func _on_resource_saved(resource: Resource) -> void:
	var path: String = resource.resource_path.get_slice("::", 0)
	if not _disk.own_save and not path.is_empty():
		_disk.remember(path)
