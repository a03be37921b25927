extends RefCounted
## The files that a setting's value names. The engine takes the name of a file that is not there
## without a word, and fails when it starts the game. The file may yet be made, so this is told and
## not refused.

const _FILE_HINTS: Array[int] = [PROPERTY_HINT_FILE, PROPERTY_HINT_FILE_PATH, PROPERTY_HINT_DIR]


## What is wrong with the files that the value names, as texts for people; empty when nothing. The
## engine's own default may name what is not there: it does without then.
static func warnings(value: Variant, declared: Dictionary) -> Array[String]:
	var out: Array[String] = []
	if value == ProjectSettings.property_get_revert(str(declared["name"])):
		return out
	for text: String in _texts(value):
		var warning: String = _warning(text, declared)
		if not warning.is_empty() and not out.has(warning):
			out.append(warning)
	return out


static func _warning(text: String, declared: Dictionary) -> String:
	var path: String = text.trim_prefix("*")
	var is_file: bool = _FILE_HINTS.has(declared.get("hint", PROPERTY_HINT_NONE))
	if path.begins_with("uid://"):
		path = _path_of(path)
		if path.is_empty():
			return "%s is the uid of no file that the editor knows" % text
	if not path.begins_with("res://"):
		if not is_file or path.is_empty() or path.contains("://") or path.is_absolute_path():
			return ""
		return "%s does not begin with res://, so it names no file of the project" % text
	if not _exists(path):
		return "there is no %s (yet): the project runs without it, or not at all" % path
	if is_file and not _fits(path, str(declared.get("hint_string", ""))):
		return "%s is there, and the setting takes %s" % [path, declared["hint_string"]]
	return ""


static func _exists(path: String) -> bool:
	if FileAccess.file_exists(path) or ResourceLoader.exists(path):
		return true
	return DirAccess.dir_exists_absolute(path)


static func _path_of(uid: String) -> String:
	var id: int = ResourceUID.text_to_id(uid)
	return ResourceUID.get_id_path(id) if ResourceUID.has_id(id) else ""


# A hint lists patterns such as *.tscn.
static func _fits(path: String, patterns: String) -> bool:
	if patterns.is_empty():
		return true
	for pattern: String in patterns.split(",", false):
		if path.matchn(pattern.strip_edges()):
			return true
	return false


static func _texts(value: Variant) -> Array[String]:
	var out: Array[String] = []
	if value is String or value is StringName:
		out.append(str(value))
	elif value is Dictionary:
		var map: Dictionary = value
		out.append_array(_texts(map.values()))
	elif value is Array or value is PackedStringArray:
		for inner: Variant in type_convert(value, TYPE_ARRAY):
			out.append_array(_texts(inner))
	return out
