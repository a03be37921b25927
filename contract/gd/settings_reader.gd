extends SceneTree
## Reads settings in a fresh process: those named in the file of the first argument go, as texts,
## into the file of the second one.


## Returning true ends the process, also after a script error of our own.
func _process(_delta: float) -> bool:
	_read()
	return true


func _read() -> void:
	var arguments: PackedStringArray = OS.get_cmdline_user_args()
	var names: Array = JSON.parse_string(FileAccess.get_file_as_string(arguments[0]))
	var out: Dictionary[String, String] = {}
	for name: Variant in names:
		var key: String = str(name)
		if ProjectSettings.has_setting(key):
			out[key] = var_to_str(ProjectSettings.get_setting(key))
	out["#autoloads"] = var_to_str(_made())
	out["#jump"] = var_to_str(_jumps(names))
	var answer: FileAccess = FileAccess.open(arguments[1], FileAccess.WRITE)
	var _stored: bool = answer.store_string(JSON.stringify(out))
	answer.close()


# The autoloads that were made, in the order of the tree.
func _made() -> Array[String]:
	var names: Array[String] = []
	for node: Node in root.get_children():
		names.append(str(node.name))
	return names


# The actions that answer to the key F9 with ctrl, as the input map of a game has them.
func _jumps(names: Array) -> Array[String]:
	var event: InputEventKey = InputEventKey.new()
	event.physical_keycode = KEY_F9
	event.ctrl_pressed = true
	event.pressed = true
	var out: Array[String] = []
	for name: Variant in names:
		var action: String = str(name).trim_prefix("input/")
		if InputMap.has_action(action) and InputMap.event_is_action(event, action, true):
			out.append(action)
	return out
