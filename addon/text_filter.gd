extends RefCounted
## What callers write to find names by: a part of the name, or with * or ? a pattern for the whole
## name. Upper and lower case are alike. Every filter on names is one of these; what is identified
## (a class, a group, a script) is named exactly instead.

var _text: String = ""
var _is_pattern: bool = false


func _init(text: String) -> void:
	_text = text
	_is_pattern = text.contains("*") or text.contains("?")


## True when there is nothing to filter by: every name fits.
func is_empty() -> bool:
	return _text.is_empty()


## True when the name fits.
func matches(name: String) -> bool:
	return name.matchn(_text) if _is_pattern else name.containsn(_text)
