extends RefCounted
## Files that came from outside (a fresh checkout, a pull) and that the editor has not read yet: it
## knows neither their classes nor what it has to import, so what the engine then says of a script
## that uses them is about the editor's ignorance, not about the script.

const ProjectFiles = preload("./project_files.gd")
const FileSearch = preload("./files/file_search.gd")
const ScriptText = preload("./script_text.gd")

## How many unread scripts are looked into for their classes.
const MAX_SCRIPTS: int = 1000


## The unread files, other than `path` itself, that these diagnostics speak of.
static func blamed(diagnostics: Array, path: String) -> PackedStringArray:
	var messages: String = ""
	for diagnostic: Dictionary in diagnostics:
		messages += str(diagnostic["message"]) + "\n"
	var out: PackedStringArray = PackedStringArray()
	var looked_into: int = 0
	for file: String in ProjectFiles.all():
		var is_script: bool = file.ends_with(".gd")
		if file == path or not (is_script or messages.contains(file)) or not _is_unread(file):
			continue
		looked_into += 1 if is_script else 0
		if not is_script or (looked_into <= MAX_SCRIPTS and _names_class(messages, file)):
			var _full: bool = out.append(file)
	return out


static func _names_class(messages: String, script: String) -> bool:
	var own: String = ScriptText.class_name_of(
		FileSearch.text_of(FileAccess.get_file_as_bytes(script))
	)
	if own.is_empty():
		return false
	return RegEx.create_from_string("(?<!\\w)%s(?!\\w)" % own).search(messages) != null


static func _is_unread(file: String) -> bool:
	if not EditorInterface.get_resource_filesystem().get_file_type(file).is_empty():
		return false
	# What the editor never reads is not waited for.
	var folder: String = file.get_base_dir()
	while folder != "res://":
		var hidden: bool = folder.get_file().begins_with(".")
		if hidden or FileAccess.file_exists(folder.path_join(ProjectFiles.IGNORE)):
			return false
		folder = folder.get_base_dir()
	return true
