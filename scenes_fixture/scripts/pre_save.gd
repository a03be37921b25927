@tool
extends Node2D
## Has another z_index while it is saved, and a value that the dock reverts to something else than
## its default.

@export var speed: float = 5.0

var _shown: int = 0


func _notification(what: int) -> void:
	if what == NOTIFICATION_EDITOR_PRE_SAVE:
		_shown = z_index
		z_index = 0
	elif what == NOTIFICATION_EDITOR_POST_SAVE:
		z_index = _shown


func _property_can_revert(property: StringName) -> bool:
	return property == &"speed"


func _property_get_revert(property: StringName) -> Variant:
	var usual: Variant = null
	if property == &"speed":
		usual = 10.0
	return usual
