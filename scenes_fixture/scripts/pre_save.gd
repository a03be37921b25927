@tool
extends Node2D
## Has another z_index while it is saved.

var _shown: int = 0


func _notification(what: int) -> void:
	if what == NOTIFICATION_EDITOR_PRE_SAVE:
		_shown = z_index
		z_index = 0
	elif what == NOTIFICATION_EDITOR_POST_SAVE:
		z_index = _shown
