@tool
class_name FixtureSetterFrees
extends Node2D
## Removes itself when told to, in several ways.

@export var queues: bool = false:
	set(value):
		queues = value
		if value:
			queue_free()
@export var defers: bool = false:
	set(value):
		defers = value
		if value:
			queue_free.call_deferred()
@export var frees: bool = false:
	set(value):
		frees = value
		if value:
			free()
## Removes itself when it leaves the tree.
@export var leaves: bool = false


func _exit_tree() -> void:
	if leaves:
		queue_free()
