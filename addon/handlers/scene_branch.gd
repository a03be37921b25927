extends RefCounted
## Plans to make a branch of the edited scene a scene of its own.

const Branch = preload("../branch.gd")
const Call = preload("../call.gd")
const Cycles = preload("../cycles.gd")
const Persistence = preload("../persistence.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")
const SaveRefusals = preload("../save_refusals.gd")
const SaveTarget = preload("../save_target.gd")
const SceneFiles = preload("../scene_files.gd")
const Scenes = preload("../scenes.gd")


## Plans a scene file of a node and all below it: node_path, scene_path, replace_with_instance,
## overwrite.
func extract_scene(the_call: Call) -> Result:
	var root: Node = the_call.root
	var node: Node = Resolve.find(root, the_call.text("node_path"))
	if node == null:
		return Resolve.missing(root, the_call.text("node_path"))
	var path: String = Scenes.path_of(the_call.text("scene_path"))
	var wrong: Result = Branch.refusal(root, node)
	if wrong == null:
		wrong = SaveTarget.new_file(path, the_call.flag("overwrite"))
	if wrong == null and FileAccess.file_exists(path):
		var id: String = Resolve.path_of(root, node)
		wrong = Cycles.of_file(path, id, SceneFiles.instances(node), SceneFiles.parts(node, ""))
	if wrong != null:
		return wrong
	return _plan(the_call, node, path)


func _plan(the_call: Call, node: Node, path: String) -> Result:
	var root: Node = the_call.root
	var replaces: bool = the_call.flag("replace_with_instance")
	var node_path: String = Resolve.path_of(root, node)
	var plan: Plan = Plan.new()
	plan.targets = [path]
	plan.files.append(SaveRefusals.state(path))
	plan.add_effect(Protocol.EFFECT_TOUCHES_DISK)
	plan.undoable = replaces
	var links: Array[Branch.Link] = Branch.links(root, node)
	var references: Array[Branch.Reference] = Branch.references(root, node)
	if replaces:
		var _full: bool = plan.targets.append(node_path)
		plan.add_effect(Protocol.EFFECT_EDITS_MEMORY)
		var index: int = node.get_index()
		plan.verdicts.append(Persistence.of_child(root, node.get_parent(), node_path, index))
	var _plan_itself: RefCounted = plan.change(
		"extract_scene",
		{
			"node": node,
			"path": path,
			"replaces": replaces,
			"links": links,
			"references": references,
		}
	)
	var data: Dictionary = {
		"scene_path": path,
		"node_path": node_path,
		"nodes": node.find_children("*", "", true, false).size() + 1,
		"replaced": replaces,
	}
	if replaces:
		data["undo_leaves"] = [path]
	_tell_lost(data, root, node, links, references)
	return Result.planned(plan, data)


# What the new file cannot have because it leads out of the branch, and what the instance cannot
# take over.
static func _tell_lost(
	data: Dictionary,
	root: Node,
	node: Node,
	links: Array[Branch.Link],
	references: Array[Branch.Reference]
) -> void:
	var replaces: bool = data["replaced"]
	var lost: Array[Dictionary] = []
	for link: Branch.Link in links:
		if link.is_out and (not replaces or link.source != node):
			lost.append(link.shown(root))
	if not lost.is_empty():
		data["lost_connections"] = lost
	var broken: Array[Dictionary] = []
	for crossing: Branch.Reference in references:
		if crossing.is_out:
			broken.append(
				{
					"node": Resolve.path_of(root, crossing.holder),
					"property": str(crossing.property),
				}
			)
	if not broken.is_empty():
		data["lost_references"] = broken
