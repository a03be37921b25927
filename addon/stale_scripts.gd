extends RefCounted
## Nodes of open scenes that are not what their script says now, because the script was changed
## while they were there. An object that runs keeps its values when its script is renewed, and has
## null for what is new in it; and whether a node runs at all (@tool) is settled when it is made.

const Plan = preload("./plan.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Result = preload("./result.gd")
const Scenes = preload("./scenes.gd")
const StaleScripts = preload("./stale_scripts.gd")

const HINT: String = (
	"reload_scene makes the node anew with the script as it is now: save_scene first, or give"
	+ " discard_unsaved"
)
const UNFIT_HINT: String = (
	"the engine takes the script, with all its values, off a node of another class when the scene"
	+ " is read: have the script extend the node's class or one above it, or detach_script it"
)
## How many nodes an answer about a whole scene looks at: some 10 ms.
const MAX_LOOKED: int = 10_000
## How many nodes of another class than their script's are listed.
const MAX_UNFIT: int = 20
## More than any scene has.
const ALL: int = 1 << 62
# What writes or copies values of nodes, or runs their code by it; true when the nodes below count
# as well.
const _WRITES: Dictionary[String, bool] = {
	"batch_set": false,
	"duplicate_node": true,
	"extract_scene": true,
	"set_properties": false,
	"set_resource_property": false,
}


## What has to follow when a script in memory gets another text.
class Renewal:
	extends RefCounted

	var _live: GDScript
	# By the script's id: the variables that it had.
	var _before: Dictionary[int, Dictionary] = {}

	## Looks at what is there. To be made before the script gets its text.
	func _init(live: GDScript) -> void:
		_live = live
		for node: Node in StaleScripts.users(live):
			var script: Script = node.get_script()
			_before[script.get_instance_id()] = StaleScripts.names_of(script)

	## Brings the nodes up to the new text as far as can be, and says in which open scenes one has
	## to be made anew.
	func tell(data: Dictionary) -> void:
		var scenes: Array = data.get("stale_scenes", [])
		var unfit: Array = data.get("unfit_nodes", [])
		for node: Node in StaleScripts.users(_live):
			var script: GDScript = null
			if is_instance_valid(node):
				script = node.get_script()
			if script == null:
				continue  # The code of another one took it away.
			var before: Dictionary[StringName, bool] = {}
			var known: Dictionary = _before.get(script.get_instance_id(), {})
			before.assign(known)
			StaleScripts.fill(node, script, before)
			if not is_instance_valid(node):
				continue
			node.notify_property_list_changed()
			var scene: String = StaleScripts.scene_of(node)
			if StaleScripts.is_unfit(node) and unfit.size() < MAX_UNFIT:
				unfit.append({"scene": scene, "node_path": StaleScripts.path_in(scene, node)})
			if StaleScripts.is_stale(node) and not scenes.has(scene):
				scenes.append(scene)
		if not unfit.is_empty():
			data["unfit_nodes"] = unfit
			data["unfit_hint"] = UNFIT_HINT
		if not scenes.is_empty():
			data["stale_scenes"] = scenes
			data["stale_hint"] = HINT


## True when the node has to be made anew. Reads only; of project code, getters of @tool scripts
## run.
static func is_stale(node: Node) -> bool:
	var own: Script = node.get_script()
	var script: GDScript = own as GDScript
	if script == null or not _fits(node, script):
		return false
	var runs: bool = script.instance_has(node)
	if runs != script.is_tool():
		return true
	return runs and not _harmed(node, script).is_empty()


## True when the node's script extends a class that the node is not of.
static func is_unfit(node: Node) -> bool:
	var script: Script = node.get_script()
	var base: StringName = &"" if script == null else script.get_instance_base_type()
	return not base.is_empty() and not ClassDB.is_parent_class(node.get_class(), base)


## The node's path in the open scene of this name.
static func path_in(scene: String, node: Node) -> String:
	var root: Node = Scenes.find(scene)
	return "" if root == null else Resolve.path_of(root, node)


## The open scene that the node is in, as replies name it.
static func scene_of(node: Node) -> String:
	for root: Node in EditorInterface.get_open_scene_roots():
		if root == node or root.is_ancestor_of(node):
			return Scenes.id_of(root)
	return ""


## The first such node of a scene's tree or branch; null when there is none, or none among the first
## `most` that were looked at.
static func first_in(root: Node, most: int = ALL) -> Node:
	var queue: Array[Node] = [root]
	while not queue.is_empty() and most > 0:
		most -= 1
		var node: Node = queue.pop_back()
		if is_stale(node):
			return node
		queue.append_array(node.get_children())
	return null


## Says it in an answer about the node.
static func tell(data: Dictionary, node: Node) -> void:
	if is_stale(node):
		data["stale_script"] = true
		data["stale_hint"] = HINT


## Why a plan is not made: it works on values of such a node. Null when it may be.
static func refusal(plan: Plan, root: Node) -> Result:
	if plan == null or not _WRITES.has(plan.op()):
		return null
	for change: Dictionary in plan.changes:
		for node: Node in _nodes_of(change):
			if node.get_script() == null and not _WRITES[plan.op()]:
				continue
			if is_unfit(node):
				return _refuse_unfit(Resolve.path_of(root, node), node)
			var stale: Node = first_in(node) if _WRITES[plan.op()] else node
			if stale != null and is_stale(stale):
				return _refuse(Resolve.path_of(root, stale), stale)
	return null


## The open scenes' nodes that use the script, or one that extends it.
static func users(script: GDScript) -> Array[Node]:
	var out: Array[Node] = []
	for root: Node in EditorInterface.get_open_scene_roots():
		var queue: Array[Node] = [root]
		while not queue.is_empty():
			var node: Node = queue.pop_back()
			queue.append_array(node.get_children())
			var own: Script = node.get_script()
			if _extends(own, script):
				out.append(node)
	return out


## Gives an object that runs the script's own values for what it has no value of: for variables that
## are new, or of another type than before. `before` are the names that it had. What has no value of
## its own that the editor knows stays as it is.
static func fill(node: Node, script: GDScript, before: Dictionary[StringName, bool]) -> void:
	if not script.instance_has(node):
		return
	var names: Array[StringName] = _harmed(node, script)
	for info: Dictionary in script.get_script_property_list():
		var name: StringName = info["name"]
		if not before.has(name) and not names.has(name) and node.get(name) == null:
			names.append(name)
	for name: StringName in names:
		var usual: Variant = script.get_property_default_value(name)
		if usual != null and is_instance_valid(node):
			node.set(name, Properties.copy(usual))


## The names of a script's variables, those of its base scripts too.
static func names_of(script: Script) -> Dictionary[StringName, bool]:
	var out: Dictionary[StringName, bool] = {}
	for info: Dictionary in script.get_script_property_list():
		out[StringName(str(info["name"]))] = true
	return out


static func _extends(script: Script, base: Script) -> bool:
	while script != null and script != base:
		script = script.get_base_script()
	return script != null


# A broken script is for others to tell of: reading the scene again would not mend it.
static func _fits(node: Node, script: GDScript) -> bool:
	var base: StringName = script.get_instance_base_type()
	if base.is_empty() or (script.is_tool() and not script.can_instantiate()):
		return false
	return ClassDB.is_parent_class(node.get_class(), base)


# The typed variables that hold what their type cannot hold. Objects may be null.
static func _harmed(node: Node, script: GDScript) -> Array[StringName]:
	var out: Array[StringName] = []
	for info: Dictionary in script.get_script_property_list():
		var type: int = info["type"]
		var usage: int = info["usage"]
		if usage & PROPERTY_USAGE_SCRIPT_VARIABLE == 0 or type in [TYPE_NIL, TYPE_OBJECT]:
			continue
		var name: StringName = info["name"]
		if typeof(node.get(name)) != type:
			out.append(name)
	return out


# The nodes whose values a change sets or copies; others that it names stay as they are.
static func _nodes_of(change: Dictionary) -> Array[Node]:
	var out: Array[Node] = []
	var found: Array = [change.get("node")]
	var targets: Variant = change.get("targets")
	if targets is Array:
		for target: Object in targets:
			found.append(target.get(&"node"))
	for node: Variant in found:
		if node is Node:
			out.append(node)
	return out


static func _refuse(path: String, node: Node) -> Result:
	var script: Script = node.get_script()
	return (
		Result
		. fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"the script of %s is not the one any more with which the node was made" % path,
			{"node_path": path, "script": script.resource_path, "reason": "stale_script"}
		)
		. needs("reload_scene")
		. with_hint(HINT)
	)


static func _refuse_unfit(path: String, node: Node) -> Result:
	var script: Script = node.get_script()
	return (
		Result
		. fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"the script of %s extends %s, and the node is a %s"
			% [path, script.get_instance_base_type(), node.get_class()],
			{"node_path": path, "script": script.resource_path, "reason": "unfit_script"}
		)
		. needs("fitting_script")
		. with_hint(UNFIT_HINT)
	)
