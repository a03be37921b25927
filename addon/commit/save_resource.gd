extends "./create_resource.gd"
## Writes a resource from the editor's memory to its file.


## Does a "save_resource" change: {resource}; the file is the plan's.
func apply(planned: Result, the_call: Call) -> Result:
	var path: String = planned.plan.targets[0]
	var failure: Result = changed_since(planned)
	if failure != null:
		return failure
	var resource: Resource = planned.plan.changes[0]["resource"]
	var kept: PackedByteArray = FileAccess.get_file_as_bytes(path)
	failure = _save(resource, path, {})
	if failure != null:
		var whole: bool = _write({"path": path, "bytes": kept}).is_empty()
		return failure if whole else failure.maybe_applied()
	ResourceMemory.mark_saved(resource)
	return _wrote(planned, the_call)
