extends RefCounted
## Lists of one type: the engine's packed arrays, and typed arrays and dictionaries.

const Compound = preload("./compound.gd")
const Spec = preload("./spec.gd")

const _ELEMENTS: Dictionary[int, int] = {
	TYPE_PACKED_BYTE_ARRAY: TYPE_INT,
	TYPE_PACKED_INT32_ARRAY: TYPE_INT,
	TYPE_PACKED_INT64_ARRAY: TYPE_INT,
	TYPE_PACKED_FLOAT32_ARRAY: TYPE_FLOAT,
	TYPE_PACKED_FLOAT64_ARRAY: TYPE_FLOAT,
	TYPE_PACKED_STRING_ARRAY: TYPE_STRING,
	TYPE_PACKED_VECTOR2_ARRAY: TYPE_VECTOR2,
	TYPE_PACKED_VECTOR3_ARRAY: TYPE_VECTOR3,
	TYPE_PACKED_COLOR_ARRAY: TYPE_COLOR,
	TYPE_PACKED_VECTOR4_ARRAY: TYPE_VECTOR4,
}


## Whether a type is a packed array.
static func has(type: int) -> bool:
	return _ELEMENTS.has(type)


## The declared type of a packed array's elements.
static func element(type: int) -> Dictionary:
	return {"type": _ELEMENTS[type]}


## The declared type of the plain array that holds the same elements.
static func as_array(type: int) -> Dictionary:
	return {
		"type": TYPE_ARRAY, "hint": PROPERTY_HINT_ARRAY_TYPE,
		"hint_string": type_string(_ELEMENTS[type]),
	}


## The index of the first number that the packed array would change silently; -1 when there is none.
static func first_out_of_range(list: Array, type: int) -> int:
	var low: float = -INF
	var high: float = INF
	match type:
		TYPE_PACKED_BYTE_ARRAY:
			low = 0.0
			high = 255.0
		TYPE_PACKED_INT32_ARRAY:
			low = Compound.MIN_INT32
			high = Compound.MAX_INT32
		TYPE_PACKED_FLOAT32_ARRAY:
			low = -Compound.MAX_SINGLE
			high = Compound.MAX_SINGLE
		_:
			return -1
	for index: int in list.size():
		var number: float = list[index]
		if is_finite(number) and (number < low or number > high):
			return index
	return -1


## The list as a typed array of the element type; as it is when the elements have no one type.
static func typed_array(list: Array, of: Dictionary) -> Array:
	var type: int = Spec.type_of(of)
	if type == TYPE_NIL:
		return list
	var script: Script = _script_of(of)
	return Array(list, type, _class_of(of, script), script)


## The dictionary as a typed one; as it is when neither keys nor values have a type.
static func typed_dictionary(map: Dictionary, keys: Dictionary, values: Dictionary) -> Dictionary:
	var key_type: int = Spec.type_of(keys)
	var value_type: int = Spec.type_of(values)
	if key_type == TYPE_NIL and value_type == TYPE_NIL:
		return map
	var key_script: Script = _script_of(keys)
	var value_script: Script = _script_of(values)
	return Dictionary(
		map, key_type, _class_of(keys, key_script), key_script,
		value_type, _class_of(values, value_script), value_script
	)


## The script whose class an element type names; null for an engine class and for anything but
## objects.
static func _script_of(of: Dictionary) -> Script:
	var names: PackedStringArray = Spec.classes(of)[0]
	if Spec.type_of(of) != TYPE_OBJECT or names.size() != 1 or ClassDB.class_exists(names[0]):
		return null
	var entry: Dictionary = Spec.global_class(names[0])
	return null if entry.is_empty() else load(str(entry["path"]))


## The engine class of an element type, as typed containers want it; empty for anything but objects.
static func _class_of(of: Dictionary, script: Script) -> StringName:
	if Spec.type_of(of) != TYPE_OBJECT:
		return &""
	if script != null:
		return script.get_instance_base_type()
	var names: PackedStringArray = Spec.classes(of)[0]
	var known: bool = names.size() == 1 and ClassDB.class_exists(names[0])
	return StringName(names[0]) if known else &"Object"
