extends RefCounted
## The property lists of objects. Asking the engine costs 0.4 to 0.9 ms, so each object's list is
## kept until the object says that it changed.

const DockRow = preload("./dock_row.gd")
const OwnHints = preload("./values/own_hints.gd")
const ScriptCheck = preload("./script_check.gd")
const Values = preload("./values.gd")

const MAX_KEPT: int = 512
const DESCRIPTION: StringName = &"editor_description"
const METADATA: String = "metadata/"


## What one object has.
class Listing:
	extends RefCounted
	## The property dictionaries by name, as get_property_list() gives them; groups and categories
	## left out.
	var info: Dictionary[StringName, Dictionary] = {}
	## The properties that files keep, in the order of the list.
	var stored: Array[StringName] = []
	## What the list was made for; another script or parent makes it stale.
	var script_id: int = 0
	## A Control's list depends on its parent.
	var parent_id: int = 0
	## The properties that were found to be settable. Finding that out costs some 5 µs.
	var settable: Dictionary[StringName, bool] = {}

	## Values in the order of the stored properties, by name.
	func by_name(values: Array) -> Dictionary[StringName, Variant]:
		var out: Dictionary[StringName, Variant] = {}
		for index: int in values.size():
			out[stored[index]] = values[index]
		return out


var _kept: Dictionary[int, Listing] = {}
# What _script_id gave in this frame, by the script.
var _ids: Dictionary[int, int] = {}
var _ids_frame: int = -1


## The list of an object, from memory when it is still true.
func of(object: Object) -> Listing:
	var id: int = object.get_instance_id()
	var kept: Listing = _kept.get(id)
	if kept == null:
		return _list(object)
	if kept.script_id == _script_id(object) and kept.parent_id == _parent_id(object):
		return kept
	forget(id)
	return _list(object)


## The property dictionary of one property; empty when the object has no such property.
func info(object: Object, property: StringName) -> Dictionary:
	return of(object).info.get(property, {})


## The values of all stored properties, by name.
func snapshot(object: Object) -> Dictionary[StringName, Variant]:
	var listing: Listing = of(object)
	return listing.by_name(stored_values(object, listing))


## The values of all stored properties, in the order of the list. Containers are copied, so that
## later changes in place do not reach them.
static func stored_values(object: Object, listing: Listing) -> Array:
	var values: Array = []
	for property: StringName in listing.stored:
		# A Callable of this method would be the script's own get, or a value of that name.
		var value: Variant = object.get(property)
		# Called some hundred times for each edit: the test of copy() stands here to spare the call.
		values.append(value if typeof(value) < TYPE_DICTIONARY else copy(value))
	return values


## One property as replies show it: type, value, and the name of an enum's value.
static func shown(value: Variant, declared: Dictionary, base: Node) -> Dictionary:
	var out: Dictionary = {
		"type": Values.type_name(declared),
		"value": Values.encode(value, declared, base),
	}
	var name: String = Values.enum_name(value, declared)
	if not name.is_empty():
		out["enum_name"] = name
	return out


## Sets a property. Metadata that is set to null is gone (by its property name it would stay,
## holding null).
static func write(object: Object, property: StringName, value: Variant) -> void:
	if is_metadata(property):
		object.set_meta(metadata_key(property), copy(value))
		return
	if property == DESCRIPTION and object is Node:
		DockRow.untie(object as Node)
	object.set(property, copy(value))


## The declaration of a metadata entry, whether it is there or not.
static func untyped(property: StringName) -> Dictionary:
	return {
		"name": property, "class_name": &"", "type": TYPE_NIL, "hint": PROPERTY_HINT_NONE,
		"hint_string": "", "usage": PROPERTY_USAGE_DEFAULT,
	}


## True for the property form of a metadata entry.
static func is_metadata(property: StringName) -> bool:
	return property.begins_with(METADATA)


## The metadata entry's own name.
static func metadata_key(property: StringName) -> StringName:
	return property.trim_prefix(METADATA)


## A value that does not change when its owner changes its own in place: containers are copied, to
## any depth.
static func copy(value: Variant) -> Variant:
	if typeof(value) < TYPE_DICTIONARY:
		return value
	return [value].duplicate(true)[0]


## Drops what is known about an object.
func forget(id: int) -> void:
	var _known: bool = _kept.erase(id)
	var object: Object = instance_from_id(id) if is_instance_id_valid(id) else null
	if object != null and object.property_list_changed.is_connected(forget.bind(id)):
		object.property_list_changed.disconnect(forget.bind(id))


## Drops everything, and every connection made for it.
func clear() -> void:
	for id: int in _kept.keys():
		forget(id)


func _list(object: Object) -> Listing:
	if _kept.size() >= MAX_KEPT:
		clear()
	var id: int = object.get_instance_id()
	var listing: Listing = Listing.new()
	listing.script_id = _script_id(object)
	listing.parent_id = _parent_id(object)
	for info_of_one: Dictionary in object.get_property_list():
		add(listing, info_of_one)
	OwnHints.add_to(listing.info, object.get_class())
	_mark_script_variables(listing, object)
	_kept[id] = listing
	var failed: int = object.property_list_changed.connect(forget.bind(id))
	if failed != OK:
		var _known: bool = _kept.erase(id)
	return listing


## Adds one property dictionary to a list, unless it is a group or category.
static func add(listing: Listing, info_of_one: Dictionary) -> void:
	var usage: int = info_of_one["usage"]
	if usage & (PROPERTY_USAGE_GROUP | PROPERTY_USAGE_SUBGROUP | PROPERTY_USAGE_CATEGORY) != 0:
		return
	var property: StringName = info_of_one["name"]
	# Metadata may hold anything, whatever it holds now.
	listing.info[property] = untyped(property) if is_metadata(property) else info_of_one
	if usage & PROPERTY_USAGE_STORAGE != 0:
		listing.stored.append(property)


# Marks what the script, or a base script, declares: placeholders of scripts that do not run in the
# editor list it without the mark.
static func _mark_script_variables(listing: Listing, object: Object) -> void:
	var script: Script = object.get_script()
	if script == null:
		return
	for info_of_one: Dictionary in script.get_script_property_list():
		var property: StringName = info_of_one["name"]
		if listing.info.has(property):
			var usage: int = listing.info[property]["usage"]
			listing.info[property]["usage"] = usage | PROPERTY_USAGE_SCRIPT_VARIABLE


# The script with its text: objects that run do not say that theirs was renewed.
func _script_id(object: Object) -> int:
	var script: Script = object.get_script()
	if script == null:
		return 0
	var frame: int = Engine.get_process_frames()
	if frame != _ids_frame:
		_ids_frame = frame
		_ids.clear()
	var id: int = script.get_instance_id()
	if not _ids.has(id):
		_ids[id] = ScriptCheck.text_id(script)
	return _ids[id]


static func _parent_id(object: Object) -> int:
	var node: Node = object as Node
	var parent: Node = null if node == null else node.get_parent()
	return 0 if parent == null else parent.get_instance_id()
