extends RefCounted
## What our tools changed in the open scenes, for a save to be held against: the file decides, since
## a RESET animation or the scene's own code can change values while they are saved. Remembers
## nothing but ids, names and verdicts; all the looking is done at a save.

const Kept = preload("./persistence/kept.gd")
const Plan = preload("./plan.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Saved = preload("./persistence/saved.gd")

## Nodes, and other losses, that are remembered for each scene; the oldest go first.
const MAX_KEPT: int = 200
## How many of each a reply lists.
const MAX_SHOWN: int = 20
const SETTING_OPS: PackedStringArray = ["set_properties", "create_node"]
# A node that was not saved can be by now.
const _MENDED: PackedStringArray = [
	Protocol.REASON_NODE_NOT_OWNED, Protocol.REASON_INSTANCED_CHILD_NOT_EDITABLE
]


## What is remembered of one scene.
class Book:
	extends RefCounted
	## By the node's instance id, the verdicts by property name.
	var nodes: Dictionary[int, Dictionary] = {}
	## Verdicts of other changes that a save loses, each with its action.
	var losses: Array[Dictionary] = []


## A value as it was when a save began.
class Wanted:
	extends RefCounted
	## The node.
	var id: int = 0
	## The property, as the call named it.
	var asked: StringName = &""
	## The stored property that holds it.
	var property: StringName = &""
	## Its value.
	var live: Variant = null
	## The verdict that the call gave; empty when it gave none of its own.
	var verdict: Dictionary = {}


var _undo: EditorUndoRedoManager
var _properties: Properties
var _books: Dictionary[int, Book] = {}


## Takes the editor's undo manager and the property lists.
func setup(undo: EditorUndoRedoManager, properties: Properties) -> void:
	_undo = undo
	_properties = properties


## Remembers what a plan has done. Called for each edit: it may not cost anything.
func note(plan: Plan, root: Node, action: String) -> void:
	if plan.verdicts.is_empty() or root == null:
		return
	var op: String = plan.op()
	if op in SETTING_OPS:
		var values: Dictionary = plan.changes[0]["values"]
		_note_node(_book(root), plan.changes[0].get("node"), values, plan.verdicts)
	elif op == "batch_set":
		for target: Variant in plan.changes[0]["targets"]:
			var given: Object = target
			var values: Dictionary = given.get("values")
			_note_node(_book(root), given.get("node"), values, plan.verdicts)
	for verdict: Dictionary in plan.verdicts:
		if verdict["persisted"] == false:
			_note_loss(_book(root), op, verdict, action)


## The values that the scene has now and that its file should have after a save.
func wanted(root: Node) -> Array[Wanted]:
	var out: Array[Wanted] = []
	var book: Book = _books.get(root.get_instance_id())
	if book == null:
		return out
	for id: int in book.nodes.keys():
		var node: Node = instance_from_id(id) as Node if is_instance_id_valid(id) else null
		if node == null or not (node == root or root.is_ancestor_of(node)):
			continue
		for property: StringName in book.nodes[id]:
			var verdicts: Array = book.nodes[id][property]
			for stored: StringName in Kept.stored(node, _properties.of(node), property):
				var one: Wanted = Wanted.new()
				one.id = id
				one.asked = property
				one.property = stored
				one.live = Properties.copy(node.get(stored))
				one.verdict = _verdict(verdicts, Resolve.path_of(root, node), property)
				out.append(one)
	return out


## Adds to a save's reply what the file does not hold: not_kept, of what was promised, and
## lost_edits, of what was told to be lost. What it holds is forgotten.
func tell(data: Dictionary, root: Node, before: Array[Wanted]) -> void:
	var broken: Array[Dictionary] = []
	var lost: Array[Dictionary] = _losses(root)
	if not before.is_empty():
		var kept: Kept = Kept.read(root.scene_file_path)
		for one: Wanted in before:
			_compare(kept, root, one, broken, lost)
	_show(data, "not_kept", broken)
	_show(data, "lost_edits", lost)


## What the tools told to be lost of this scene: bounded, empty when nothing.
func lost_edits(root: Node) -> Array[Dictionary]:
	var lost: Array[Dictionary] = _losses(root)
	for one: Wanted in wanted(root):
		if one.verdict.get("persisted") == false:
			_add(lost, _loss(one.verdict))
	return lost.slice(0, MAX_SHOWN)


func _compare(
	kept: Kept,
	root: Node,
	one: Wanted,
	broken: Array[Dictionary],
	lost: Array[Dictionary]
) -> void:
	var node: Node = instance_from_id(one.id) as Node if is_instance_id_valid(one.id) else null
	if node == null or not (node == root or root.is_ancestor_of(node)):
		return
	var found: Kept.Found = kept.of(root, node, one.property)
	if not found.is_known:
		return
	if Kept.alike(one.live, found.value):
		var known: Dictionary = _book(root).nodes.get(one.id, {})
		var _there: bool = known.erase(one.asked)
		return
	if one.verdict.get("persisted") == false:
		_add(lost, _loss(one.verdict))
		return
	# A later edit, such as children that are not editable any more, can have left the node out.
	var now: Dictionary = Saved.chain(root, node)
	if not now.is_empty():
		_add(lost, _loss(Saved.finish(root, Resolve.path_of(root, node), now)))
		return
	var declared: Dictionary = _properties.info(node, one.property)
	var row: Dictionary = {
		"target": Resolve.path_of(root, node),
		"property": str(one.property),
		"live": Properties.shown(one.live, declared, node)["value"],
		"saved": Properties.shown(found.value, declared, node)["value"],
		"hint": Kept.hint(root, node, one.property),
	}
	broken.append(row)


# Those whose action is still done. The history of a scene in another tab cannot be read.
func _losses(root: Node) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	var book: Book = _books.get(root.get_instance_id())
	if book == null or book.losses.is_empty() or not root.is_inside_tree():
		return out
	var history: UndoRedo = _undo.get_history_undo_redo(_undo.get_object_history_id(root))
	var done: Dictionary[String, bool] = {}
	if history != null:
		for index: int in history.get_current_action() + 1:
			done[history.get_action_name(index)] = true
	for loss: Dictionary in book.losses:
		if done.has(str(loss["action"])) and not _is_mended(root, loss):
			_add(out, _loss(loss))
	return out


static func _is_mended(root: Node, loss: Dictionary) -> bool:
	if not str(loss["reason"]) in _MENDED:
		return false
	var node: Node = Resolve.find(root, str(loss["target"]))
	return node != null and Saved.chain(root, node).is_empty()


static func _loss(verdict: Dictionary) -> Dictionary:
	return {
		"target": verdict["target"], "reason": verdict.get("reason"), "hint": verdict.get("hint")
	}


static func _add(rows: Array[Dictionary], row: Dictionary) -> void:
	if not rows.has(row):
		rows.append(row)


static func _show(data: Dictionary, key: String, rows: Array[Dictionary]) -> void:
	if rows.is_empty():
		return
	var shown: Array = data.get_or_add(key, [])
	shown.append_array(rows.slice(0, maxi(MAX_SHOWN - shown.size(), 0)))
	var before: int = data.get(key + "_total", 0)
	data[key + "_total"] = before + rows.size()


func _book(root: Node) -> Book:
	var id: int = root.get_instance_id()
	if not _books.has(id):
		for other: int in _books.keys():
			if not is_instance_id_valid(other):
				var _known: bool = _books.erase(other)
		_books[id] = Book.new()
	return _books[id]


static func _note_node(book: Book, given: Variant, values: Dictionary, verdicts: Array) -> void:
	if not is_instance_valid(given):
		return
	var node: Node = given
	var id: int = node.get_instance_id()
	var known: Dictionary = book.nodes.get(id, {})
	for property: StringName in values:
		known[property] = verdicts
	book.nodes[id] = known
	if book.nodes.size() > MAX_KEPT:
		var _oldest: bool = book.nodes.erase(book.nodes.keys()[0])


# A value is looked up in the file, unless no stored property holds it.
static func _note_loss(book: Book, op: String, verdict: Dictionary, action: String) -> void:
	var sets: bool = op in SETTING_OPS or op == "batch_set"
	if sets and verdict.get("reason") != Protocol.REASON_PROPERTY_NOT_STORED:
		return
	book.losses.append(verdict.merged({"action": action}))
	if book.losses.size() > MAX_KEPT:
		var _oldest: Dictionary = book.losses.pop_front()


static func _verdict(verdicts: Array, path: String, property: StringName) -> Dictionary:
	for verdict: Dictionary in verdicts:
		var target: String = verdict["target"]
		if target == path or target == path + ":" + property:
			return verdict
	return verdicts[0] if verdicts.size() == 1 else {}
