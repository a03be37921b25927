extends RefCounted
## Whether a property holds what was asked of it, as exactly as it can store it.

const Compound = preload("./compound.gd")
const Identical = preload("./identical.gd")
const Spec = preload("./spec.gd")

## How far apart two single-precision numbers may be when a setter or getter turned one into another
## unit (degrees into radians and back): a few units in the last place.
const _STORED_TOLERANCE: float = 5e-7
## How far apart they may be when the engine computes the property from others (global_position from
## the parents', whose size is not known here): relative to the value, or to one.
const _COMPUTED_TOLERANCE: float = 1e-4


## Whether a property that was set to asked kept it, now that it reads as found. NaN is NaN, texts
## are compared as text, numbers as numbers, lists and dictionaries by what is in them whether typed
## or not, objects by identity, floats at the precision in which they are stored. Where anything may
## stand nothing converts values: there they are identical.
static func same(asked: Variant, found: Variant, declared: Dictionary) -> bool:
	if Spec.type_of(declared) == TYPE_NIL:
		return Identical.of(asked, found)
	var usage: int = declared.get("usage", PROPERTY_USAGE_STORAGE)
	var computed: bool = usage & PROPERTY_USAGE_STORAGE == 0
	return _same(asked, found, _COMPUTED_TOLERANCE if computed else _STORED_TOLERANCE)


static func _same(asked: Variant, found: Variant, tolerance: float) -> bool:
	var type: int = typeof(asked)
	var other: int = typeof(found)
	if type in Spec.TEXTS and other in Spec.TEXTS:
		return str(asked) == str(found)
	if (type == TYPE_FLOAT or type == TYPE_INT) and (other == TYPE_FLOAT or other == TYPE_INT):
		if type == TYPE_INT and other == TYPE_INT:
			return asked == found
		return _same_float(_float(asked), _float(found), tolerance)
	if Compound.has(type) and type == other:
		return asked == found or _same_parts(asked, found, tolerance)
	if type == other and asked == found:
		return true
	if type >= TYPE_ARRAY and other >= TYPE_ARRAY:
		return _same_lists(asked, found, tolerance)
	if type == TYPE_DICTIONARY and other == TYPE_DICTIONARY:
		return _same_maps(asked, found, tolerance)
	if type == TYPE_OBJECT or other == TYPE_OBJECT:
		return is_same(asked, found) or (asked == null and found == null)
	return false


static func _float(value: Variant) -> float:
	return type_convert(value, TYPE_FLOAT)


static func _same_float(asked: float, found: float, tolerance: float) -> bool:
	if asked == found or (is_nan(asked) and is_nan(found)):
		return true
	if not is_finite(asked) or not is_finite(found):
		return false
	if _single(found) != found:
		return false
	var floor_of_scale: float = 1.0 if tolerance == _COMPUTED_TOLERANCE else 0.0
	return absf(asked - found) <= tolerance * maxf(floor_of_scale, maxf(absf(asked), absf(found)))


## Numbers of one value are compared on the scale of the largest: that is how the errors of a
## rotation spread.
static func _same_parts(asked: Variant, found: Variant, tolerance: float) -> bool:
	var left: Array = Compound.parts(asked, typeof(asked))
	var right: Array = Compound.parts(found, typeof(found))
	var scale: float = 1.0 if tolerance == _COMPUTED_TOLERANCE else 0.0
	for number: Variant in left:
		scale = maxf(scale, absf(_float(number)) if is_finite(_float(number)) else 0.0)
	for index: int in left.size():
		var a: float = _float(left[index])
		var b: float = _float(right[index])
		if a == b or (is_nan(a) and is_nan(b)):
			continue
		if not is_finite(a) or not is_finite(b) or absf(a - b) > tolerance * scale:
			return false
	return true


static func _same_lists(asked: Variant, found: Variant, tolerance: float) -> bool:
	var left: Array = type_convert(asked, TYPE_ARRAY)
	var right: Array = type_convert(found, TYPE_ARRAY)
	if left.size() != right.size():
		return false
	for index: int in left.size():
		if not _same(left[index], right[index], tolerance):
			return false
	return true


static func _same_maps(asked: Variant, found: Variant, tolerance: float) -> bool:
	var left: Dictionary = asked
	var right: Dictionary = found
	if left.size() != right.size():
		return false
	for key: Variant in left:
		if not right.has(key) or not _same(left[key], right[key], tolerance):
			return false
	return true


## The nearest single-precision number.
static func _single(value: float) -> float:
	return Vector2(value, 0.0).x
