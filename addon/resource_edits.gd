extends RefCounted
## Plans for changes of resources in memory: what is changed, where a save takes it, who else uses
## it, and in whose history undo finds it.

const Assignments = preload("./assignments.gd")
const Call = preload("./call.gd")
const Cycles = preload("./cycles.gd")
const Persistence = preload("./persistence.gd")
const Plan = preload("./plan.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const ResourceRules = preload("./persistence/resources.gd")
const ResourceTarget = preload("./resource_target.gd")
const ResourceUsers = preload("./resource_users.gd")
const Result = preload("./result.gd")
const SaveFiles = preload("./save_files.gd")
const SaveTarget = preload("./save_target.gd")
const Scenes = preload("./scenes.gd")

const GLOBAL: String = "global"
const SCENE: String = "scene"

var _properties: Properties


func _init(properties: Properties) -> void:
	_properties = properties


## The plan of a set_resource_property call.
func of_call(the_call: Call) -> Result:
	var found: Result = _target_of(the_call)
	if not found.ok:
		return found
	var target: ResourceTarget = found.data["target"]
	var read: Result = Assignments.of_call(the_call)
	if not read.ok:
		return read
	var wires: Dictionary[String, Variant] = read.data["wires"]
	var wrong: Result = refused(wires)
	if wrong != null:
		return wrong
	var listing: Properties.Listing = _properties.of(target.resource)
	var decoded: Result = Assignments.decode(
		wires, listing, target.resource.get_class(), null, target.resource
	)
	if not decoded.ok:
		return decoded
	var values: Dictionary[StringName, Variant] = decoded.data["values"]
	if values.is_empty():
		return _invalid("properties", "nothing_to_set", "the call sets nothing")
	wrong = _holds_itself(target.resource, values)
	if wrong == null:
		wrong = Cycles.of_values(the_call.root, values)
	if wrong != null:
		return wrong
	if the_call.flag("make_unique"):
		return _plan_unique(the_call, target, listing, values)
	return _plan_set(the_call, target, listing, values)


## The failure for properties that no tool sets on a resource; null when there is none.
static func refused(wires: Dictionary[String, Variant]) -> Result:
	for name: String in wires:
		if name.get_slice(":", 0) == "resource_path":
			return Result.fail(
				Protocol.CODE_PROTECTED_TARGET,
				"resource_path is not set as a property",
				{"property": name, "reason": "protected_property"}
			).with_hint("it says where the file is: move_file moves it")
	return null


func _target_of(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("resource_path"))
	if path.is_empty() == the_call.text("node_path").is_empty():
		return _invalid(
			"resource_path", "one_of", "give either resource_path, or node_path with node_property"
		)
	if path.is_empty():
		return ResourceTarget.in_node(
			the_call.root, the_call.text("node_path"), the_call.text("node_property")
		)
	if the_call.flag("make_unique"):
		return _invalid(
			"make_unique", "no_node", "make_unique gives a node a resource of its own"
		).with_hint("name the resource by node_path and node_property")
	var inside: String = the_call.text("sub_resource")
	var found: Result = ResourceTarget.in_file(path, inside)
	if not found.ok:
		return found
	var target: ResourceTarget = found.data["target"]
	if target.resource is PackedScene:
		return _invalid("resource_path", "is_scene", "%s is a scene" % path).with_hint(
			"open_scene it and change its nodes, or give sub_resource too"
		)
	return found


func _plan_set(
	the_call: Call,
	target: ResourceTarget,
	listing: Properties.Listing,
	values: Dictionary[StringName, Variant]
) -> Result:
	var root: Node = the_call.root
	var home: ResourceRules.Home = ResourceRules.home_of(root, target.chain)
	var holder: String = ResourceRules.deciding_path(target.chain).get_slice("::", 0)
	var wrong: Result = _not_here(home, holder)
	if wrong != null:
		return wrong
	var users: ResourceUsers = ResourceUsers.new()
	users.look_for(target.resource)
	var name: String = target.name(root)
	var plan: Plan = _plan_for(name)
	var node: Node = target.node if target.node != null else users.here
	plan.verdicts = [
		ResourceRules.of_values(root, target.chain, node, name, listing, values)
	]
	var in_scene: bool = home == ResourceRules.Home.NODE or home == ResourceRules.Home.ELSEWHERE
	var context: Object = root
	if not in_scene:
		context = _file_of(target)
	var changed: bool = not Assignments.all_there(target.resource, values, listing)
	plan.undoable = changed
	if changed:
		var _itself: RefCounted = plan.change(
			"set_resource_property",
			{
				"resource": target.resource,
				"values": values,
				"context": context,
			}
		)
	var data: Dictionary = _told(target, name, values, listing)
	data["changed"] = changed
	data["history"] = SCENE if in_scene else GLOBAL
	users.report(data)
	return Result.planned(plan, data)


static func _not_here(home: ResourceRules.Home, holder: String) -> Result:
	if SaveTarget.is_protected(holder):
		return Result.fail(
			Protocol.CODE_PROTECTED_TARGET, "%s is never changed" % holder, {"path": holder}
		).with_hint("make_unique:true gives the node that uses it a copy of its own")
	if home == ResourceRules.Home.ELSEWHERE and Scenes.find(holder) != null:
		return Result.fail(
			Protocol.CODE_SCENE_MISMATCH,
			"the resource belongs to %s, which is open in another tab" % holder,
			{"active": Scenes.edited_id(), "asked": holder}
		).with_hint(Scenes.way_to(holder))
	return null


func _plan_unique(
	the_call: Call,
	target: ResourceTarget,
	listing: Properties.Listing,
	values: Dictionary[StringName, Variant]
) -> Result:
	var node: Node = target.node
	var property: StringName = target.way[0]
	var own: Properties.Listing = _properties.of(node)
	var name: String = Resolve.path_of(the_call.root, node) + ":" + ":".join(target.way)
	var plan: Plan = _plan_for(name)
	var held: Dictionary[StringName, Variant] = {property: node.get(property)}
	plan.verdicts = Persistence.of_properties(the_call.root, node, own, held)
	plan.verdicts[0]["target"] = name
	var _itself: RefCounted = plan.change(
		"set_resource_property",
		{
			"node": node, "way": target.way, "chain": target.chain, "values": values,
		}
	)
	var data: Dictionary = _told(target, name, values, listing)
	data["changed"] = true
	data["history"] = SCENE
	data["made_unique"] = true
	return Result.planned(plan, data)


static func _plan_for(target: String) -> Plan:
	var plan: Plan = Plan.new()
	plan.targets = [target]
	plan.add_effect(Protocol.EFFECT_EDITS_MEMORY)
	return plan


static func _told(
	target: ResourceTarget,
	name: String,
	values: Dictionary[StringName, Variant],
	listing: Properties.Listing
) -> Dictionary:
	return {
		"resource": name,
		"type": target.resource.get_class(),
		"properties": Assignments.shown_planned(values, listing, null),
	}


# The object whose history the editor keeps for a resource with a file: the outermost one.
static func _file_of(target: ResourceTarget) -> Resource:
	for resource: Resource in target.chain:
		var path: String = resource.resource_path
		if not path.is_empty() and not path.contains("::"):
			return resource
	return ResourceLoader.load(
		ResourceRules.deciding_path(target.chain).get_slice("::", 0)
	)


# A resource that holds itself, at any depth, is never freed and does not save.
static func _holds_itself(resource: Resource, values: Dictionary[StringName, Variant]) -> Result:
	for property: StringName in values:
		var value: Variant = values[property]
		if not value is Resource:
			continue
		var held: Resource = value
		if _reaches(held, resource, 0):
			return _invalid(property, "cycle", "the resource would hold itself")
	return null


static func _reaches(from: Resource, to: Resource, depth: int) -> bool:
	if from == to:
		return true
	if depth > 32 or from is Script:
		return false
	for child: Resource in SaveFiles.children(from):
		if _reaches(child, to, depth + 1):
			return true
	return false


static func _invalid(parameter: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR, message, {"parameter": parameter, "reason": reason}
	)
