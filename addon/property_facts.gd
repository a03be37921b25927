extends RefCounted
## What the declaration of a property, argument or result says, in the words of replies: its type,
## what it may be set to, whether files keep it.

const Choices = preload("./values/choices.gd")
const Spec = preload("./values/spec.gd")
const Values = preload("./values.gd")

## Hints that say more than the type, by the engine's number.
const HINTS: Dictionary[int, String] = {
	PROPERTY_HINT_ENUM_SUGGESTION: "enum_suggestion",
	PROPERTY_HINT_EXP_EASING: "easing",
	PROPERTY_HINT_LINK: "linked",
	PROPERTY_HINT_FILE: "file",
	PROPERTY_HINT_DIR: "folder",
	PROPERTY_HINT_GLOBAL_FILE: "global_file",
	PROPERTY_HINT_GLOBAL_DIR: "global_folder",
	PROPERTY_HINT_SAVE_FILE: "save_file",
	PROPERTY_HINT_MULTILINE_TEXT: "multiline",
	PROPERTY_HINT_EXPRESSION: "expression",
	PROPERTY_HINT_PLACEHOLDER_TEXT: "placeholder",
	PROPERTY_HINT_COLOR_NO_ALPHA: "no_alpha",
	PROPERTY_HINT_NODE_PATH_VALID_TYPES: "node_types",
	PROPERTY_HINT_LOCALIZABLE_STRING: "localizable",
	PROPERTY_HINT_PASSWORD: "password",
	PROPERTY_HINT_INPUT_NAME: "input_name",
	PROPERTY_HINT_LAYERS_2D_RENDER: "layers_2d_render",
	PROPERTY_HINT_LAYERS_2D_PHYSICS: "layers_2d_physics",
	PROPERTY_HINT_LAYERS_2D_NAVIGATION: "layers_2d_navigation",
	PROPERTY_HINT_LAYERS_3D_RENDER: "layers_3d_render",
	PROPERTY_HINT_LAYERS_3D_PHYSICS: "layers_3d_physics",
	PROPERTY_HINT_LAYERS_3D_NAVIGATION: "layers_3d_navigation",
	PROPERTY_HINT_LAYERS_AVOIDANCE: "layers_avoidance",
}
## Words that a range may have beside its numbers.
const RANGE_WORDS: Array[String] = [
	"or_greater", "or_less", "exp", "radians_as_degrees", "degrees", "hide_slider",
]


## The facts of a property's declaration, without its value.
static func of(declared: Dictionary) -> Dictionary:
	var out: Dictionary = {"type": type_of(declared)}
	_add_choices(out, declared)
	_add_range(out, declared)
	var hint: int = Spec.hint_of(declared)
	if HINTS.has(hint):
		out["hint"] = HINTS[hint]
		var text: String = Spec.hint_text(declared)
		if not text.is_empty() and not out.has("options"):
			out["hint_string"] = text
	var usage: int = declared.get("usage", PROPERTY_USAGE_DEFAULT)
	out["stored"] = usage & PROPERTY_USAGE_STORAGE != 0
	if usage & PROPERTY_USAGE_READ_ONLY != 0:
		out["read_only"] = true
	return out


## The type in words. Enums and flags go by the engine's name of them where there is one.
static func type_of(declared: Dictionary) -> String:
	var usage: int = declared.get("usage", 0)
	var named: String = str(declared.get("class_name", ""))
	if usage & (PROPERTY_USAGE_CLASS_IS_ENUM | PROPERTY_USAGE_CLASS_IS_BITFIELD) != 0:
		if not named.is_empty():
			return named
	return Values.type_name(declared)


## The type of a method's result in words; "void" for none.
static func result_of(declared: Dictionary) -> String:
	var usage: int = declared.get("usage", 0)
	if Spec.type_of(declared) == TYPE_NIL and usage & PROPERTY_USAGE_NIL_IS_VARIANT == 0:
		return "void"
	return type_of(declared)


static func _add_choices(out: Dictionary, declared: Dictionary) -> void:
	var is_named_bits: bool = Spec.is_flags(declared) and not HINTS.has(Spec.hint_of(declared))
	if Spec.is_enum(declared) or is_named_bits:
		var options: Dictionary[String, int] = Choices.options(declared)
		if Spec.type_of(declared) == TYPE_INT:
			out["options"] = options
		else:
			out["options"] = options.keys()


static func _add_range(out: Dictionary, declared: Dictionary) -> void:
	if Spec.hint_of(declared) != PROPERTY_HINT_RANGE:
		return
	var bounds: Array[float] = []
	var words: Array[String] = []
	for part: String in Spec.hint_text(declared).split(",", false):
		var word: String = part.strip_edges()
		if word.is_valid_float():
			bounds.append(word.to_float())
		elif word in RANGE_WORDS:
			words.append(word)
	if bounds.size() >= 2:
		out["range"] = bounds
	if not words.is_empty():
		out["range_is"] = words
