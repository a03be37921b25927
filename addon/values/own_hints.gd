extends RefCounted
## What a class says of its enums and flags, whatever state a node is in.
##
## The list that a node gives can leave choices out: below a VBoxContainer size_flags_horizontal has
## no Expand, though the engine takes and keeps it. And some defaults have no name in any list
## (TextEdit's autowrap_mode). What is allowed is all of it; where the engine refuses, read-back
## tells.

## The entry of a declared type with the class's own hint string.
const HINT: StringName = &"own_hint_string"
## The entry with the class's default value.
const DEFAULT: StringName = &"own_default"

const _HINTS: Array[int] = [PROPERTY_HINT_ENUM, PROPERTY_HINT_FLAGS]

# By class: property, and its two entries.
static var _of_class: Dictionary[StringName, Dictionary] = {}


## Adds the class's own choices to a list of properties, by name.
static func add_to(info: Dictionary[StringName, Dictionary], type: StringName) -> void:
	if not _of_class.has(type):
		_of_class[type] = _read(type)
	var own: Dictionary = _of_class[type]
	for property: StringName in own:
		var more: Dictionary = own[property]
		if info.has(property) and info[property]["hint"] == more["hint"]:
			info[property].merge(more)


static func _read(type: StringName) -> Dictionary:
	var found: Dictionary = {}
	for info: Dictionary in ClassDB.class_get_property_list(type):
		var property: StringName = info["name"]
		if info["type"] != TYPE_INT or not info["hint"] in _HINTS:
			continue
		var own: Dictionary = {"hint": info["hint"], HINT: info["hint_string"]}
		var usual: Variant = ClassDB.class_get_property_default_value(type, property)
		if usual is int:
			own[DEFAULT] = usual
		found[property] = own
	return found
