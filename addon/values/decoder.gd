extends "./scalars.gd"
## Turns one value from the wire into what the declared type asks for, or says why it does not fit.
##
## One decoder serves one value. After a failure every function gives null, and code, message and
## details say why.

const Objects = preload("./objects.gd")
const Packed = preload("./packed.gd")
const Place = preload("./place.gd")

const _NUMBER_TYPES: Array[int] = [TYPE_BOOL, TYPE_INT, TYPE_FLOAT]

## Where node paths start; null: nodes cannot be named.
var place: Place = null


## The value in the declared type.
func decode(wire: Variant, declared: Dictionary) -> Variant:
	_property = str(declared.get("name", ""))
	var native: Variant = JSON.to_native(wire)
	if native == null and wire != null:
		return _fail(Protocol.CODE_BRIDGE_PROTOCOL_ERROR, "the value is not in wire form", {})
	return _convert(native, declared)


func _convert(value: Variant, declared: Dictionary) -> Variant:
	if value is Dictionary:
		var map: Dictionary = value
		var tag: String = Tags.kind_of(map)
		if not tag.is_empty():
			return _tagged(map, tag, declared)
	return _plain(value, declared)


func _plain(value: Variant, declared: Dictionary) -> Variant:
	var type: int = Spec.type_of(declared)
	match type:
		TYPE_NIL:
			return _untyped(value)
		TYPE_BOOL:
			return _bool(value, declared)
		TYPE_INT:
			return _int(value, declared)
		TYPE_FLOAT:
			return _float(value, declared)
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			return _text(value, declared)
		TYPE_OBJECT:
			return _object(value, declared)
		TYPE_ARRAY:
			return _array(value, declared)
		TYPE_DICTIONARY:
			return _dictionary(value, declared)
	if Compound.has(type):
		return _compound(value, declared)
	if Packed.has(type):
		return _packed(value, declared)
	return _refuse(value, declared, {"reason": "type_not_writable"})


func _tagged(map: Dictionary, tag: String, declared: Dictionary) -> Variant:
	match tag:
		Tags.FLOAT, Tags.INT:
			var number: Variant = Tags.number(map)
			if number == null:
				return _refuse(map, declared, {"reason": "bad_tag"})
			return _plain(number, declared)
		Tags.BYTES:
			return _bytes(map, declared)
		Tags.TYPE:
			return _typed(map, declared)
		Tags.NODE:
			return _node(map, declared)
		Tags.RESOURCE:
			return _resource(map, declared)
	return _refuse(map, declared, {"reason": "unknown_tag"})


## {"$type": …}: the named type decides how the value is read; the result must then fit the declared
## type.
func _typed(map: Dictionary, declared: Dictionary) -> Variant:
	var named: Dictionary = Spec.of_tag(map)
	if named.is_empty():
		return _refuse(map, declared, {"reason": "unknown_type"})
	var type: int = Spec.type_of(named)
	var asked: int = Spec.type_of(declared)
	if asked == type and not map.has("elem") and not map.has("key"):
		named = declared
	elif not _may_stand_for(named, declared):
		return _refuse(map, declared)
	var content: Variant = map["value"]
	if type == TYPE_DICTIONARY and content is Array:
		var pairs: Array = content
		return _pairs(pairs, named)
	var made: Variant = _convert(content, named)
	if failed() or asked == type or asked == TYPE_NIL:
		return made
	if asked in Spec.TEXTS or asked == TYPE_ARRAY:
		return type_convert(made, asked)
	return _plain(made, declared)


## Whether a value of a named type may go where another type is declared: texts for texts, numbers
## for numbers, and packed arrays where any list will do.
static func _may_stand_for(named: Dictionary, declared: Dictionary) -> bool:
	var type: int = Spec.type_of(named)
	var asked: int = Spec.type_of(declared)
	if asked == TYPE_NIL or (type in Spec.TEXTS and asked in Spec.TEXTS):
		return true
	if type in _NUMBER_TYPES and asked in _NUMBER_TYPES:
		return true
	var asked_name: String = Spec.type_name(declared)
	if Packed.has(type) and asked_name == "Array":
		return true
	return type == asked and asked_name in [type_string(asked), Spec.type_name(named)]


## A place that takes anything: numbers keep their kind, objects become dictionaries, tags are read
## at any depth.
func _untyped(value: Variant) -> Variant:
	if value is Array:
		return _array(value, Spec.ANY)
	if value is Dictionary:
		return _dictionary(value, Spec.ANY)
	return value


func _array(value: Variant, declared: Dictionary) -> Variant:
	if not value is Array:
		return _refuse(value, declared)
	var list: Array = value
	var element: Dictionary = Spec.element(declared)
	var found: Array = []
	for item: Variant in list:
		found.append(_convert(item, element))
		if failed():
			return _inside(found.size() - 1)
	return Packed.typed_array(found, element)


