extends RefCounted
## Whether two values are the same in type and to the last bit, containers at every depth. This is
## what decides that a call has nothing to do: where anything may stand, 1 and 1.0 are two values.

const Spec = preload("./spec.gd")

const _MAYBE_NULL: Array[int] = [TYPE_NIL, TYPE_OBJECT]


## Whether a value that is there already is the one that the declared type asks for: identical where
## the declaration leaves the type open, and else as exactly as the engine can store it.
static func already(asked: Variant, found: Variant, declared: Dictionary) -> bool:
	var type: int = Spec.type_of(declared)
	if type == TYPE_ARRAY and typeof(asked) == type and typeof(found) == type:
		return _already_list(asked, found, declared)
	if type == TYPE_DICTIONARY and typeof(asked) == type and typeof(found) == type:
		return _already_map(asked, found, declared)
	if type == TYPE_FLOAT and asked is float and found is float:
		var number: float = asked
		# Most engine properties hold single precision.
		return of(asked, found) or of(Vector2(number, 0.0).x, found)
	# A placeholder can hold a plain array for a packed one.
	if type > TYPE_ARRAY and typeof(asked) == type and found is Array:
		return of(asked, type_convert(found, type))
	# The engine declares some properties as one kind of text and holds another.
	if type in Spec.TEXTS and typeof(asked) in Spec.TEXTS and typeof(found) in Spec.TEXTS:
		return str(asked) == str(found)
	return of(asked, found)


## Whether two values are identical. Dictionaries are in the same order too; objects are the same
## one.
static func of(a: Variant, b: Variant) -> bool:
	var type: int = typeof(a)
	if type != typeof(b):
		# A property without an object is null, or an object that is none. Most other pairs of types
		# have no == at all.
		return type in _MAYBE_NULL and typeof(b) in _MAYBE_NULL and a == b
	match type:
		TYPE_ARRAY:
			var left: Array = a
			var right: Array = b
			return left.is_same_typed(right) and _lists(left, right, of)
		TYPE_DICTIONARY:
			var left: Dictionary = a
			var right: Dictionary = b
			return left.is_same_typed(right) and _maps(left, right, of, of)
		TYPE_FLOAT:
			var left: float = a
			var right: float = b
			if is_nan(left) and is_nan(right):
				return true
		TYPE_OBJECT, TYPE_RID, TYPE_CALLABLE, TYPE_SIGNAL:
			return a == b
	# Equal values can still differ (0.0 and -0.0).
	return var_to_bytes(a) == var_to_bytes(b)


static func _already_list(asked: Variant, found: Variant, declared: Dictionary) -> bool:
	var element: Dictionary = Spec.element(declared)
	if Spec.type_of(element) == TYPE_NIL:
		return of(asked, found)
	var left: Array = asked
	var right: Array = found
	return _lists(left, right, already.bind(element))


static func _already_map(asked: Variant, found: Variant, declared: Dictionary) -> bool:
	var types: Array[Dictionary] = Spec.key_and_value(declared)
	if Spec.type_of(types[0]) == TYPE_NIL and Spec.type_of(types[1]) == TYPE_NIL:
		return of(asked, found)
	var left: Dictionary = asked
	var right: Dictionary = found
	return _maps(left, right, already.bind(types[0]), already.bind(types[1]))


static func _lists(left: Array, right: Array, equal: Callable) -> bool:
	if left.size() != right.size():
		return false
	for index: int in left.size():
		if not equal.call(left[index], right[index]):
			return false
	return true


static func _maps(left: Dictionary, right: Dictionary, keys: Callable, values: Callable) -> bool:
	return _lists(left.keys(), right.keys(), keys) and _lists(left.values(), right.values(), values)
