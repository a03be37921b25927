@tool
extends Node2D
## The root of a scene that makes trouble when it is edited: slow, dying, and watchful during saves.

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
## An ordinary property. Setting it during a save is a command that ran inside another one.
@export var plain: int = 0:
	set(value):
		plain = value
		if saving:
			set_in_save += 1

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

## True while the editor saves this scene.
var saving: bool = false
## How many frames began during saves.
var frames_in_save: int = 0
## How often plain was set during saves.
var set_in_save: int = 0


func _enter_tree() -> void:
	if not child_entered_tree.is_connected(_on_child_entered_tree):
		var _failed: int = child_entered_tree.connect(_on_child_entered_tree)


func _notification(what: int) -> void:
	if what == NOTIFICATION_EDITOR_PRE_SAVE:
		saving = true
	elif what == NOTIFICATION_EDITOR_POST_SAVE:
		saving = false


func _on_child_entered_tree(_child: Node) -> void:
	if child_delay_msec > 0:
		OS.delay_msec(child_delay_msec)


func _die() -> void:
	if not is_node_ready():
		return
	var nothing: Dictionary = {}
	var _gone: int = nothing["nothing"]
