extends RefCounted
## One command as a handler sees it. Handlers never see the router, the link or the commit.

## The command's parameters. Values of properties are still in wire form (see values.gd).
var params: Dictionary = {}
## The root of the scene that the call is for; null when no scene is open.
var root: Node = null
## The scene that the call is for: its path, or its id when it was never saved.
var scene: String = ""
## The command's name.
var command: String = ""
## "query", "plan" or "apply".
var phase: String = ""
## The name of the undo action, as the user sees it in the editor's history.
var action: String = ""


## A text parameter; fallback when it is missing or no text.
func text(key: String, fallback: String = "") -> String:
	var value: Variant = params.get(key, fallback)
	return str(value) if value is String or value is StringName else fallback


## A whole-number parameter (numbers travel as floats); fallback when it is missing or no number.
func number(key: String, fallback: int) -> int:
	var value: Variant = params.get(key, fallback)
	if value is int or value is float:
		return type_convert(value, TYPE_INT)
	return fallback


## A yes/no parameter; fallback when it is missing or neither.
func flag(key: String, fallback: bool = false) -> bool:
	var value: Variant = params.get(key, fallback)
	return value if value is bool else fallback
