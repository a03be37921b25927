extends "./refusal.gd"
## The part of the decoder for values without parts of their own: numbers, texts, choices, vectors
## and their kin.

const Choices = preload("./choices.gd")
const Compound = preload("./compound.gd")
const Tags = preload("./tags.gd")
const Text = preload("./text.gd")

## From here on a float is no longer a 64-bit integer.
const _INT_LIMIT: float = 9223372036854775808.0


## true and false; 0 and 1 stand for them too. Texts do not.
func _bool(value: Variant, declared: Dictionary) -> Variant:
	if value is bool:
		return value
	if value is int and (value == 0 or value == 1):
		return value == 1
	return _refuse(value, declared)


func _int(value: Variant, declared: Dictionary) -> Variant:
	if Spec.is_flags(declared):
		return _flags(value, declared)
	var whole: Variant = _whole(value)
	if not Spec.is_enum(declared):
		var bad: bool = whole == null or (whole < 0 and Spec.is_count(declared))
		return _refuse(value, declared) if bad else whole
	var known: Dictionary[String, int] = Choices.options(declared)
	if value is String:
		whole = Choices.number_of(str(value), known)
	if whole == null or not Choices.is_allowed(whole, known, declared):
		return _refuse(value, declared, {"allowed": known.keys()})
	return whole


## Flags are a number, a name, or a list of names.
func _flags(value: Variant, declared: Dictionary) -> Variant:
	var known: Dictionary[String, int] = Choices.options(declared)
	var names: Array = [value]
	if value is Array:
		names = value
	var bits: int = 0
	for name: Variant in names:
		var bit: Variant = _whole(value)
		if name is String:
			bit = Choices.number_of(str(name), known)
		if bit == null:
			return _refuse(name, declared, {"allowed": known.keys()})
		bits |= type_convert(bit, TYPE_INT)
	if bits & ~Choices.mask_of(known, declared) != 0:
		return _refuse(value, declared, {"allowed": known.keys()})
	return bits


func _float(value: Variant, declared: Dictionary) -> Variant:
	if value is int or value is float:
		return type_convert(value, TYPE_FLOAT)
	return _refuse(value, declared)


## Only text becomes text. A script's own list of texts is complete, also for the elements of its
## lists; the engine's can be out of date within one call (the animations of frames that are only
## being set), so there the engine itself decides and read-back tells.
func _text(value: Variant, declared: Dictionary) -> Variant:
	if not value is String:
		return _refuse(value, declared)
	if Spec.is_enum(declared) and Spec.is_of_script(declared):
		var known: Dictionary[String, int] = Choices.options(declared)
		if not known.has(str(value)):
			return _refuse(value, declared, {"allowed": known.keys()})
	return type_convert(value, Spec.type_of(declared))


## Numbers in a list, in an object by field, or in a text such as "(1, 2)"; colours also by name.
func _compound(value: Variant, declared: Dictionary) -> Variant:
	var type: int = Spec.type_of(declared)
	if value is String and type == TYPE_COLOR:
		var colour: Variant = Text.colour(str(value))
		if colour != null:
			return colour
	var numbers: PackedFloat64Array = _numbers(value, type)
	var fault: String = Compound.fault(numbers, type)
	if not fault.is_empty():
		return _refuse(value, declared, {"reason": fault, "numbers": Compound.COUNTS[type]})
	return Compound.build(numbers, type)


## Empty when the value gives no numbers.
static func _numbers(value: Variant, type: int) -> PackedFloat64Array:
	if value is String:
		return Text.numbers(str(value), type)
	var list: Array = []
	if value is Array:
		list = value
	elif value is Dictionary:
		var map: Dictionary = value
		list = Compound.from_fields(map, type)
	var found: PackedFloat64Array = []
	for item: Variant in list:
		var number: Variant = item if item is float or item is int else Tags.number(item)
		if number == null:
			return []
		var exact: float = number
		var _full: bool = found.append(exact)
	return found


## The whole number that a value is, also as a float without a fraction; null for anything else.
static func _whole(value: Variant) -> Variant:
	if value is int:
		return value
	if not value is float:
		return null
	var number: float = value
	if number != floorf(number) or number >= _INT_LIMIT or number < -_INT_LIMIT:
		return null
	return int(number)
