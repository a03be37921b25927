extends RefCounted
## Looks for a text in files, line by line, a slice at a time and not for ever. What is no text, or
## too long, is left out and counted.

const Slices = preload("../slices.gd")

## How much work one search is, whatever the number of its slices.
const MAX_USEC: int = 3_000_000
const MAX_BYTES: int = 2 * 1024 * 1024
const MAX_EXCERPT: int = 160
## Of a long line, so much is shown before the match.
const BEFORE: int = 50
## Rows of a page end where a reply would get too long.
const MAX_CHARACTERS: int = 100_000
# The clock is asked once in so many matches, less one.
const _CHECKED: int = 127

# What UTF-8 allows, of bytes read as characters one by one.
const _UTF8: String = (
	"^(?:[\\x01-\\x7f]++|[\\xc2-\\xdf][\\x80-\\xbf]|\\xe0[\\xa0-\\xbf][\\x80-\\xbf]"
	+ "|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}|\\xed[\\x80-\\x9f][\\x80-\\xbf]"
	+ "|\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}|[\\xf1-\\xf3][\\x80-\\xbf]{3}"
	+ "|\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2})*+$"
)

## How long the search may work, all slices together.
var most_usec: int = MAX_USEC
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
# The next file, and the one in hand: its text, where the next match is, its line, and up to where
# lines were counted.
var _next: int = 0
var _path: String = ""
var _text: String = ""
var _at: int = -1
var _line: int = 1
var _counted: int = 0
var _spent_usec: int = 0
var _folder: String = ""
var _access: DirAccess = null
var _form: RegEx = RegEx.create_from_string(_UTF8)


func _init(offset: int, limit: int) -> void:
	_offset = offset
	_limit = limit


## Takes the text to look for.
func set_content(text: String, minds_case: bool) -> void:
	content = text
	case_sensitive = minds_case
	var bytes: PackedByteArray = content.to_utf8_buffer()
	# The case of letters that are several bytes long cannot be told from these.
	if case_sensitive or bytes.size() == content.length():
		_raw = bytes.get_string_from_ascii()


## Looks through these files until the time; true at the end of them, or of the search's own time.
func go_on(until_usec: int, paths: PackedStringArray) -> bool:
	var since: int = Time.get_ticks_usec()
	var end: int = mini(paths.size(), _next + Slices.FILES)
	var is_whole: bool = _find_all(until_usec)
	while is_whole and _next < end:
		_next += 1
		searched += 1
		_look_into(paths[_next - 1])
		is_whole = _find_all(until_usec)
		if Time.get_ticks_usec() >= until_usec:
			break
	_spent_usec += Time.get_ticks_usec() - since
	if is_whole and _next < paths.size() and _spent_usec >= most_usec:
		resume_at = paths[_next]
		return true
	return is_whole and _next >= paths.size()


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
	_path = path
	_text = bytes.get_string_from_utf8()
	_at = _find(0)
	_line = 1
	_counted = 0


## The text that bytes are; empty when they are not UTF-8, of which the engine's own reader makes
## errors in the output.
static func text_of(bytes: PackedByteArray) -> String:
	var form: RegEx = RegEx.create_from_string(_UTF8)
	if bytes.has(0) or form.search(bytes.get_string_from_ascii()) == null:
		return ""
	return bytes.get_string_from_utf8()


# Files come folder by folder.
func _is_link(path: String) -> bool:
	if path.get_base_dir() != _folder:
		_folder = path.get_base_dir()
		_access = DirAccess.open(_folder)
	return _access == null or _access.is_link(path)


# Counts and shows the matches in the file in hand, one a line. False when the time is up.
func _find_all(until_usec: int) -> bool:
	while _at >= 0:
		_line += _text.count("\n", _counted, _at) if _at > _counted else 0
		_counted = _at
		total += 1
		if total > _offset and rows.size() < _limit and _characters <= MAX_CHARACTERS:
			_add(_excerpt(_text, _at))
		var end: int = _text.find("\n", _at)
		_at = -1 if end < 0 else _find(end)
		if total & _CHECKED == 0 and Time.get_ticks_usec() >= until_usec:
			break
	return _at < 0


func _find(from: int) -> int:
	return _text.find(content, from) if case_sensitive else _text.findn(content, from)


func _add(excerpt: String) -> void:
	rows.append([_path, _line, excerpt])
	_characters += _path.length() + excerpt.length() + 16


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
