extends RefCounted
## Reads declared types: the dictionaries of Object.get_property_list(), and the types of elements
## inside them.
##
## A declared type is a dictionary with type, class_name, hint and hint_string. Element types come
## out of the hint string, in which the engine writes "Vector2", "24/17:Texture2D" or "2/2:A:0,B:5".

## An untyped place.
const ANY: Dictionary = {"type": TYPE_NIL}
## The types that are texts.
const TEXTS: Array[int] = [TYPE_STRING, TYPE_STRING_NAME, TYPE_NODE_PATH]
## Types that no value from outside can have.
const CLOSED: Array[int] = [TYPE_OBJECT, TYPE_RID, TYPE_CALLABLE, TYPE_SIGNAL]

const _TYPED_HINTS: Array[int] = [
	PROPERTY_HINT_TYPE_STRING, PROPERTY_HINT_ARRAY_TYPE, PROPERTY_HINT_DICTIONARY_TYPE,
	PROPERTY_HINT_RESOURCE_TYPE,
]
const _FLAG_HINTS: Array[int] = [
	PROPERTY_HINT_FLAGS, PROPERTY_HINT_LAYERS_2D_RENDER, PROPERTY_HINT_LAYERS_2D_PHYSICS,
	PROPERTY_HINT_LAYERS_2D_NAVIGATION, PROPERTY_HINT_LAYERS_3D_RENDER,
	PROPERTY_HINT_LAYERS_3D_PHYSICS, PROPERTY_HINT_LAYERS_3D_NAVIGATION,
	PROPERTY_HINT_LAYERS_AVOIDANCE,
]


## The Variant type of a declared type.
static func type_of(declared: Dictionary) -> int:
	return declared.get("type", TYPE_NIL)


## The hint of a declared type.
static func hint_of(declared: Dictionary) -> int:
	return declared.get("hint", PROPERTY_HINT_NONE)


## The hint string of a declared type.
static func hint_text(declared: Dictionary) -> String:
	return str(declared.get("hint_string", ""))


## Whether only some whole numbers, or some texts, are meant.
static func is_enum(declared: Dictionary) -> bool:
	return hint_of(declared) == PROPERTY_HINT_ENUM and not hint_text(declared).is_empty()


## Whether a whole number is a set of bits with names.
static func is_flags(declared: Dictionary) -> bool:
	return type_of(declared) == TYPE_INT and hint_of(declared) in _FLAG_HINTS


## Whether the number is how many items a list has.
static func is_count(declared: Dictionary) -> bool:
	var usage: int = declared.get("usage", 0)
	return usage & PROPERTY_USAGE_ARRAY != 0


## Whether a script declares the property.
static func is_of_script(declared: Dictionary) -> bool:
	var usage: int = declared.get("usage", 0)
	return usage & PROPERTY_USAGE_SCRIPT_VARIABLE != 0


## The declared type of an array's elements.
static func element(declared: Dictionary) -> Dictionary:
	if type_of(declared) != TYPE_ARRAY or not hint_of(declared) in _TYPED_HINTS:
		return ANY
	return _within(declared, hint_text(declared))


## The declared type of a packed array's elements where the array is declared as one of enums or
## flags; empty: it is not.
static func packed_element(declared: Dictionary) -> Dictionary:
	if hint_of(declared) != PROPERTY_HINT_TYPE_STRING:
		return {}
	var found: Dictionary = _within(declared, hint_text(declared))
	return found if is_enum(found) or is_flags(found) else {}


## The declared types of a dictionary's keys and values.
static func key_and_value(declared: Dictionary) -> Array[Dictionary]:
	if type_of(declared) == TYPE_DICTIONARY and hint_of(declared) in _TYPED_HINTS:
		var parts: PackedStringArray = hint_text(declared).split(";")
		if parts.size() == 2:
			return [_within(declared, parts[0]), _within(declared, parts[1])]
	return [ANY, ANY]


## The classes that an object property takes; the second list names subclasses that it does not.
static func classes(declared: Dictionary) -> Array[PackedStringArray]:
	var taken: PackedStringArray = []
	var left_out: PackedStringArray = []
	var hinted: bool = hint_of(declared) in [PROPERTY_HINT_RESOURCE_TYPE, PROPERTY_HINT_NODE_TYPE]
	var names: String = hint_text(declared) if hinted else ""
	if names.is_empty():
		names = str(declared.get("class_name", ""))
	for part: String in names.split(",", false):
		var name: String = part.strip_edges()
		if name.begins_with("-"):
			var _full: bool = left_out.append(name.substr(1))
		else:
			var _full: bool = taken.append(name)
	return [taken, left_out]


## Whether an object property holds a node.
static func is_node(declared: Dictionary) -> bool:
	if hint_of(declared) == PROPERTY_HINT_NODE_TYPE:
		return true
	var names: PackedStringArray = classes(declared)[0]
	return not names.is_empty() and ClassDB.is_parent_class(native_base(names[0]), "Node")


## The declared type that a name stands for: a Variant type, a class, or a global script class.
## Empty: none.
static func named(name: String) -> Dictionary:
	if name == "Variant":
		return ANY
	for type: int in range(TYPE_BOOL, TYPE_MAX):
		if type != TYPE_OBJECT and type_string(type) == name:
			return {"type": type}
	var native: String = native_base(name)
	if native.is_empty():
		return {}
	return of_class(name, native)


