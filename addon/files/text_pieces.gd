extends RefCounted
## A long text file in pieces, so that a slice need not read all of it. Pieces overlap: what stands
## in a line, and is not longer than the overlap, is whole in one of them at least.

## The longest file that is read as one piece, and how long pieces are, in bytes.
const BYTES: int = 1024 * 1024
const OVERLAP: int = 4096

## The piece, and where it begins in the file: characters and line breaks before it.
var text: String = ""
var first_character: int = 0
var first_line: int = 0

var _file: FileAccess
var _next: int = 0
var _kept: int = 0


func _init(path: String) -> void:
	_file = FileAccess.open(path, FileAccess.READ)


## True at the end of the file.
func is_done() -> bool:
	return _file == null or _next >= _file.get_length()


## Reads the next piece.
func read() -> void:
	var before: int = text.length() - _kept
	first_character += before
	first_line += text.count("\n", 0, before) if before > 0 else 0
	var whole: int = _file.get_length()
	_file.seek(_next)
	var bytes: PackedByteArray = _file.get_buffer(BYTES)
	var end: int = _next + bytes.size()
	_kept = 0
	if end < whole:
		bytes = bytes.slice(0, _at_character(bytes, bytes.size()))
		end = _next + bytes.size()
		var from: int = _at_character(bytes, bytes.size() - OVERLAP)
		_kept = bytes.slice(from).get_string_from_utf8().length()
		end = _next + from
	text = bytes.get_string_from_utf8()
	_next = end


# The place at or before this one at which a character begins.
static func _at_character(bytes: PackedByteArray, place: int) -> int:
	var at: int = place
	while at > 0 and at < bytes.size() and bytes[at] & 0xc0 == 0x80:
		at -= 1
	if at < bytes.size():
		return at
	# The end: a character that is cut begins in the last bytes.
	at -= 1
	while at > 0 and bytes[at] & 0xc0 == 0x80:
		at -= 1
	return place if bytes[at] < 0x80 else at
