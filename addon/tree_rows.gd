extends RefCounted
## One page of a scene's nodes as flat rows. The order is the tree's own (parents before children),
## so pages fit together as long as the scene does not change. Paths are built by concatenation:
## asking the engine for each node's path costs more than all the rest.

const TextFilter = preload("./text_filter.gd")
const TypeFilter = preload("./type_filter.gd")

## A row is path, class and number of children, in this order.
const COLUMNS: Array[String] = ["path", "type", "children"]
## How long a page gets at most, in characters of JSON: a reply shows 200,000, and has room for the
## rest beside the page. What does not fit is on the next page.
const MAX_CHARACTERS: int = 190000
## What a row has beside its path and class.
const ROW_CHARACTERS: int = 12

## How many matching nodes come before the page.
var offset: int = 0
## How many rows the page has at most; it has fewer when they are long.
var limit: int = 1000
## How deep below the first node to go; negative is all the way.
var max_depth: int = -1
## What the name must fit.
var name_filter: TextFilter = TextFilter.new("")
## A group; empty is any.
var group: StringName = &""
## A script's path; empty is any.
var script_path: String = ""
## The type that nodes must have; null is any.
var type_filter: TypeFilter = null
## Nodes that the base scene defines, by path (see states.gd).
var inherited: Dictionary[String, bool] = {}

## The page.
var rows: Array[Array] = []
## What is special about a row's node, by path; plain nodes have no entry.
var marks: Dictionary[String, Dictionary] = {}
## All matching nodes, on every page.
var total: int = 0

var _root: Node
var _end: int = 0
var _room: int = MAX_CHARACTERS
var _filtered: bool = false


## Reads the page of `from` and what is below it. path is that node's own path.
func read(root: Node, from: Node, path: String) -> void:
	_root = root
	_end = offset + limit
	_filtered = (
		not name_filter.is_empty()
		or not group.is_empty()
		or not script_path.is_empty()
		or type_filter != null
	)
	_visit(from, path)
	if max_depth != 0:
		_walk(from, "" if path == "." else path + "/", 1)


## The page as handlers answer it.
func page() -> Dictionary:
	var out: Dictionary = {
		"columns": COLUMNS,
		"rows": rows,
		"marks": marks,
		"total": total,
		"returned": rows.size(),
		"truncated": offset + rows.size() < total,
	}
	if offset + rows.size() < total and not rows.is_empty():
		out["next_offset"] = offset + rows.size()
	return out


func _walk(parent: Node, prefix: String, depth: int) -> void:
	var deeper: bool = depth != max_depth
	for child: Node in parent.get_children():
		var count: int = child.get_child_count()
		if _filtered and not _matches(child):
			pass
		elif total >= offset and total < _end:
			_add(child, prefix + child.name, count)
			total += 1
		else:
			total += 1
		if count > 0 and deeper:
			_walk(child, prefix + child.name + "/", depth + 1)


func _visit(node: Node, path: String) -> void:
	if _filtered and not _matches(node):
		return
	if total >= offset and total < _end:
		_add(node, path, node.get_child_count())
	total += 1


func _add(node: Node, path: String, count: int) -> void:
	var type: String = node.get_class()
	rows.append([path, type, count])
	_mark(node, path)
	_room -= path.length() + type.length() + ROW_CHARACTERS
	if _room <= 0:
		_end = total + 1


func _matches(node: Node) -> bool:
	if not name_filter.is_empty() and not name_filter.matches(str(node.name)):
		return false
	if type_filter != null and not type_filter.matches(node):
		return false
	if not group.is_empty() and not node.is_in_group(group):
		return false
	return script_path.is_empty() or script_of(node) == script_path


# The common node fails every test here, so the tests are the only cost.
func _mark(node: Node, path: String) -> void:
	var script: Script = node.get_script()
	if (
		script == null
		and node.owner == _root
		and not node.unique_name_in_owner
		and node.scene_file_path.is_empty()
		and inherited.is_empty()
	):
		return
	var found: Dictionary = marks_of(_root, node)
	if inherited.has(path) and node != _root:
		found["inherited"] = true
	if not found.is_empty():
		marks[path] = found
		_room -= path.length() + JSON.stringify(found).length()


## What is special about a node: instance_of and editable_children of an instance, owner (the scene
## that a node of an instance comes from) or unowned, script, unique.
static func marks_of(root: Node, node: Node) -> Dictionary:
	var out: Dictionary = {}
	if node != root and not node.scene_file_path.is_empty():
		out["instance_of"] = node.scene_file_path
		out["editable_children"] = root.is_editable_instance(node)
	if node != root and node.owner == null:
		out["unowned"] = true
	elif node != root and node.owner != root:
		out["owner"] = node.owner.scene_file_path
	if node.get_script() != null:
		out["script"] = script_of(node)
	if node.unique_name_in_owner:
		out["unique"] = true
	return out


## The path of a node's script, empty without one. A script inside a scene has the path of its place
## in there.
static func script_of(node: Node) -> String:
	var script: Script = node.get_script()
	return "" if script == null else script.resource_path
