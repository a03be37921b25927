extends RefCounted
## One component of a vector, colour or rectangle ("position:x"), set by setting the whole value.

const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Values = preload("./values.gd")

const FLOATS: Dictionary[int, PackedStringArray] = {
	TYPE_VECTOR2: ["x", "y"],
	TYPE_VECTOR3: ["x", "y", "z"],
	TYPE_VECTOR4: ["x", "y", "z", "w"],
	TYPE_COLOR: ["r", "g", "b", "a"],
	TYPE_QUATERNION: ["x", "y", "z", "w"],
}
const INTS: Dictionary[int, PackedStringArray] = {
	TYPE_VECTOR2I: ["x", "y"],
	TYPE_VECTOR3I: ["x", "y", "z"],
	TYPE_VECTOR4I: ["x", "y", "z", "w"],
}


## The whole value with one component replaced: data.value. `name` is "property:component".
static func decode(wire: Variant, name: String, declared: Dictionary, whole: Variant) -> Result:
	var component: String = name.get_slice(":", 1)
	var type: int = typeof(whole)
	var known: PackedStringArray = FLOATS.get(type, INTS.get(type, PackedStringArray()))
	if name.get_slice_count(":") != 2 or not known.has(component):
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s names no component that can be set by itself" % name,
			{"property": name, "reason": "unknown_component", "allowed": Array(known)}
		).with_hint("set the whole property: %s" % declared.get("name", ""))
	var part: Dictionary = {
		"name": name,
		"type": TYPE_INT if INTS.has(type) else TYPE_FLOAT,
		"usage": PROPERTY_USAGE_DEFAULT,
	}
	var decoded: Result = Values.decode(wire, part)
	if not decoded.ok:
		return decoded
	whole[component] = decoded.data["value"]
	return Result.good({"value": whole})


## True when two values of one type differ no more than the engine's own arithmetic makes them.
static func nearly(a: Variant, b: Variant) -> bool:
	match typeof(a):
		TYPE_FLOAT:
			var x: float = a
			var y: float = b
			return is_equal_approx(x, y)
		TYPE_VECTOR2:
			var x: Vector2 = a
			var y: Vector2 = b
			return x.distance_to(y) <= _slack(x.length())
		TYPE_VECTOR3:
			var x: Vector3 = a
			var y: Vector3 = b
			return x.distance_to(y) <= _slack(x.length())
		TYPE_TRANSFORM2D:
			var x: Transform2D = a
			var y: Transform2D = b
			return x.is_equal_approx(y)
		TYPE_TRANSFORM3D:
			var x: Transform3D = a
			var y: Transform3D = b
			return x.is_equal_approx(y)
		TYPE_BASIS:
			var x: Basis = a
			var y: Basis = b
			return x.is_equal_approx(y)
		TYPE_QUATERNION:
			var x: Quaternion = a
			var y: Quaternion = b
			return x.is_equal_approx(y) or x.is_equal_approx(-y)
	return false


static func _slack(size: float) -> float:
	return maxf(size, 1.0) * 0.0001