## The declared type of objects of a class whose engine class is native.
static func of_class(name: String, native: String) -> Dictionary:
	var hint: int = PROPERTY_HINT_NONE
	if ClassDB.is_parent_class(native, "Node"):
		hint = PROPERTY_HINT_NODE_TYPE
	elif ClassDB.is_parent_class(native, "Resource"):
		hint = PROPERTY_HINT_RESOURCE_TYPE
	return {"type": TYPE_OBJECT, "class_name": name, "hint": hint, "hint_string": name}


## The engine class that a class is or extends; empty when there is no such class.
static func native_base(name: String) -> String:
	if ClassDB.class_exists(name):
		return name
	var entry: Dictionary = global_class(name)
	if entry.is_empty():
		return ""
	var base: String = entry["base"]
	return native_base(base) if base != name else ""


## The project's entry for a global script class; empty when there is none.
static func global_class(name: String) -> Dictionary:
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if str(entry["class"]) == name:
			return entry
	return {}


## The declared type in words.
static func type_name(declared: Dictionary) -> String:
	var type: int = type_of(declared)
	match type:
		TYPE_INT:
			return _int_name(declared)
		TYPE_OBJECT:
			var names: PackedStringArray = classes(declared)[0]
			return "Object" if names.is_empty() else " or ".join(names)
		TYPE_NIL:
			return "Variant"
		TYPE_ARRAY:
			var of: Dictionary = element(declared)
			return "Array" if type_of(of) == TYPE_NIL else "Array[%s]" % type_name(of)
		TYPE_DICTIONARY:
			var pair: Array[Dictionary] = key_and_value(declared)
			if type_of(pair[0]) == TYPE_NIL and type_of(pair[1]) == TYPE_NIL:
				return "Dictionary"
			return "Dictionary[%s, %s]" % [type_name(pair[0]), type_name(pair[1])]
	return type_string(type)


static func _int_name(declared: Dictionary) -> String:
	if hint_of(declared) == PROPERTY_HINT_NONE:
		return "int"
	if is_enum(declared):
		return "enum"
	return "flags" if is_flags(declared) else "int"


## The declared type of a {"$type": …} tag; empty when it names none that can be written.
static func of_tag(tag: Dictionary) -> Dictionary:
	var declared: Dictionary = named(str(tag["$type"]))
	var type: int = type_of(declared)
	if declared.is_empty() or type in CLOSED or type == TYPE_NIL:
		return {}
	if not tag.has("elem") and not tag.has("key"):
		return declared
	var elem: String = str(tag.get("elem", "Variant"))
	var key: String = str(tag.get("key", "Variant"))
	if named(elem).is_empty() or named(key).is_empty():
		return {}
	if type == TYPE_ARRAY and not tag.has("key"):
		declared.merge({"hint": PROPERTY_HINT_ARRAY_TYPE, "hint_string": elem})
	elif type == TYPE_DICTIONARY:
		declared.merge({"hint": PROPERTY_HINT_DICTIONARY_TYPE, "hint_string": key + ";" + elem})
	else:
		return {}
	return declared


## The element type of a typed array itself.
static func of_elements(list: Array) -> Dictionary:
	return _of(list.get_typed_builtin(), list.get_typed_class_name(), list.get_typed_script())


## The key and value types of a typed dictionary itself.
static func of_entries(map: Dictionary) -> Array[Dictionary]:
	var keys: Dictionary = _of(
		map.get_typed_key_builtin(), map.get_typed_key_class_name(), map.get_typed_key_script()
	)
	var values: Dictionary = _of(
		map.get_typed_value_builtin(), map.get_typed_value_class_name(),
		map.get_typed_value_script()
	)
	return [keys, values]


static func _of(type: int, native: StringName, script: Variant) -> Dictionary:
	if type != TYPE_OBJECT:
		return {"type": type}
	var named_by: Script = script
	if named_by == null:
		return of_class(str(native), str(native))
	var name: String = str(named_by.get_global_name())
	return of_class(named_by.resource_path if name.is_empty() else name, str(native))


# An element type inside a declared one, which may be a script's.
static func _within(declared: Dictionary, text: String) -> Dictionary:
	var found: Dictionary = _coded(text)
	if is_enum(found) and is_of_script(declared):
		found["usage"] = PROPERTY_USAGE_SCRIPT_VARIABLE
	return found


## An element type as hint strings write it.
static func _coded(text: String) -> Dictionary:
	var colon: int = text.find(":")
	var codes: PackedStringArray = text.left(colon).split("/")
	if colon < 0 or not codes[0].is_valid_int():
		var by_name: Dictionary = named(text)
		return ANY if by_name.is_empty() else by_name
	var hint: int = codes[1].to_int() if codes.size() > 1 else 0
	var rest: String = text.substr(colon + 1)
	return {
		"type": codes[0].to_int(), "class_name": rest if codes[0].to_int() == TYPE_OBJECT else "",
		"hint": hint, "hint_string": rest,
	}
