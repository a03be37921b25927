extends RefCounted
## Input events between the form that callers write and the engine's objects: one form in and out.
##
## {"type": "key", "key": "Space", "physical": true, "ctrl": true, "device": -1} and so on; see
## KINDS.

const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const Suggest = preload("../suggest.gd")

## Events of all devices, which is what the editor's input map makes too.
const ALL_DEVICES: int = -1
const MODIFIERS: PackedStringArray = ["ctrl", "shift", "alt", "meta"]
## The fields of each type, beside "type" and "device".
const KINDS: Dictionary[String, Array] = {
	"key": ["key", "physical", "ctrl", "shift", "alt", "meta"],
	"mouse_button": ["button", "ctrl", "shift", "alt", "meta"],
	"joypad_button": ["button"],
	"joypad_motion": ["axis", "axis_value"],
}
const MOUSE_BUTTONS: Dictionary[String, int] = {
	"left": MOUSE_BUTTON_LEFT, "right": MOUSE_BUTTON_RIGHT, "middle": MOUSE_BUTTON_MIDDLE,
	"wheel_up": MOUSE_BUTTON_WHEEL_UP, "wheel_down": MOUSE_BUTTON_WHEEL_DOWN,
	"wheel_left": MOUSE_BUTTON_WHEEL_LEFT, "wheel_right": MOUSE_BUTTON_WHEEL_RIGHT,
	"xbutton1": MOUSE_BUTTON_XBUTTON1, "xbutton2": MOUSE_BUTTON_XBUTTON2,
}
const JOY_BUTTONS: Dictionary[String, int] = {
	"a": JOY_BUTTON_A, "b": JOY_BUTTON_B, "x": JOY_BUTTON_X, "y": JOY_BUTTON_Y,
	"back": JOY_BUTTON_BACK, "guide": JOY_BUTTON_GUIDE, "start": JOY_BUTTON_START,
	"left_stick": JOY_BUTTON_LEFT_STICK, "right_stick": JOY_BUTTON_RIGHT_STICK,
	"left_shoulder": JOY_BUTTON_LEFT_SHOULDER, "right_shoulder": JOY_BUTTON_RIGHT_SHOULDER,
	"dpad_up": JOY_BUTTON_DPAD_UP, "dpad_down": JOY_BUTTON_DPAD_DOWN,
	"dpad_left": JOY_BUTTON_DPAD_LEFT, "dpad_right": JOY_BUTTON_DPAD_RIGHT,
	"misc1": JOY_BUTTON_MISC1, "paddle1": JOY_BUTTON_PADDLE1, "paddle2": JOY_BUTTON_PADDLE2,
	"paddle3": JOY_BUTTON_PADDLE3, "paddle4": JOY_BUTTON_PADDLE4, "touchpad": JOY_BUTTON_TOUCHPAD,
}
const JOY_AXES: Dictionary[String, int] = {
	"left_x": JOY_AXIS_LEFT_X, "left_y": JOY_AXIS_LEFT_Y, "right_x": JOY_AXIS_RIGHT_X,
	"right_y": JOY_AXIS_RIGHT_Y, "trigger_left": JOY_AXIS_TRIGGER_LEFT,
	"trigger_right": JOY_AXIS_TRIGGER_RIGHT,
}
const MAX_DEVICE: int = 31


## The event that a caller describes, as data.event, or what is wrong with it.
static func decode(given: Dictionary) -> Result:
	var type: Variant = given.get("type")
	if not type is String or not KINDS.has(str(type)):
		return _wrong("type", type, ", ".join(KINDS.keys()))
	var allowed: Array = KINDS[str(type)] + ["type", "device"]
	for field: Variant in given:
		if not str(field) in allowed:
			return _wrong(str(field), given[field], "one of the fields %s" % ", ".join(allowed))
	for field: String in MODIFIERS + PackedStringArray(["physical"]):
		if given.has(field) and not given[field] is bool:
			return _wrong(field, given[field], "true or false")
	var device: int = _whole(given.get("device", ALL_DEVICES))
	if device < ALL_DEVICES or device > MAX_DEVICE:
		return _wrong("device", given["device"], "-1 (all) to %d" % MAX_DEVICE)
	var made: Result = null
	match str(type):
		"key":
			made = _key(given)
		"mouse_button":
			made = _mouse_button(given)
		"joypad_button":
			made = _joypad_button(given)
		_:
			made = _joypad_motion(given)
	if made.ok:
		var event: InputEvent = made.data["event"]
		event.device = device
		_modify(event, given)
	return made


## An event as callers write it, with "text", which is how the editor shows it.
static func encode(event: InputEvent) -> Dictionary:
	var out: Dictionary = {"type": event.get_class()}
	if event is InputEventKey:
		var key: InputEventKey = event
		out = _shown_key(key)
	elif event is InputEventMouseButton:
		var mouse: InputEventMouseButton = event
		out = {"type": "mouse_button", "button": _name_of(MOUSE_BUTTONS, mouse.button_index)}
	elif event is InputEventJoypadButton:
		var button: InputEventJoypadButton = event
		out = {"type": "joypad_button", "button": _name_of(JOY_BUTTONS, button.button_index)}
	elif event is InputEventJoypadMotion:
		var motion: InputEventJoypadMotion = event
		out = {
			"type": "joypad_motion",
			"axis": _name_of(JOY_AXES, motion.axis),
			"axis_value": motion.axis_value,
		}
	_show_modifiers(out, event)
	out["device"] = event.device
	out["text"] = event.as_text()
	return out


