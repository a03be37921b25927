extends RefCounted
## Reads of the project's files and of what the editor knows of them. Links are not followed.

const Call = preload("../call.gd")
const FileNames = preload("../files/file_names.gd")
const FileRows = preload("../files/file_rows.gd")
const FileSearch = preload("../files/file_search.gd")
const FileWalk = preload("../files/file_walk.gd")
const ImportStatus = preload("../files/import_status.gd")
const Paging = preload("../paging.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SceneFiles = preload("../scene_files.gd")
const ScanWatch = preload("../files/scan_watch.gd")
const Slices = preload("../slices.gd")
const TextFilter = preload("../text_filter.gd")

const MAX_SHOWN: int = 20

var _scan: ScanWatch


func _init(scan: ScanWatch) -> void:
	_scan = scan


## Files by name, and by a text in them: directory, name_glob, content, case_sensitive, start_at,
## offset, limit.
func search_files(the_call: Call) -> Result:
	var folder: String = _folder(the_call)
	if not DirAccess.dir_exists_absolute(folder):
		return _no_folder(folder)
	var names: FileNames = FileNames.new(
		folder, TextFilter.new(the_call.text("name_glob")), the_call.text("start_at")
	)
	var paging: Paging = Paging.new(the_call, 100, 1000)
	var search: FileSearch = FileSearch.new(paging.offset, paging.limit)
	search.set_content(the_call.text("content"), the_call.flag("case_sensitive"))
	var data: Dictionary = {"directory": folder}
	return Slices.run(
		func(until: int) -> Result: return _search(names, search, paging, data, until)
	)


## Folders and files: directory, max_depth, offset, limit.
func get_filesystem_tree(the_call: Call) -> Result:
	var folder: String = _folder(the_call)
	if not DirAccess.dir_exists_absolute(folder):
		return _no_folder(folder)
	var walk: FileWalk = FileWalk.new(folder)
	walk.with_folders(the_call.number("max_depth", -1))
	var paging: Paging = Paging.new(the_call, 500, 1000)
	var rows: FileRows = FileRows.new(paging.offset, paging.limit)
	return Slices.run(
		func(until: int) -> Result:
			if not walk.go_on(until) or not rows.go_on(until, walk.found):
				return null
			var data: Dictionary = {
				"directory": folder, "columns": ["path", "type", "size"], "rows": rows.rows
			}
			paging.tell(data, walk.found.size())
			_tell_links(walk, data)
			return Result.good(data)
	)


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


# Null while there is more to look through.
static func _search(
	names: FileNames, search: FileSearch, paging: Paging, data: Dictionary, until_usec: int
) -> Result:
	if not names.go_on(until_usec):
		return null
	if names.lacks_start():
		return _no_file(names.start, names.start)
	if search.content.is_empty():
		_tell_names(names.paths, paging, data)
	elif not search.go_on(until_usec, names.paths):
		return null
	else:
		_tell_matches(search, paging, data)
	_tell_links(names.walk, data)
	return Result.good(data)


static func _tell_names(paths: PackedStringArray, paging: Paging, data: Dictionary) -> void:
	var rows: Array[Array] = []
	for path: String in paths.slice(paging.offset, paging.offset + paging.limit):
		rows.append([path])
		if FileWalk.is_link(path):
			_note_link(data, path)
	data["columns"] = ["path"]
	data["rows"] = rows
	paging.tell(data, paths.size())


static func _tell_matches(search: FileSearch, paging: Paging, data: Dictionary) -> void:
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


static func _tell_links(walk: FileWalk, data: Dictionary) -> void:
	for path: String in walk.links:
		_note_link(data, path)


static func _note_link(data: Dictionary, path: String) -> void:
	var links: Array = data.get("links_not_followed", [])
	if links.size() < MAX_SHOWN:
		links.append(path)
	data["links_not_followed"] = links


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
