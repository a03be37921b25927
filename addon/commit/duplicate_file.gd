extends "./write_files.gd"
## Writes a copy of a file. In a binary file the uid is the engine's to change.

const ResourceMemory = preload("../resource_memory.gd")


func _after(planned: Result, _the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var path: String = change["new_path"]
	if change["binary"] == true:
		var failed: Error = ResourceSaver.set_uid(path, ResourceUID.create_id())
		if failed != OK:
			return Result.fail(
				Protocol.CODE_INTERNAL_ERROR,
				"the copy %s has the uid of the original: %s" % [path, error_string(failed)],
				{"path": path}
			).maybe_applied()
		EditorInterface.get_resource_filesystem().update_file(path)
		_disk.remember(path)
		planned.done["on_disk"] = _states(planned.plan.files)
	ResourceMemory.rescan(planned, [path])
	var id: int = ResourceLoader.get_resource_uid(path)
	if id != ResourceUID.INVALID_ID:
		planned.data["uid"] = ResourceUID.id_to_text(id)
	return planned
