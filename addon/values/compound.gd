extends RefCounted
## Types that are made of a fixed number of numbers: their order, their field names, how to make and
## take them apart.

## The largest float that single precision holds; above it a component would silently become
## infinite.
const MAX_SINGLE: float = 3.4028234663852886e38
const MAX_INT32: int = 2147483647
const MIN_INT32: int = -2147483648

## How many numbers each type has.
const COUNTS: Dictionary[int, int] = {
	TYPE_VECTOR2: 2, TYPE_VECTOR2I: 2, TYPE_VECTOR3: 3, TYPE_VECTOR3I: 3, TYPE_VECTOR4: 4,
	TYPE_VECTOR4I: 4, TYPE_RECT2: 4, TYPE_RECT2I: 4, TYPE_PLANE: 4, TYPE_QUATERNION: 4,
	TYPE_COLOR: 4, TYPE_AABB: 6, TYPE_TRANSFORM2D: 6, TYPE_BASIS: 9, TYPE_TRANSFORM3D: 12,
	TYPE_PROJECTION: 16,
}
## The types whose numbers are whole.
const WHOLE: Array[int] = [TYPE_VECTOR2I, TYPE_VECTOR3I, TYPE_VECTOR4I, TYPE_RECT2I]
## The types that an object form may be written for, as [name, how many numbers] in order.
const _FIELDS: Dictionary[int, Array] = {
	TYPE_VECTOR2: [["x", 1], ["y", 1]],
	TYPE_VECTOR2I: [["x", 1], ["y", 1]],
	TYPE_VECTOR3: [["x", 1], ["y", 1], ["z", 1]],
	TYPE_VECTOR3I: [["x", 1], ["y", 1], ["z", 1]],
	TYPE_VECTOR4: [["x", 1], ["y", 1], ["z", 1], ["w", 1]],
	TYPE_VECTOR4I: [["x", 1], ["y", 1], ["z", 1], ["w", 1]],
	TYPE_QUATERNION: [["x", 1], ["y", 1], ["z", 1], ["w", 1]],
	TYPE_COLOR: [["r", 1], ["g", 1], ["b", 1], ["a", 1]],
	TYPE_PLANE: [["normal", 3], ["d", 1]],
	TYPE_RECT2: [["position", 2], ["size", 2]],
	TYPE_RECT2I: [["position", 2], ["size", 2]],
	TYPE_AABB: [["position", 3], ["size", 3]],
	TYPE_TRANSFORM2D: [["x", 2], ["y", 2], ["origin", 2]],
	TYPE_BASIS: [["x", 3], ["y", 3], ["z", 3]],
	TYPE_TRANSFORM3D: [["basis", 9], ["origin", 3]],
	TYPE_PROJECTION: [["x", 4], ["y", 4], ["z", 4], ["w", 4]],
}
const _AXES: PackedStringArray = ["x", "y", "z", "w"]


## Whether a type is made of a fixed number of numbers.
static func has(type: int) -> bool:
	return COUNTS.has(type)


## The numbers of an object such as {"x": 1, "y": 2} in the type's order; empty when its fields are
## not exactly the type's. A colour's "a" may be left out.
static func from_fields(map: Dictionary, type: int) -> Array:
	var found: Array = []
	var used: int = 0
	for field: Array in _FIELDS[type]:
		var name: String = field[0]
		if not map.has(name):
			if type == TYPE_COLOR and name == "a":
				continue
			return []
		used += 1
		var width: int = field[1]
		var part: Array = _part(map[name], width)
		if part.is_empty():
			return []
		found.append_array(part)
	return found if used == map.size() else []


## What is wrong with the numbers for a type; empty when nothing is. Colours may have three.
static func fault(numbers: PackedFloat64Array, type: int) -> String:
	var count: int = COUNTS[type]
	if numbers.size() != count and not (type == TYPE_COLOR and numbers.size() == 3):
		return "wrong_count"
	var whole: bool = type in WHOLE
	for number: float in numbers:
		if whole:
			if number != floorf(number) or number > MAX_INT32 or number < MIN_INT32:
				return "not_32_bit_integer"
		elif absf(number) > MAX_SINGLE and is_finite(number):
			return "out_of_range"
	return ""


