extends "./bounds.gd"
## Writes values as callers see them: plain where the declared type decides, tagged elsewhere.
##
## One encoder serves one value. Depth and size are bounded; what is left out is marked
## {"$truncated": …}, which no property takes back. Objects are only ever named.

const Compound = preload("./compound.gd")
const Objects = preload("./objects.gd")
const Packed = preload("./packed.gd")
const Spec = preload("./spec.gd")
const Tags = preload("./tags.gd")

const _OPAQUE: String = "$opaque"
const _BOOKKEEPING: PackedStringArray = [
	"resource_local_to_scene", "resource_path", "resource_name", "script",
]

## The node that node paths are relative to; null: nodes are named only.
var base: Node = null

var _open_resources: Array[Resource] = []


## What the client sees of a value of the declared type.
func encode(value: Variant, declared: Dictionary) -> Variant:
	var type: int = typeof(value)
	var asked: int = Spec.type_of(declared)
	# Some engine properties are declared as one kind of text or list and hold another; the
	# declaration decides all the same.
	if type == asked or (type in Spec.TEXTS and asked in Spec.TEXTS):
		return _plain(value, declared)
	if type == TYPE_ARRAY and Packed.has(asked):
		return _array(value, Packed.as_array(asked))
	return _tagged(value)


## A value whose type the reader knows from the declaration.
func _plain(value: Variant, declared: Dictionary) -> Variant:
	var type: int = typeof(value)
	if Compound.has(type):
		return compound(value, type)
	match type:
		TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH:
			return _text(str(value))
		TYPE_OBJECT:
			return _object(value)
		TYPE_NIL, TYPE_BOOL:
			return value
		TYPE_INT:
			var whole: int = value
			return Tags.show_int(whole)
		TYPE_FLOAT:
			var number: float = value
			return Tags.show_float(number)
		TYPE_ARRAY:
			return _array(value, declared)
		TYPE_DICTIONARY:
			return _dictionary(value, declared)
	return _packed(value) if Packed.has(type) else {_OPAQUE: type_string(type)}


## A value whose type has to be said.
func _tagged(value: Variant) -> Variant:
	var type: int = typeof(value)
	match type:
		TYPE_NIL, TYPE_BOOL, TYPE_INT, TYPE_STRING, TYPE_OBJECT, TYPE_PACKED_BYTE_ARRAY:
			return _plain(value, Spec.ANY)
		TYPE_RID, TYPE_CALLABLE, TYPE_SIGNAL:
			return {_OPAQUE: type_string(type)}
		TYPE_FLOAT:
			return _tagged_float(value)
		TYPE_ARRAY:
			return _array(value, Spec.ANY)
		TYPE_DICTIONARY:
			return _dictionary(value, Spec.ANY)
	var shown: Variant = _plain(value, Spec.ANY)
	if shown is Dictionary:
		return shown
	return {Tags.TYPE: type_string(type), "value": shown}


## A float where nothing says that one is meant: without a fraction it would be read as a whole
## number.
static func _tagged_float(value: Variant) -> Variant:
	var number: float = value
	if is_finite(number) and number == floorf(number):
		return {Tags.FLOAT: number}
	return Tags.show_float(number)


func _text(text: String) -> Variant:
	if text.length() > MAX_TEXT:
		return _cut("String", text.length(), "size")
	return text


## The numbers of a value that is made of a fixed number of them; those that are not finite as tags.
static func compound(value: Variant, type: int) -> Array:
	var parts: Array = Compound.parts(value, type)
	if type in Compound.WHOLE:
		return parts
	for index: int in parts.size():
		var part: float = parts[index]
		if not is_finite(part):
			parts[index] = Tags.show_float(part)
	return parts


func _packed(value: Variant) -> Variant:
	if value is PackedByteArray:
		return _byte_array(value)
	var list: Array = type_convert(value, TYPE_ARRAY)
	if not _take(list.size()):
		return _cut(type_string(typeof(value)), list.size(), "size")
	if value is PackedInt32Array:
		return list
	for index: int in list.size():
		list[index] = _plain(list[index], Spec.ANY)
	return list


func _byte_array(value: Variant) -> Variant:
	var bytes: PackedByteArray = value
	if not _take_bytes(bytes.size()):
		return _cut("PackedByteArray", bytes.size(), "size")
	return {Tags.BYTES: "" if bytes.is_empty() else Marshalls.raw_to_base64(bytes)}


