extends RefCounted
## Project settings and autoloads. Everything is refused or decided here; the commit writes
## project.godot and reads it back.

const Autoloads = preload("../settings/autoloads.gd")
const Call = preload("../call.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SettingFacts = preload("../settings/setting_facts.gd")
const SettingFiles = preload("../settings/setting_files.gd")
const SettingPlan = preload("../settings/setting_plan.gd")
const Settings = preload("../settings/settings.gd")
const SettingsDocks = preload("../settings/settings_docks.gd")
const Values = preload("../values.gd")

var _settings: Settings


func _init(settings: Settings) -> void:
	_settings = settings


## One setting: name. What the editor holds, and whether project.godot agrees.
func get_setting(the_call: Call) -> Result:
	var key: String = the_call.text("name")
	var infos: Dictionary[String, Dictionary] = Settings.infos()
	var data: Dictionary = {"name": key, "exists": infos.has(key)}
	if infos.has(key):
		data.merge(SettingFacts.shown(infos[key]))
	else:
		data["near"] = SettingFacts.near(key, infos)
	var changed: PackedStringArray = _settings.changed_keys()
	data["settings_in_sync"] = changed.is_empty()
	if not changed.is_empty():
		data["changed_keys"] = Array(changed).slice(0, SettingPlan.MAX_SHOWN)
	return Result.good(data)


## Plans another value for a setting: name, value.
func set_setting(the_call: Call) -> Result:
	var key: String = the_call.text("name")
	var infos: Dictionary[String, Dictionary] = Settings.infos()
	var failure: Result = SettingFacts.refusal(key, infos)
	if failure != null:
		return failure
	var declared: Dictionary = SettingFacts.declared(key, infos)
	var wire: Variant = the_call.params.get("value")
	if wire == null:
		return _plan_removal(key)
	var decoded: Result = Values.decode(wire, declared)
	if not decoded.ok:
		if infos.has(key) and not Settings.has_default(key):
			var _same: RefCounted = decoded.with_hint(
				"it keeps the type that it has: remove it first, with value null"
			)
		return decoded
	var value: Variant = decoded.data["value"]
	failure = SettingFacts.value_refusal(value)
	if failure != null:
		return failure
	var data: Dictionary = {"name": key}
	data.merge(SettingFacts.shown_value(value, declared))
	if infos.has(key):
		data["previous"] = SettingFacts.shown_value(
			ProjectSettings.get_setting(key), declared
		).get("value")
	var usage: int = declared.get("usage", 0)
	if usage & PROPERTY_USAGE_RESTART_IF_CHANGED != 0:
		data["restart_needed"] = true
	var warnings: Array[String] = SettingFiles.warnings(value, declared)
	if not warnings.is_empty():
		data["warnings"] = warnings
	return SettingPlan.of(_settings, key, value, SettingsDocks.PLAIN, data)


## Plans a new autoload: name, path, singleton.
func register_autoload(the_call: Call) -> Result:
	var name: String = the_call.text("name")
	var path: String = the_call.text("path")
	var singleton: bool = the_call.flag("singleton", true)
	var key: String = Autoloads.PREFIX + name
	var data: Dictionary = {"name": name, "path": path, "singleton": singleton}
	var failure: Result = null
	if ProjectSettings.has_setting(key):
		if Autoloads.path_of(key) != path or Autoloads.is_singleton(key) != singleton:
			return Autoloads.taken(name)
	else:
		failure = Autoloads.name_refusal(name)
	if failure == null:
		failure = Autoloads.path_refusal(path)
	if failure != null:
		return failure
	var value: String = Autoloads.written(path, singleton)
	if ProjectSettings.has_setting(key):
		# There under another spelling of the same path.
		value = ProjectSettings.get_setting(key)
	else:
		data["order"] = Autoloads.names() + [name]
	data["value"] = value
	return SettingPlan.of(_settings, key, value, SettingsDocks.AUTOLOAD, data)


## Plans the end of an autoload: name.
func unregister_autoload(the_call: Call) -> Result:
	var name: String = the_call.text("name")
	var key: String = Autoloads.PREFIX + name
	if not ProjectSettings.has_setting(key):
		return Autoloads.missing(name)
	var data: Dictionary = {
		"name": name,
		"path": Autoloads.path_of(key),
		"singleton": Autoloads.is_singleton(key),
		"removed": true,
		"order": Autoloads.names().filter(func(one: String) -> bool: return one != name),
	}
	return SettingPlan.of(_settings, key, null, SettingsDocks.AUTOLOAD, data)


func _plan_removal(key: String) -> Result:
	if Settings.has_default(key):
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s is a setting of the engine and cannot be removed" % key,
			{
				"name": key,
				"reason": "engine_setting",
				"default": Values.encode(ProjectSettings.property_get_revert(key), {}),
			}
		).with_hint("set it to its default, in details, to take it out of project.godot")
	if not ProjectSettings.has_setting(key):
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"there is no setting %s" % key,
			{"name": key, "near": SettingFacts.near(key, Settings.infos())}
		).with_hint("get_setting tells whether a setting exists")
	var data: Dictionary = {"name": key, "removed": true}
	return SettingPlan.of(_settings, key, null, SettingsDocks.PLAIN, data)
