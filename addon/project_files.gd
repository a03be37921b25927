extends RefCounted
## Goes through the project's files on the disk, folder by folder.
##
## The editor's own list will not do: it lacks what has not been scanned (files that came while the
## editor was in the background) and folders with a .gdignore or a leading dot, and the editor loads
## and saves all of these. Scenes and what the importer made are left out: no save writes them
## along.

const ProjectFiles = preload("./project_files.gd")
const SaveTarget = preload("./save_target.gd")
const SceneFiles = preload("./scene_files.gd")

const IGNORE: String = ".gdignore"
const IMPORT: String = ".import"
## How many files of folders that the editor ignores, or that are links, are gone through: whole
## worlds can be there. The other folders have no bound: the editor goes through them itself.
const MAX_ASIDE: int = 50000


## A folder that is still to be listed.
class Folder:
	extends RefCounted
	## Its path, without a slash at the end.
	var path: String = "res:/"
	## True for what the editor does not scan.
	var ignored: bool = false
	## True below a link to a folder. Another link is not followed there, so that none leads round.
	var linked: bool = false

	## True for what is gone through last, and not without bound.
	func is_aside() -> bool:
		return ignored or linked


## True to be given scenes and what belongs to the importer too.
var everything: bool = false
## What go_on() found so far.
var found: PackedStringArray = PackedStringArray()

var _folders: Array[Folder] = [Folder.new()]
var _aside: Array[Folder] = []
var _aside_files: int = 0


## All files, as they are now. Costs some 4 µs a file.
static func all() -> PackedStringArray:
	var files: ProjectFiles = ProjectFiles.new()
	var out: PackedStringArray = PackedStringArray()
	while not files.is_done():
		out.append_array(files.next())
	return out


## Lists folders until the time; true when `found` has all files.
func go_on(until_usec: int) -> bool:
	while not is_done():
		found.append_array(next())
		if Time.get_ticks_usec() >= until_usec:
			break
	return is_done()


## True when all folders have been listed.
func is_done() -> bool:
	return _folders.is_empty() and (_aside.is_empty() or _aside_files >= MAX_ASIDE)


## The files of the next folder.
func next() -> PackedStringArray:
	var folder: Folder = _aside.pop_back() if _folders.is_empty() else _folders.pop_back()
	var access: DirAccess = DirAccess.open(folder.path + "/")
	if access == null:
		return PackedStringArray()
	access.include_hidden = true
	var files: Dictionary[String, bool] = {}
	var inner: PackedStringArray = PackedStringArray()
	var _started: Error = access.list_dir_begin()
	var name: String = access.get_next()
	while not name.is_empty():
		if not access.current_is_dir():
			files[name] = true
		elif not name.to_lower() in SaveTarget.PROTECTED_FOLDERS:
			var _full: bool = inner.append(name)
		name = access.get_next()
	folder.ignored = folder.ignored or files.has(IGNORE)
	for child: String in inner:
		_add(folder, child, access)
	return _wanted(folder, files)


func _add(parent: Folder, name: String, access: DirAccess) -> void:
	var folder: Folder = Folder.new()
	folder.path = parent.path + "/" + name
	folder.ignored = parent.ignored or name.begins_with(".")
	folder.linked = access.is_link(folder.path)
	if folder.linked and parent.linked:
		return
	folder.linked = folder.linked or parent.linked
	if folder.is_aside():
		_aside.append(folder)
	else:
		_folders.append(folder)


static func _is_left_out(name: String, ending: String, files: Dictionary[String, bool]) -> bool:
	return ending in SceneFiles.FORMATS or ending == "import" or files.has(name + IMPORT)


func _wanted(folder: Folder, files: Dictionary[String, bool]) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for name: String in files:
		var ending: String = name.get_extension()
		if not everything and _is_left_out(name, ending, files):
			continue
		var _full: bool = out.append(folder.path + "/" + name)
	if folder.is_aside():
		_aside_files += files.size()
	return out
