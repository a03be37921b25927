extends RefCounted
## What callers write to find names by: a part of the name, or with * or ? a pattern for the whole
## name. Upper and lower case are alike. Every filter on names is one of these; what is identified
## (a class, a group, a script) is named exactly instead.
##
## The engine's own match() tries every way to share a name out among the stars, which takes for
## ever with a dozen of them. Here each part between two stars is looked for once, from the left; by
## the engine where there is no ?, which is much faster: filters meet 100,000 names.

var _text: String = ""
var _parts: PackedStringArray = PackedStringArray()
var _asks: bool = false


func _init(text: String) -> void:
	_text = text
	if text.contains("*") or text.contains("?"):
		_parts = text.to_lower().split("*")
		_asks = text.contains("?")


## True when there is nothing to filter by: every name fits.
func is_empty() -> bool:
	return _text.is_empty()


## True when the name fits.
func matches(name: String) -> bool:
	return name.containsn(_text) if _parts.is_empty() else _fits(name.to_lower())


func _fits(name: String) -> bool:
	var first: String = _parts[0]
	if _parts.size() == 1:
		return name.length() == first.length() and _is_at(name, first, 0)
	var last: String = _parts[_parts.size() - 1]
	var from: int = first.length()
	var end: int = name.length() - last.length()
	if from > end or not _is_at(name, first, 0) or not _is_at(name, last, end):
		return false
	for index: int in range(1, _parts.size() - 1):
		var part: String = _parts[index]
		var at: int = _find(name, part, from, end)
		if at < 0:
			return false
		from = at + part.length()
	return true


# Where the part first stands between from and end; -1 when it does not.
func _find(name: String, part: String, from: int, end: int) -> int:
	if part.is_empty():
		return from
	if not _asks:
		var found: int = name.find(part, from)
		return found if found + part.length() <= end else -1
	for at: int in range(from, end - part.length() + 1):
		if _is_at(name, part, at):
			return at
	return -1


func _is_at(name: String, part: String, at: int) -> bool:
	if not _asks:
		return name.substr(at, part.length()) == part
	for i: int in part.length():
		if part[i] != "?" and part[i] != name[at + i]:
			return false
	return true
