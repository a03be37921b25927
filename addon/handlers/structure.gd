extends RefCounted
## Plans for what makes up a scene: names, copies and instances of nodes, and one change of many
## nodes. Everything is refused or decided here; the commit only does what the plan says.

const Batch = preload("../batch.gd")
const Call = preload("../call.gd")
const Copies = preload("../copies.gd")
const Edits = preload("../edits.gd")
const Instances = preload("../instances.gd")
const Names = preload("../names.gd")
const Persistence = preload("../persistence.gd")
const Plan = preload("../plan.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const References = preload("../references.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")

var _batch: Batch


func _init(properties: Properties) -> void:
	_batch = Batch.new(properties)


## Plans another name for a node: node_path, new_name.
func rename_node(the_call: Call) -> Result:
	var node: Node = Resolve.find(the_call.root, the_call.text("node_path"))
	if node == null:
		return Resolve.missing(the_call.root, the_call.text("node_path"))
	var wanted: String = the_call.text("new_name")
	var failure: Result = Names.refusal(wanted, "new_name")
	if failure == null and wanted.is_empty():
		failure = Edits.invalid("new_name", "empty_name", "a node has to have a name")
	if failure == null:
		failure = _rename_refusal(the_call.root, node)
	if failure != null:
		return failure
	var name: String = Names.free_name(node.get_parent(), wanted, node)
	failure = _unique_refusal(the_call.root, node, name)
	return _plan_rename(the_call, node, wanted, name) if failure == null else failure


## Plans a copy of a node and all below it, beside it: node_path, node_name.
func duplicate_node(the_call: Call) -> Result:
	var node: Node = Resolve.find(the_call.root, the_call.text("node_path"))
	if node == null:
		return Resolve.missing(the_call.root, the_call.text("node_path"))
	var asked: String = the_call.text("node_name")
	var failure: Result = Edits.structure_refusal(the_call.root, node, "duplicated")
	if failure == null:
		failure = Names.refusal(asked, "node_name")
	if failure == null:
		failure = Copies.refusal(the_call.root, node)
	return Copies.plan(the_call.root, node, asked) if failure == null else failure


## Plans an instance of a scene: parent_path, scene_path, node_name, index.
func instance_scene(the_call: Call) -> Result:
	var parent: Node = Resolve.find(the_call.root, the_call.text("parent_path", "."))
	if parent == null:
		return Resolve.missing(the_call.root, the_call.text("parent_path", "."), "parent_path")
	var failure: Result = Edits.index_refusal(the_call, parent.get_child_count())
	if failure == null:
		failure = Names.refusal(the_call.text("node_name"), "node_name")
	return Instances.plan(the_call, parent) if failure == null else failure


## Plans the same values for many nodes: property with value, or properties; node_paths, or
## node_type with under.
func batch_set_property(the_call: Call) -> Result:
	return _batch.plan(the_call)


func _plan_rename(the_call: Call, node: Node, wanted: String, name: String) -> Result:
	var root: Node = the_call.root
	var old_path: String = Resolve.path_of(root, node)
	var changed: bool = name != str(node.name)
	var found: References.Found = References.Found.new()
	if changed:
		found = References.of_rename(root, node, name)
	var plan: Plan = Edits.plan(old_path, Persistence.of_node(root, node))
	plan.undoable = changed
	if changed:
		var _plan_itself: RefCounted = plan.change(
			"rename_node", {"node": node, "name": name, "found": found}
		)
	var path: String = "."
	if node != root:
		path = Edits.path_below(root, node.get_parent(), name)
	var data: Dictionary = {
		"path": path, "old_path": old_path, "name": name, "old_name": str(node.name),
		"changed": changed,
	}
	Edits.tell_renamed(data, wanted, name)
	found.tell(data)
	return Result.planned(plan, data)


# The Scene dock refuses these too: a save writes nothing of the new name, or a second node.
static func _rename_refusal(root: Node, node: Node) -> Result:
	if node == root:
		return null
	var failure: Result = Edits.internal_refusal(root, node, "renamed")
	if failure != null:
		return failure
	var verdict: Dictionary = {}
	if node.owner == null:
		verdict = Persistence.of_node(root, node)
	elif Persistence.is_foreign(root, node):
		verdict = Persistence.of_removal(root, node)
	if verdict.is_empty():
		return null
	var path: String = Resolve.path_of(root, node)
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s is not this scene's own, so a save would lose its name" % path,
		{"parameter": "node_path", "node_path": path, "reason": verdict["reason"]}
	).with_hint(str(verdict["hint"]))


# The engine would take the unique name away, and only warn.
static func _unique_refusal(root: Node, node: Node, name: String) -> Result:
	if not node.unique_name_in_owner or name == str(node.name) or node.owner == null:
		return null
	var holder: Node = node.owner.get_node_or_null(NodePath("%" + name))
	if holder == null or holder == node:
		return null
	return Edits.invalid(
		"new_name",
		"unique_name_taken",
		"%s has the unique name %%%s already" % [Resolve.path_of(root, holder), name]
	).with_hint("choose another name")
