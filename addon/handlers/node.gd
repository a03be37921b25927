extends RefCounted
## Plans for nodes of the edited scene: create, change, move, delete. Everything is refused or
## decided here; the commit only does what the plan says.

const Assignments = preload("../assignments.gd")
const Call = preload("../call.gd")
const Cycles = preload("../cycles.gd")
const Edits = preload("../edits.gd")
const Names = preload("../names.gd")
const NodeTypes = preload("../node_types.gd")
const Persistence = preload("../persistence.gd")
const Plan = preload("../plan.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const References = preload("../references.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")
const Values = preload("../values.gd")

var _properties: Properties


func _init(properties: Properties) -> void:
	_properties = properties


## Plans a new node: parent_path, node_type, node_name, properties, index.
func create_node(the_call: Call) -> Result:
	var parent: Node = Resolve.find(the_call.root, the_call.text("parent_path", "."))
	if parent == null:
		return Resolve.missing(the_call.root, the_call.text("parent_path", "."), "parent_path")
	var found: Result = NodeTypes.find(the_call.text("node_type"))
	if not found.ok:
		return found
	var kind: NodeTypes.Kind = found.data["kind"]
	var asked: String = the_call.text("node_name")
	var wanted: String = kind.name if asked.is_empty() else asked
	var failure: Result = Names.refusal(wanted, "node_name")
	if failure == null:
		failure = Edits.index_refusal(the_call, parent.get_child_count())
	if failure != null:
		return failure
	return _plan_create(the_call, parent, kind, wanted)


## Plans property changes: node_path with property and value, or with properties.
func set_node_property(the_call: Call) -> Result:
	var node: Node = Resolve.find(the_call.root, the_call.text("node_path", "."))
	if node == null:
		return Resolve.missing(the_call.root, the_call.text("node_path", "."))
	var read: Result = Assignments.of_call(the_call)
	if not read.ok:
		return read
	var listing: Properties.Listing = _properties.of(node)
	var place: Values.Place = Values.place_of(node, the_call.root)
	var wires: Dictionary[String, Variant] = read.data["wires"]
	var decoded: Result = Assignments.decode(wires, listing, node.get_class(), place, node)
	if not decoded.ok:
		return decoded
	var values: Dictionary[StringName, Variant] = decoded.data["values"]
	if values.is_empty():
		return Edits.invalid("properties", "nothing_to_set", "the call sets nothing")
	var cycle: Result = Cycles.of_values(the_call.root, values)
	if cycle != null:
		return cycle
	return _plan_set(the_call, node, listing, values)


## Plans another parent or place for a node: node_path, new_parent_path, index,
## keep_global_transform.
func move_node(the_call: Call) -> Result:
	var node: Node = Resolve.find(the_call.root, the_call.text("node_path"))
	if node == null:
		return Resolve.missing(the_call.root, the_call.text("node_path"))
	var parent: Node = Resolve.find(the_call.root, the_call.text("new_parent_path"))
	if parent == null:
		return Resolve.missing(
			the_call.root, the_call.text("new_parent_path"), "new_parent_path"
		)
	var failure: Result = Edits.structure_refusal(the_call.root, node, "moved")
	if failure != null:
		return failure
	if parent == node or node.is_ancestor_of(parent):
		return Edits.invalid(
			"new_parent_path", "into_own_subtree", "a node cannot be moved below itself"
		)
	var siblings: int = parent.get_child_count() - (1 if parent == node.get_parent() else 0)
	failure = Edits.index_refusal(the_call, siblings)
	if failure == null:
		failure = _stranding_refusal(the_call.root, node, parent)
	if failure != null:
		return failure
	return _plan_move(the_call, node, parent)


## Plans the removal of a node and all below it: node_path.
func delete_node(the_call: Call) -> Result:
	var node: Node = Resolve.find(the_call.root, the_call.text("node_path"))
	if node == null:
		return Resolve.missing(the_call.root, the_call.text("node_path"))
	var failure: Result = Edits.structure_refusal(the_call.root, node, "deleted")
	if failure != null:
		return failure
	var path: String = Resolve.path_of(the_call.root, node)
	var plan: Plan = Edits.plan(path, Persistence.of_removal(the_call.root, node))
	plan.add_effect(Protocol.EFFECT_REMOVES)
	var _plan_itself: RefCounted = plan.change("delete_node", {"node": node})
	var below: int = node.find_children("*", "", true, false).size()
	var data: Dictionary = {"path": path, "type": node.get_class(), "nodes": below + 1}
	References.of_removal(the_call.root, node).tell(data)
	return Result.planned(plan, data)


func _plan_create(the_call: Call, parent: Node, kind: NodeTypes.Kind, wanted: String) -> Result:
	var read: Result = Assignments.of_call(the_call)
	if not read.ok:
		return read
	var wires: Dictionary[String, Variant] = read.data["wires"]
	var listing: Properties.Listing = NodeTypes.listing(kind, wires.keys())
	var place: Values.Place = Values.place_below(parent, the_call.root)
	var decoded: Result = Assignments.decode(wires, listing, kind.name, place)
	if not decoded.ok:
		return decoded
	var values: Dictionary[StringName, Variant] = decoded.data["values"]
	var cycle: Result = Cycles.of_values(the_call.root, values)
	if cycle != null:
		return cycle
	var name: String = Names.free_name(parent, wanted)
	var path: String = Edits.path_below(the_call.root, parent, name)
	var index: int = the_call.number("index", Edits.LAST)
	var plan: Plan = Edits.plan(path, Persistence.of_child(the_call.root, parent, path, index))
	# A node that is not saved has nothing more to lose.
	if plan.verdicts[0]["persisted"] != false:
		plan.verdicts.append_array(
			Persistence.of_first_values(the_call.root, path, kind.native, listing, values)
		)
	var _plan_itself: RefCounted = plan.change(
		"create_node",
		{
			"parent": parent,
			"native": kind.native,
			"script": kind.code,
			"name": name,
			"index": index,
			"values": values,
		}
	)
	var data: Dictionary = {"path": path, "name": name, "type": kind.name}
	Edits.tell_renamed(data, wanted, name)
	if not values.is_empty():
		data["properties"] = Assignments.shown_planned(values, listing, parent)
	return Result.planned(plan, data)


func _plan_set(
	the_call: Call,
	node: Node,
	listing: Properties.Listing,
	values: Dictionary[StringName, Variant]
) -> Result:
	var plan: Plan = Edits.plan(Resolve.path_of(the_call.root, node), {})
	plan.verdicts = Persistence.of_properties(the_call.root, node, listing, values)
	var changed: bool = not Assignments.all_there(node, values, listing)
	plan.undoable = changed
	if changed:
		var _plan_itself: RefCounted = plan.change(
			"set_properties", {"node": node, "values": values}
		)
	var data: Dictionary = {"path": plan.targets[0], "changed": changed}
	# The commit shows what it reads back.
	if not changed or the_call.phase == Protocol.PHASE_PLAN:
		data["properties"] = Assignments.shown_planned(values, listing, node)
	return Result.planned(plan, data)


func _plan_move(the_call: Call, node: Node, parent: Node) -> Result:
	var name: String = Names.free_name(parent, str(node.name), node)
	var path: String = Edits.path_below(the_call.root, parent, name)
	var old_path: String = Resolve.path_of(the_call.root, node)
	var index: int = the_call.number("index", Edits.LAST)
	var stays: bool = parent == node.get_parent()
	if stays and index == Edits.LAST:
		index = parent.get_child_count() - 1
	var changed: bool = not stays or node.get_index() != index
	var found: References.Found = References.Found.new()
	if not stays:
		found = References.of_move(the_call.root, node, parent, name)
	var verdict: Dictionary = Persistence.of_move(the_call.root, node, parent, old_path, index)
	var plan: Plan = Edits.plan(old_path, verdict)
	plan.undoable = changed
	if changed:
		var _plan_itself: RefCounted = plan.change(
			"move_node",
			{
				"node": node,
				"parent": parent,
				"name": name,
				"index": index,
				"keep": the_call.flag("keep_global_transform", true),
				"foreign": Persistence.is_foreign(the_call.root, node),
				"found": found,
			}
		)
	var data: Dictionary = {"path": path, "old_path": old_path, "name": name, "changed": changed}
	Edits.tell_renamed(data, str(node.name), name)
	if verdict["persisted"] == false:
		found.give_up(str(verdict["reason"]))
	found.tell(data)
	return Result.planned(plan, data)


# A node of an instance or base scene is not saved at a new place, and takes what lies below it out
# of the file.
static func _stranding_refusal(root: Node, node: Node, parent: Node) -> Result:
	if parent == node.get_parent() or not Persistence.is_foreign(root, node):
		return null
	for below: Node in node.find_children("*", "", true, false):
		if below.owner == root and not Persistence.is_inherited(root, below):
			return Edits.invalid(
				"node_path",
				"own_nodes_below_foreign_node",
				"the scene's own %s lies below and would be lost by a save"
				% Resolve.path_of(root, below)
			).with_hint("move that node first")
	return null
