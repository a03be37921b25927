extends RefCounted
## Reads project.godot, and .import files, as text: sections, keys, and each value as it is written.
## Nothing is made of the values, because the engine's own reader makes objects, and so runs code.

## The file of the project's settings.
const PATH: String = "res://project.godot"
## Keys of the file that are no settings.
const NOT_SETTINGS: PackedStringArray = ["config_version", "_custom_features"]

# A text, a comment, an opening or closing bracket, the end of a line.
const _PIECES: String = "\"(?:[^\"\\\\]|\\\\.)*+\"|;[^\\n]*|[\\[{(]|[\\]})]|\\n"
# What a value is made of, white space aside: a text, a comment, a number, a name, anything else.
const _TOKENS: String = (
	"\"(?:[^\"\\\\]|\\\\.)*+\"|\\s+|;[^\\n]*|[-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?"
	+ "|[A-Za-z_][A-Za-z0-9_]*|."
)

# A single text.
const _TEXT: String = "(?s)^\"(?:[^\"\\\\]|\\\\.)*+\""
# The lines that the engine writes at the head of the file.
const _HEAD: PackedStringArray = [
	"; Engine configuration file.",
	"; It's best edited using the editor UI and not directly,",
	"; since the parameters that go here are not all obvious.",
	";",
	"; Format:",
	";   [section] ; section goes between []",
	";   param=value ; assign values to parameters",
]


## The settings in the file, by their full names, each as its text.
static func read(path: String = PATH) -> Dictionary[String, String]:
	return parse(FileAccess.get_file_as_string(path) if FileAccess.file_exists(path) else "")


## The same of a text.
static func parse(text: String) -> Dictionary[String, String]:
	var out: Dictionary[String, String] = {}
	var pieces: Array[RegExMatch] = RegEx.create_from_string("(?s)" + _PIECES).search_all(text)
	var section: String = ""
	var start: int = 0
	var depth: int = 0
	var comment: int = -1
	pieces.append(null)
	for piece: RegExMatch in pieces:
		var at: int = text.length() if piece == null else piece.get_start()
		var what: String = "\n" if piece == null else piece.get_string().left(1)
		if what in ["[", "{", "("]:
			depth += 1
		elif what in ["]", "}", ")"]:
			depth = maxi(0, depth - 1)
		elif what == ";" and comment < 0 and depth == 0:
			comment = at
		elif what == "\n" and (depth == 0 or piece == null):
			var entry: String = text.substr(start, (at if comment < 0 else comment) - start)
			section = _add(out, section, entry.strip_edges())
			start = at + 1
			comment = -1
	return out


## How many comments a text has that the engine's own head is not made of.
static func comments(text: String) -> int:
	var found: int = 0
	var in_head: bool = true
	for line: String in text.split("\n"):
		if line.begins_with(";"):
			found += 0 if in_head and _HEAD.has(line.strip_edges()) else 1
		elif not line.strip_edges().is_empty():
			in_head = false
	return found


## A value's text without what makes no difference: white space, comments, other ways of writing
## numbers and texts.
static func plain(text: String) -> String:
	var out: PackedStringArray = PackedStringArray()
	var form: RegEx = RegEx.create_from_string("(?s)" + _TOKENS)
	for token: RegExMatch in form.search_all(text):
		var piece: String = token.get_string()
		if piece.begins_with(";") or piece.strip_edges().is_empty():
			continue
		if piece.begins_with("\"") and piece.length() > 1:
			piece = "\"%s\"" % piece.substr(1, piece.length() - 2).c_unescape().c_escape()
		elif piece.is_valid_float():
			var whole: bool = piece.is_valid_int()
			piece = var_to_str(piece.to_int()) if whole else var_to_str(piece.to_float())
		var _full: bool = out.append(piece)
	return "".join(out)


## True for the text of a single number, text or truth value: there is one plain form of it.
static func is_scalar(text: String) -> bool:
	var bare: String = text.strip_edges()
	if bare in ["true", "false"] or bare.is_valid_float():
		return true
	var text_of: RegExMatch = RegEx.create_from_string(_TEXT).search(bare)
	return text_of != null and text_of.get_end() == bare.length()


static func _add(out: Dictionary[String, String], section: String, entry: String) -> String:
	if entry.begins_with("[") and entry.ends_with("]"):
		return entry.substr(1, entry.length() - 2)
	var split: int = _equals(entry)
	if split > 0:
		var key: String = entry.left(split).strip_edges()
		if key.begins_with("\""):
			key = key.trim_prefix("\"").trim_suffix("\"").c_unescape()
		if not section.is_empty():
			key = section + "/" + key
		if not key in NOT_SETTINGS:
			out[key] = entry.substr(split + 1).strip_edges()
	return section


# Where a key ends; a quoted one may hold the sign itself.
static func _equals(entry: String) -> int:
	if not entry.begins_with("\""):
		return entry.find("=")
	var quoted: RegExMatch = RegEx.create_from_string(_TEXT).search(entry)
	return -1 if quoted == null else entry.find("=", quoted.get_end())
