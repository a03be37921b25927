@tool
extends Node
## Setters with minds of their own: what is asked is not what is kept.

@export var clamped: int = 0:
	set(value):
		clamped = clampi(value, 0, 10)
@export var stubborn: int = 5:
	set(_value):
		pass
@export var noisy: int = 0:
	set(value):
		noisy = value
		push_error("noisy was set to %d" % value)
@export var leader: int = 0:
	set(value):
		leader = value
		follower = value * 2
@export var follower: int = 0
