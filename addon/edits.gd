extends RefCounted
## What the plans of node edits share: their form, what they say of names and places, and what is
## refused for all of them.

const Call = preload("./call.gd")
const Plan = preload("./plan.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Result = preload("./result.gd")

## The index of the last place.
const LAST: int = -1


## A plan for one target, with its verdict (empty: none yet).
static func plan(target: String, verdict: Dictionary) -> Plan:
	var made: Plan = Plan.new()
	var _full: bool = made.targets.append(target)
	made.add_effect(Protocol.EFFECT_EDITS_MEMORY)
	if not verdict.is_empty():
		made.verdicts.append(verdict)
	return made


## The path of a child of parent.
static func path_below(root: Node, parent: Node, name: String) -> String:
	return name if parent == root else Resolve.path_of(root, parent).path_join(name)


## Says that the node gets another name than the wanted one.
static func tell_renamed(data: Dictionary, wanted: String, name: String) -> void:
	if wanted != name:
		data["requested"] = wanted
		data["renamed"] = true


## The name of a plan's undo action: with the name that a new or renamed node gets instead of the
## one that was asked for.
static func action_of(action: String, planned: Result) -> String:
	var data: Dictionary = planned.data
	if not data.has("renamed"):
		return action
	match planned.plan.op():
		"create_node":
			return action.replace(" %s (" % data["requested"], " %s (" % data["name"])
		"rename_node" when action.ends_with(" " + str(data["requested"])):
			return action.trim_suffix(str(data["requested"])) + str(data["name"])
	return action


## The failure for a node whose place is not the scene's to change: the root is the scene, and what
## a parent made for itself (internal) belongs to it. Null for any other.
static func structure_refusal(root: Node, node: Node, verb: String) -> Result:
	var path: String = Resolve.path_of(root, node)
	if node == root:
		return Result.fail(
			Protocol.CODE_PROTECTED_TARGET,
			"the root of the scene cannot be %s" % verb,
			{"node_path": path, "reason": "scene_root"}
		).with_hint("name a node below it; the scene as a whole is a file")
	return internal_refusal(root, node, verb)


## The failure for a node that its parent made for itself; null for any other.
static func internal_refusal(root: Node, node: Node, verb: String) -> Result:
	if node == root or node.get_parent().get_children().has(node):
		return null
	var path: String = Resolve.path_of(root, node)
	return Result.fail(
		Protocol.CODE_PROTECTED_TARGET,
		"%s belongs to its parent and cannot be %s" % [path, verb],
		{"node_path": path, "reason": "internal_node"}
	).with_hint("name its parent, or a node that the scene itself has")


## The failure for an index beyond the siblings; null for a good one.
static func index_refusal(the_call: Call, siblings: int) -> Result:
	var index: int = the_call.number("index", LAST)
	if index == LAST or (index >= 0 and index <= siblings):
		return null
	return invalid(
		"index", "index_out_of_range", "index is -1 (last) or 0 to %d" % siblings
	).with_detail("got", index)


## The failure for a parameter.
static func invalid(parameter: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR, message, {"parameter": parameter, "reason": reason}
	)
