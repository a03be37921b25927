extends RefCounted
## The bounds of the encoder: how much one value shows, and the mark for what is left out.

## The longest text that is shown whole, in characters.
const MAX_TEXT: int = 1000000
## How many elements one value shows, all levels together. An element takes two characters at least,
## and a reply shows 200,000.
const MAX_ITEMS: int = 100000
## The same inside a resource that is shown with its properties.
const MAX_RESOURCE_ITEMS: int = 2000
## The longest byte array that is shown whole, in bytes, and the same inside a resource.
const MAX_BYTES: int = 4000000
const MAX_RESOURCE_BYTES: int = 16384
## How deep lists and dictionaries are shown, and how deep resources inside resources.
const MAX_DEPTH: int = 32
const MAX_RESOURCE_DEPTH: int = 2

const _TRUNCATED: String = "$truncated"

## How many elements and bytes may still be shown.
var _items: int = MAX_ITEMS
var _bytes: int = MAX_BYTES
## The containers around the place that is being written.
var _open_containers: Array = []


## Why a container cannot be shown now. Empty when it can; then it is open until the caller pops it.
func _enter(container: Variant, size: int) -> String:
	for outer: Variant in _open_containers:
		if is_same(outer, container):
			return "cycle"
	if _open_containers.size() >= MAX_DEPTH:
		return "depth"
	if not _take(size):
		return "size"
	_open_containers.append(container)
	return ""


func _take(count: int) -> bool:
	if count > _items:
		return false
	_items -= count
	return true


func _take_bytes(count: int) -> bool:
	if count > _bytes:
		return false
	_bytes -= count
	return true


static func _cut(type: String, size: int, reason: String) -> Dictionary:
	return {_TRUNCATED: type, "size": size, "reason": reason}
