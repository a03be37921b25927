extends RefCounted
## Plans for what a node carries beside its properties: groups, script, editable children, unique
## name; and the selection.

const Call = preload("../call.gd")
const Groups = preload("../persistence/groups.gd")
const NodeReport = preload("../node_report.gd")
const NodeScripts = preload("../node_scripts.gd")
const Persistence = preload("../persistence.gd")
const Plan = preload("../plan.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")

const UNIQUE: StringName = &"unique_name_in_owner"

const MAX_SHOWN: int = 50

var _properties: Properties


func _init(properties: Properties) -> void:
	_properties = properties


## Plans a group more: node_path, group, persistent.
func add_to_group(the_call: Call) -> Result:
	var failure: Result = _group_refusal(the_call)
	if failure != null:
		return failure
	var node: Node = _node(the_call)
	var group: StringName = the_call.text("group")
	var persistent: bool = the_call.flag("persistent", true)
	var plan: Plan = _plan(
		the_call, Persistence.of_group(the_call.root, node, group, persistent)
	)
	var changed: bool = (
		not node.is_in_group(group)
		or Groups.is_persistent(the_call.root, node, group) != persistent
	)
	return _group_plan(plan, node, group, changed, {"member": true, "persistent": persistent})


## Plans a group less: node_path, group.
func remove_from_group(the_call: Call) -> Result:
	var failure: Result = _group_refusal(the_call)
	if failure != null:
		return failure
	var node: Node = _node(the_call)
	var group: StringName = the_call.text("group")
	var plan: Plan = _plan(the_call, Persistence.of_group_removal(the_call.root, node, group))
	var changed: bool = node.is_in_group(group)
	return _group_plan(plan, node, group, changed, {"member": false, "persistent": false})


## Plans a script for a node: node_path, script_path.
func attach_script(the_call: Call) -> Result:
	var node: Node = _node(the_call)
	if node == null:
		return _missing(the_call)
	var found: Result = NodeScripts.fit_for(node, the_call.text("script_path"))
	if not found.ok:
		return found
	var script: Script = found.data["script"]
	return _script_plan(the_call, node, script)


## Plans the loss of a node's script: node_path.
func detach_script(the_call: Call) -> Result:
	var node: Node = _node(the_call)
	if node == null:
		return _missing(the_call)
	if node.get_script() == null:
		return _invalid("node_path", "no_script", "%s has no script" % the_call.text("node_path"))
	var planned: Result = _script_plan(the_call, node, null)
	planned.plan.add_effect(Protocol.EFFECT_REMOVES)
	return planned


## Plans whether the nodes inside an instance are editable: node_path, editable.
func set_editable_children(the_call: Call) -> Result:
	var node: Node = _node(the_call)
	if node == null:
		return _missing(the_call)
	if node == the_call.root or node.scene_file_path.is_empty():
		return _invalid(
			"node_path",
			"not_an_instance",
			"%s is no instance of another scene" % the_call.text("node_path")
		).with_hint("nodes of the scene's own need no such switch: change them")
	var editable: bool = the_call.flag("editable", true)
	var plan: Plan = _plan(the_call, Persistence.of_editable(the_call.root, node, editable))
	plan.undoable = the_call.root.is_editable_instance(node) != editable
	if plan.undoable:
		var _plan_itself: RefCounted = plan.change(
			"set_editable", {"node": node, "editable": editable}
		)
	var data: Dictionary = _data(plan, {"editable": editable, "instance_of": node.scene_file_path})
	if plan.undoable and not editable:
		plan.add_effect(Protocol.EFFECT_REMOVES)
		_tell_lost(data, the_call.root, node)
	return Result.planned(plan, data)


## Plans whether a node is found as %Name: node_path, unique.
func set_unique_name(the_call: Call) -> Result:
	var node: Node = _node(the_call)
	if node == null:
		return _missing(the_call)
	var unique: bool = the_call.flag("unique", true)
	if node == the_call.root:
		return _invalid("node_path", "scene_root", "the root of the scene has no unique name in it")
	var failure: Result = _taken_refusal(the_call.root, node) if unique else null
	if failure != null:
		return failure
	var values: Dictionary[StringName, Variant] = {UNIQUE: unique}
	var plan: Plan = _plan(
		the_call, Persistence.of_unique(the_call.root, node, UNIQUE, unique)
	)
	plan.undoable = node.unique_name_in_owner != unique
	if plan.undoable:
		var _plan_itself: RefCounted = plan.change(
			"set_properties", {"node": node, "values": values}
		)
	return Result.planned(plan, _data(plan, {"unique": unique, "found_as": "%" + node.name}))


## Plans another selection: node_paths.
func select_nodes(the_call: Call) -> Result:
	var plan: Plan = Plan.new()
	plan.add_effect(Protocol.EFFECT_CHANGES_VIEW)
	plan.undoable = false
	var nodes: Array[Node] = []
	var paths: Array = the_call.params.get("node_paths", [])
	for path: Variant in paths:
		var node: Node = Resolve.find(the_call.root, str(path))
		if node == null:
			return Resolve.missing(the_call.root, str(path), "node_paths")
		var failure: Result = _hidden_refusal(the_call.root, node)
		if failure != null:
			return failure
		if not nodes.has(node):
			nodes.append(node)
			var _full: bool = plan.targets.append(Resolve.path_of(the_call.root, node))
	var _plan_itself: RefCounted = plan.change("select_nodes", {"nodes": nodes})
	return Result.planned(plan, {"selected": Array(plan.targets), "count": nodes.size()})


