extends RefCounted
## Property assignments of a call: read from its parameters, checked against what the node declares,
## applied and read back. Checking reads only; nothing is set before all of them are known to be
## right. The object is a node or a resource; node values are only taken for nodes.

const Call = preload("./call.gd")
const Components = preload("./components.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Suggest = preload("./suggest.gd")
const Touched = preload("./touched.gd")
const Values = preload("./values.gd")

## Properties that are never set as such, and what to do instead.
const REFUSED: Dictionary[StringName, String] = {
	&"script": "attach_script puts a script on a node, detach_script takes it off",
	&"owner": "the owner follows from the node's place: create_node and move_node set it",
	&"name": "rename it with rename_node",
	&"scene_file_path": "it says which scene the node is an instance of: open_scene that one",
	&"multiplayer": "it belongs to the running game",
}


## The assignments of a call, {name: value in wire form} in the order given: data.wires.
static func of_call(the_call: Call) -> Result:
	var wires: Dictionary[String, Variant] = {}
	if the_call.params.has("property"):
		wires[the_call.text("property")] = the_call.params.get("value")
		return Result.good({"wires": wires})
	var given: Variant = the_call.params.get("properties", {})
	if not given is Dictionary:
		return _invalid("properties", "not_an_object", "properties has to be an object")
	var map: Dictionary = given
	var pairs: Array = map.get("args", [])
	for index: int in range(0, pairs.size() - 1, 2):
		var key: String = str(pairs[index])
		wires[key.trim_prefix("s:")] = pairs[index + 1]
	return Result.good({"wires": wires})


## The values of assignments as the declared types ask for them: data.values. `node` is null for a
## node that is yet to be made; `type` is the class that names the node in messages.
static func decode(
	wires: Dictionary[String, Variant],
	listing: Properties.Listing,
	type: String,
	place: Values.Place,
	node: Object = null
) -> Result:
	var values: Dictionary[StringName, Variant] = {}
	for name: String in wires:
		var colon: int = name.find(":")
		var property: StringName = name if colon < 0 else name.left(colon)
		if not listing.settable.has(property):
			var failure: Result = _refusal(property, listing, type, node)
			if failure != null:
				return failure
			listing.settable[property] = true
		var declared: Dictionary = declaration(listing, property)
		var decoded: Result
		if colon >= 0:
			var whole: Variant = values.get(property, null if node == null else node.get(property))
			decoded = Components.decode(wires[name], name, declared, whole)
		else:
			decoded = Values.decode(wires[name], declared, place)
		if not decoded.ok:
			return decoded
		values[property] = decoded.data["value"]
	return Result.good({"values": values})


## What the node declares of a property; new metadata may hold anything.
static func declaration(listing: Properties.Listing, property: StringName) -> Dictionary:
	if listing.info.has(property):
		return listing.info[property]
	return Properties.untyped(property)


## True when the node has all these values already.
static func all_there(
	node: Object, values: Dictionary[StringName, Variant], listing: Properties.Listing
) -> bool:
	for property: StringName in values:
		if not Values.already(values[property], node.get(property), declaration(listing, property)):
			return false
	return true


## Sets the values in their order and reads them back. Gives null, or the failure for the first that
## did not keep.
static func apply(
	node: Object, values: Dictionary[StringName, Variant], properties: Properties
) -> Result:
	for property: StringName in values:
		var value: Variant = values[property]
		if typeof(value) > TYPE_ARRAY:
			value = _as_held(node, property, value, properties.info(node, property))
		Properties.write(node, property, value)
		if not is_instance_valid(node):
			return Touched.removed_itself(property)
	var listing: Properties.Listing = properties.of(node)
	for property: StringName in values:
		var now: Variant = node.get(property)
		var declared: Dictionary = declaration(listing, property)
		if not _kept(values[property], now, declared):
			return _rejected(node, property, declared, values[property], now)
	return null


## The properties as replies show them, as they are now.
static func shown(node: Object, names: Array[StringName], properties: Properties) -> Dictionary:
	var listing: Properties.Listing = properties.of(node)
	var out: Dictionary = {}
	for property: StringName in names:
		var declared: Dictionary = declaration(listing, property)
		out[property] = Properties.shown(node.get(property), declared, node as Node)
	return out


## Values as replies show them before they are set.
static func shown_planned(
	values: Dictionary[StringName, Variant], listing: Properties.Listing, base: Node
) -> Dictionary:
	var out: Dictionary = {}
	for property: StringName in values:
		out[property] = Properties.shown(values[property], declaration(listing, property), base)
	return out


# The placeholder of a packed array whose default is written as [] holds a plain array, and takes no
# other.
static func _as_held(
	node: Object, property: StringName, value: Variant, declared: Dictionary
) -> Variant:
	if typeof(value) == declared.get("type", TYPE_NIL) and node.get(property) is Array:
		return type_convert(value, TYPE_ARRAY)
	return value


# A property that is worked out from others (global_position) comes back with the error of that
# working-out.
static func _kept(asked: Variant, now: Variant, declared: Dictionary) -> bool:
	if Values.same(asked, now, declared):
		return true
	var usage: int = declared.get("usage", PROPERTY_USAGE_STORAGE)
	if usage & PROPERTY_USAGE_STORAGE != 0 or typeof(asked) != typeof(now):
		return false
	return Components.nearly(asked, now)


static func _refusal(
	property: StringName, listing: Properties.Listing, type: String, node: Object
) -> Result:
	if REFUSED.has(property):
		return Result.fail(
			Protocol.CODE_PROTECTED_TARGET,
			"%s is not set as a property" % property,
			{"property": str(property), "reason": "protected_property"}
		).with_hint(REFUSED[property])
	if Properties.is_metadata(property):
		if str(Properties.metadata_key(property)).is_valid_ascii_identifier():
			return null
		return _invalid(property, "invalid_metadata_name", "metadata names are identifiers")
	if not listing.info.has(property):
		return _unknown(property, listing, type, node)
	if _is_read_only(property, listing.info[property], type):
		return _read_only(property, node as Node)
	return null


static func _read_only(property: StringName, node: Node) -> Result:
	var failure: Result = _invalid(
		property, "read_only_property", "%s can only be read" % property
	)
	if node == null:
		return failure
	if str(property).begins_with("size_flags_") and node.get_parent() is Container:
		return failure.with_hint(
			"its parent, a %s, does not look at it" % node.get_parent().get_class()
		)
	if node is Control and node.get_parent() is Container:
		return failure.with_hint(
			"its parent, a %s, places it: set custom_minimum_size or size_flags_* instead"
			% node.get_parent().get_class()
		)
	return failure


static func _unknown(
	property: StringName, listing: Properties.Listing, type: String, node: Object
) -> Result:
	var message: String = "%s has no property %s" % [type, property]
	var script: Script = null if node == null else node.get_script()
	if _is_script_variable(script, property):
		return _invalid(property, "not_exported", message + " in the editor").with_hint(
			"export the script's variable first: the editor runs no code of a script without @tool"
		)
	var names: PackedStringArray = PackedStringArray()
	for name: StringName in listing.info:
		var _full: bool = names.append(name)
	var near: Array[String] = Suggest.near(property, names)
	return _invalid(property, "unknown_property", message).with_detail("suggestions", near)


static func _is_script_variable(script: Script, property: StringName) -> bool:
	if script == null:
		return false
	for info: Dictionary in script.get_script_property_list():
		if info["name"] == property:
			return true
	return false


static func _is_read_only(property: StringName, declared: Dictionary, type: String) -> bool:
	var usage: int = declared["usage"]
	if usage & PROPERTY_USAGE_READ_ONLY != 0:
		return true
	if not ClassDB.class_exists(type):
		return false
	if ClassDB.class_get_property_getter(type, property).is_empty():
		return false
	return ClassDB.class_get_property_setter(type, property).is_empty()


static func _rejected(
	node: Object, property: StringName, declared: Dictionary, asked: Variant, now: Variant
) -> Result:
	return Result.fail(
		Protocol.CODE_VALUE_REJECTED,
		"%s did not keep the value" % property,
		{
			"property": str(property),
			"asked": Values.encode(asked, declared, node as Node),
			"now": Values.encode(now, declared, node as Node),
		}
	)


static func _invalid(property: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR, message, {"property": property, "reason": reason}
	)
