@tool
extends Node2D
## The root of a scene that makes trouble when it is edited: slow, dying, and large.

## How long a new child of this node holds the editor up.
@export var child_delay_msec: int = 0
## Setting it takes as many milliseconds.
@export var slow_msec: int = 0:
	set(value):
		OS.delay_msec(value)
		slow_msec = value
## Setting it dies before the value is kept.
@export var dies_before: int = 0:
	set(value):
		_die()
		dies_before = value
## Setting it keeps the value, and then dies.
@export var dies_after: int = 0:
	set(value):
		dies_after = value
		_die()
## An ordinary property.
@export var plain: int = 0

## How many texts of a million characters `big` gives: more than a frame holds.
@export var big_count: int = 0
## Large only when asked for.
@export var big: PackedStringArray = PackedStringArray():
	get:
		var texts: PackedStringArray = PackedStringArray()
		for i: int in big_count:
			if texts.append("x".repeat(1000000)):
				push_error("out of memory")
		return texts


func _enter_tree() -> void:
	if not child_entered_tree.is_connected(_on_child_entered_tree):
		var _failed: int = child_entered_tree.connect(_on_child_entered_tree)


func _on_child_entered_tree(_child: Node) -> void:
	if child_delay_msec > 0:
		OS.delay_msec(child_delay_msec)


func _die() -> void:
	if not is_node_ready():
		return
	var nothing: Dictionary = {}
	var _gone: int = nothing["nothing"]
