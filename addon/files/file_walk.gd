extends RefCounted
## The files and folders below a folder, sorted, a folder at a time. Hidden ones are left out, and
## links are named but not followed: they may lead out of the project.

const Slices = preload("../slices.gd")

const ROOT: String = "res://"
const FOLDER: String = "folder"
const LINK: String = "link"
## What the editor writes beside other files.
const SIDE_FILES: PackedStringArray = ["import", "uid"]


## A folder that is to be listed, or has been: then its files come after all that is in its folders.
class Folder:
	extends RefCounted
	## Its path.
	var path: String = ""
	## How deep it is below the first.
	var depth: int = 0
	## True when its files are there.
	var is_listed: bool = false
	## Its files' paths.
	var files: PackedStringArray = PackedStringArray()


## What was found, in its order; folders end in a slash.
var found: PackedStringArray = PackedStringArray()
## Links to folders, which were not followed.
var links: PackedStringArray = PackedStringArray()

var _folders: bool = false
var _max_depth: int = -1
# The folders that are still to be listed or shown, the next one last.
var _open: Array[Folder] = []


func _init(folder: String) -> void:
	_open.append(_folder(folder, 0))


## Whether a file is a link. Asked only of files that are shown or read: it costs as much as listing
## them.
static func is_link(path: String) -> bool:
	var access: DirAccess = DirAccess.open(path.get_base_dir())
	return access == null or access.is_link(path)


## Has folders found too, down to a depth (-1: all). Side files are left out then.
func with_folders(max_depth: int) -> void:
	_folders = true
	_max_depth = max_depth


## Goes on until the time; true when everything was seen.
func go_on(until_usec: int) -> bool:
	var end: int = found.size() + Slices.FILES
	while not _open.is_empty():
		var next: Folder = _open.pop_back()
		if next.is_listed:
			found.append_array(next.files)
		else:
			_list(next)
		if found.size() >= end or Time.get_ticks_usec() >= until_usec:
			break
	return _open.is_empty()


func _list(folder: Folder) -> void:
	if _folders and folder.depth > 0:
		var _full: bool = found.append(folder.path + "/")
	if _max_depth >= 0 and folder.depth > _max_depth:
		return
	var access: DirAccess = DirAccess.open(folder.path)
	if access == null:
		return
	folder.is_listed = true
	folder.files = _files(folder.path, access.get_files())
	_open.append(folder)
	var inner: PackedStringArray = access.get_directories()
	inner.sort()
	inner.reverse()
	for name: String in inner:
		var path: String = folder.path.path_join(name)
		if name.begins_with("."):
			continue
		if access.is_link(path):
			var _full: bool = links.append(path)
		else:
			_open.append(_folder(path, folder.depth + 1))


func _files(folder: String, names: PackedStringArray) -> PackedStringArray:
	names.sort()
	var out: PackedStringArray = PackedStringArray()
	for name: String in names:
		if name.begins_with(".") or (_folders and name.get_extension() in SIDE_FILES):
			continue
		var _full: bool = out.append(folder.path_join(name))
	return out


static func _folder(path: String, depth: int) -> Folder:
	var folder: Folder = Folder.new()
	folder.path = path
	folder.depth = depth
	return folder