func _script_plan(the_call: Call, node: Node, script: Script) -> Result:
	var verdict: Dictionary = Persistence.of_node(the_call.root, node)
	if script == null:
		verdict = Persistence.of_loss(the_call.root, node, &"script")
	var plan: Plan = _plan(the_call, verdict)
	var old: Script = node.get_script()
	var data: Dictionary = {
		"script": _path_of(script), "replaced": _path_of(old)
	}
	plan.undoable = old != script
	if plan.undoable:
		var _plan_itself: RefCounted = plan.change("set_script", {"node": node, "script": script})
		var lost: Dictionary = NodeScripts.lost_values(node, old, _properties.of(node))
		if not lost.is_empty():
			data["lost_values"] = lost
	return Result.planned(plan, _data(plan, data))


# A script without a path is built into the scene.
static func _path_of(script: Script) -> Variant:
	if script == null:
		return null
	return script.resource_path


static func _group_plan(
	plan: Plan, node: Node, group: StringName, changed: bool, change: Dictionary
) -> Result:
	plan.undoable = changed
	if changed:
		change.merge({"node": node, "group": group})
		var _plan_itself: RefCounted = plan.change("set_group", change)
	var data: Dictionary = {"group": str(group), "in_group": change["member"]}
	if not changed:
		data["groups"] = NodeReport.groups_of(node)
	return Result.planned(plan, _data(plan, data))


static func _plan(the_call: Call, verdict: Dictionary) -> Plan:
	var plan: Plan = Plan.new()
	var _full: bool = plan.targets.append(Resolve.path_of(the_call.root, _node(the_call)))
	plan.add_effect(Protocol.EFFECT_EDITS_MEMORY)
	if not verdict.is_empty():
		plan.verdicts.append(verdict)
	return plan


static func _data(plan: Plan, more: Dictionary) -> Dictionary:
	var data: Dictionary = {"path": plan.targets[0]}
	data.merge(more)
	data["changed"] = not plan.changes.is_empty()
	return data


static func _node(the_call: Call) -> Node:
	return Resolve.find(the_call.root, the_call.text("node_path"))


static func _missing(the_call: Call) -> Result:
	return Resolve.missing(the_call.root, the_call.text("node_path"))


# Groups with an underscore in front are the engine's own: canvases, viewports, edited scenes.
static func _group_refusal(the_call: Call) -> Result:
	if _node(the_call) == null:
		return _missing(the_call)
	var group: String = the_call.text("group")
	var odd: bool = group.is_empty() or group.strip_edges() != group
	for index: int in group.length():
		odd = odd or group.unicode_at(index) < 32
	if not odd and not group.begins_with("_"):
		return null
	var reason: String = "invalid_group" if odd else "engine_group"
	var message: String = "groups that begin with _ are the engine's own"
	if odd:
		message = "a group has a name, without blanks around it or control characters"
	return _invalid("group", reason, message).with_detail("got", group)


# The engine would take the unique name from the node itself, and only print a warning.
static func _taken_refusal(root: Node, node: Node) -> Result:
	var owner: Node = node.owner
	if owner == null:
		return null
	var other: Node = owner.get_node_or_null(NodePath("%" + node.name))
	if other == null or other == node:
		return null
	return Result.fail(
		Protocol.CODE_ALREADY_EXISTS,
		"%s is the unique name of another node" % node.name,
		{
			"reason": "unique_name_taken",
			"name": str(node.name),
			"taken_by": Resolve.path_of(root, other),
		}
	).with_hint("take it from that node first: set_unique_name with unique:false")


static func _hidden_refusal(root: Node, node: Node) -> Result:
	if node == root or node.owner == root:
		return null
	if node.owner != null and root.is_editable_instance(node.owner):
		return null
	return _invalid(
		"node_paths",
		"not_in_scene_dock",
		"%s is not shown in the Scene dock: it cannot be selected" % Resolve.path_of(root, node)
	).with_hint("set_editable_children shows the nodes inside an instance; or select the instance")


# The scene's own nodes that stand below nodes of the instance: a save leaves them out.
static func _tell_lost(data: Dictionary, root: Node, instance: Node) -> void:
	var lost: Array[String] = []
	var total: int = 0
	for below: Node in instance.find_children("*", "", true, false):
		var at: Node = below.get_parent()
		while below.owner == root and at != instance and at.owner == root:
			at = at.get_parent()
		if below.owner == root and at != instance:
			total += 1
			if lost.size() < MAX_SHOWN:
				lost.append(Resolve.path_of(root, below))
	data["own_nodes_lost"] = lost
	data["own_nodes_lost_total"] = total
	data["note"] = "values changed inside stay visible until the scene is read again"


static func _invalid(parameter: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR, message, {"parameter": parameter, "reason": reason}
	)
