@tool
extends Node2D
## The same members as plain_exports.gd, but running in the editor.

@warning_ignore("unused_signal")
signal hit

@export var exported: int = 1
@export_storage var stored: int = 1

var plain: int = 1


func _on_hit() -> void:
	plain += 1
