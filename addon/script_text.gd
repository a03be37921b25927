extends RefCounted
## The text of a script as bytes and as lines: reading it without loss, changing it without touching
## what is beside the change, and what its words say about it.

const ScriptText = preload("./script_text.gd")

const BOM: PackedByteArray = [0xEF, 0xBB, 0xBF]
## The longest text that is read or written, in bytes.
const MAX_BYTES: int = 1 << 20

const _TOOL: String = "@tool"
const _TOOL_BUTTON: String = "@export_tool_button"
# Strings and comments first, so that what stands in them is passed over.
const _SKIPPED: String = (
	"\"\"\"[\\s\\S]*?\"\"\"|'''[\\s\\S]*?'''"
	+ "|\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|#[^\\n]*"
)

## The text, without a byte order mark.
var text: String = ""
## The sha256 of the bytes.
var sha256: String = ""
## False when the bytes are not the text in UTF-8: they could not be written back as they were.
var is_whole: bool = true
## True when the file is longer than MAX_BYTES; the text is not read then.
var is_too_long: bool = false

var _has_bom: bool = false


## Reads a file that exists.
static func read(path: String) -> ScriptText:
	var out: ScriptText = ScriptText.new()
	out._read(path)
	return out


## The text without any `@tool`, and without the annotations that only tool scripts may have. Lines
## stay where they are.
static func without_tool(source: String) -> String:
	if not source.contains(_TOOL):
		return source
	var out: String = RegEx.create_from_string(_TOOL + "[ \\t]*").sub(source, "", true)
	var at: int = out.find(_TOOL_BUTTON)
	while at >= 0:
		var end: int = _end_of_arguments(out, at + _TOOL_BUTTON.length())
		var gone: String = out.substr(at, end - at)
		var line: String = out.left(at).get_slice("\n", out.left(at).count("\n"))
		var head: String = "\n".repeat(gone.count("\n")) + (line if gone.contains("\n") else "")
		out = out.left(at) + head + out.substr(end)
		at = out.find(_TOOL_BUTTON, at)
	return out


## True when the text may make a tool script, whose code the editor runs. A `@tool` in a comment or
## a text counts as well: what is asked for too often does no harm.
static func contains_tool(source: String) -> bool:
	return source.contains(_TOOL)


## The global class that the text defines; empty when it defines none.
static func class_name_of(source: String) -> String:
	var words: RegEx = RegEx.create_from_string(
		_SKIPPED + "|(?m:^|;|\\s)class_name\\s+([\\p{L}_][\\p{L}\\p{N}_]*)"
	)
	for found: RegExMatch in words.search_all(source):
		if not found.get_string(1).is_empty():
			return found.get_string(1)
	return ""


## Takes a text that is in no file yet.
func set_text(new_text: String) -> void:
	text = new_text
	is_too_long = new_text.length() > MAX_BYTES or new_text.to_utf8_buffer().size() > MAX_BYTES


## How the lines end: "lf", "crlf" or "mixed".
func line_ends() -> String:
	var ends: int = text.count("\r\n")
	if ends == 0:
		return "lf"
	return "crlf" if ends == text.count("\n") else "mixed"


## How often `find` stands in the text. Unless the text's line ends are mixed, either kind of line
## end in `find` is the text's kind.
func count(find: String) -> int:
	return _plain(text).count(_plain(find))


## The text with `find` replaced everywhere; line ends and the end of the text stay as they are.
func replaced(find: String, by: String) -> String:
	var out: String = _plain(text).replace(_plain(find), _plain(by))
	return out.replace("\n", "\r\n") if line_ends() == "crlf" else out


## A text as the bytes of this file: with its byte order mark, if it has one.
func bytes_of(new_text: String) -> PackedByteArray:
	var out: PackedByteArray = BOM.duplicate() if _has_bom else PackedByteArray()
	out.append_array(new_text.to_utf8_buffer())
	return out


func _read(path: String) -> void:
	var bytes: PackedByteArray = FileAccess.get_file_as_bytes(path)
	sha256 = FileAccess.get_sha256(path)
	is_too_long = bytes.size() > MAX_BYTES
	if is_too_long:
		return
	_has_bom = bytes.slice(0, BOM.size()) == BOM
	text = bytes.slice(BOM.size() if _has_bom else 0).get_string_from_utf8()
	is_whole = bytes_of(text) == bytes


# With mixed line ends the text would not come back from this as it was.
func _plain(some: String) -> String:
	return some if line_ends() == "mixed" else some.replace("\r\n", "\n")


# Where the list in brackets that begins at `from` ends, with the blanks behind it; `from` itself
# when it does not end.
static func _end_of_arguments(source: String, from: int) -> int:
	var depth: int = 0
	var parts: RegEx = RegEx.create_from_string(_SKIPPED + "|[()]|[^\\s()\"'#]+")
	for part: RegExMatch in parts.search_all(source, from):
		if part.get_string() == "(":
			depth += 1
		elif part.get_string() == ")":
			depth -= 1
		elif depth == 0:
			return from
		if depth == 0:
			return _skip_blanks(source, part.get_end())
	return from


static func _skip_blanks(source: String, from: int) -> int:
	var at: int = from
	while at < source.length() and source[at] in [" ", "\t"]:
		at += 1
	return at
