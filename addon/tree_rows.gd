extends RefCounted
## One page of a scene's nodes as flat rows. The order is the tree's own (parents before children),
## so pages fit together as long as the scene does not change. Paths are built by concatenation:
## asking the engine for each node's path costs more than all the rest. Large trees are read over
## several frames.

const Slices = preload("./slices.gd")
const TextFilter = preload("./text_filter.gd")
const TypeFilter = preload("./type_filter.gd")

## A row is path, class and number of children, in this order.
const COLUMNS: Array[String] = ["path", "type", "children"]
## How long a page gets at most, in characters of JSON: a reply shows 200,000, and has room for the
## rest beside the page. What does not fit is on the next page.
const MAX_CHARACTERS: int = 190000
## What a row has beside its path and class.
const ROW_CHARACTERS: int = 12
## How often a page is begun anew because the tree changed.
const MAX_RESTARTS: int = 3
const NEVER: int = 1 << 60
## So many siblings are gone through before the clock is asked.
const STEP: int = 128
const UNKNOWN: String = "/"

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
var _from: Node
var _path: String = ""
var _end: int = 0
var _room: int = MAX_CHARACTERS
var _filtered: bool = false
# The children that are gone through, those of the node in hand last; which of each is next; and
# what their paths begin with, once that was needed: in a deep tree paths are long.
var _lists: Array[Array] = []
var _nexts: PackedInt32Array = PackedInt32Array()
var _prefixes: PackedStringArray = PackedStringArray()
var _until_usec: int = 0
var _visits_left: int = 0
# What is between two slices: whether the tree changed, and how often it did already.
var _is_waiting: bool = false
var _is_stale: bool = false
var _restarts: int = 0


## Takes what to read: `from` and what is below it. path is that node's own path.
func begin(root: Node, from: Node, path: String) -> void:
	_root = root
	_from = from
	_path = path
	_filtered = (
		not name_filter.is_empty()
		or not group.is_empty()
		or not script_path.is_empty()
		or type_filter != null
	)
	_start()


## True while the scene is there.
func is_there() -> bool:
	return is_instance_valid(_root) and is_instance_valid(_from)


## Reads on until the time; true when the page is whole. A page shows one state: when the tree has
## changed since the last slice the page is begun anew, and in a tree that never rests it is read in
## one go in the end.
func go_on(until_usec: int) -> bool:
	_until_usec = until_usec
	_visits_left = Slices.NODES
	if _is_waiting:
		_stop_waiting()
	if _is_stale:
		_restarts += 1
		_start()
	if _restarts > MAX_RESTARTS:
		_until_usec = NEVER
		_visits_left = NEVER
	while not _lists.is_empty():
		_step(_lists.size() - 1)
		if _visits_left <= 0 or Time.get_ticks_usec() >= _until_usec:
			break
	if not _lists.is_empty():
		_wait()
	return _lists.is_empty()


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


func _start() -> void:
	rows.clear()
	marks.clear()
	total = 0
	_end = offset + limit
	_room = MAX_CHARACTERS
	_is_stale = false
	_lists.clear()
	_nexts.clear()
	_prefixes.clear()
	if not _filtered or _matches(_from):
		if _end > 0 and offset == 0:
			_add(_from, _path, _from.get_child_count())
		total += 1
	if max_depth != 0:
		_descend(_from)


func _descend(node: Node) -> void:
	_lists.append(node.get_children())
	var _a: bool = _nexts.append(0)
	var _b: bool = _prefixes.append(UNKNOWN)


# Goes through some children of a node, or down into the next that has some.
func _step(level: int) -> void:
	var children: Array[Node] = _lists[level]
	var from: int = _nexts[level]
	var end: int = mini(from + STEP, children.size())
	var is_shown: bool = _filtered or (total < _end and total + end - from > offset)
	var inner: int = end
	if is_shown:
		inner = _look_at(children, from, end, level)
	else:
		for at: int in range(from, end):
			if children[at].get_child_count() > 0:
				inner = at
				break
		total += mini(inner + 1, end) - from
	_nexts[level] = mini(inner + 1, end)
	_visits_left -= maxi(1, _nexts[level] - from)
	if inner < end and level + 1 != max_depth:
		_descend(children[inner])
	elif _nexts[level] >= children.size():
		_leave(level)


func _leave(level: int) -> void:
	_lists.remove_at(level)
	_nexts.remove_at(level)
	_prefixes.remove_at(level)


# Counts and shows children, up to the first that has some itself. Gives its place, or the end.
func _look_at(children: Array[Node], from: int, end: int, level: int) -> int:
	for at: int in range(from, end):
		var child: Node = children[at]
		var count: int = child.get_child_count()
		if not _filtered or _matches(child):
			if total >= offset and total < _end:
				_add(child, _prefix(level) + child.name, count)
			total += 1
		if count > 0:
			return at
	return end


# A scene that is not in the tree is in no one's hands, and tells nobody of a change.
func _wait() -> void:
	_is_waiting = true
	if _root.is_inside_tree():
		var _failed: int = _root.get_tree().tree_changed.connect(_on_tree_changed)


func _stop_waiting() -> void:
	_is_waiting = false
	var tree: SceneTree = Engine.get_main_loop() as SceneTree
	if tree.tree_changed.is_connected(_on_tree_changed):
		tree.tree_changed.disconnect(_on_tree_changed)


func _on_tree_changed() -> void:
	_is_stale = true


# What the paths of a level begin with.
func _prefix(level: int) -> String:
	if _prefixes[level] != UNKNOWN:
		return _prefixes[level]
	var known: int = level
	while known > 0 and _prefixes[known] == UNKNOWN:
		known -= 1
	if known == 0:
		_prefixes[0] = "" if _path == "." else _path + "/"
	for at: int in range(known + 1, level + 1):
		var around: Node = _lists[at - 1][_nexts[at - 1] - 1]
		_prefixes[at] = _prefixes[at - 1] + around.name + "/"
	return _prefixes[level]


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
