extends RefCounted
## Plans of one change of many nodes. Nodes that the caller names are all changed or none is; nodes
## found by their class are skipped one by one, with the reason.

const Assignments = preload("./assignments.gd")
const Call = preload("./call.gd")
const Cycles = preload("./cycles.gd")
const Edits = preload("./edits.gd")
const Persistence = preload("./persistence.gd")
const Plan = preload("./plan.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Result = preload("./result.gd")
const TypeFilter = preload("./type_filter.gd")
const Values = preload("./values.gd")

## How many rows of each kind a reply shows.
const MAX_SHOWN: int = 100


## One node and what it gets.
class Target:
	extends RefCounted
	## The node.
	var node: Node = null
	## Its path.
	var path: String = ""
	## The values by property.
	var values: Dictionary[StringName, Variant] = {}


var _properties: Properties


func _init(properties: Properties) -> void:
	_properties = properties


## The plan: property with value, or properties; node_paths, or node_type with under.
func plan(the_call: Call) -> Result:
	var read: Result = Assignments.of_call(the_call)
	if not read.ok:
		return read
	var wires: Dictionary[String, Variant] = read.data["wires"]
	if wires.is_empty():
		return Edits.invalid("properties", "nothing_to_set", "the call sets nothing")
	var named: bool = the_call.params.has("node_paths")
	if named == the_call.params.has("node_type"):
		return Edits.invalid(
			"node_paths", "which_nodes", "give node_paths, or node_type (with under), and not both"
		)
	var chosen: Result = _named(the_call) if named else _of_type(the_call)
	if not chosen.ok:
		return chosen
	var nodes: Array[Node] = chosen.data["nodes"]
	return _plan(the_call, nodes, wires, named)


## A target as replies show it.
static func row(path: String, shown: Dictionary) -> Dictionary:
	return {"node_path": path, "properties": shown}


## A node that was left out, as replies show it.
static func skipped(path: String, failure: Result) -> Dictionary:
	var details: Dictionary = failure.error.get("details", {})
	return {
		"node_path": path,
		"reason": details.get("reason", failure.error["code"]),
		"message": failure.error["message"],
	}


## Writes rows into a reply, no more than it shows.
static func tell(data: Dictionary, key: String, rows: Array) -> void:
	data[key] = rows.slice(0, MAX_SHOWN)
	data[key + "_total"] = rows.size()


func _plan(
	the_call: Call, nodes: Array[Node], wires: Dictionary[String, Variant], named: bool
) -> Result:
	var made: Plan = Plan.new()
	made.add_effect(Protocol.EFFECT_EDITS_MEMORY)
	var targets: Array[Target] = []
	var left_out: Array[Dictionary] = []
	var unchanged: Array[String] = []
	for node: Node in nodes:
		var listing: Properties.Listing = _properties.of(node)
		var target: Target = _target(the_call.root, node)
		var failure: Result = _decode(the_call, target, listing, wires)
		if failure != null and named:
			return failure.with_detail("node_path", target.path)
		if failure != null:
			left_out.append(skipped(target.path, failure))
			continue
		_promise(made, the_call.root, target, listing)
		if Assignments.all_there(node, target.values, listing):
			unchanged.append(target.path)
		else:
			targets.append(target)
	made.undoable = not targets.is_empty()
	if made.undoable:
		var _itself: RefCounted = made.change(
			"batch_set", {"targets": targets, "lenient": not named, "skipped": left_out}
		)
	var data: Dictionary = {"matched": nodes.size(), "changed": made.undoable}
	tell(data, "applied", _rows(targets))
	data["applied_total"] = targets.size()
	tell(data, "unchanged", unchanged)
	tell(data, "skipped", left_out)
	return Result.planned(made, data)


static func _target(root: Node, node: Node) -> Target:
	var target: Target = Target.new()
	target.node = node
	target.path = Resolve.path_of(root, node)
	return target


static func _promise(
	made: Plan, root: Node, target: Target, listing: Properties.Listing
) -> void:
	var _full: bool = made.targets.append(target.path)
	made.verdicts.append_array(
		Persistence.of_properties(root, target.node, listing, target.values)
	)


func _rows(targets: Array[Target]) -> Array[Dictionary]:
	var rows: Array[Dictionary] = []
	for target: Target in targets.slice(0, MAX_SHOWN):
		var listing: Properties.Listing = _properties.of(target.node)
		var shown: Dictionary = Assignments.shown_planned(target.values, listing, target.node)
		rows.append(row(target.path, shown))
	return rows


func _decode(
	the_call: Call,
	target: Target,
	listing: Properties.Listing,
	wires: Dictionary[String, Variant]
) -> Result:
	var node: Node = target.node
	var place: Values.Place = Values.place_of(node, the_call.root)
	var decoded: Result = Assignments.decode(wires, listing, node.get_class(), place, node)
	if not decoded.ok:
		return decoded
	target.values = decoded.data["values"]
	return Cycles.of_values(the_call.root, target.values)


func _named(the_call: Call) -> Result:
	var nodes: Array[Node] = []
	var paths: Array = the_call.params["node_paths"]
	for path: Variant in paths:
		var node: Node = Resolve.find(the_call.root, str(path))
		if node == null:
			return Resolve.missing(the_call.root, str(path), "node_paths")
		if not nodes.has(node):
			nodes.append(node)
	if nodes.is_empty():
		return Edits.invalid("node_paths", "no_nodes", "node_paths names no node")
	return Result.good({"nodes": nodes})


func _of_type(the_call: Call) -> Result:
	var under: Node = Resolve.find(the_call.root, the_call.text("under", "."))
	if under == null:
		return Resolve.missing(the_call.root, the_call.text("under", "."), "under")
	var filter: TypeFilter = TypeFilter.new()
	var known: Result = filter.setup(the_call.text("node_type"))
	if not known.ok:
		return known.with_detail("parameter", "node_type")
	var nodes: Array[Node] = []
	var queue: Array[Node] = [under]
	while not queue.is_empty():
		var at: Node = queue.pop_back()
		if filter.matches(at):
			nodes.append(at)
		var children: Array[Node] = at.get_children()
		children.reverse()
		queue.append_array(children)
	if nodes.is_empty():
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"no %s at or below %s" % [
				the_call.text("node_type"), Resolve.path_of(the_call.root, under)
			],
			{"node_type": the_call.text("node_type"), "under": the_call.text("under", ".")}
		).with_hint("find_nodes shows which nodes there are")
	return Result.good({"nodes": nodes})
