extends RefCounted
## The project's input actions: those in project.godot and the engine's own ui_… ones, never the
## shortcuts of the editor, in which this runs.

const Call = preload("../call.gd")
const InputEvents = preload("../settings/input_events.gd")
const Paging = preload("../paging.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SettingPlan = preload("../settings/setting_plan.gd")
const Settings = preload("../settings/settings.gd")
const SettingsDocks = preload("../settings/settings_docks.gd")
const Suggest = preload("../suggest.gd")
const TextFilter = preload("../text_filter.gd")
const Values = preload("../values.gd")

const PREFIX: String = "input/"
## What the editor's own input map gives a new action.
const DEADZONE: float = 0.2
const MAX_NAME: int = 100
# What the editor takes in no action's name, and the dot, which begins a feature.
const _BAD_CHARS: String = "/:=\\\"'.[];@%"

var _settings: Settings


func _init(settings: Settings) -> void:
	_settings = settings


## The actions: name, builtin, offset, limit.
func get_input_actions(the_call: Call) -> Result:
	var filter: TextFilter = TextFilter.new(the_call.text("name"))
	var builtin: bool = the_call.flag("builtin")
	var found: Array[String] = []
	for name: String in _names():
		if _fits(filter, name) and (builtin or not Settings.has_default(PREFIX + name)):
			found.append(name)
	var paging: Paging = Paging.new(the_call, 100, 1000)
	var actions: Array[Dictionary] = []
	for name: String in found.slice(paging.offset, paging.offset + paging.limit):
		actions.append(_shown(name))
	var data: Dictionary = {"source": "project", "actions": actions}
	var changed: PackedStringArray = _settings.changed_keys()
	data["settings_in_sync"] = changed.is_empty()
	if not changed.is_empty():
		data["changed_keys"] = Array(changed).slice(0, SettingPlan.MAX_SHOWN)
	paging.tell(data, found.size())
	return Result.good(data)


## Plans a new action without events: name, deadzone.
func add_input_action(the_call: Call) -> Result:
	var name: String = the_call.text("name")
	var failure: Result = _name_refusal(name)
	if failure != null:
		return failure
	if ProjectSettings.has_setting(PREFIX + name):
		return Result.fail(
			Protocol.CODE_ALREADY_EXISTS,
			"there is an action %s already" % name,
			{"name": name, "action": _shown(name)}
		).with_hint("add_input_event binds more to it; choose another name for another action")
	var deadzone: float = DEADZONE
	if the_call.params.has("deadzone"):
		var declared: Dictionary = {"type": TYPE_FLOAT, "name": "deadzone"}
		var decoded: Result = Values.decode(the_call.params["deadzone"], declared)
		if not decoded.ok:
			return decoded
		deadzone = decoded.data["value"]
		if not (deadzone >= 0.0 and deadzone <= 1.0):
			return _invalid("deadzone", "out_of_range", "a deadzone is 0 to 1")
	var value: Dictionary = {"deadzone": deadzone, "events": []}
	var data: Dictionary = {"name": name, "deadzone": deadzone, "events": []}
	return SettingPlan.of(_settings, PREFIX + name, value, SettingsDocks.INPUT, data)


## Plans one more event of an action: action, event.
func add_input_event(the_call: Call) -> Result:
	var name: String = the_call.text("action")
	if not ProjectSettings.has_setting(PREFIX + name):
		return _missing("action", name)
	var given: Variant = the_call.params.get("event")
	if not given is Dictionary:
		return _invalid("event", "bad_event", "event is an object")
	var description: Dictionary = given
	var decoded: Result = InputEvents.decode(description)
	if not decoded.ok:
		return decoded
	var event: InputEvent = decoded.data["event"]
	var events: Array = _events(name).duplicate()
	var data: Dictionary = {"action": name, "event": InputEvents.encode(event)}
	var known: Callable = func(one: InputEvent) -> bool: return InputEvents.same(one, event)
	if not events.any(known):
		events.append(event)
	var value: Dictionary = _action(name).duplicate()
	value["events"] = events
	data["events"] = events.map(InputEvents.encode)
	return SettingPlan.of(_settings, PREFIX + name, value, SettingsDocks.INPUT, data)


## Plans the end of an action of the project: name.
func remove_input_action(the_call: Call) -> Result:
	var name: String = the_call.text("name")
	if not ProjectSettings.has_setting(PREFIX + name):
		return _missing("name", name)
	if Settings.has_default(PREFIX + name):
		return Result.fail(
			Protocol.CODE_PROTECTED_TARGET,
			"%s is an action of the engine's own" % name,
			{"name": name, "reason": "builtin_action"}
		).with_hint("the engine's controls need it; add_input_event binds more to it")
	var data: Dictionary = {"name": name, "removed": true, "events": _shown(name)["events"]}
	return SettingPlan.of(_settings, PREFIX + name, null, SettingsDocks.INPUT, data)


static func _fits(filter: TextFilter, name: String) -> bool:
	return filter.is_empty() or filter.matches(name)


static func _names() -> Array[String]:
	var out: Array[String] = []
	for info: Dictionary in ProjectSettings.get_property_list():
		var key: String = info["name"]
		if key.begins_with(PREFIX) and info["type"] == TYPE_DICTIONARY:
			out.append(key.trim_prefix(PREFIX))
	out.sort()
	return out


static func _action(name: String) -> Dictionary:
	var value: Variant = ProjectSettings.get_setting(PREFIX + name)
	return value if value is Dictionary else {}


static func _events(name: String) -> Array:
	var events: Variant = _action(name).get("events", [])
	var list: Array = events if events is Array else []
	return list.filter(func(one: Variant) -> bool: return one is InputEvent)


static func _shown(name: String) -> Dictionary:
	var out: Dictionary = {
		"name": name,
		"deadzone": _action(name).get("deadzone", DEADZONE),
		"events": _events(name).map(InputEvents.encode),
	}
	if Settings.has_default(PREFIX + name):
		out["builtin"] = true
	return out


static func _name_refusal(name: String) -> Result:
	if name.is_empty() or name.length() > MAX_NAME or name != name.strip_edges():
		var message: String = "an action has a name of 1 to %d characters" % MAX_NAME
		return _invalid("name", "bad_action_name", message)
	var bad: Array[String] = []
	for character: String in name:
		var is_bad: bool = _BAD_CHARS.contains(character) or character.unicode_at(0) < 32
		if is_bad and not bad.has(character):
			bad.append(character)
	if bad.is_empty():
		return null
	var failure: Result = _invalid(
		"name", "invalid_name_chars", "the name holds characters that no action can have"
	)
	return failure.with_detail("chars", bad)


static func _missing(parameter: String, name: String) -> Result:
	var known: Array[String] = _names()
	return Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"the project has no action %s" % name.left(80),
		{
			"parameter": parameter,
			"name": name.left(MAX_NAME),
			"near": Suggest.near(name.left(MAX_NAME), PackedStringArray(known)),
		}
	).with_hint("add_input_action makes one; get_input_actions shows those there are")


static func _invalid(parameter: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR, message, {"parameter": parameter, "reason": reason}
	)
