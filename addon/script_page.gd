extends RefCounted
## Pages of scripts: of the project's list of them, and of one script's lines.

const ProjectFiles = preload("./project_files.gd")

## How long a page of lines gets at most, in characters: a reply shows 200,000, in which tabs and
## quotes count twice.
const MAX_CHARACTERS: int = 100000
const ENDING: String = "gd"


## The GDScript files among these that are below a folder, sorted, without the addon's own.
static func scripts_below(folder: String, files: PackedStringArray) -> PackedStringArray:
	var own: String = own_folder()
	var out: PackedStringArray = PackedStringArray()
	for path: String in files:
		if (
			path.get_extension().to_lower() == ENDING
			and path.begins_with(folder)
			and not path.begins_with(own)
		):
			var _full: bool = out.append(path)
	out.sort()
	return out


## The rows of these scripts: {path, class_name?, base?}.
static func rows(paths: PackedStringArray) -> Array[Dictionary]:
	var classes: Dictionary[String, Dictionary] = {}
	for known: Dictionary in ProjectSettings.get_global_class_list():
		classes[str(known["path"])] = known
	var out: Array[Dictionary] = []
	for path: String in paths:
		var row: Dictionary = {"path": path}
		if classes.has(path):
			row["class_name"] = str(classes[path]["class"])
			row["base"] = str(classes[path]["base"])
		out.append(row)
	return out


## The folder of the addon itself, with a slash at the end.
static func own_folder() -> String:
	var script: Script = ProjectFiles
	return script.resource_path.get_base_dir() + "/"


## A page of a text's lines: content and where the page lies. All pages put together are the text.
static func lines(text: String, offset: int, limit: int) -> Dictionary:
	var all: PackedStringArray = text.split("\n")
	var ends: bool = all[all.size() - 1].is_empty()
	if ends:
		all.remove_at(all.size() - 1)
	var end: int = mini(offset, all.size())
	var room: int = MAX_CHARACTERS
	while end < mini(offset + limit, all.size()):
		room -= all[end].length() + 1
		if room < 0 and end > offset:
			break
		end += 1
	var page: PackedStringArray = all.slice(mini(offset, end), end)
	var content: String = "\n".join(page)
	if not page.is_empty() and (ends or end < all.size()):
		content += "\n"
	var out: Dictionary = {
		"content": content,
		"total": all.size(),
		"returned": page.size(),
		"truncated": end < all.size(),
	}
	if end < all.size():
		out["next_offset"] = end
	return out
