extends RefCounted
## The rows of a page of files: path, type and size class. Each takes a look at the disk, so a page
## is made over several slices.

const FileWalk = preload("./file_walk.gd")

## The bounds of the size classes, in bytes.
const SIZES: Dictionary[String, int] = {
	"empty": 0, "under_1kB": 1000, "under_100kB": 100_000, "under_2MB": 2 * 1024 * 1024,
}
const LARGEST: String = "over_2MB"
# The clock is asked once in so many rows, less one.
const _CHECKED: int = 15

## The rows so far.
var rows: Array[Array] = []

var _offset: int = 0
var _limit: int = 0


func _init(offset: int, limit: int) -> void:
	_offset = offset
	_limit = limit


## Goes on until the time; true when the page of these paths is whole.
func go_on(until_usec: int, paths: PackedStringArray) -> bool:
	var end: int = mini(_offset + _limit, paths.size())
	while _offset + rows.size() < end:
		var path: String = paths[_offset + rows.size()]
		var type: String = _type_of(path)
		var is_file: bool = type != FileWalk.FOLDER and type != FileWalk.LINK
		rows.append([path, type, _size_of(path) if is_file else ""])
		if rows.size() & _CHECKED == 0 and Time.get_ticks_usec() >= until_usec:
			break
	return _offset + rows.size() >= end


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
