extends SceneTree
## Loads every script of the project it runs in and says how many there were. Used by check.sh,
## which reads the engine's errors: loading alone does not fail for a script with errors.

var _count: int = 0


## Returning true ends the process, also after a script error of our own.
func _process(_delta: float) -> bool:
	_load_all("res://")
	print("checked %d scripts" % _count)
	return true


func _load_all(folder: String) -> void:
	for child: String in DirAccess.get_directories_at(folder):
		if not child.begins_with("."):
			_load_all(folder.path_join(child))
	for file: String in DirAccess.get_files_at(folder):
		if file.get_extension() == "gd":
			_count += 1
			if load(folder.path_join(file)) == null:
				printerr("ERROR: %s does not load" % folder.path_join(file))
