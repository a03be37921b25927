extends "./write_files.gd"
## Writes a script, and has the editor use the new text: its classes, the script in memory, and the
## buffer in the script editor.

const Buffers = preload("../buffers.gd")

var _buffers: Buffers = Buffers.new()


func _after(planned: Result, _the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var path: String = planned.plan.targets[0]
	var text: String = change["text"]
	if not _has_class(str(change["class_name"]), path) or not _is_known(path):
		_rescan(planned, path)
	var reason: String = "parse_errors"
	if change["parse_ok"]:
		reason = _reload(planned, path, text)
	planned.data["reloaded"] = reason.is_empty()
	if not reason.is_empty():
		planned.data["reload_reason"] = reason
	planned.data["sha256"] = Disk.sha256(path)
	_show(path, text)
	return planned


# Every object that uses the script has the new text then. Gives why not; empty when it is so.
func _reload(planned: Result, path: String, text: String) -> String:
	var live: GDScript = ResourceLoader.get_cached_ref(path) as GDScript
	if live == null:
		return "not_in_memory"
	var write: Dictionary = planned.plan.changes[0]["writes"][0]
	if not _renew_script(planned, live, text, write):
		return "editor_refused_it"
	return ""


# A folder that is new is only known after a scan, which comes later. The script's id is made here,
# so that the file with it does not come unannounced.
func _rescan(planned: Result, path: String) -> void:
	if not FileAccess.file_exists(path + UID):
		var id: int = ResourceUID.create_id()
		var line: String = ResourceUID.id_to_text(id) + "\n"
		if _write({"path": path + UID, "bytes": line.to_utf8_buffer()}).is_empty():
			ResourceUID.add_id(id, path)
			var made: Array = planned.done.get("also_written", [])
			made.append({"path": path + UID, "sha256": Disk.sha256(path + UID)})
			planned.done["also_written"] = made
	planned.data["rescan_pending"] = true
	if not EditorInterface.get_resource_filesystem().is_scanning():
		EditorInterface.get_resource_filesystem().scan()


static func _has_class(own_class: String, path: String) -> bool:
	if own_class.is_empty():
		return true
	for known: Dictionary in ProjectSettings.get_global_class_list():
		if known["class"] == StringName(own_class):
			return known["path"] == path
	return false


static func _is_known(path: String) -> bool:
	var files: EditorFileSystem = EditorInterface.get_resource_filesystem()
	return not files.get_file_type(path).is_empty()


# As the editor does it itself when a file has changed: the caret stays about where it is.
func _show(path: String, text: String) -> void:
	for buffer: Buffers.Buffer in _buffers.open():
		if buffer.path != path:
			continue
		var edit: CodeEdit = buffer.edit
		var line: int = edit.get_caret_line()
		var column: int = edit.get_caret_column()
		var scroll: float = edit.scroll_vertical
		edit.text = text
		edit.set_caret_line(mini(line, edit.get_line_count() - 1))
		edit.set_caret_column(column)
		edit.scroll_vertical = scroll
		edit.tag_saved_version()
