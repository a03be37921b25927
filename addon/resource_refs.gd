extends RefCounted
## References to a file in the project's other files: by path, by uid, by a path relative to the
## referring file, and for scripts by class name. Text files are read as text; of binary ones the
## engine says what they need.

const ProjectFiles = preload("./project_files.gd")
const ResourceRefs = preload("./resource_refs.gd")

## Files that are read as text.
const TEXTS: PackedStringArray = [
	"tscn", "tres", "gd", "cfg", "godot", "gdshader", "gdshaderinc", "import",
]
## Files of which the engine tells the dependencies.
const BINARIES: PackedStringArray = ["scn", "res"]
const BY_PATH: String = "path"
const BY_UID: String = "uid"
const BY_RELATIVE: String = "relative_path"
const BY_CLASS: String = "class_name"
const BY_DEPENDENCY: String = "dependency"
## Where a relative path can stand: what comes before its quote.
const RELATIVE: Dictionary[String, String] = {
	"gd": "(?:preload\\s*\\(|extends)\\s*[\"']([^\"':]+)[\"']",
	"gdshader": "#include\\s+\"([^\":]+)\"",
	"gdshaderinc": "#include\\s+\"([^\":]+)\"",
	"tscn": "(?m)^\\[ext_resource [^\\n]*path=\"([^\":]+)\"",
	"tres": "(?m)^\\[ext_resource [^\\n]*path=\"([^\":]+)\"",
	"cfg": "(?m)^script\\s*=\\s*\"([^\":]+)\"",
}


## One place that refers to the file.
class Ref:
	extends RefCounted
	## The file that refers.
	var file: String = ""
	## The line, from 1; 0 in a binary file.
	var line: int = 0
	## How: one of the BY_ constants.
	var by: String = ""
	## Where the reference's own text begins, and its length.
	var start: int = 0
	var length: int = 0

	## As replies show it.
	func shown() -> Dictionary:
		var out: Dictionary = {"file": file, "by": by}
		if line > 0:
			out["line"] = line
		return out


## The file that is referred to.
var path: String = ""
## Its uid as text; empty when it has none.
var uid: String = ""
## The global class that it declares; empty for none.
var global_class: String = ""

var _relative: Dictionary[String, RegEx] = {}


## The references to a file.
static func to(the_path: String) -> ResourceRefs:
	var refs: ResourceRefs = ResourceRefs.new()
	refs.path = the_path
	var id: int = ResourceLoader.get_resource_uid(the_path)
	if id != ResourceUID.INVALID_ID:
		refs.uid = ResourceUID.id_to_text(id)
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if entry["path"] == the_path:
			refs.global_class = entry["class"]
	return refs


## The files that a file needs: {path, type, uid, missing}.
static func needed_by(the_path: String) -> Array[Dictionary]:
	var rows: Array[Dictionary] = []
	var seen: Dictionary[String, bool] = {the_path: true}
	for entry: String in ResourceLoader.get_dependencies(the_path):
		var parts: PackedStringArray = entry.split("::")
		var named: String = parts[0] if parts[0].begins_with("uid://") else ""
		_add_needed(rows, seen, parts[parts.size() - 1], named)
	var refs: ResourceRefs = ResourceRefs.new()
	if not TEXTS.has(the_path.get_extension().to_lower()):
		return rows
	var text: String = FileAccess.get_file_as_string(the_path)
	var quoted: RegEx = RegEx.create_from_string("[\"']\\*?((?:res|uid)://[^\"':]+)(?=[\"']|::)")
	for match: RegExMatch in quoted.search_all(text):
		_add_needed(rows, seen, match.get_string(1), "")
	for relative: Dictionary in refs.relative_of(text, the_path):
		_add_needed(rows, seen, str(relative["path"]), "")
	return rows


static func _add_needed(
	rows: Array[Dictionary], seen: Dictionary[String, bool], named: String, by_uid: String
) -> void:
	var file: String = named
	var id: int = ResourceUID.text_to_id(by_uid if named.begins_with("res://") else named)
	if id != ResourceUID.INVALID_ID and ResourceUID.has_id(id):
		file = ResourceUID.get_id_path(id)
	if seen.has(file):
		return
	seen[file] = true
	var row: Dictionary = {"path": file, "missing": not FileAccess.file_exists(file)}
	row["type"] = str(EditorInterface.get_resource_filesystem().get_file_type(file))
	if ResourceLoader.exists(file):
		id = ResourceLoader.get_resource_uid(file)
	row["uid"] = null
	if id != ResourceUID.INVALID_ID:
		row["uid"] = ResourceUID.id_to_text(id)
	rows.append(row)


