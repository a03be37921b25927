extends RefCounted
## Near matches for names that do not exist, for the details of failures.

const MAX_SHOWN: int = 5

## Names that callers carry over from other engines or older versions, and what they are called
## here.
const ALIASES: Dictionary[String, String] = {
	"field_of_view": "fov",
	"image": "texture",
	"sprite": "texture",
	"translation": "position",
	"location": "position",
	"origin": "position",
	"color": "modulate",
	"colour": "modulate",
	"opacity": "modulate",
	"alpha": "modulate",
	"hidden": "visible",
	"enabled": "process_mode",
	"depth": "z_index",
	"rect_position": "position",
	"rect_size": "size",
	"rect_min_size": "custom_minimum_size",
	"bbcode_text": "text",
	"caption": "text",
	"label": "text",
	"cast_to": "target_position",
	"extents": "size",
	"albedo_color": "material_override",
	"font_size": "theme_override_font_sizes/font_size",
	"font_color": "theme_override_colors/font_color",
}


## The names most like `wanted`, the best first, at most five.
static func near(wanted: String, names: PackedStringArray) -> Array[String]:
	var scored: Array[Array] = []
	var alias: String = ALIASES.get(wanted.to_lower(), "")
	for name: String in names:
		var score: float = 2.0 if name == alias else _score(wanted, name)
		if score >= 0.5:
			scored.append([score, name])
	scored.sort_custom(func(a: Array, b: Array) -> bool: return a[0] > b[0])
	var out: Array[String] = []
	for entry: Array in scored.slice(0, MAX_SHOWN):
		out.append(str(entry[1]))
	return out


## True when two names differ little enough to be the same one mistyped.
static func is_near(wanted: String, name: String) -> bool:
	return _score(wanted, name) >= 0.5


static func _score(wanted: String, name: String) -> float:
	var a: String = wanted.to_snake_case()
	var b: String = name.to_snake_case()
	if a == b:
		return 1.5
	var score: float = a.similarity(b)
	if b.contains(a) or (b.length() > 3 and a.contains(b)):
		score += 0.4
	return score