func _packed(value: Variant, declared: Dictionary) -> Variant:
	if not value is Array:
		return _refuse(value, declared)
	var list: Array = value
	var type: int = Spec.type_of(declared)
	var element: Dictionary = Spec.packed_element(declared)
	var plain: bool = element.is_empty()
	if plain:
		element = Packed.element(type)
	var wanted: int = Spec.type_of(element)
	plain = plain and wanted in [TYPE_FLOAT, TYPE_INT, TYPE_STRING]
	var found: Array = []
	for item: Variant in list:
		found.append(item if plain and typeof(item) == wanted else _convert(item, element))
		if failed():
			return _inside(found.size() - 1)
	var bad: int = Packed.first_out_of_range(found, type)
	if bad >= 0:
		var _refused: Variant = _refuse(found[bad], element, {"reason": "out_of_range"})
		return _inside(bad)
	return type_convert(found, type)


func _dictionary(value: Variant, declared: Dictionary) -> Variant:
	if not value is Dictionary:
		return _refuse(value, declared)
	var map: Dictionary = value
	var pairs: Array = []
	for key: Variant in map:
		pairs.append([key, map[key]])
	return _pairs(pairs, declared)


## A dictionary as a list of [key, value], the form for keys that are not texts.
func _pairs(pairs: Array, declared: Dictionary) -> Variant:
	var types: Array[Dictionary] = Spec.key_and_value(declared)
	var found: Dictionary = {}
	for entry: Variant in pairs:
		if not entry is Array or _size_of(entry) != 2:
			return _refuse(entry, declared, {"reason": "not_a_pair"})
		var pair: Array = entry
		var raw_key: Variant = pair[0]
		var key: Variant = _convert(_key(raw_key, types[0]), types[0])
		if not failed() and found.has(key):
			return _refuse(raw_key, declared, {"reason": "duplicate_key"})
		found[key] = _convert(pair[1], types[1])
		if failed():
			return _inside(raw_key)
	return Packed.typed_dictionary(found, types[0], types[1])


## JSON has only texts as keys: where whole numbers are declared, a text of digits is one.
static func _key(key: Variant, declared: Dictionary) -> Variant:
	if key is String and Spec.type_of(declared) == TYPE_INT and str(str(key).to_int()) == key:
		return str(key).to_int()
	return key


func _bytes(map: Dictionary, declared: Dictionary) -> Variant:
	var asked: int = Spec.type_of(declared)
	var text: Variant = map[Tags.BYTES]
	if not text is String or not asked in [TYPE_NIL, TYPE_PACKED_BYTE_ARRAY]:
		return _refuse(map, declared)
	if text == "":
		return PackedByteArray()
	var form: RegEx = RegEx.create_from_string("^[A-Za-z0-9+/]+={0,2}$")
	if str(text).length() % 4 == 0 and form.search(str(text)) != null:
		var bytes: PackedByteArray = Marshalls.base64_to_raw(str(text))
		if not bytes.is_empty() and Marshalls.raw_to_base64(bytes) == text:
			return bytes
	return _refuse(map, declared, {"reason": "not_base64"})


## null, a resource path, or the path of a node, by what the property holds.
func _object(value: Variant, declared: Dictionary) -> Variant:
	if value == null:
		return null
	if value is String:
		if Spec.is_node(declared):
			return _taken(Objects.node_at(str(value), place, declared), value, declared)
		if str(value).begins_with("res://") or str(value).begins_with("uid://"):
			return _taken(Objects.resource_at(str(value), declared), value, declared)
	return _refuse(value, declared)


func _node(map: Dictionary, declared: Dictionary) -> Variant:
	var asked: int = Spec.type_of(declared)
	var path: Variant = map[Tags.NODE]
	if not path is String or not asked in [TYPE_NIL, TYPE_OBJECT, TYPE_NODE_PATH]:
		return _refuse(map, declared)
	var kind: Dictionary = Spec.ANY if asked == TYPE_NODE_PATH else declared
	var node: Variant = _taken(Objects.node_at(str(path), place, kind), path, declared)
	return NodePath(str(path)) if asked == TYPE_NODE_PATH and not failed() else node


## {"$resource": "res://…"}, or the form in which resources are read: {"$resource": class, "path":
## "res://…"}.
func _resource(map: Dictionary, declared: Dictionary) -> Variant:
	var named_by: Variant = map.get("path", map[Tags.RESOURCE])
	if named_by == null:
		return _refuse(map, declared, {"reason": "inline_resource"})
	if not named_by is String or not Spec.type_of(declared) in [TYPE_NIL, TYPE_OBJECT]:
		return _refuse(map, declared)
	return _taken(Objects.resource_at(str(named_by), declared), named_by, declared)


## The object that was found, or the failure to find it.
func _taken(outcome: Dictionary, asked: Variant, declared: Dictionary) -> Variant:
	if outcome.has("value"):
		return outcome["value"]
	var facts: Dictionary = outcome["details"]
	facts.merge({"expected": Spec.type_name(declared), "got": _shown(asked)})
	return _fail(str(outcome["code"]), str(outcome["message"]), facts)
