extends Node2D
## Does not parse, on purpose.

@export var important: int = 1


func broken(:
	pass
