extends RefCounted
## Looks for a text in files, line by line, within a bound of time. What is no text, or too long, is
## left out and counted.

const FileWalk = preload("./file_walk.gd")

const MAX_BYTES: int = 2 * 1024 * 1024
const MAX_EXCERPT: int = 160
## Of a long line, so much is shown before the match.
const BEFORE: int = 50
## Rows of a page end where a reply would get too long.
const MAX_CHARACTERS: int = 100_000

# What UTF-8 allows, of bytes read as characters one by one.
const _UTF8: String = (
	"^(?:[\\x01-\\x7f]++|[\\xc2-\\xdf][\\x80-\\xbf]|\\xe0[\\xa0-\\xbf][\\x80-\\xbf]"
	+ "|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}|\\xed[\\x80-\\x9f][\\x80-\\xbf]"
	+ "|\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}|[\\xf1-\\xf3][\\x80-\\xbf]{3}"
	+ "|\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2})*+$"
)

## The text looked for.
var content: String = ""
## Whether upper and lower case count.
var case_sensitive: bool = false
## Rows [path, line, excerpt] of the page.
var rows: Array[Array] = []
## Matches seen, those before the page too.
var total: int = 0
## Files looked into.
var searched: int = 0
## Files left out because they are binary (of those that are not UTF-8, only the ones in which the
## text may be), and because they are too long.
var binary: int = 0
var too_long: Array[String] = []
## Files left out because they are links.
var links: Array[String] = []
## The file to go on at, when the time was up.
var resume_at: String = ""

var _offset: int = 0
var _limit: int = 0
var _characters: int = 0
# The text as its bytes, one by one; empty when it cannot be looked for in that form.
var _raw: String = ""
var _folder: String = ""
var _access: DirAccess = null
var _form: RegEx = RegEx.create_from_string(_UTF8)


func _init(offset: int, limit: int) -> void:
	_offset = offset
	_limit = limit


## Looks through these files until the time of `walk` is up.
func run(paths: PackedStringArray, walk: FileWalk) -> void:
	var bytes: PackedByteArray = content.to_utf8_buffer()
	# The case of letters that are several bytes long cannot be told from these.
	if case_sensitive or bytes.size() == content.length():
		_raw = bytes.get_string_from_ascii()
	for path: String in paths:
		# One file at least, so that going on always gets further.
		if searched > 0 and walk.is_over():
			resume_at = path
			return
		searched += 1
		_look_into(path)


func _look_into(path: String) -> void:
	if _is_link(path):
		links.append(path)
		return
	var file: FileAccess = FileAccess.open(path, FileAccess.READ)
	if file == null:
		return
	if file.get_length() > MAX_BYTES:
		too_long.append(path)
		return
	var bytes: PackedByteArray = file.get_buffer(file.get_length())
	if bytes.has(0):
		binary += 1
		return
	# Byte by byte: most files do not have the text, which shows without reading them properly.
	var raw: String = bytes.get_string_from_ascii()
	if not _raw.is_empty() and (raw.find(_raw) if case_sensitive else raw.findn(_raw)) < 0:
		return
	# The engine's own reader logs an error for what is not UTF-8.
	if _form.search(raw) == null:
		binary += 1
		return
	_find_all(path, bytes.get_string_from_utf8())


# Files come folder by folder.
func _is_link(path: String) -> bool:
	if path.get_base_dir() != _folder:
		_folder = path.get_base_dir()
		_access = DirAccess.open(_folder)
	return _access == null or _access.is_link(path)


func _find_all(path: String, text: String) -> void:
	var at: int = _next(text, 0)
	var line: int = 1
	var counted: int = 0
	while at >= 0:
		line += text.count("\n", counted, at) if at > counted else 0
		counted = at
		_add(path, line, _excerpt(text, at))
		var end: int = text.find("\n", at)
		at = -1 if end < 0 else _next(text, end)


func _next(text: String, from: int) -> int:
	return text.find(content, from) if case_sensitive else text.findn(content, from)


func _add(path: String, line: int, excerpt: String) -> void:
	total += 1
	if total <= _offset or rows.size() >= _limit or _characters > MAX_CHARACTERS:
		return
	rows.append([path, line, excerpt])
	_characters += path.length() + excerpt.length() + 16


# The line around the match, cut on both sides when it is long.
static func _excerpt(text: String, at: int) -> String:
	var start: int = text.rfind("\n", maxi(0, at - 1)) + 1 if at > 0 else 0
	if start > at:
		start = at
	var end: int = text.find("\n", at)
	if end < 0:
		end = text.length()
	var from: int = maxi(start, at - BEFORE)
	var out: String = text.substr(from, mini(end - from, MAX_EXCERPT)).strip_edges()
	if from > start:
		out = "…" + out
	return out + "…" if from + MAX_EXCERPT < end else out
