extends RefCounted
## The files and folders below a folder, sorted, within a bound of time. Hidden ones are left out,
## and links are named but not followed: they may lead out of the project.

const ROOT: String = "res://"
const FOLDER: String = "folder"
const LINK: String = "link"
## What the editor writes beside other files.
const SIDE_FILES: PackedStringArray = ["import", "uid"]

## When to stop, in µs of the engine's clock.
var until_usec: int = 0
## True when the time was up before everything was seen.
var is_cut: bool = false
## Links to folders, which were not followed.
var links: PackedStringArray = PackedStringArray()

var _folders: bool = false
var _max_depth: int = -1
var _out: PackedStringArray = PackedStringArray()


func _init(budget_usec: int) -> void:
	until_usec = Time.get_ticks_usec() + budget_usec


## True when the time is up.
func is_over() -> bool:
	return Time.get_ticks_usec() >= until_usec


## Whether a file is a link. Asked only of files that are shown or read: it costs as much as listing
## them.
static func is_link(path: String) -> bool:
	var access: DirAccess = DirAccess.open(path.get_base_dir())
	return access == null or access.is_link(path)


## All files below a folder.
func files(folder: String) -> PackedStringArray:
	_list(folder, 0)
	return _out


## Files and folders down to a depth (-1: all); folders end in a slash. Side files are left out.
func tree(folder: String, max_depth: int) -> PackedStringArray:
	_folders = true
	_max_depth = max_depth
	_list(folder, 0)
	return _out


func _list(folder: String, depth: int) -> void:
	if is_over():
		is_cut = true
		return
	var access: DirAccess = DirAccess.open(folder)
	if access == null:
		return
	var inner: PackedStringArray = access.get_directories()
	var names: PackedStringArray = access.get_files()
	inner.sort()
	names.sort()
	for name: String in inner:
		var path: String = folder.path_join(name)
		if name.begins_with("."):
			continue
		if access.is_link(path):
			var _full: bool = links.append(path)
			continue
		if _folders:
			_add(path + "/")
		if _max_depth < 0 or depth < _max_depth:
			_list(path, depth + 1)
	for name: String in names:
		if name.begins_with(".") or (_folders and name.get_extension() in SIDE_FILES):
			continue
		_add(folder.path_join(name))


func _add(path: String) -> void:
	var _full: bool = _out.append(path)
