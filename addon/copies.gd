extends RefCounted
## Plans of copies: which nodes of a branch the scene owns in the copy, and what cannot be copied.

const Edits = preload("./edits.gd")
const Names = preload("./names.gd")
const Order = preload("./persistence/order.gd")
const Persistence = preload("./persistence.gd")
const Plan = preload("./plan.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Result = preload("./result.gd")
const SceneModel = preload("./scene_model.gd")


## What becomes of the nodes of a branch in its copy: paths from its top.
class Parts:
	extends RefCounted
	## Nodes that the scene owns in the copy.
	var own: PackedStringArray = PackedStringArray()
	## Those of them that an instance or the base scene has in the original.
	var foreign: PackedStringArray = PackedStringArray()
	## Those of them that lose their unique name.
	var not_unique: PackedStringArray = PackedStringArray()
	## Nodes that no save keeps, by their paths.
	var unowned: Array[String] = []
	## How many nodes there are.
	var count: int = 0


## The failure for a branch with an instance whose scene is gone, or that lacks a node of its scene;
## null when all of it can be copied.
static func refusal(root: Node, node: Node) -> Result:
	var gone: Result = _gone(root, node)
	return _lacking(root, node) if gone == null else gone


## The failure for a copy whose nodes are not those of the branch in the same order; null for a true
## copy. The engine gives each node of the copy what the node at the same place has.
static func difference(root: Node, node: Node, copy: Node) -> Result:
	var pairs: Array[Array] = [[node, copy]]
	while not pairs.is_empty():
		var pair: Array = pairs.pop_back()
		var source: Node = pair[0]
		var twin: Node = pair[1]
		if not _matches(source, twin):
			return _untrue(
				"the engine's copy has other nodes, or in another order",
				{"node_path": Resolve.path_of(root, source)}
			)
		for index: int in source.get_child_count():
			pairs.append([source.get_child(index), twin.get_child(index)])
	return null


static func _gone(root: Node, node: Node) -> Result:
	var missing: Array[Dictionary] = []
	for one: Node in _branch(node):
		var file: String = one.scene_file_path
		if not file.is_empty() and not ResourceLoader.exists(file):
			missing.append({"file": file, "needed_by": Resolve.path_of(root, one)})
	if missing.is_empty():
		return null
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"%s holds instances of scenes that do not exist" % Resolve.path_of(root, node),
			{"missing": missing.slice(0, 50)}
		)
		.needs("dependencies")
		.with_hint("bring back the files in details.missing, or delete these nodes")
	)


# The engine makes an instance anew and then pairs nodes by their places: where one is not there any
# more, the next would get its values.
static func _lacking(root: Node, node: Node) -> Result:
	var missing: Array[String] = []
	var known: Dictionary[int, SceneModel] = {}
	for one: Node in _branch(node):
		var file: String = one.scene_file_path
		if file.is_empty() or (one != node and _is_part(node, one)):
			continue
		var scene: PackedScene = ResourceLoader.load(file, "PackedScene") as PackedScene
		if scene == null or one is InstancePlaceholder:
			continue
		for path: String in SceneModel.read(scene, 0, known).entries:
			if not one.has_node(NodePath(path)):
				missing.append(Resolve.path_of(root, one).path_join(path))
	if missing.is_empty():
		return null
	return _untrue(
		"%s lacks nodes that its scenes have" % Resolve.path_of(root, node),
		{"missing": missing.slice(0, 50)}
	)


static func _untrue(message: String, details: Dictionary) -> Result:
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			message + ": values would go to the wrong nodes of the copy, so it was not made",
			details
		)
		.needs("reload_scene")
		.with_hint(
			"save_scene, then reload_scene: what an instance's scene has comes back at its place;"
			+ " then duplicate it"
		)
	)


static func _matches(source: Node, twin: Node) -> bool:
	# Children that the copy's own code made come last, and get nobody's values.
	if source.get_child_count() > twin.get_child_count():
		return false
	for index: int in source.get_child_count():
		var one: Node = source.get_child(index)
		var other: Node = twin.get_child(index)
		if one.get_class() != other.get_class():
			return false
		# What code made has no owner, and its copy perhaps another name.
		var is_named: bool = one.owner != null and not str(one.name).begins_with("@")
		if is_named and one.name != other.name:
			return false
	return true


## The plan of a copy right behind the node, or, where a save does not keep such an order, at the
## end. `asked` is its name; empty: the node's own, with the
## next free number.
static func plan(root: Node, node: Node, asked: String) -> Result:
	var parent: Node = node.get_parent()
	var wanted: String = str(node.name) if asked.is_empty() else asked
	var name: String = Names.free_name(parent, wanted)
	var path: String = Edits.path_below(root, parent, name)
	var index: int = node.get_index() + 1
	if Order.of(root, parent, null, index) == Order.Fate.BEHIND:
		index = Edits.LAST
	var made: Plan = Edits.plan(path, Persistence.of_child(root, parent, path, index))
	var parts: Parts = _parts(root, node, name)
	var _plan_itself: RefCounted = made.change(
		"duplicate_node",
		{
			"node": node, "parent": parent, "name": name, "index": index, "own": parts.own,
			"not_unique": parts.not_unique, "foreign": parts.foreign,
		}
	)
	var data: Dictionary = {
		"path": path, "source_path": Resolve.path_of(root, node), "name": name,
		"type": node.get_class(), "nodes": parts.count,
	}
	if not asked.is_empty():
		Edits.tell_renamed(data, asked, name)
	if not parts.not_unique.is_empty():
		data["not_unique"] = _below(path, parts.not_unique)
	if not parts.unowned.is_empty():
		data["unowned_below"] = parts.unowned.slice(0, 50)
	return Result.planned(made, data)


static func _parts(root: Node, node: Node, name: String) -> Parts:
	var parts: Parts = Parts.new()
	for one: Node in _branch(node):
		parts.count += 1
		var inside: String = str(node.get_path_to(one))
		if one != node and one.owner == null and node.owner != null:
			parts.unowned.append(Resolve.path_of(root, one))
		elif one == node or not _is_part(node, one):
			var _full: bool = parts.own.append(inside)
			if Persistence.is_foreign(root, one):
				_full = parts.foreign.append(inside)
			if _loses_unique_name(root, one, name if one == node else str(one.name)):
				_full = parts.not_unique.append(inside)
	return parts


# Nodes that come along with an instance inside of the branch.
static func _is_part(top: Node, one: Node) -> bool:
	return one.owner != null and (one.owner == top or top.is_ancestor_of(one.owner))


# A scene has each unique name once, and the original keeps it.
static func _loses_unique_name(root: Node, one: Node, name: String) -> bool:
	return one.unique_name_in_owner and root.get_node_or_null(NodePath("%" + name)) != null


static func _branch(top: Node) -> Array[Node]:
	var out: Array[Node] = [top]
	var next: int = 0
	while next < out.size():
		out.append_array(out[next].get_children())
		next += 1
	return out


static func _below(path: String, inside: PackedStringArray) -> Array[String]:
	var out: Array[String] = []
	for one: String in inside:
		out.append(path if one == "." else path.path_join(one))
	return out
