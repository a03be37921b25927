extends RefCounted
## The scene and files that the value vectors name, and the readers of the vectors' own notation.

const Values = preload("res://addons/drawbridge/values.gd")

const FOLDER: String = "res://vectors_fixture/"
const UID: String = "uid://b7f3k2m8q1d4a"
const HINTS: Dictionary[String, int] = {
	"ENUM": PROPERTY_HINT_ENUM,
	"FLAGS": PROPERTY_HINT_FLAGS,
	"LAYERS_2D_PHYSICS": PROPERTY_HINT_LAYERS_2D_PHYSICS,
	"LAYERS_3D_RENDER": PROPERTY_HINT_LAYERS_3D_RENDER,
	"TYPE_STRING": PROPERTY_HINT_TYPE_STRING,
	"ARRAY_TYPE": PROPERTY_HINT_ARRAY_TYPE,
	"DICTIONARY_TYPE": PROPERTY_HINT_DICTIONARY_TYPE,
	"RESOURCE_TYPE": PROPERTY_HINT_RESOURCE_TYPE,
	"NODE_TYPE": PROPERTY_HINT_NODE_TYPE,
}

var scene: Node2D = null
var player: Node2D = null
var place: Values.Place = null
var thing_script: GDScript = null


## Writes the files and builds the scene Main{Player{Child}, Hud} below parent.
func build(parent: Node) -> void:
	var _made: int = DirAccess.make_dir_recursive_absolute(FOLDER)
	_write("thing.gd", "class_name VectorThing\nextends Resource\n@export var other: Resource\n")
	_write("hud.gd", "class_name VectorHud\nextends Node2D\n")
	_write("note.txt", "no resource\n")
	_write("broken.tres", "[gd_resource type=\"Gradient\"\n")
	_link("/etc", "outside")
	_link("texture.tres", "inside.tres")
	_link("../../etc/hostname", "relative_outside.tres")
	_link("loop.tres", "loop.tres")
	thing_script = load(FOLDER + "thing.gd")
	_save(PlaceholderTexture2D.new(), "texture.tres")
	_save(Gradient.new(), "gradient.tres")
	var thing: Resource = thing_script.new()
	_save(thing, "thing.tres")
	var id: int = ResourceUID.text_to_id(UID)
	if not ResourceUID.has_id(id):
		ResourceUID.add_id(id, FOLDER + "texture.tres")
	ProjectSettings.set_setting("layer_names/2d_physics/layer_3", "Walls")
	scene = _child(parent, "Main")
	player = _child(scene, "Player")
	var _below: Node2D = _child(player, "Child")
	_child(scene, "Hud").set_script(load(FOLDER + "hud.gd"))
	place = Values.place_of(player, scene)


## Frees what build made in memory.
func free_scene() -> void:
	scene.free()


## A row's declared type as Object.get_property_list() gives it.
static func declared_of(row: Dictionary) -> Dictionary:
	var short: Dictionary = row["declared"]
	var declared: Dictionary = {"name": "p", "type": TYPE_NIL}
	for type: int in TYPE_MAX:
		if type_string(type) == short["type"]:
			declared["type"] = type
	declared["hint"] = HINTS.get(str(short.get("hint", "")), PROPERTY_HINT_NONE)
	declared["hint_string"] = str(short.get("hint_string", ""))
	declared["class_name"] = StringName(str(short.get("class_name", "")))
	declared["usage"] = int(str(short.get("usage", PROPERTY_USAGE_DEFAULT)).to_float())
	return declared


## The value that a row expects: "bits 0x…", "json …" (a String), "json& …", "path …", "resource …",
## "node …", with "list " before the last two, or text for str_to_var (which this test may call, and
## the addon never).
func value_of(text: String) -> Variant:
	var rest: String = text.substr(text.find(" ") + 1)
	match text.get_slice(" ", 0):
		"bits":
			var bytes: PackedByteArray = rest.trim_prefix("0x").hex_decode()
			bytes.reverse()
			return bytes.decode_double(0)
		"json":
			return JSON.parse_string(rest)
		"json&":
			return StringName(str(JSON.parse_string(rest)))
		"path":
			return NodePath(str(JSON.parse_string(rest)))
		"resource":
			return load(rest)
		"node":
			return scene.get_node(rest)
		"list":
			return [value_of(rest)]
	return str_to_var(text)


## Equal in type and to the last bit. A list of objects stands for one that begins with them.
func equal(value: Variant, expected: Variant) -> bool:
	if expected is Array and not (value is Array and is_same(value, expected)):
		var wanted: Array = expected
		if not wanted.is_empty() and wanted[0] is Object and value is Array:
			var list: Array = value
			return list.is_typed() and list[0] == wanted[0]
	if typeof(value) != typeof(expected):
		return false
	if value is Object:
		return is_same(value, expected)
	return var_to_str(value) == var_to_str(expected) and _bits(value) == _bits(expected)


## Whether a shown form is the wanted one, with ints and floats told apart. {"$float": "0x…"} is
## that float.
static func equal_form(out: Variant, wanted: Variant) -> bool:
	if wanted is Dictionary:
		var map: Dictionary = wanted
		if out is float and str(map.get("$float", "")).begins_with("0x"):
			var number: float = out
			return "0x" + _bits(number) == map["$float"]
	if typeof(out) != typeof(wanted):
		return false
	if out is Array:
		var left: Array = out
		var right: Array = wanted
		return left.size() == right.size() and range(left.size()).all(
			func(i: int) -> bool: return equal_form(left[i], right[i])
		)
	if out is Dictionary:
		var left: Dictionary = out
		var right: Dictionary = wanted
		return left.keys() == right.keys() and right.keys().all(
			func(key: Variant) -> bool: return equal_form(left[key], right[key])
		)
	return out == wanted


static func _bits(value: Variant) -> String:
	if not value is float:
		return ""
	var number: float = value
	if is_nan(number):
		return "nan"
	var bytes: PackedByteArray = []
	var _size: int = bytes.resize(8)
	bytes.encode_double(0, number)
	bytes.reverse()
	return bytes.hex_encode()


static func _child(parent: Node, name: String) -> Node2D:
	var node: Node2D = Node2D.new()
	node.name = name
	parent.add_child(node)
	return node


static func _write(file: String, text: String) -> void:
	var handle: FileAccess = FileAccess.open(FOLDER + file, FileAccess.WRITE)
	var _stored: bool = handle.store_string(text)
	handle.close()


static func _link(target: String, file: String) -> void:
	var folder: DirAccess = DirAccess.open(FOLDER)
	if not folder.is_link(file):
		var _error: int = folder.create_link(target, file)


static func _save(resource: Resource, file: String) -> void:
	var _error: int = ResourceSaver.save(resource, FOLDER + file)
