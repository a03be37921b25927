extends RefCounted
## Enum and flag properties: their names and numbers, as the property's hint lists them.

const OwnHints = preload("./own_hints.gd")
const Spec = preload("./spec.gd")

const _LAYER_SETTINGS: Dictionary[int, String] = {
	PROPERTY_HINT_LAYERS_2D_RENDER: "layer_names/2d_render/layer_%d",
	PROPERTY_HINT_LAYERS_2D_PHYSICS: "layer_names/2d_physics/layer_%d",
	PROPERTY_HINT_LAYERS_2D_NAVIGATION: "layer_names/2d_navigation/layer_%d",
	PROPERTY_HINT_LAYERS_3D_RENDER: "layer_names/3d_render/layer_%d",
	PROPERTY_HINT_LAYERS_3D_PHYSICS: "layer_names/3d_physics/layer_%d",
	PROPERTY_HINT_LAYERS_3D_NAVIGATION: "layer_names/3d_navigation/layer_%d",
	PROPERTY_HINT_LAYERS_AVOIDANCE: "layer_names/avoidance/layer_%d",
}
const _RENDER_LAYERS: int = 20
const _OTHER_LAYERS: int = 32
const _ALL_LAYERS: int = 0xffffffff


## Every name with its number, in the hint's order. Layers have "Layer 1" and the name that the
## project gives them.
static func options(declared: Dictionary) -> Dictionary[String, int]:
	var hint: int = Spec.hint_of(declared)
	if hint in _LAYER_SETTINGS:
		return _layers(hint)
	var found: Dictionary[String, int] = {}
	_add(found, Spec.hint_text(declared), hint)
	_add(found, str(declared.get(OwnHints.HINT, "")), hint)
	return found


# A name that is there already keeps its number.
static func _add(found: Dictionary[String, int], text: String, hint: int) -> void:
	var next: int = 0
	var index: int = 0
	for part: String in text.split(","):
		var name: String = part
		var value: int = 1 << index if hint == PROPERTY_HINT_FLAGS else next
		var colon: int = part.rfind(":")
		if colon >= 0 and part.substr(colon + 1).strip_edges().is_valid_int():
			name = part.left(colon)
			value = part.substr(colon + 1).strip_edges().to_int()
		next = value + 1
		index += 1
		name = name.strip_edges()
		if not name.is_empty() and not found.has(name):
			found[name] = value


## The number that a name stands for, or null. Letter case, spaces and underscores do not matter
## ("IDLE_NOW" is "Idle Now") unless two names would then be the same.
static func number_of(name: String, known: Dictionary[String, int]) -> Variant:
	if known.has(name):
		return known[name]
	var wanted: String = _bare(name)
	var found: Variant = null
	for candidate: String in known:
		if _bare(candidate) != wanted:
			continue
		if found != null and found != known[candidate]:
			return null
		found = known[candidate]
	return found


## The name of an enum property's value; empty when there is none.
static func name_of(value: Variant, declared: Dictionary) -> String:
	if not value is int or not Spec.is_enum(declared):
		return ""
	var name: Variant = options(declared).find_key(value)
	return "" if name == null else str(name)


## Whether an enum may have this number: one with a name, or the class's default, which in some
## classes has none.
static func is_allowed(
	number: Variant, known: Dictionary[String, int], declared: Dictionary
) -> bool:
	return number in known.values() or is_same(number, declared.get(OwnHints.DEFAULT))


## All bits that a number may have: those with a name, those of the default, and for layers all 32,
## because the engine's own defaults set layers that nobody can name.
static func mask_of(known: Dictionary[String, int], declared: Dictionary) -> int:
	var mask: int = declared.get(OwnHints.DEFAULT, 0)
	if Spec.hint_of(declared) in _LAYER_SETTINGS:
		mask = _ALL_LAYERS
	for name: String in known:
		mask |= known[name]
	return mask


static func _layers(hint: int) -> Dictionary[String, int]:
	var found: Dictionary[String, int] = {}
	var render: bool = hint in [PROPERTY_HINT_LAYERS_2D_RENDER, PROPERTY_HINT_LAYERS_3D_RENDER]
	for index: int in (_RENDER_LAYERS if render else _OTHER_LAYERS):
		found["Layer %d" % (index + 1)] = 1 << index
		var setting: String = _LAYER_SETTINGS[hint] % (index + 1)
		var given: String = str(ProjectSettings.get_setting(setting, ""))
		if not given.is_empty() and not found.has(given):
			found[given] = 1 << index
	return found


static func _bare(name: String) -> String:
	return name.to_lower().replace(" ", "").replace("_", "")
