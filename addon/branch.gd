extends RefCounted
## A branch of a scene that is to become a scene of its own: whether it can, and what leads into it
## and out of it.

const Persistence = preload("./persistence.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Result = preload("./result.gd")


## One stored connection with one end inside of the branch.
class Link:
	extends RefCounted
	## Where it comes from.
	var source: Node
	## The signal's name.
	var name: StringName
	## What is called, with bound values.
	var callable: Callable
	## Its flags.
	var flags: int
	## Where it leads.
	var target: Node
	## True when the source is the end inside of the branch.
	var is_out: bool

	## The same connection between other nodes.
	func between(new_source: Node, new_target: Node) -> Link:
		var made: Link = Link.new()
		made.source = new_source
		made.name = name
		made.callable = Callable(new_target, callable.get_method())
		if not callable.get_bound_arguments().is_empty():
			made.callable = made.callable.bindv(callable.get_bound_arguments())
		if callable.get_unbound_arguments_count() > 0:
			made.callable = made.callable.unbind(callable.get_unbound_arguments_count())
		made.flags = flags
		made.target = new_target
		made.is_out = is_out
		return made

	## The connection as replies show it.
	func shown(root: Node) -> Dictionary:
		return {
			"source": Resolve.path_of(root, source),
			"signal": str(name),
			"target": Resolve.path_of(root, target),
			"method": str(callable.get_method()),
		}


## One stored property whose value is a node on the other side of the border.
class Reference:
	extends RefCounted
	## Whose property it is.
	var holder: Node
	## Its name.
	var property: StringName
	## True when the holder is inside of the branch.
	var is_out: bool


## The failure for a node that cannot become the root of another scene; null when it can.
static func refusal(root: Node, node: Node) -> Result:
	var path: String = Resolve.path_of(root, node)
	if node == root:
		return Result.fail(
			Protocol.CODE_PROTECTED_TARGET,
			"the root is the whole scene",
			{"node_path": path, "reason": "scene_root"}
		).with_hint("save_scene with scene_path saves the whole scene as another file")
	if node.owner == null:
		return _invalid(path, Protocol.REASON_NODE_NOT_OWNED, "%s has no owner" % path).with_hint(
			"a script made it: no scene file has it"
		)
	if node.owner != root:
		return _invalid(
			path, Protocol.REASON_NODE_FROM_INSTANCE, "%s is part of an instance" % path
		).with_hint("open_scene %s and extract it there" % node.owner.scene_file_path)
	if Persistence.is_inherited(root, node):
		return _invalid(
			path, Protocol.REASON_INHERITED_NODE, "%s is defined in the base scene" % path
		).with_hint("open_scene the base scene and extract it there")
	if not node.scene_file_path.is_empty():
		return _invalid(path, "is_instance", "%s is an instance already" % path).with_hint(
			"its scene is %s" % node.scene_file_path
		)
	return _refusal_below(root, node)


## The stored connections over the border of the branch.
static func links(root: Node, node: Node) -> Array[Link]:
	var out: Array[Link] = []
	for at: Node in _all(root):
		var inside: bool = _is_inside(node, at)
		for info: Dictionary in at.get_signal_list():
			var name: StringName = info["name"]
			for connection: Dictionary in at.get_signal_connection_list(name):
				_add_link(out, root, node, at, inside, connection)
	return out


## The stored properties that hold nodes of the other side: only scripts have such.
static func references(root: Node, node: Node) -> Array[Reference]:
	var out: Array[Reference] = []
	for at: Node in _all(root):
		if at.get_script() == null:
			continue
		var inside: bool = _is_inside(node, at)
		for info: Dictionary in at.get_property_list():
			var usage: int = info["usage"]
			var name: StringName = info["name"]
			if usage & PROPERTY_USAGE_STORAGE == 0 or not _crosses(node, inside, at.get(name)):
				continue
			var crossing: Reference = Reference.new()
			crossing.holder = at
			crossing.property = name
			crossing.is_out = inside
			out.append(crossing)
	return out


## A value with the branch's nodes replaced by those that stand at the same places below `other`.
static func carried_over(value: Variant, node: Node, other: Node) -> Variant:
	if value is Array:
		var list: Array = value
		var copy: Array = list.duplicate()
		for index: int in copy.size():
			copy[index] = carried_over(copy[index], node, other)
		return copy
	if value is Dictionary:
		var map: Dictionary = value
		var copied: Dictionary = map.duplicate()
		for key: Variant in map:
			copied[key] = carried_over(map[key], node, other)
		return copied
	var held: Node = _as_node(value)
	return value if held == null or not _is_inside(node, held) else counterpart(held, node, other)


## The node that stands below `other` where `inner` stands below `node`.
static func counterpart(inner: Node, node: Node, other: Node) -> Node:
	return other if inner == node else other.get_node_or_null(node.get_path_to(inner))


# What a save of the new scene would leave out.
static func _refusal_below(root: Node, node: Node) -> Result:
	for below: Node in node.find_children("*", "", true, false):
		var at: Node = below
		while at != node:
			var reason: String = _left_out(root, below, at)
			if not reason.is_empty():
				var path: String = Resolve.path_of(root, below)
				return _invalid(path, reason, "no scene file would have %s" % path).with_hint(
					"delete_node or move_node it first"
				)
			at = at.get_parent()
	return null


# Why a node at or above `below` keeps it out of the file; empty when it does not.
static func _left_out(root: Node, below: Node, at: Node) -> String:
	if at.owner == null:
		return Protocol.REASON_NODE_NOT_OWNED
	if below.owner == root and at.owner != root and not root.is_editable_instance(at.owner):
		return Protocol.REASON_INSTANCED_CHILD_NOT_EDITABLE
	return ""


static func _add_link(
	out: Array[Link], root: Node, node: Node, at: Node, inside: bool, connection: Dictionary
) -> void:
	var callable: Callable = connection["callable"]
	var target: Node = callable.get_object() as Node
	var flags: int = connection["flags"]
	if flags & CONNECT_PERSIST == 0 or target == null or inside == _is_inside(node, target):
		return
	if target != root and not root.is_ancestor_of(target):
		return
	var link: Link = Link.new()
	link.source = at
	var source: Signal = connection["signal"]
	link.name = source.get_name()
	link.callable = callable
	link.flags = flags
	link.target = target
	link.is_out = inside
	out.append(link)


static func _crosses(node: Node, inside: bool, value: Variant) -> bool:
	if value is Array:
		var list: Array = value
		return list.any(func(inner: Variant) -> bool: return _crosses(node, inside, inner))
	if value is Dictionary:
		var map: Dictionary = value
		return _crosses(node, inside, map.values())
	var held: Node = _as_node(value)
	return held != null and held.is_inside_tree() and inside != _is_inside(node, held)


static func _as_node(value: Variant) -> Node:
	if typeof(value) != TYPE_OBJECT or not is_instance_valid(value):
		return null
	var object: Object = value
	return object as Node


static func _is_inside(node: Node, at: Node) -> bool:
	return at == node or node.is_ancestor_of(at)


static func _all(root: Node) -> Array[Node]:
	var out: Array[Node] = [root]
	out.append_array(root.find_children("*", "", true, false))
	return out


static func _invalid(path: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		message,
		{"parameter": "node_path", "node_path": path, "reason": reason}
	)