## All references in the project, its own and its side files' aside.
func find(with_class: bool) -> Array[Ref]:
	var files: ProjectFiles = ProjectFiles.new()
	files.everything = true
	var found: Array[Ref] = []
	while not files.is_done():
		for file: String in files.next():
			if file != path and file != path + ".import" and file != path + ".uid":
				found.append_array(_in_file(file, with_class))
	return found


## The references in a text, as if it stood in `file`, in their order.
func in_text(text: String, file: String) -> Array[Ref]:
	var found: Array[Ref] = []
	_find_quoted(found, text, file, path, BY_PATH)
	if not uid.is_empty():
		_find_quoted(found, text, file, uid, BY_UID)
	if text.contains(path.get_file()):
		for match: RegExMatch in _relative_in(text, file.get_extension()):
			if resolved(match.get_string(1), file) == path:
				_add(found, text, file, BY_RELATIVE, match.get_start(1), match.get_end(1))
	found.sort_custom(func(a: Ref, b: Ref) -> bool: return a.start < b.start)
	return found


## A text with these references to the file replaced by another path. Uids stay: they move along.
static func replaced(text: String, refs: Array[Ref], with: String) -> String:
	var out: String = ""
	var from: int = 0
	for ref: Ref in refs:
		if ref.by == BY_UID:
			continue
		out += text.substr(from, ref.start - from) + with
		from = ref.start + ref.length
	return out + text.substr(from)


## The relative paths of a text, as Refs of what they lead to: {start, length, path}.
func relative_of(text: String, file: String) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for match: RegExMatch in _relative_in(text, file.get_extension()):
		out.append(
			{
				"start": match.get_start(1),
				"length": match.get_end(1) - match.get_start(1),
				"path": resolved(match.get_string(1), file),
			}
		)
	return out


## The project path that a relative one leads to from a file.
static func resolved(relative: String, file: String) -> String:
	var folder: String = file.get_base_dir().trim_prefix("res://")
	return "res://" + folder.path_join(relative).simplify_path()


func _in_file(file: String, with_class: bool) -> Array[Ref]:
	var ending: String = file.get_extension().to_lower()
	if BINARIES.has(ending):
		return _in_binary(file)
	if not TEXTS.has(ending):
		return []
	var text: String = FileAccess.get_file_as_string(file)
	var found: Array[Ref] = []
	if text.contains(path.get_file()) or (not uid.is_empty() and text.contains(uid)):
		found = in_text(text, file)
	if with_class and not global_class.is_empty() and text.contains(global_class):
		_find_class(found, text, file)
	return found


func _in_binary(file: String) -> Array[Ref]:
	var found: Array[Ref] = []
	for entry: String in ResourceLoader.get_dependencies(file):
		var by_uid: bool = not uid.is_empty() and entry.begins_with(uid)
		if by_uid or entry == path or entry.ends_with("::" + path):
			var ref: Ref = Ref.new()
			ref.file = file
			ref.by = BY_UID if by_uid else BY_DEPENDENCY
			found.append(ref)
	return found


# A path counts when it stands between quotes; an autoload has a star before it, and a resource
# inside the file "::" behind it.
func _find_quoted(
	found: Array[Ref], text: String, file: String, what: String, by: String
) -> void:
	var at: int = text.find(what)
	while at >= 0:
		var end: int = at + what.length()
		var before: String = text.substr(at - 1, 1) if at > 0 else ""
		if before == "*":
			before = text.substr(at - 2, 1) if at > 1 else ""
		var after: String = text.substr(end, 1)
		if before in ["\"", "'"] and (after == before or text.substr(end, 2) == "::"):
			_add(found, text, file, by, at, end)
		at = text.find(what, end)


# Script files name a class, resource files say whose script they have.
func _find_class(found: Array[Ref], text: String, file: String) -> void:
	var form: String = "\\b%s\\b" % global_class
	if file.get_extension() in ["tres", "tscn"]:
		form = "script_class=\"%s\"" % global_class
	elif file.get_extension() != "gd":
		return
	for match: RegExMatch in RegEx.create_from_string(form).search_all(text):
		_add(found, text, file, BY_CLASS, match.get_start(), match.get_end())


func _relative_in(text: String, ending: String) -> Array[RegExMatch]:
	if not RELATIVE.has(ending):
		return []
	if not _relative.has(ending):
		_relative[ending] = RegEx.create_from_string(RELATIVE[ending])
	return _relative[ending].search_all(text)


static func _add(
	found: Array[Ref], text: String, file: String, by: String, start: int, end: int
) -> void:
	var ref: Ref = Ref.new()
	ref.file = file
	ref.by = by
	ref.start = start
	ref.length = end - start
	ref.line = text.count("\n", 0, start) + 1 if start > 0 else 1
	found.append(ref)
