extends "./applier.gd"
## Changes project settings and has the engine save project.godot: then reads the file back, and
## puts everything back when it holds anything else than what was asked for.

const Disk = preload("../disk.gd")
const History = preload("../history.gd")
const Protocol = preload("../protocol.gd")
const Settings = preload("../settings/settings.gd")
const SettingsDocks = preload("../settings/settings_docks.gd")
const SettingsFile = preload("../settings/settings_file.gd")

const PATH: String = Settings.PATH

var _history: History
var _settings: Settings


func _init(history: History, settings: Settings) -> void:
	_history = history
	_settings = settings


## Does a "write_settings" change: {key, value, kind}; a value of null removes the setting.
func apply(planned: Result, _the_call: Call) -> Result:
	for file: Dictionary in planned.plan.files:
		if Disk.sha256(str(file["path"])) != file["sha256"]:
			return Result.fail(
				Protocol.CODE_DISK_CHANGED,
				"%s changed on disk; nothing was written" % file["path"],
				{"files": [file["path"]]}
			)
	var change: Dictionary = planned.plan.changes[0]
	var key: String = change["key"]
	var before: Array = _take(key)
	ProjectSettings.set_setting(key, change["value"])
	var saved: Error = ProjectSettings.save()
	var problem: String = _problem(key, change["value"], saved)
	if not problem.is_empty():
		var failure: Result = _put_back(key, before, problem)
		return failure if saved == OK else _not_writable(failure)
	_settings.remember()
	_history.bump()
	var known: bool = SettingsDocks.refresh(str(change["kind"]))
	if not known:
		planned.data["restart_needed"] = true
	planned.done = {"undoable": false, "on_disk": [{"path": PATH, "sha256": Disk.sha256(PATH)}]}
	return planned


# Everything that putting back needs: the bytes of the file, whether the setting was there, its
# value and place, and all that the file held.
static func _take(key: String) -> Array:
	var there: bool = ProjectSettings.has_setting(key)
	return [
		FileAccess.get_file_as_bytes(PATH),
		ProjectSettings.get_setting(key) if there else null,
		ProjectSettings.get_order(key) if there else 0,
		ProjectSettings.get_setting(Settings.FEATURES),
	]


# What is wrong with the file after the save; empty when it holds what was asked for, and all else
# as the editor holds it. The plan has seen to it that the editor held what the file did.
static func _problem(key: String, value: Variant, saved: Error) -> String:
	if saved != OK:
		return "the engine could not save it: %s" % error_string(saved)
	var kept: Dictionary[String, String] = Settings.held()
	var file: Dictionary[String, String] = SettingsFile.read()
	var wanted: String = "" if value == null else var_to_str(value)
	if value != null and Settings.is_default(key):
		wanted = ""
	if file.get(key, "") != wanted or kept.get(key, "") != wanted:
		return "%s does not read back as written" % key
	for other: String in kept:
		if file.get(other, "") != kept[other]:
			return "%s would be written otherwise than the editor holds it" % other
	for other: String in file:
		if not kept.has(other):
			return "%s would come along" % other
	return ""


static func _put_back(key: String, before: Array, problem: String) -> Result:
	ProjectSettings.set_setting(key, before[1])
	if before[1] != null:
		var order: int = before[2]
		ProjectSettings.set_order(key, order)
	ProjectSettings.set_setting(Settings.FEATURES, before[3])
	var bytes: PackedByteArray = before[0]
	var file: FileAccess = FileAccess.open(PATH, FileAccess.WRITE)
	if file != null:
		var _stored: bool = file.store_buffer(bytes)
		file.close()
	var whole: bool = FileAccess.get_file_as_bytes(PATH) == bytes
	var failure: Result = Result.fail(
		Protocol.CODE_INTERNAL_ERROR,
		"project.godot could not be written: %s" % problem,
		{"name": key, "restored": whole}
	)
	return failure if whole else failure.maybe_applied()


# The engine could not even open the file.
static func _not_writable(failure: Result) -> Result:
	failure.error["code"] = Protocol.CODE_PRECONDITION_FAILED
	return failure.needs("writable_file").with_hint(
		"take away the write protection of project.godot and its folder, then call again"
	)