## Whether two events are the same binding.
static func same(one: InputEvent, other: InputEvent) -> bool:
	var a: Dictionary = encode(one)
	return a == encode(other)


static func _key(given: Dictionary) -> Result:
	var name: Variant = given.get("key")
	if not name is String or str(name).is_empty():
		return _wrong("key", name, "the name of a key, such as A, Space or Left")
	var code: Key = OS.find_keycode_from_string(str(name))
	if code == KEY_NONE or code & KEY_MODIFIER_MASK != 0:
		var wrong: Result = _wrong("key", name, "the name of one key, such as A, Space or Left")
		return wrong.with_detail("near", Suggest.near(str(name), _key_names()))
	var event: InputEventKey = InputEventKey.new()
	if given.get("physical", true) == true:
		event.physical_keycode = code
	else:
		event.keycode = code
	return Result.good({"event": event})


static func _mouse_button(given: Dictionary) -> Result:
	var index: int = _index(MOUSE_BUTTONS, given.get("button"), 1, MOUSE_BUTTON_XBUTTON2)
	if index < 0:
		return _wrong("button", given.get("button"), ", ".join(MOUSE_BUTTONS.keys()))
	var event: InputEventMouseButton = InputEventMouseButton.new()
	event.button_index = index as MouseButton
	return Result.good({"event": event})


static func _joypad_button(given: Dictionary) -> Result:
	var index: int = _index(JOY_BUTTONS, given.get("button"), 0, JOY_BUTTON_MAX - 1)
	if index < 0:
		return _wrong("button", given.get("button"), ", ".join(JOY_BUTTONS.keys()))
	var event: InputEventJoypadButton = InputEventJoypadButton.new()
	event.button_index = index as JoyButton
	return Result.good({"event": event})


static func _joypad_motion(given: Dictionary) -> Result:
	var axis: int = _index(JOY_AXES, given.get("axis"), 0, JOY_AXIS_MAX - 1)
	if axis < 0:
		return _wrong("axis", given.get("axis"), ", ".join(JOY_AXES.keys()))
	var value: Variant = given.get("axis_value")
	if not (value is float or value is int) or not value in [1.0, -1.0, 1, -1]:
		return _wrong("axis_value", value, "1 or -1: the direction")
	var event: InputEventJoypadMotion = InputEventJoypadMotion.new()
	event.axis = axis as JoyAxis
	event.axis_value = value
	return Result.good({"event": event})


static func _modify(event: InputEvent, given: Dictionary) -> void:
	var with: InputEventWithModifiers = event as InputEventWithModifiers
	if with != null:
		with.ctrl_pressed = given.get("ctrl", false)
		with.shift_pressed = given.get("shift", false)
		with.alt_pressed = given.get("alt", false)
		with.meta_pressed = given.get("meta", false)


static func _show_modifiers(out: Dictionary, event: InputEvent) -> void:
	var with: InputEventWithModifiers = event as InputEventWithModifiers
	if with == null:
		return
	var held: Array[bool] = [
		with.ctrl_pressed, with.shift_pressed, with.alt_pressed, with.meta_pressed
	]
	for index: int in MODIFIERS.size():
		if held[index]:
			out[MODIFIERS[index]] = true
	if with.command_or_control_autoremap:
		out["command_or_control"] = true


# A binding is by the place of the key, by its meaning, or by what is printed on it.
static func _shown_key(event: InputEventKey) -> Dictionary:
	if event.physical_keycode != KEY_NONE:
		var placed: String = OS.get_keycode_string(event.physical_keycode)
		return {"type": "key", "key": placed, "physical": true}
	if event.keycode != KEY_NONE:
		return {"type": "key", "key": OS.get_keycode_string(event.keycode), "physical": false}
	return {"type": "key", "key": OS.get_keycode_string(event.key_label), "label": true}


static func _name_of(names: Dictionary[String, int], index: int) -> Variant:
	var name: Variant = names.find_key(index)
	return index if name == null else name


# The number that a name, or a number within the bounds, stands for; -1 for anything else.
static func _index(names: Dictionary[String, int], given: Variant, low: int, high: int) -> int:
	if given is String:
		return names.get(str(given), -1)
	var number: int = _whole(given)
	return number if number >= low and number <= high else -1


# Numbers arrive as floats. What is no whole number is far out of any bounds.
static func _whole(given: Variant) -> int:
	if given is int:
		return given
	if given is float:
		var number: float = given
		if number == floorf(number):
			return type_convert(number, TYPE_INT)
	return -1000


static func _key_names() -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for code: int in range(KEY_SPECIAL, KEY_SPECIAL + 200) + range(32, 127):
		var name: String = OS.get_keycode_string(code as Key)
		if not name.is_empty() and OS.find_keycode_from_string(name) == code:
			var _full: bool = out.append(name)
	return out


static func _wrong(field: String, got: Variant, expected: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"event.%s takes %s" % [field, expected],
		{
			"parameter": "event",
			"field": field,
			"reason": "bad_event",
			"expected": expected,
			"got": str(got).left(80),
		}
	)
