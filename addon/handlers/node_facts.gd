extends RefCounted
## Reads about one node: a property, whether a save would keep a change of it, and its connections.

const Call = preload("../call.gd")
const Components = preload("../components.gd")
const NodeReport = preload("../node_report.gd")
const Paging = preload("../paging.gd")
const Persistence = preload("../persistence.gd")
const Properties = preload("../properties.gd")
const PropertyFacts = preload("../property_facts.gd")
const Protocol = preload("../protocol.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")
const SignalReport = preload("../signal_report.gd")
const StaleScripts = preload("../stale_scripts.gd")
const Suggest = preload("../suggest.gd")
const Values = preload("../values.gd")

var _properties: Properties


func _init(properties: Properties) -> void:
	_properties = properties


## One property, or one component of it: exists, value, type, declared, default; when it does not
## exist, why and what is named like it.
func get_node_property(the_call: Call) -> Result:
	var path: String = the_call.text("node_path", ".")
	var node: Node = Resolve.find(the_call.root, path)
	if node == null:
		return Resolve.missing(the_call.root, path)
	var name: String = the_call.text("property")
	var property: StringName = name.get_slice(":", 0)
	var listing: Properties.Listing = _properties.of(node)
	var data: Dictionary = {"path": Resolve.path_of(the_call.root, node), "property": name}
	StaleScripts.tell(data, node)
	if not listing.info.has(property):
		data.merge(_absent(node, listing, property))
		return Result.good(data)
	data.merge(_shown(node, name, listing.info[property]))
	return Result.good(data)


## The verdicts that changes of a node would have; with `property`, that of setting it.
func get_persistence(the_call: Call) -> Result:
	var path: String = the_call.text("node_path", ".")
	var root: Node = the_call.root
	var node: Node = Resolve.find(root, path)
	if node == null:
		return Resolve.missing(root, path)
	var name: String = the_call.text("property")
	var data: Dictionary = {"path": Resolve.path_of(root, node)}
	StaleScripts.tell(data, node)
	if not name.is_empty():
		return _of_property(data, root, node, name)
	var child: String = "New" if node == root else str(data["path"]).path_join("New")
	data["verdict"] = Persistence.of_node(root, node)
	data["new_child"] = Persistence.of_child(root, node, child, -1)
	if node != root:
		data["removal"] = Persistence.of_removal(root, node)
	return Result.good(data)


## The connections between a node and nodes of its scene, both ways.
func list_signal_connections(the_call: Call) -> Result:
	var path: String = the_call.text("node_path", ".")
	var node: Node = Resolve.find(the_call.root, path)
	if node == null:
		return Resolve.missing(the_call.root, path)
	var found: SignalReport = SignalReport.new(the_call.root)
	found.read(node)
	var paging: Paging = Paging.new(the_call, 200, 2000)
	var data: Dictionary = {
		"path": Resolve.path_of(the_call.root, node),
		"connections": found.page(paging.offset, paging.limit),
		"left_out": found.left_out,
	}
	paging.tell(data, found.size())
	return Result.good(data)


func _of_property(data: Dictionary, root: Node, node: Node, name: String) -> Result:
	var property: StringName = name.get_slice(":", 0)
	var listing: Properties.Listing = _properties.of(node)
	if not listing.info.has(property) and not Properties.is_metadata(property):
		var absent: Dictionary = _absent(node, listing, property)
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s has no property %s" % [node.get_class(), property],
			{"property": name, "reason": absent["reason"], "suggestions": absent["near"]}
		)
	var values: Dictionary[StringName, Variant] = {property: node.get(property)}
	data["property"] = name
	data["verdict"] = Persistence.of_properties(root, node, listing, values)[0]
	return Result.good(data)


static func _shown(node: Node, name: String, declared: Dictionary) -> Dictionary:
	var property: StringName = name.get_slice(":", 0)
	var value: Variant = node.get(property)
	if name.contains(":"):
		return _component(name, value)
	var out: Dictionary = {"exists": true}
	out.merge(Properties.shown(value, declared, node))
	var facts: Dictionary = PropertyFacts.of(declared)
	facts["by"] = _declared_by(node, property, declared)
	var usual: Variant = NodeReport.default_of(node, property)
	if usual != null:
		facts["default"] = Values.encode(usual, declared, node)
	out["declared"] = facts
	return out


static func _component(name: String, whole: Variant) -> Dictionary:
	var component: String = name.get_slice(":", 1)
	var type: int = typeof(whole)
	var known: PackedStringArray = Components.FLOATS.get(
		type, Components.INTS.get(type, PackedStringArray())
	)
	if name.get_slice_count(":") != 2 or not known.has(component):
		return {"exists": false, "reason": "unknown_component", "near": Array(known)}
	var part: int = TYPE_INT if Components.INTS.has(type) else TYPE_FLOAT
	return {
		"exists": true,
		"type": type_string(part),
		"value": Values.encode(whole[component], {"type": part}),
	}


static func _absent(
	node: Node, listing: Properties.Listing, property: StringName
) -> Dictionary:
	var names: PackedStringArray = PackedStringArray()
	for name: StringName in listing.info:
		var _full: bool = names.append(name)
	var out: Dictionary = {
		"exists": false,
		"reason": "unknown_property",
		"near": Suggest.near(property, names),
		"node_type": node.get_class(),
	}
	var script: Script = node.get_script()
	if script != null:
		for info: Dictionary in script.get_script_property_list():
			# A script without @tool does not run in the editor, so its variables hold nothing.
			if info["name"] == property:
				out["reason"] = "not_exported"
	return out


static func _declared_by(node: Node, property: StringName, declared: Dictionary) -> String:
	if Properties.is_metadata(property):
		return "metadata"
	var usage: int = declared.get("usage", 0)
	if usage & PROPERTY_USAGE_SCRIPT_VARIABLE != 0:
		return "script"
	var type: StringName = node.get_class()
	var by: StringName = type
	while not type.is_empty():
		for info: Dictionary in ClassDB.class_get_property_list(type, true):
			if info["name"] == property:
				return type
		type = ClassDB.get_parent_class(type)
	return by
