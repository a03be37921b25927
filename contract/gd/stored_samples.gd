extends RefCounted
## Nodes and values for the sweep over stored properties.

## One changed value, and more where a setter may refuse the first, by type; numbers and vectors are
## added to what there is.
const STEPS: Dictionary[int, Array] = {
	TYPE_FLOAT: [0.25, -0.25, 10.0],
	TYPE_INT: [1, 2, -1],
	TYPE_VECTOR2: [Vector2(1, 2), Vector2(0.5, 0.5)],
	TYPE_VECTOR2I: [Vector2i(1, 0), Vector2i(0, 1), Vector2i(30, 40)],
	TYPE_VECTOR3: [Vector3(1, 2, 3)],
	TYPE_VECTOR3I: [Vector3i(1, 2, 3)],
	TYPE_VECTOR4: [Vector4(1, 2, 3, 4)],
}
## Whole values of the other types.
const OTHERS: Dictionary[int, Array] = {
	TYPE_STRING: ["x", "default"],
	TYPE_STRING_NAME: [&"x"],
	TYPE_NODE_PATH: [^".."],
	TYPE_RECT2: [Rect2(1, 2, 3, 4)],
	TYPE_RECT2I: [Rect2i(1, 2, 3, 4)],
	TYPE_COLOR: [Color(0.1, 0.2, 0.3, 0.4)],
	TYPE_QUATERNION: [Quaternion(0.6, 0, 0, 0.8)],
	TYPE_BASIS: [Basis(Vector3(2, 0, 0), Vector3(0, 2, 0), Vector3(0, 0, 2))],
	TYPE_TRANSFORM2D: [Transform2D(Vector2(0, 2), Vector2(-3, 1), Vector2(3, 4))],
	TYPE_TRANSFORM3D: [
		Transform3D(Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(3, 4, 5)),
	],
	TYPE_AABB: [AABB(Vector3(1, 1, 1), Vector3(2, 2, 2))],
	TYPE_DICTIONARY: [{"a": 1}],
	TYPE_ARRAY: [[1], ["a"]],
	TYPE_PACKED_BYTE_ARRAY: [[1]],
	TYPE_PACKED_INT32_ARRAY: [[1]],
	TYPE_PACKED_FLOAT32_ARRAY: [[1.0]],
	TYPE_PACKED_STRING_ARRAY: [["a"]],
	TYPE_PACKED_VECTOR2_ARRAY: [[Vector2(1, 1)]],
	TYPE_PACKED_VECTOR3_ARRAY: [[Vector3(1, 1, 1)]],
	TYPE_PACKED_COLOR_ARRAY: [[Color(0.1, 0.2, 0.3, 0.4)]],
}
const MAX_CHOICES: int = 12


## All node classes of a game that can be made.
static func classes() -> PackedStringArray:
	var names: PackedStringArray = ["Node"]
	for type: String in ClassDB.get_inheriters_from_class(&"Node"):
		var core: bool = ClassDB.class_get_api_type(type) == ClassDB.API_CORE
		if core and ClassDB.can_instantiate(type):
			var _full: bool = names.append(type)
	names.sort()
	return names


## A node of the class, below a parent of its own that lets it do what it is for.
static func make(type: String, root: Node) -> Node:
	var parent: Node = _parent_for(type)
	root.add_child(parent)
	var made: Object = ClassDB.instantiate(type)
	var node: Node = made
	parent.add_child(node)
	return node


static func _parent_for(type: String) -> Node:
	if type == "PathFollow2D":
		var path: Path2D = Path2D.new()
		path.curve = Curve2D.new()
		path.curve.add_point(Vector2.ZERO)
		path.curve.add_point(Vector2(100, 0))
		return path
	if type == "PathFollow3D":
		var path: Path3D = Path3D.new()
		path.curve = Curve3D.new()
		path.curve.add_point(Vector3.ZERO)
		path.curve.add_point(Vector3(100, 0, 0))
		return path
	if ClassDB.is_parent_class(type, &"SkeletonModifier3D"):
		var skeleton: Skeleton3D = Skeleton3D.new()
		var _first: int = skeleton.add_bone("a")
		var _second: int = skeleton.add_bone("b")
		return skeleton
	return Node.new()


## Other values of a stored property that may change what the node lists: flags, enums and counts.
static func states(declared: Dictionary, now: Variant) -> Array:
	if now is bool:
		return [not now]
	if not now is int:
		return []
	var at: int = now
	return _choices(declared, at) if declared["hint"] == PROPERTY_HINT_ENUM else [at + 2]


## Values to set a property to, none of which is the one it has.
static func values(declared: Dictionary, now: Variant) -> Array:
	var type: int = declared["type"]
	if type == TYPE_BOOL:
		return [true] if now == null else [not now]
	if type == TYPE_INT and declared["hint"] == PROPERTY_HINT_ENUM:
		var at: int = 0 if now == null else now
		return _choices(declared, at)
	if type == TYPE_OBJECT:
		return _resource(declared)
	if type == TYPE_INT and now is int and now <= 0:
		# A negative count of list items ends the engine (MultiplayerSpawner).
		return [now + 1, now + 2]
	if STEPS.has(type):
		var from: Variant = type_convert(now, type)
		return STEPS[type].map(func(step: Variant) -> Variant: return from + step)
	var others: Array = OTHERS.get(type, [])
	return others.map(func(value: Variant) -> Variant: return type_convert(value, type))


static func _choices(declared: Dictionary, now: int) -> Array:
	var known: int = str(declared["hint_string"]).get_slice_count(",")
	var found: Array = range(mini(known, MAX_CHOICES))
	found.erase(now)
	return found


static func _resource(declared: Dictionary) -> Array:
	var names: String = str(declared["hint_string"])
	if declared["hint"] != PROPERTY_HINT_RESOURCE_TYPE:
		names = str(declared["class_name"])
	for name: String in names.split(",", false):
		var kinds: PackedStringArray = [name]
		kinds.append_array(ClassDB.get_inheriters_from_class(name))
		for kind: String in kinds:
			if ClassDB.is_parent_class(kind, &"Resource") and ClassDB.can_instantiate(kind):
				return [ClassDB.instantiate(kind)]
	return []
