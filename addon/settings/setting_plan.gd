extends RefCounted
## Plans for project.godot: one setting set or removed. Refused when the file was changed from
## outside, or when a save would write more than what is asked for.

const Disk = preload("../disk.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const Settings = preload("./settings.gd")
const SettingsFile = preload("./settings_file.gd")

## The name of the applier that writes.
const OP: String = "write_settings"
const MAX_SHOWN: int = 50


## The planned change of a setting, or why it cannot be made. `kind` is one of settings_docks.gd;
## null as the value removes the setting. data["changed"] tells whether there is anything to do.
static func of(
	settings: Settings, key: String, value: Variant, kind: String, data: Dictionary
) -> Result:
	var failure: Result = _not_in_sync(settings)
	if failure != null:
		return failure
	var plan: Plan = Plan.new()
	plan.targets = [key]
	plan.undoable = false
	var changed: bool = not _is_so(key, value)
	data["changed"] = changed
	if not changed:
		return Result.planned(plan, data)
	var file: Dictionary[String, String] = SettingsFile.read()
	var kept: Dictionary[String, String] = Settings.held()
	var unsaved: PackedStringArray = Settings.unsaved(file, kept)
	if not unsaved.is_empty():
		return _unsaved(unsaved)
	plan.add_effect(Protocol.EFFECT_TOUCHES_DISK)
	if value == null:
		plan.add_effect(Protocol.EFFECT_REMOVES)
	plan.files.append({"path": Settings.PATH, "sha256": Disk.sha256(Settings.PATH)})
	var _plan: RefCounted = plan.change(OP, {"key": key, "value": value, "kind": kind})
	_tell_beside(data, key, file, kept)
	return Result.planned(plan, data)


static func _is_so(key: String, value: Variant) -> bool:
	if not ProjectSettings.has_setting(key):
		return value == null
	return value != null and var_to_str(ProjectSettings.get_setting(key)) == var_to_str(value)


# What the engine does to the file by itself, whatever is set.
static func _tell_beside(
	data: Dictionary,
	key: String,
	file: Dictionary[String, String],
	kept: Dictionary[String, String]
) -> void:
	var dropped: Array[String] = []
	for other: String in file:
		if other != key and not kept.has(other) and other != Settings.FEATURES:
			dropped.append(other)
	if not dropped.is_empty():
		# They are what the engine takes without them.
		data["dropped_defaults"] = dropped.slice(0, MAX_SHOWN)
	var comments: int = SettingsFile.comments(FileAccess.get_file_as_string(Settings.PATH))
	if comments > 0:
		data["dropped_comments"] = comments
	if not file.has(Settings.FEATURES):
		data["also_set"] = [Settings.FEATURES]


static func _not_in_sync(settings: Settings) -> Result:
	var changed: PackedStringArray = settings.changed_keys()
	if changed.is_empty():
		return null
	return (
		Result.fail(
			Protocol.CODE_DISK_CHANGED,
			"project.godot was changed from outside since the editor read it; nothing was written",
			{"files": [Settings.PATH], "changed_keys": Array(changed).slice(0, MAX_SHOWN)}
		)
		.with_hint(
			"restart the editor (Project, Reload Current Project) to take the file over, or put the"
			+ " file back: get_setting shows what the editor holds"
		)
	)


static func _unsaved(keys: PackedStringArray) -> Result:
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"the editor holds settings that are not saved, and a save would write them along: %s"
			% ", ".join(keys.slice(0, 5)),
			{"unsaved_keys": Array(keys).slice(0, MAX_SHOWN)}
		)
		.needs("settings_saved")
		.with_hint(
			"the editor saves its own changes within 2 s: call again; what a plugin set without"
			+ " saving is saved by any change in the Project Settings window"
		)
	)
