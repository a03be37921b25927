extends RefCounted
## What get_node says of a node. Values are shown when they differ from what the node has by itself:
## the class's or script's default, or for nodes of instances and base scenes what that scene gives.

const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const ReplySize = preload("./reply_size.gd")
const Resolve = preload("./resolve.gd")
const Result = preload("./result.gd")
const StaleScripts = preload("./stale_scripts.gd")
const States = preload("./states.gd")
const Suggest = preload("./suggest.gd")
const TreeRows = preload("./tree_rows.gd")

const MAX_CHILD_NAMES: int = 50
const SHOWN: int = PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_EDITOR
## Said elsewhere in the answer, or no value of the node's own.
const SKIPPED: Array[StringName] = [&"script", &"owner", &"unique_name_in_owner", &"name"]

var _states: States
var _properties: Properties


func _init(states: States, properties: Properties) -> void:
	_states = states
	_properties = properties


## The answer: the named properties, or all, or those that are not at their default.
func of(root: Node, node: Node, names: PackedStringArray, all: bool) -> Result:
	var listing: Properties.Listing = _properties.of(node)
	for name: String in names:
		if not listing.info.has(StringName(name)):
			return _unknown(root, node, listing, name)
	var data: Dictionary = _head(root, node)
	var chosen: Array[StringName] = _chosen(root, node, listing, names, all)
	var values: Dictionary[String, Dictionary] = {}
	var size: ReplySize = ReplySize.new()
	for property: StringName in chosen:
		var info: Dictionary = listing.info[property]
		values[str(property)] = Properties.shown(node.get(property), info, node)
		size.add(values[str(property)])
		if size.refusal() != null:
			return size.refusal()
	data["properties"] = values
	return Result.good(data)


## What the script, or else the class, gives the property by itself; null when neither says.
static func default_of(node: Node, property: StringName) -> Variant:
	var script: Script = node.get_script()
	while script != null:
		var from_script: Variant = script.get_property_default_value(property)
		if from_script != null:
			return from_script
		script = script.get_base_script()
	return ClassDB.class_get_property_default_value(node.get_class(), property)


## The groups of a node that people and scenes know; the engine's own begin with an underscore.
static func groups_of(node: Node) -> Array[String]:
	var out: Array[String] = []
	for group: StringName in node.get_groups():
		if not str(group).begins_with("_"):
			out.append(str(group))
	return out


func _chosen(
	root: Node, node: Node, listing: Properties.Listing, names: PackedStringArray, all: bool
) -> Array[StringName]:
	var out: Array[StringName] = []
	for name: String in names:
		if not out.has(StringName(name)):
			out.append(StringName(name))
	if not names.is_empty():
		return out
	var given: Dictionary[StringName, Variant] = {}
	if not all:
		given = _states.given(root, node)
	for property: StringName in listing.info:
		if SKIPPED.has(property) or _usage(listing, property) & SHOWN == 0:
			continue
		if all or _differs(node, property, listing, given):
			out.append(property)
	return out


static func _usage(listing: Properties.Listing, property: StringName) -> int:
	return listing.info[property].get("usage", 0)


# Only stored properties count: the others (global_position, rotation_degrees) show what stored ones
# say already.
func _differs(
	node: Node,
	property: StringName,
	listing: Properties.Listing,
	given: Dictionary[StringName, Variant]
) -> bool:
	if _usage(listing, property) & PROPERTY_USAGE_STORAGE == 0:
		return false
	var now: Variant = node.get(property)
	if given.has(property):
		return not _same(node, now, given[property])
	return not _same(node, now, default_of(node, property))


static func _same(node: Node, now: Variant, other: Variant) -> bool:
	if now is Node and other is NodePath:
		var path: NodePath = other
		return now == node.get_node_or_null(path)
	if now is Resource and other is Resource:
		var a: Resource = now
		var b: Resource = other
		return a == b or (not a.resource_path.is_empty() and a.resource_path == b.resource_path)
	if typeof(now) == typeof(other):
		return now == other
	# String and StringName are one thing here, and so are null and an empty object.
	if now is String or now is StringName:
		return str(now) == str(other)
	return now == null and other == null


func _head(root: Node, node: Node) -> Dictionary:
	var data: Dictionary = {
		"path": Resolve.path_of(root, node),
		"name": str(node.name),
		"type": node.get_class(),
		"groups": groups_of(node),
		"children": node.get_child_count(),
		"child_names": _child_names(node),
		"index": node.get_index(),
	}
	data.merge(TreeRows.marks_of(root, node))
	if node == root and not _states.inherited(root).is_empty():
		data["base_scene"] = States.base_path(root)
	if node != root and _states.inherited(root).has(str(data["path"])):
		data["inherited"] = true
	StaleScripts.tell(data, node)
	return data


static func _child_names(node: Node) -> Array[String]:
	var out: Array[String] = []
	for child: Node in node.get_children():
		if out.size() == MAX_CHILD_NAMES:
			break
		out.append(str(child.name))
	return out


static func _unknown(
	root: Node, node: Node, listing: Properties.Listing, name: String
) -> Result:
	var names: PackedStringArray = PackedStringArray()
	for property: StringName in listing.info:
		var _full: bool = names.append(str(property))
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s has no property %s" % [node.get_class(), name],
		{
			"parameter": "properties",
			"reason": "unknown_property",
			"property": name,
			"node_path": Resolve.path_of(root, node),
			"near": Suggest.near(name, names),
		}
	)
