extends RefCounted
## Reads of the project's files and of what the editor knows of them. Links are not followed.

const Call = preload("../call.gd")
const FileSearch = preload("../files/file_search.gd")
const FileWalk = preload("../files/file_walk.gd")
const ImportStatus = preload("../files/import_status.gd")
const Paging = preload("../paging.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SceneFiles = preload("../scene_files.gd")
const ScanWatch = preload("../files/scan_watch.gd")
const TextFilter = preload("../text_filter.gd")

## How long a read may hold the editor.
const BUDGET_USEC: int = 70_000
const MAX_SHOWN: int = 20
## The bounds of the size classes, in bytes.
const SIZES: Dictionary[String, int] = {
	"empty": 0, "under_1kB": 1000, "under_100kB": 100_000, "under_2MB": 2 * 1024 * 1024,
}
const LARGEST: String = "over_2MB"

var _scan: ScanWatch


func _init(scan: ScanWatch) -> void:
	_scan = scan


## Files by name, and by a text in them: directory, name_glob, content, case_sensitive, start_at,
## offset, limit.
func search_files(the_call: Call) -> Result:
	var folder: String = _folder(the_call)
	if not DirAccess.dir_exists_absolute(folder):
		return _no_folder(folder)
	var walk: FileWalk = FileWalk.new(BUDGET_USEC)
	var all: PackedStringArray = walk.files(folder)
	var start: String = the_call.text("start_at")
	if not start.is_empty() and not all.has(start):
		return _no_file(start, start)
	var paths: PackedStringArray = _wanted(the_call, all)
	var data: Dictionary = {"directory": folder}
	if the_call.text("content").is_empty():
		_tell_names(the_call, paths, data)
	else:
		_tell_matches(the_call, paths, walk, data)
	_tell_walk(walk, data)
	return Result.good(data)


## Folders and files: directory, max_depth, offset, limit.
func get_filesystem_tree(the_call: Call) -> Result:
	var folder: String = _folder(the_call)
	if not DirAccess.dir_exists_absolute(folder):
		return _no_folder(folder)
	var walk: FileWalk = FileWalk.new(BUDGET_USEC)
	var paths: PackedStringArray = walk.tree(folder, the_call.number("max_depth", -1))
	var paging: Paging = Paging.new(the_call, 500, 1000)
	var rows: Array[Array] = []
	for path: String in paths.slice(paging.offset, paging.offset + paging.limit):
		var type: String = _type_of(path)
		var is_file: bool = type != FileWalk.FOLDER and type != FileWalk.LINK
		rows.append([path, type, _size_of(path) if is_file else ""])
	var data: Dictionary = {
		"directory": folder, "columns": ["path", "type", "size"], "rows": rows
	}
	paging.tell(data, paths.size())
	_tell_walk(walk, data)
	return Result.good(data)


## The path of a uid, and the uid of a path: value.
func resolve_uid(the_call: Call) -> Result:
	var value: String = the_call.text("value")
	var path: String = value
	if value.begins_with("uid://"):
		var id: int = ResourceUID.text_to_id(value)
		if id == ResourceUID.INVALID_ID or not ResourceUID.has_id(id):
			return Result.fail(
				Protocol.CODE_RESOURCE_NOT_FOUND, "no file has %s" % value, {"value": value}
			).with_hint("call rescan_filesystem when the file is new, then ask again")
		path = ResourceUID.get_id_path(id)
	else:
		var bad: Result = SceneFiles.bad_path(value)
		if bad != null:
			return bad
	if not FileAccess.file_exists(path):
		return _no_file(path, value)
	var known: int = ResourceLoader.get_resource_uid(path)
	var data: Dictionary = {"path": path, "uid": null}
	if known != ResourceUID.INVALID_ID:
		data["uid"] = ResourceUID.id_to_text(known)
	return Result.good(data)


## What the editor and its importer know of a file: path.
func get_import_status(the_call: Call) -> Result:
	var path: String = the_call.text("path")
	if not FileAccess.file_exists(path):
		return _no_file(path, path)
	var type: String = EditorInterface.get_resource_filesystem().get_file_type(path)
	var data: Dictionary = {"path": path, "type": type, "known": not type.is_empty()}
	data.merge(ImportStatus.of(path))
	data["scanning"] = _scan.is_scanning()
	return Result.good(data)


## Plans a scan of the project's files.
func rescan_filesystem(_the_call: Call) -> Result:
	var plan: Plan = Plan.new()
	plan.targets = [FileWalk.ROOT]
	plan.undoable = false
	plan.add_effect(Protocol.EFFECT_REIMPORTS)
	var _plan: RefCounted = plan.change("rescan", {})
	return Result.planned(plan, {"scanning": _scan.is_scanning()})


static func _folder(the_call: Call) -> String:
	var asked: String = the_call.text("directory", FileWalk.ROOT)
	return asked if asked == FileWalk.ROOT else asked.trim_suffix("/")


# The files that the call asks for by name, from the one on at which an earlier search stopped.
static func _wanted(the_call: Call, paths: PackedStringArray) -> PackedStringArray:
	var filter: TextFilter = TextFilter.new(the_call.text("name_glob"))
	var start: int = paths.find(the_call.text("start_at"))
	var out: PackedStringArray = PackedStringArray()
	for path: String in paths.slice(maxi(0, start)):
		if filter.is_empty() or filter.matches(path.get_file()):
			var _full: bool = out.append(path)
	return out


static func _tell_names(the_call: Call, paths: PackedStringArray, data: Dictionary) -> void:
	var paging: Paging = Paging.new(the_call, 100, 1000)
	var rows: Array[Array] = []
	for path: String in paths.slice(paging.offset, paging.offset + paging.limit):
		rows.append([path])
		if FileWalk.is_link(path):
			_note_link(data, path)
	data["columns"] = ["path"]
	data["rows"] = rows
	paging.tell(data, paths.size())


static func _tell_matches(
	the_call: Call, paths: PackedStringArray, walk: FileWalk, data: Dictionary
) -> void:
	var paging: Paging = Paging.new(the_call, 100, 1000)
	var search: FileSearch = FileSearch.new(paging.offset, paging.limit)
	search.content = the_call.text("content")
	search.case_sensitive = the_call.flag("case_sensitive")
	search.run(paths, walk)
	data["columns"] = ["path", "line", "text"]
	data["rows"] = search.rows
	paging.limit = search.rows.size()
	paging.tell(data, search.total)
	data["files_searched"] = search.searched
	data["skipped_binary"] = search.binary
	for path: String in search.links:
		_note_link(data, path)
	if not search.too_long.is_empty():
		data["skipped_over_2MB"] = search.too_long.slice(0, MAX_SHOWN)
	if not search.resume_at.is_empty():
		data["time_out"] = true
		data["resume_at"] = search.resume_at


static func _tell_walk(walk: FileWalk, data: Dictionary) -> void:
	for path: String in walk.links:
		_note_link(data, path)
	if walk.is_cut:
		# Not all folders were listed; a smaller folder will be.
		data["time_out"] = true
		data["incomplete"] = true


static func _note_link(data: Dictionary, path: String) -> void:
	var links: Array = data.get("links_not_followed", [])
	if links.size() < MAX_SHOWN:
		links.append(path)
	data["links_not_followed"] = links


static func _type_of(path: String) -> String:
	if path.ends_with("/"):
		return FileWalk.FOLDER
	if FileWalk.is_link(path):
		return FileWalk.LINK
	var type: String = EditorInterface.get_resource_filesystem().get_file_type(path)
	return "File" if type.is_empty() else type


static func _size_of(path: String) -> String:
	var file: FileAccess = FileAccess.open(path, FileAccess.READ)
	var size: int = 0 if file == null else file.get_length()
	for name: String in SIZES:
		if size <= SIZES[name]:
			return name
	return LARGEST


static func _no_folder(folder: String) -> Result:
	return Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND, "there is no folder %s" % folder, {"directory": folder}
	).with_hint("get_filesystem_tree shows the folders there are")


static func _no_file(path: String, asked: String) -> Result:
	return Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"there is no file %s" % path,
		{"path": path, "asked": asked}
	).with_hint("search_files finds files by name")