## The value that the numbers, which fault() has passed, stand for.
static func build(n: PackedFloat64Array, type: int) -> Variant:
	match type:
		TYPE_VECTOR2:
			return Vector2(n[0], n[1])
		TYPE_VECTOR2I:
			return Vector2i(int(n[0]), int(n[1]))
		TYPE_VECTOR3:
			return Vector3(n[0], n[1], n[2])
		TYPE_VECTOR3I:
			return Vector3i(int(n[0]), int(n[1]), int(n[2]))
		TYPE_VECTOR4:
			return Vector4(n[0], n[1], n[2], n[3])
		TYPE_VECTOR4I:
			return Vector4i(int(n[0]), int(n[1]), int(n[2]), int(n[3]))
		TYPE_COLOR:
			return Color(n[0], n[1], n[2], n[3] if n.size() == 4 else 1.0)
		TYPE_RECT2:
			return Rect2(n[0], n[1], n[2], n[3])
		TYPE_RECT2I:
			return Rect2i(int(n[0]), int(n[1]), int(n[2]), int(n[3]))
		TYPE_PLANE:
			return Plane(n[0], n[1], n[2], n[3])
		TYPE_QUATERNION:
			return Quaternion(n[0], n[1], n[2], n[3])
	return _build_large(n, type)


## The numbers of a value of the type, in the type's order.
static func parts(value: Variant, type: int) -> Array:
	match type:
		TYPE_VECTOR2:
			var v2: Vector2 = value
			return [v2.x, v2.y]
		TYPE_VECTOR3:
			var v3: Vector3 = value
			return [v3.x, v3.y, v3.z]
		TYPE_COLOR:
			var colour: Color = value
			return [colour.r, colour.g, colour.b, colour.a]
		TYPE_RECT2:
			var rect: Rect2 = value
			return [rect.position.x, rect.position.y, rect.size.x, rect.size.y]
		TYPE_VECTOR2I:
			var v2i: Vector2i = value
			return [v2i.x, v2i.y]
		TYPE_VECTOR3I:
			var v3i: Vector3i = value
			return [v3i.x, v3i.y, v3i.z]
		TYPE_VECTOR4I:
			var v4i: Vector4i = value
			return [v4i.x, v4i.y, v4i.z, v4i.w]
		TYPE_RECT2I:
			var recti: Rect2i = value
			return [recti.position.x, recti.position.y, recti.size.x, recti.size.y]
	return _parts_large(value, type)


static func _parts_large(value: Variant, type: int) -> Array:
	match type:
		TYPE_VECTOR4:
			var v4: Vector4 = value
			return _of4(v4)
		TYPE_PLANE:
			var plane: Plane = value
			return _of3(plane.normal) + [plane.d]
		TYPE_QUATERNION:
			var quaternion: Quaternion = value
			return [quaternion.x, quaternion.y, quaternion.z, quaternion.w]
		TYPE_AABB:
			var box: AABB = value
			return _of3(box.position) + _of3(box.size)
		TYPE_TRANSFORM2D:
			var t: Transform2D = value
			return [t.x.x, t.x.y, t.y.x, t.y.y, t.origin.x, t.origin.y]
		TYPE_BASIS:
			var basis: Basis = value
			return _of9(basis)
		TYPE_TRANSFORM3D:
			var transform: Transform3D = value
			return _of9(transform.basis) + _of3(transform.origin)
		TYPE_PROJECTION:
			var p: Projection = value
			return _of4(p.x) + _of4(p.y) + _of4(p.z) + _of4(p.w)
	return []


static func _of3(v: Vector3) -> Array:
	return [v.x, v.y, v.z]


static func _of4(v: Vector4) -> Array:
	return [v.x, v.y, v.z, v.w]


static func _of9(b: Basis) -> Array:
	return _of3(b.x) + _of3(b.y) + _of3(b.z)


static func _build_large(n: PackedFloat64Array, type: int) -> Variant:
	match type:
		TYPE_AABB:
			return AABB(_v3(n, 0), _v3(n, 3))
		TYPE_TRANSFORM2D:
			return Transform2D(Vector2(n[0], n[1]), Vector2(n[2], n[3]), Vector2(n[4], n[5]))
		TYPE_BASIS:
			return Basis(_v3(n, 0), _v3(n, 3), _v3(n, 6))
		TYPE_TRANSFORM3D:
			return Transform3D(Basis(_v3(n, 0), _v3(n, 3), _v3(n, 6)), _v3(n, 9))
		TYPE_PROJECTION:
			return Projection(_v4(n, 0), _v4(n, 4), _v4(n, 8), _v4(n, 12))
	return null


static func _v3(n: PackedFloat64Array, from: int) -> Vector3:
	return Vector3(n[from], n[from + 1], n[from + 2])


static func _v4(n: PackedFloat64Array, from: int) -> Vector4:
	return Vector4(n[from], n[from + 1], n[from + 2], n[from + 3])


## One field's numbers: a number for width 1, else a list of that many, or an object of axes. Empty:
## neither.
static func _part(value: Variant, width: int) -> Array:
	if width == 1:
		return [] if value is Array else [value]
	if value is Array:
		var list: Array = value
		return list if list.size() == width else []
	var found: Array = []
	if value is Dictionary and width <= _AXES.size():
		var map: Dictionary = value
		for axis: String in _AXES.slice(0, width):
			if not map.has(axis) or map.size() != width:
				return []
			found.append(map[axis])
	return found
