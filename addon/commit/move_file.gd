extends "./write_files.gd"
## Moves a file with everything that refers to it. What the editor has in memory follows: cached
## resources get the new path, texts and the edited scene are read anew.

const Buffers = preload("../buffers.gd")
const ResourceMemory = preload("../resource_memory.gd")
const Scenes = preload("../scenes.gd")

const SETTINGS: String = "res://project.godot"


func _after(planned: Result, _the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var path: String = change["path"]
	var new_path: String = change["new_path"]
	var uid: int = ResourceUID.text_to_id(str(change["uid"]))
	if uid != ResourceUID.INVALID_ID and ResourceUID.has_id(uid):
		ResourceUID.set_id(uid, new_path)
	elif uid != ResourceUID.INVALID_ID:
		ResourceUID.add_id(uid, new_path)
	ResourceMemory.moved(path, new_path)
	# The engine resolves a script under another path only once it has compiled it there.
	_renew(planned, new_path)
	var referrers: Array = change["referrers"]
	for file: String in referrers:
		_read_again(planned, file)
	ResourceMemory.rescan(planned, [new_path])
	return planned


func _read_again(planned: Result, file: String) -> void:
	if file == SETTINGS:
		_update_settings(planned)
		return
	_update_buffers(file)
	var held: Resource = ResourceMemory.cached(file)
	if held is Script:
		_renew(planned, file)
		return
	if held != null and not held is PackedScene:
		ResourceMemory.read_again(file)
	elif file == Scenes.edited_id():
		EditorInterface.reload_scene_from_path(file)
		_disk.forget(file)
		planned.data["reloaded_scenes"] = [file]


# A script in memory gets its new text, so that nothing writes the old one back. One that does not
# parse stays as it was there, which is told.
static func _renew(planned: Result, file: String) -> void:
	var live: GDScript = ResourceMemory.cached(file) as GDScript
	if live == null:
		return
	var text: String = FileAccess.get_file_as_string(file)
	if not ScriptCheck.check(text, file)["parse_ok"] or not ScriptCheck.renew(live, text):
		var stale: Array = planned.data.get_or_add("stale_scripts", [])
		stale.append(file)


# The editor's settings in memory, so that its next save of them does not bring the old path back.
static func _update_settings(planned: Result) -> void:
	var change: Dictionary = planned.plan.changes[0]
	var path: String = change["path"]
	var to: String = change["new_path"]
	for info: Dictionary in ProjectSettings.get_property_list():
		var name: String = info["name"]
		var value: Variant = ProjectSettings.get_setting(name)
		if value is String and str(value).trim_prefix("*") == path:
			ProjectSettings.set_setting(name, str(value).replace(path, to))
		elif value is PackedStringArray:
			var list: PackedStringArray = value
			if list.has(path):
				list[list.find(path)] = to
				ProjectSettings.set_setting(name, list)


static func _update_buffers(file: String) -> void:
	for buffer: Buffers.Buffer in Buffers.new().open():
		if buffer.path == file:
			buffer.edit.text = FileAccess.get_file_as_string(file)
			buffer.edit.tag_saved_version()
