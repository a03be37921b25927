extends RefCounted
## References to a file in the project's other files: by path, by uid, by a path relative to the
## referring file, and for scripts by class name. Text files are read as text; of binary ones the
## engine says what they need.

const ProjectFiles = preload("./project_files.gd")
const ResourceRefs = preload("./resource_refs.gd")
const Slices = preload("./slices.gd")
const TextPieces = preload("./files/text_pieces.gd")

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
## The references that go_on() found so far.
var found: Array[Ref] = []

# The folders that are left, the files of the one in hand, which is next, and how many were read.
var _folders: ProjectFiles = ProjectFiles.new()
var _files: PackedStringArray = PackedStringArray()
var _next: int = 0
var _seen: int = 0
# The text file in hand, and where references to it were found.
var _pieces: TextPieces = null
var _file: String = ""
var _places: Dictionary[int, bool] = {}
var _relative: Dictionary[String, RegEx] = {}


## The references to a file.
static func to(the_path: String) -> ResourceRefs:
	var refs: ResourceRefs = ResourceRefs.new()
	refs.path = the_path
	refs._folders.everything = true
	var id: int = ResourceLoader.get_resource_uid(the_path)
	if id != ResourceUID.INVALID_ID:
		refs.uid = ResourceUID.id_to_text(id)
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if entry["path"] == the_path:
			refs.global_class = entry["class"]
	return refs


## Looks for references until the time; true when all files of the project were read, its own and
## its side files aside.
##
## Nothing is remembered from one look to the next: sizes and times do not tell that a file is as it
## was, and its hash costs as much as looking.
func go_on(until_usec: int, with_class: bool) -> bool:
	var end: int = _seen + Slices.FILES
	while not _is_done():
		if _pieces != null:
			_look_at_piece(with_class)
		elif _next < _files.size():
			_look_into(_files[_next], with_class)
			_next += 1
			_seen += 1
		else:
			_files = _folders.next()
			_next = 0
		if _seen >= end or Time.get_ticks_usec() >= until_usec:
			break
	return _is_done()


func _is_done() -> bool:
	return _pieces == null and _next >= _files.size() and _folders.is_done()


func _look_into(file: String, with_class: bool) -> void:
	if file == path or file == path + ".import" or file == path + ".uid":
		return
	var ending: String = file.get_extension().to_lower()
	if BINARIES.has(ending):
		found.append_array(_in_binary(file))
	elif TEXTS.has(ending):
		_pieces = TextPieces.new(file)
		_file = file
		_places.clear()
		_look_at_piece(with_class)


# What stands where two pieces overlap is found twice; at the very beginning of the second one it is
# not seen what stands before it.
func _look_at_piece(with_class: bool) -> void:
	if _pieces.is_done():
		_pieces = null
		return
	_pieces.read()
	for ref: Ref in _in_piece(_pieces.text, with_class):
		var place: int = _pieces.first_character + ref.start
		var is_cut: bool = _pieces.first_character > 0 and ref.start < 2
		if is_cut or _places.has(place):
			continue
		_places[place] = true
		ref.line += _pieces.first_line
		found.append(ref)
	if _pieces.is_done():
		_pieces = null


## The references in a text, as if it stood in `file`, in their order.
func in_text(text: String, file: String) -> Array[Ref]:
	var refs: Array[Ref] = []
	_find_quoted(refs, text, file, path, BY_PATH)
	if not uid.is_empty():
		_find_quoted(refs, text, file, uid, BY_UID)
	if text.contains(path.get_file()):
		for match: RegExMatch in _relative_in(text, file.get_extension()):
			if resolved(match.get_string(1), file) == path:
				_add(refs, text, file, BY_RELATIVE, match.get_start(1), match.get_end(1))
	refs.sort_custom(func(a: Ref, b: Ref) -> bool: return a.start < b.start)
	return refs


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


func _in_piece(text: String, with_class: bool) -> Array[Ref]:
	var refs: Array[Ref] = []
	if text.contains(path.get_file()) or (not uid.is_empty() and text.contains(uid)):
		refs = in_text(text, _file)
	if with_class and not global_class.is_empty() and text.contains(global_class):
		_find_class(refs, text, _file)
	return refs


func _in_binary(file: String) -> Array[Ref]:
	var refs: Array[Ref] = []
	for entry: String in ResourceLoader.get_dependencies(file):
		var by_uid: bool = not uid.is_empty() and entry.begins_with(uid)
		if by_uid or entry == path or entry.ends_with("::" + path):
			var ref: Ref = Ref.new()
			ref.file = file
			ref.by = BY_UID if by_uid else BY_DEPENDENCY
			refs.append(ref)
	return refs


# A path counts when it stands between quotes; an autoload has a star before it, and a resource
# inside the file "::" behind it.
func _find_quoted(
	refs: Array[Ref], text: String, file: String, what: String, by: String
) -> void:
	var at: int = text.find(what)
	while at >= 0:
		var end: int = at + what.length()
		var before: String = text.substr(at - 1, 1) if at > 0 else ""
		if before == "*":
			before = text.substr(at - 2, 1) if at > 1 else ""
		var after: String = text.substr(end, 1)
		if before in ["\"", "'"] and (after == before or text.substr(end, 2) == "::"):
			_add(refs, text, file, by, at, end)
		at = text.find(what, end)


# Script files name a class, resource files say whose script they have.
func _find_class(refs: Array[Ref], text: String, file: String) -> void:
	var form: String = "\\b%s\\b" % global_class
	if file.get_extension() in ["tres", "tscn"]:
		form = "script_class=\"%s\"" % global_class
	elif file.get_extension() != "gd":
		return
	for match: RegExMatch in RegEx.create_from_string(form).search_all(text):
		_add(refs, text, file, BY_CLASS, match.get_start(), match.get_end())


func _relative_in(text: String, ending: String) -> Array[RegExMatch]:
	if not RELATIVE.has(ending):
		return []
	if not _relative.has(ending):
		_relative[ending] = RegEx.create_from_string(RELATIVE[ending])
	return _relative[ending].search_all(text)


static func _add(
	refs: Array[Ref], text: String, file: String, by: String, start: int, end: int
) -> void:
	var ref: Ref = Ref.new()
	ref.file = file
	ref.by = by
	ref.start = start
	ref.length = end - start
	ref.line = text.count("\n", 0, start) + 1 if start > 0 else 1
	refs.append(ref)
