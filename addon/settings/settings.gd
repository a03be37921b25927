extends RefCounted
## The editor's memory of the project's settings, compared with project.godot: whether the file is
## what the memory is based on, and what a save would write beside what is asked for.

const Disk = preload("../disk.gd")
const SettingsFile = preload("./settings_file.gd")

const PATH: String = SettingsFile.PATH
## The engine keeps this one up to date by itself whenever it saves.
const FEATURES: String = "application/config/features"

const _LOOK_FRAMES: int = 30

# The file's values, in plain form, that the memory is based on.
var _base: Dictionary[String, String] = {}
# The file as it was when it agreed with the memory.
var _sha: String = ""


## Takes the file as the base. Where a simple value of it is not in memory, the file was changed
## since the editor read it.
func setup() -> void:
	var file: Dictionary[String, String] = SettingsFile.read()
	for key: String in file:
		var base: String = SettingsFile.plain(file[key])
		if SettingsFile.is_scalar(file[key]) and base != _plain_memory(key):
			base = _plain_memory(key)
		if not base.is_empty():
			_base[key] = base
	_adopt_if_equal()


## Looks at the file now and then. To be called each frame.
func frame() -> void:
	if Engine.get_process_frames() % _LOOK_FRAMES == 0:
		_adopt_if_equal()


## The settings that the file has otherwise than the editor, because it was changed from outside;
## sorted.
func changed_keys() -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	if Disk.sha256(PATH) == _sha:
		return out
	var file: Dictionary[String, String] = SettingsFile.read()
	var keys: Dictionary[String, bool] = {}
	for key: String in file.keys() + _base.keys():
		keys[key] = true
	for key: String in keys:
		var text: String = file.get(key, "")
		var now: String = SettingsFile.plain(text)
		if now == _base.get(key, "") or now == _plain_memory(key):
			continue
		if now.is_empty() and (is_default(key) or key == FEATURES):
			continue
		var _full: bool = out.append(key)
	out.sort()
	return out


## What the editor holds that a save writes: every setting that is not at its default, as its text.
static func held() -> Dictionary[String, String]:
	var out: Dictionary[String, String] = {}
	for info: Dictionary in ProjectSettings.get_property_list():
		var key: String = info["name"]
		if not is_setting(info) or is_default(key):
			continue
		out[key] = var_to_str(ProjectSettings.get_setting(key))
	return out


## The settings that the editor holds otherwise than the file although nobody changed the file: a
## save would write them along. Sorted.
static func unsaved(
	file: Dictionary[String, String], kept: Dictionary[String, String]
) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for key: String in kept:
		var text: String = file.get(key, "")
		if key != FEATURES and SettingsFile.plain(text) != SettingsFile.plain(kept[key]):
			var _full: bool = out.append(key)
	for key: String in file:
		if kept.has(key) or key == FEATURES:
			continue
		if SettingsFile.plain(file[key]) != _plain_memory(key):
			var _full: bool = out.append(key)
	out.sort()
	return out


## Takes the file as the new base: the editor has just written it.
func remember() -> void:
	_base.clear()
	var file: Dictionary[String, String] = SettingsFile.read()
	for key: String in file:
		_base[key] = SettingsFile.plain(file[key])
	_sha = Disk.sha256(PATH)


## The property dictionaries of all settings, by name.
static func infos() -> Dictionary[String, Dictionary]:
	var out: Dictionary[String, Dictionary] = {}
	for info: Dictionary in ProjectSettings.get_property_list():
		if is_setting(info):
			out[str(info["name"])] = info
	return out


## True for a property of the settings that is a setting.
static func is_setting(info: Dictionary) -> bool:
	var usage: int = info["usage"]
	return usage & PROPERTY_USAGE_STORAGE != 0 and info["name"] != "script"


## True for a setting of the engine (or one that a plugin gave a default).
static func has_default(key: String) -> bool:
	return ProjectSettings.property_get_revert(key) != null


## True for a setting that is at its default, and for one that there is not.
static func is_default(key: String) -> bool:
	if not ProjectSettings.has_setting(key):
		return true
	var value: Variant = ProjectSettings.get_setting(key)
	var initial: Variant = ProjectSettings.property_get_revert(key)
	return typeof(value) == typeof(initial) and value == initial


func _adopt_if_equal() -> void:
	if Disk.sha256(PATH) != _sha and changed_keys().is_empty():
		remember()


static func _plain_memory(key: String) -> String:
	if not ProjectSettings.has_setting(key):
		return ""
	return SettingsFile.plain(var_to_str(ProjectSettings.get_setting(key)))
