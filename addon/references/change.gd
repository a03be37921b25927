extends RefCounted
## A node that is about to be renamed, moved or removed, and what that does to a path: whether the
## path stops leading where it leads now, and how it has to be written afterwards.

const Change = preload("./change.gd")

## What happens to the node.
enum Kind { RENAMED, MOVED, REMOVED }


## A path that the change breaks.
class Way:
	extends RefCounted
	## Where it leads now.
	var target: Node = null
	## The path as it has to be afterwards; empty when nothing is there then.
	var after: NodePath = NodePath()


## What happens.
var kind: Kind = Kind.REMOVED
## The root of the scene.
var root: Node = null
## The node that it happens to.
var node: Node = null
## The node's parent afterwards.
var parent: Node = null
## The node's name afterwards.
var name: String = ""


## A new name.
static func renamed(the_root: Node, the_node: Node, new_name: String) -> Change:
	return _make(Kind.RENAMED, the_root, the_node, the_node.get_parent(), new_name)


## A new parent, and perhaps a new name there.
static func moved(
	the_root: Node, the_node: Node, new_parent: Node, new_name: String
) -> Change:
	return _make(Kind.MOVED, the_root, the_node, new_parent, new_name)


## The node goes, and all below it.
static func removed(the_root: Node, the_node: Node) -> Change:
	return _make(Kind.REMOVED, the_root, the_node, null, "")


## True when the node is the one that changes, or lies below it.
func holds(one: Node) -> bool:
	return one == node or node.is_ancestor_of(one)


## What the change breaks of a path from `from`; null when the path leads nowhere now, out of the
## scene, or goes on leading there.
func breaks(from: Node, path: NodePath) -> Way:
	if path.is_empty() or path.is_absolute() or path.get_name_count() == 0:
		return null
	var at: Node = from
	var names: PackedStringArray = PackedStringArray()
	var renames: bool = false
	var crosses: bool = false
	for index: int in path.get_name_count():
		var step: String = path.get_name(index)
		var next: Node = at.get_node_or_null(NodePath(step))
		if next == null:
			return null
		var into: bool = next == node and step != ".." and step != "."
		renames = renames or (into and step.trim_prefix("%") != name)
		crosses = crosses or _crosses(at, next, step)
		var _full: bool = names.append(_renamed(step) if into else step)
		at = next
	if not _is_ours(at) or not (crosses or (renames and kind != Kind.REMOVED)):
		return null
	return _way(from, at, path, names, crosses)


## The path from one node to another as it is afterwards.
func path_after(from: Node, to: Node) -> NodePath:
	var start: PackedStringArray = _names_after(from)
	var end: PackedStringArray = _names_after(to)
	var same: int = 0
	while same < mini(start.size(), end.size()) and start[same] == end[same]:
		same += 1
	var steps: PackedStringArray = PackedStringArray()
	for _up: int in start.size() - same:
		var _full: bool = steps.append("..")
	steps.append_array(end.slice(same))
	return NodePath("." if steps.is_empty() else "/".join(steps))


static func _make(
	the_kind: Kind, the_root: Node, the_node: Node, new_parent: Node, new_name: String
) -> Change:
	var change: Change = Change.new()
	change.kind = the_kind
	change.root = the_root
	change.node = the_node
	change.parent = new_parent
	change.name = new_name
	return change


# A step by unique name finds its node wherever it is, as long as it is there.
func _crosses(at: Node, next: Node, step: String) -> bool:
	if kind == Kind.REMOVED:
		return holds(next)
	if kind == Kind.RENAMED or step.begins_with("%") or step == ".":
		return false
	return at == node if step == ".." else next == node


func _renamed(step: String) -> String:
	return "%" + name if step.begins_with("%") else name


func _way(
	from: Node, target: Node, path: NodePath, names: PackedStringArray, crosses: bool
) -> Way:
	var way: Way = Way.new()
	way.target = target
	if kind == Kind.REMOVED:
		return way
	var text: String = str(path_after(from, target)) if crosses else "/".join(names)
	if path.get_subname_count() > 0:
		text += ":" + str(path.get_concatenated_subnames())
	way.after = NodePath(text)
	return null if way.after == path else way


func _is_ours(one: Node) -> bool:
	return one == root or root.is_ancestor_of(one)


func _names_after(one: Node) -> PackedStringArray:
	if not holds(one):
		return _names(root, one)
	if node == root:
		return _names(root, one)
	var out: PackedStringArray = _names(root, parent)
	var _full: bool = out.append(name)
	out.append_array(_names(node, one))
	return out


static func _names(top: Node, one: Node) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	var at: Node = one
	while at != top and at != null:
		var _full: bool = out.append(str(at.name))
		at = at.get_parent()
	out.reverse()
	return out
