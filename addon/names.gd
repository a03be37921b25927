extends RefCounted
## Node names: which are refused, and which one the engine will give.

const Layers = preload("./persistence/layers.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Scenes = preload("./scenes.gd")

const NUMBER_SEPARATOR: String = "editor/naming/node_name_num_separator"
const SEPARATORS: PackedStringArray = ["", " ", "_", "-"]


## The failure for a name that the engine would change or a scene file could not hold; null for a
## good one.
static func refusal(name: String, parameter: String) -> Result:
	var bad: Array[String] = []
	for index: int in name.length():
		var letter: String = name[index]
		var odd: bool = letter.unicode_at(0) < 32 or letter.validate_node_name() != letter
		if odd and not bad.has(letter):
			bad.append(letter)
	if bad.is_empty():
		return null
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"a node name cannot hold . : @ / \" % or control characters",
		{"parameter": parameter, "reason": "invalid_name_chars", "chars": bad, "got": name}
	)


## The name that a child gets below parent: the wanted one, or with the number that the engine would
## choose. `child` is left out of the comparison when it is there already.
static func free_name(parent: Node, wanted: String, child: Node = null) -> String:
	if not _taken(parent, wanted, child):
		return wanted
	var digits: String = _trailing_digits(wanted)
	var separator: String = _separator()
	var base: String = wanted.trim_suffix(digits)
	if digits.is_empty() or not base.ends_with(separator):
		base = wanted + separator
		digits = "2"
		if not _taken(parent, base + digits, child):
			return base + digits
	while _taken(parent, base + digits, child):
		digits = _next(digits)
	return base + digits


# A name is taken, too, when the file of an instance or of the base has a node of that name there,
# which was deleted or moved in this scene: it is back when the scene is read. A node that no save
# keeps, or that is such a file's own, takes nobody's place.
static func _taken(parent: Node, name: String, child: Node) -> bool:
	var there: Node = parent.get_node_or_null(NodePath(name))
	if there != null:
		return there != child
	var root: Node = Scenes.edited()
	if root == null or (child != null and child.owner != root):
		return false
	return Layers.gives_again(root, parent, name)


static func _separator() -> String:
	var index: int = ProjectSettings.get_setting(NUMBER_SEPARATOR, 0)
	return SEPARATORS[index] if index >= 0 and index < SEPARATORS.size() else ""


static func _trailing_digits(name: String) -> String:
	var start: int = name.length()
	while start > 0 and name[start - 1] >= "0" and name[start - 1] <= "9":
		start -= 1
	return name.substr(start)


# One more, with leading zeros kept, as the engine counts.
static func _next(digits: String) -> String:
	return str(digits.to_int() + 1).pad_zeros(digits.length())
