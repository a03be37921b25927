extends RefCounted
## Where node paths inside a value start, and the scene that they must stay in.

const Place = preload("./place.gd")

## The node that paths are relative to: the one that has the property, or the parent of the one that
## will have it.
var node: Node = null
## The root of the scene. Nodes outside it cannot be named.
var root: Node = null
## True when the paths belong to a child of node that does not exist yet.
var below_node: bool = false


## Paths in a property of a node that exists.
static func at(the_node: Node, the_root: Node) -> Place:
	var place: Place = Place.new()
	place.node = the_node
	place.root = the_root
	return place


## Paths in a property of a future child of parent.
static func below(parent: Node, the_root: Node) -> Place:
	var place: Place = at(parent, the_root)
	place.below_node = true
	return place


## The node at a path; null when there is none inside the scene.
func find(path: String) -> Node:
	if node == null or root == null or path.is_empty() or path.contains(":"):
		return null
	if path.begins_with("/") and not node.is_inside_tree():
		return null
	var local: String = path
	if below_node:
		if path != ".." and not path.begins_with("../"):
			return null
		local = path.trim_prefix("..").trim_prefix("/")
	var found: Node = node if local.is_empty() else node.get_node_or_null(NodePath(local))
	return found if holds(found) else null


## Whether a node belongs to the scene.
func holds(found: Node) -> bool:
	return found != null and root != null and (found == root or root.is_ancestor_of(found))


## The path that names the node at a root-relative path, for a caller who took the wrong start;
## empty when none does.
func suggest(path: String) -> String:
	if root == null or path.contains(":") or path.begins_with("/"):
		return ""
	var found: Node = root.get_node_or_null(NodePath(path))
	if not holds(found) or not holds(node):
		return ""
	var way: String = str(node.get_path_to(found))
	if not below_node:
		return way
	return ".." if way == "." else "../" + way
