extends "./write_files.gd"
## Puts the old bytes of files back, and has the editor read them again where it holds them.

const Buffers = preload("../buffers.gd")

var _buffers: Buffers = Buffers.new()


func _after(planned: Result, _the_call: Call) -> Result:
	var writes: Array[Dictionary] = planned.plan.changes[0]["writes"]
	var paths: PackedStringArray = PackedStringArray()
	var stale: Array[String] = []
	for write: Dictionary in writes:
		var path: String = write["path"]
		var bytes: PackedByteArray = write["bytes"]
		_show(path, bytes)
		if ResourceLoader.has_cached(path):
			var _full: bool = paths.append(path)
			if not _renewed(planned, write):
				stale.append(path)
	if not paths.is_empty():
		# The editor's own way of reading resources again; scripts are not among them.
		EditorInterface.get_resource_filesystem().resources_reload.emit(paths)
	if not stale.is_empty():
		planned.data["stale_scripts"] = stale
	for path: String in paths:
		_disk.remember(path)
		_forget_edits(path)
	return planned


# Reading a resource again sets its properties, which the editor takes for edits and would save.
static func _forget_edits(path: String) -> void:
	var editor: Object = Engine.get_singleton(&"EditorInterface")
	var resource: Resource = ResourceLoader.get_cached_ref(path)
	# By name, because engines older than 4.6 may lack it.
	if resource != null and editor.has_method(&"set_object_edited"):
		var _nothing: Variant = editor.call(&"set_object_edited", resource, false)


# A script in memory gets the text, too; one that does not parse stays as it was there.
func _renewed(planned: Result, write: Dictionary) -> bool:
	var path: String = write["path"]
	var bytes: PackedByteArray = write["bytes"]
	var live: GDScript = ResourceLoader.get_cached_ref(path) as GDScript
	if live == null:
		return true
	var text: String = bytes.get_string_from_utf8()
	if not ScriptCheck.check(text, path)["parse_ok"]:
		return false
	return _renew_script(planned, live, text, write)


# An open text that stayed as it was would be written over the file by a later save. None has
# unsaved text: the plan saw to it.
func _show(path: String, bytes: PackedByteArray) -> void:
	for buffer: Buffers.Buffer in _buffers.open():
		if buffer.path == path:
			buffer.edit.text = bytes.get_string_from_utf8()
			buffer.edit.tag_saved_version()
