extends "./write_files.gd"
## Makes a resource, sets its properties and writes its file; then reads the file anew to see
## whether it holds what was asked. On failure the file is as it was.

const Assignments = preload("../assignments.gd")
const Properties = preload("../properties.gd")
const ResourceMemory = preload("../resource_memory.gd")
const Values = preload("../values.gd")

const SETTING_COMPRESS: String = "filesystem/on_save/compress_binary_resources"

var _properties: Properties


func _init(disk: Disk, history: History, properties: Properties) -> void:
	super(disk, history)
	_properties = properties


## Does a "create_resource" change: {native, script, values}; the file is the plan's.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var path: String = planned.plan.targets[0]
	var failure: Result = changed_since(planned)
	if failure != null:
		return failure
	var values: Dictionary[StringName, Variant] = change["values"]
	var native: String = change["native"]
	var made: Resource = ClassDB.instantiate(native)
	if change["script"] != null:
		made.set_script(change["script"])
	failure = Assignments.apply(made, values, _properties)
	if failure != null:
		return failure
	var kept: Variant = null
	if FileAccess.file_exists(path):
		kept = FileAccess.get_file_as_bytes(path)
	failure = _save(made, path, values)
	if failure != null:
		var whole: bool = _write({"path": path, "bytes": kept}).is_empty()
		return failure if whole else failure.maybe_applied()
	planned.data["properties"] = Assignments.shown(made, values.keys(), _properties)
	ResourceMemory.read_again(path, true)
	ResourceMemory.rescan(planned, [path])
	return _wrote(planned, the_call)


func _save(made: Resource, path: String, values: Dictionary[StringName, Variant]) -> Result:
	var error: Error = DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	if error == OK:
		error = ResourceSaver.save(made, path, _flags())
	# The editor gives no uid to what it saves during a scan.
	if error == OK and ResourceLoader.get_resource_uid(path) == ResourceUID.INVALID_ID:
		error = ResourceSaver.set_uid(path, ResourceUID.create_id())
	if error != OK:
		return _not_saved(path, error_string(error))
	var read: Resource = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
	if read == null or read.get_class() != made.get_class():
		return _not_saved(path, "it does not read back")
	for property: StringName in values:
		var declared: Dictionary = _properties.info(made, property)
		var now: Variant = read.get(property)
		if now is Resource or Values.same(made.get(property), now, declared):
			continue
		return Result.fail(
			Protocol.CODE_VALUE_REJECTED,
			"the file does not keep %s" % property,
			{"property": str(property), "path": path}
		)
	return null


# How the editor itself writes resources.
static func _flags() -> ResourceSaver.SaverFlags:
	if EditorInterface.get_editor_settings().get_setting(SETTING_COMPRESS) == true:
		return ResourceSaver.FLAG_COMPRESS
	return ResourceSaver.FLAG_NONE


static func _not_saved(path: String, why: String) -> Result:
	return Result.fail(
		Protocol.CODE_INTERNAL_ERROR,
		"%s could not be written: %s" % [path, why],
		{"path": path}
	)
