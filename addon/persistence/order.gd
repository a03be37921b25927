extends RefCounted
## Whether siblings come back in the order in which they stand now. Nodes of an instance or of a
## base scene come back in the order of their own scene; between them the engine puts the scene's
## own nodes by a saved index. It saves none for children of an instance's root: those come last.

const Inherited = preload("./inherited.gd")
const Resolve = preload("../resolve.gd")

## What becomes of an order: it is kept, the foreign nodes go back to theirs, or the own node goes
## behind the foreign ones.
enum Fate { KEPT, SHUFFLED, BEHIND }


## What becomes of the order below parent when this node (null: a new one) goes to the index there;
## -1: the end. Reads only.
static func of(root: Node, parent: Node, node: Node, index: int) -> Fate:
	var now: Array[Node] = parent.get_children()
	var after: Array[Node] = now.duplicate()
	after.erase(node)
	var at: int = after.size() if index < 0 else mini(index, after.size())
	var before: Array[Node] = after.slice(0, at)
	var behind: Array[Node] = after.slice(at)
	if node != null and _is_foreign(root, node):
		if now.has(node) and _foreign(root, now) != _with(root, before, node, behind):
			return Fate.SHUFFLED
		var own: bool = before.any(func(one: Node) -> bool: return _is_own(root, one))
		return Fate.BEHIND if own and not _has_indices(root, parent) else Fate.KEPT
	if _has_indices(root, parent) or _foreign(root, behind).is_empty():
		return Fate.KEPT
	return Fate.BEHIND


static func _with(
	root: Node, before: Array[Node], node: Node, behind: Array[Node]
) -> Array[Node]:
	var all: Array[Node] = _foreign(root, before)
	all.append(node)
	all.append_array(_foreign(root, behind))
	return all


static func _foreign(root: Node, nodes: Array[Node]) -> Array[Node]:
	return nodes.filter(func(one: Node) -> bool: return _is_foreign(root, one))


static func _is_foreign(root: Node, node: Node) -> bool:
	if node.owner == null or node.owner != root:
		return node.owner != null
	return Inherited.has(root, Resolve.path_of(root, node))


static func _is_own(root: Node, node: Node) -> bool:
	return node.owner == root and not _is_foreign(root, node)


# The engine's own condition for writing the index of a node of the scene into the file.
static func _has_indices(root: Node, parent: Node) -> bool:
	return Inherited.has(root, ".") or (parent != root and parent.owner != root)
