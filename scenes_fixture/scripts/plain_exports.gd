extends Node2D
## Not a tool script: in the editor its nodes have placeholders, which still store exported values.

@warning_ignore("unused_signal")
signal hit

@export var exported: int = 1
@export_storage var stored: int = 1

var plain: int = 1


func _on_hit() -> void:
	plain += 1