func _array(value: Variant, declared: Dictionary) -> Variant:
	var list: Array = value
	var reason: String = _enter(list, list.size())
	if not reason.is_empty():
		return _cut("Array", list.size(), reason)
	var element: Dictionary = Spec.element(declared)
	var says_type: bool = list.is_typed() and Spec.type_of(element) == TYPE_NIL
	if says_type:
		element = Spec.of_elements(list)
	var shown: Array = []
	for item: Variant in list:
		shown.append(encode(item, element))
	_open_containers.pop_back()
	if says_type:
		return {Tags.TYPE: "Array", "elem": Spec.type_name(element), "value": shown}
	return shown


func _dictionary(value: Variant, declared: Dictionary) -> Variant:
	var map: Dictionary = value
	var reason: String = _enter(map, map.size())
	if not reason.is_empty():
		return _cut("Dictionary", map.size(), reason)
	var types: Array[Dictionary] = Spec.key_and_value(declared)
	var tag: Dictionary = {}
	if Spec.type_name(declared) in ["Variant", "Dictionary"] and map.is_typed():
		types = Spec.of_entries(map)
		tag = {
			Tags.TYPE: "Dictionary", "key": Spec.type_name(types[0]),
			"elem": Spec.type_name(types[1]),
		}
	var shown: Variant = null
	if tag.is_empty() and _has_plain_keys(map, types[0]):
		shown = _by_key(map, types[1])
	else:
		tag.merge({Tags.TYPE: "Dictionary", "value": _pairs(map, types)})
		shown = tag
	_open_containers.pop_back()
	return shown


func _by_key(map: Dictionary, value_type: Dictionary) -> Dictionary:
	var shown: Dictionary = {}
	for key: Variant in map:
		shown[str(key)] = encode(map[key], value_type)
	return shown


func _pairs(map: Dictionary, types: Array[Dictionary]) -> Array:
	var shown: Array = []
	for key: Variant in map:
		shown.append([encode(key, types[0]), encode(map[key], types[1])])
	return shown


## Whether a JSON object can hold the keys: texts, of which none looks like a tag.
static func _has_plain_keys(map: Dictionary, key_type: Dictionary) -> bool:
	var type: int = Spec.type_of(key_type)
	for key: Variant in map:
		if typeof(key) != (TYPE_STRING if type == TYPE_NIL else type):
			return false
		if not (key is String or key is StringName) or str(key).begins_with("$"):
			return false
	return true


func _object(value: Variant) -> Variant:
	if not is_instance_valid(value):
		return null
	var object: Object = value
	if object is Node:
		return _node(object as Node)
	if object is Resource:
		return _resource(object as Resource)
	return {_OPAQUE: Objects.class_of(object)}


func _node(node: Node) -> Dictionary:
	if base != null and (base == node or _top_of(base) == _top_of(node)):
		return {Tags.NODE: str(base.get_path_to(node))}
	return {Tags.NODE: null, "name": str(node.name)}


static func _top_of(node: Node) -> Node:
	var top: Node = node
	while top.get_parent() != null:
		top = top.get_parent()
	return top


## A resource by class and path; one that lives inside the scene, or nowhere yet, also with its
## properties.
func _resource(resource: Resource) -> Dictionary:
	var path: String = resource.resource_path
	var shown: Dictionary = {Tags.RESOURCE: Objects.class_of(resource), "path": null}
	if not path.is_empty():
		shown["path"] = path
	if not path.is_empty() and not path.contains("::"):
		return shown
	if _open_resources.size() >= MAX_RESOURCE_DEPTH or resource in _open_resources:
		return shown
	var outside: Array[int] = [_items, _bytes]
	_items = mini(_items, MAX_RESOURCE_ITEMS)
	_bytes = mini(_bytes, MAX_RESOURCE_BYTES)
	_open_resources.append(resource)
	shown["properties"] = _properties(resource)
	_open_resources.pop_back()
	_items = outside[0] - 1
	_bytes = outside[1]
	return shown


## What the resource's own class or script declares, and of the rest what is not at its default.
func _properties(resource: Resource) -> Dictionary:
	var shown: Dictionary = {}
	var own: bool = false
	for declared: Dictionary in resource.get_property_list():
		var usage: int = declared["usage"]
		var name: String = declared["name"]
		if usage & PROPERTY_USAGE_CATEGORY != 0:
			own = name == resource.get_class() or not ClassDB.class_exists(name)
		if usage & PROPERTY_USAGE_STORAGE == 0 or name in _BOOKKEEPING:
			continue
		var value: Variant = resource.get(name)
		if own or not _is_default(resource, name, value):
			shown[name] = encode(value, declared)
	return shown


static func _is_default(resource: Resource, name: String, value: Variant) -> bool:
	var usual: Variant = ClassDB.class_get_property_default_value(resource.get_class(), name)
	return typeof(usual) == typeof(value) and usual == value
