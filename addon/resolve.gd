extends RefCounted
## Node paths: from what callers write to nodes of the call's scene, never outside its root, and
## back.

const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Suggest = preload("./suggest.gd")

const MAX_SHOWN: int = 10
## How long near names are collected, beyond so many: a failure must not hold the editor up.
const MAX_USEC: int = 20_000
const SURE: int = 500


## The node at path (relative to root; "." is the root; /root/…, leading slashes, the root's own
## name and %Unique names are understood), or null. Never a node outside root's tree. A path as
## replies show it comes first: names may begin with a space.
static func find(root: Node, path: String) -> Node:
	if root == null or path.contains(":"):
		return null
	var node: Node = _exact(root, path)
	if node != null:
		return node
	var rest: String = normal(root, path)
	return root if rest == "." else _exact(root, rest)


## The path of a node relative to root; "." for the root itself.
static func path_of(root: Node, node: Node) -> String:
	return "." if node == root else str(root.get_path_to(node))


## The failure for a path that find() did not resolve: names the deepest node that exists and names
## near by.
static func missing(root: Node, path: String, parameter: String = "node_path") -> Result:
	if path.contains(":"):
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s names a property: give the node's path only" % parameter,
			{"parameter": parameter, "reason": "node_path_has_property", "got": path}
		)
	var deepest: Node = _deepest(root, "" if path.begins_with("/") else path)
	if deepest == root:
		deepest = _deepest(root, normal(root, path))
	var wanted: String = path.trim_suffix("/").get_file()
	return Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"no node at %s" % path,
		{
			"parameter": parameter,
			"node_path": path,
			"deepest": path_of(root, deepest),
			"children": _names(deepest),
			"near": _near(root, wanted),
		}
	)


## The path in the form that root.get_node() takes; "." for the root, "" for a path that is not in
## the scene.
static func normal(root: Node, path: String) -> String:
	var rest: String = path.strip_edges()
	if root.is_inside_tree() and (rest + "/").begins_with(str(root.get_path()) + "/"):
		return _or_root(rest.substr(str(root.get_path()).length()))
	if rest.trim_suffix("/") == "/root":
		return "."
	var absolute: bool = rest.begins_with("/root/")
	rest = _or_root(rest.trim_prefix("/root/") if absolute else rest)
	var first: String = rest.get_slice("/", 0)
	if first == str(root.name) and root.get_node_or_null(NodePath(first)) == null:
		return _or_root(rest.substr(first.length()))
	return "" if absolute else rest


static func _exact(root: Node, path: String) -> Node:
	if path.is_empty() or path.begins_with("/"):
		return null
	var node: Node = root.get_node_or_null(NodePath(path))
	return node if node == root or (node != null and root.is_ancestor_of(node)) else null


static func _or_root(path: String) -> String:
	var rest: String = path.lstrip("/").rstrip("/")
	return "." if rest.is_empty() else rest


static func _deepest(root: Node, rest: String) -> Node:
	var node: Node = root
	for segment: String in rest.split("/", false):
		var next: Node = find(root, path_of(root, node).path_join(segment))
		if next == null:
			return node
		node = next
	return node


static func _names(node: Node) -> Array[String]:
	var out: Array[String] = []
	for child: Node in node.get_children():
		if out.size() == MAX_SHOWN:
			break
		out.append(str(child.name))
	return out


static func _near(root: Node, wanted: String) -> Array[String]:
	var paths: Dictionary[String, String] = {}
	var queue: Array[Node] = [root]
	var until: int = Time.get_ticks_usec() + MAX_USEC
	while not queue.is_empty() and paths.size() < 5000:
		if paths.size() > SURE and Time.get_ticks_usec() >= until:
			break
		var node: Node = queue.pop_back()
		paths[path_of(root, node)] = str(node.name)
		queue.append_array(node.get_children())
	var near: Array[String] = []
	for path: String in paths:
		if Suggest.is_near(wanted, paths[path]) and near.size() < MAX_SHOWN:
			near.append(path)
	return near
