extends RefCounted
## The files that a file needs: what the engine says, and the paths and uids in its text.

const ResourceRefs = preload("./resource_refs.gd")
const TextPieces = preload("./files/text_pieces.gd")

## What is needed: {path, type, uid, missing}.
var rows: Array[Dictionary] = []

var _path: String = ""
var _seen: Dictionary[String, bool] = {}
# What was named and not looked at yet: {path, uid}.
var _named: Array[Dictionary] = []
var _next: int = 0
var _pieces: TextPieces = null
var _refs: ResourceRefs = ResourceRefs.new()
var _quoted: RegEx = RegEx.create_from_string(
	"[\"']\\*?((?:res|uid)://[^\"':]+)(?=[\"']|::)"
)


func _init(path: String) -> void:
	_path = path
	_seen[path] = true
	for entry: String in ResourceLoader.get_dependencies(path):
		var parts: PackedStringArray = entry.split("::")
		var uid: String = parts[0] if parts[0].begins_with("uid://") else ""
		_named.append({"path": parts[parts.size() - 1], "uid": uid})
	if ResourceRefs.TEXTS.has(path.get_extension().to_lower()):
		_pieces = TextPieces.new(path)


## Goes on until the time; true when all is known.
func go_on(until_usec: int) -> bool:
	while not _is_done():
		if _next < _named.size():
			_look_at(str(_named[_next]["path"]), str(_named[_next]["uid"]))
			_next += 1
		else:
			_read_piece()
		if Time.get_ticks_usec() >= until_usec:
			break
	return _is_done()


func _is_done() -> bool:
	return _next >= _named.size() and (_pieces == null or _pieces.is_done())


func _read_piece() -> void:
	_pieces.read()
	for match: RegExMatch in _quoted.search_all(_pieces.text):
		_named.append({"path": match.get_string(1), "uid": ""})
	for relative: Dictionary in _refs.relative_of(_pieces.text, _path):
		_named.append({"path": relative["path"], "uid": ""})


func _look_at(named: String, by_uid: String) -> void:
	var file: String = named
	var id: int = ResourceUID.text_to_id(by_uid if named.begins_with("res://") else named)
	if id != ResourceUID.INVALID_ID and ResourceUID.has_id(id):
		file = ResourceUID.get_id_path(id)
	if _seen.has(file):
		return
	_seen[file] = true
	var row: Dictionary = {"path": file, "missing": not FileAccess.file_exists(file)}
	row["type"] = str(EditorInterface.get_resource_filesystem().get_file_type(file))
	if ResourceLoader.exists(file):
		id = ResourceLoader.get_resource_uid(file)
	row["uid"] = null
	if id != ResourceUID.INVALID_ID:
		row["uid"] = ResourceUID.id_to_text(id)
	rows.append(row)
