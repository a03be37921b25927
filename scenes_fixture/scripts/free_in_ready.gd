@tool
class_name FixtureFreesItself
extends Node2D
## Removes itself as soon as it is in the tree.


func _ready() -> void:
	queue_free()
