@tool
class_name FixtureInit
extends Node
## Leaves user://fixture_init behind when it is made: a dry run that makes one is caught.


func _init() -> void:
	var file: FileAccess = FileAccess.open("user://fixture_init", FileAccess.WRITE)
	file.close()
