extends RefCounted
## The few texts that stand for values: "Vector2(1, 2)", "(1, 2)", "#ff8000", "red".
##
## Read here, character by character, and never by the engine's own readers, which build objects and
## run code.

const _NON_FINITE: Dictionary[String, float] = {
	"inf": INF, "+inf": INF, "-inf": -INF, "nan": NAN,
}


## The numbers in "Name(1, 2)" or "(1, 2)", where Name is the type's own; empty when the text is
## anything else.
static func numbers(text: String, type: int) -> PackedFloat64Array:
	var clean: String = text.strip_edges()
	var open: int = clean.find("(")
	var found: PackedFloat64Array = []
	if open < 0 or not clean.ends_with(")"):
		return found
	var name: String = clean.left(open).strip_edges()
	if not name.is_empty() and name != type_string(type):
		return found
	for part: String in clean.substr(open + 1, clean.length() - open - 2).split(","):
		var number: Variant = _number(part.strip_edges())
		if number == null:
			return []
		var one: float = number
		var _full: bool = found.append(one)
	return found


## The colour that a text stands for, or null. Hex needs its "#": "bad" and "fade" are hex digits
## too.
static func colour(text: String) -> Variant:
	var clean: String = text.strip_edges()
	if clean.begins_with("#"):
		if Color.html_is_valid(clean):
			return Color.html(clean)
		return null
	if Color.html_is_valid(clean):
		return null
	var found: Color = Color.from_string(clean, Color(-1, -1, -1, -1))
	if found.a < 0.0:
		return null
	return found


static func _number(text: String) -> Variant:
	if _NON_FINITE.has(text.to_lower()):
		return _NON_FINITE[text.to_lower()]
	if not text.is_valid_float():
		return null
	var number: float = text.to_float()
	if not is_finite(number):
		return null
	return number
