extends RefCounted
## The files below a folder whose names fit, from one of them on if asked.

const FileWalk = preload("./file_walk.gd")
const TextFilter = preload("../text_filter.gd")

# The clock is asked once in so many names, less one.
const _CHECKED: int = 63

## What fits.
var paths: PackedStringArray = PackedStringArray()
## The way through the folders.
var walk: FileWalk
## The file to begin with; empty: the first.
var start: String = ""

var _filter: TextFilter
var _next: int = 0
var _is_begun: bool = false


func _init(folder: String, filter: TextFilter, start_at: String) -> void:
	walk = FileWalk.new(folder)
	_filter = filter
	start = start_at


## Goes on until the time; true when all names were seen.
func go_on(until_usec: int) -> bool:
	if not walk.go_on(until_usec):
		return false
	if not _is_begun:
		_is_begun = true
		_next = maxi(0, walk.found.find(start))
	while _next < walk.found.size():
		var path: String = walk.found[_next]
		_next += 1
		if _filter.is_empty() or _filter.matches(path.get_file()):
			var _full: bool = paths.append(path)
		if _next & _CHECKED == 0 and Time.get_ticks_usec() >= until_usec:
			break
	return _next >= walk.found.size()


## True when there is no file to start at, once all names were seen.
func lacks_start() -> bool:
	return not start.is_empty() and not walk.found.has(start)
