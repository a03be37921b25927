extends RefCounted
## What our tools changed in the open scenes, for a save to be held against: the file decides, since
## a RESET animation or the scene's own code can change values while they are saved. Remembers
## nothing but ids, names and verdicts; all the looking is done at a save.

const History = preload("./history.gd")
const Kept = preload("./persistence/kept.gd")
const LostEdits = preload("./lost_edits.gd")
const Plan = preload("./plan.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Saved = preload("./persistence/saved.gd")
const Scenes = preload("./scenes.gd")

## Nodes that are remembered for each scene; the oldest go first.
const MAX_KEPT: int = 200
## How many of each a reply lists.
const MAX_SHOWN: int = 20
const SETTING_OPS: PackedStringArray = ["set_properties", "create_node"]


## A value as it was when a save began.
class Wanted:
	extends RefCounted
	## The node.
	var id: int = 0
	## The property, as the call named it.
	var asked: StringName = &""
	## The stored property that holds it, or a part of it.
	var property: StringName = &""
	## Its value.
	var live: Variant = null
	## What the file has instead, once that was read.
	var saved: Variant = null
	## The verdict that the call gave; empty when it gave none of its own.
	var verdict: Dictionary = {}
	## True when the node has no such property any more.
	var is_gone: bool = false

	## Its node, when that is still in the scene; else null.
	func node(root: Node) -> Node:
		var found: Node = instance_from_id(id) as Node if is_instance_id_valid(id) else null
		return found if found == root or (found != null and root.is_ancestor_of(found)) else null


var _lost: LostEdits = LostEdits.new()
var _properties: Properties
# By the id of the scene's root: by the node's instance id, the verdicts by property name.
var _books: Dictionary[int, Dictionary] = {}
# By the same, the paths of nodes that the editor left out when it made the scene's nodes anew.
var _gone: Dictionary[int, PackedStringArray] = {}


## Takes the histories and the property lists.
func setup(history: History, properties: Properties) -> void:
	_lost.setup(history)
	_properties = properties


## Remembers what a plan has done, and with which result. Called for each edit: it may not cost
## anything.
func note(plan: Plan, root: Node, done: Dictionary) -> void:
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
	if not done.has("undo_action"):
		return  # Nothing was changed.
	for verdict: Dictionary in plan.verdicts:
		if verdict["persisted"] == false and not _is_looked_up(op, verdict):
			_lost.note(root, verdict)


## Notes nodes that the editor left out of the scene, for the next save to tell.
func note_gone(root: Node, paths: PackedStringArray) -> void:
	for id: int in _gone.keys():
		if not is_instance_id_valid(id):
			var _known: bool = _gone.erase(id)
	var known: PackedStringArray = _gone.get(root.get_instance_id(), PackedStringArray())
	_gone[root.get_instance_id()] = known + paths


## Ends what a call noted: `went_well` is false when it was taken back.
func settle(went_well: bool) -> void:
	_lost.settle(went_well)


## The values that the scene has now and that its file should have after a save.
func wanted(root: Node) -> Array[Wanted]:
	var out: Array[Wanted] = []
	if root == null:
		return out
	var book: Dictionary = _books.get(root.get_instance_id(), {})
	for id: int in book:
		var any: Wanted = Wanted.new()
		any.id = id
		var node: Node = any.node(root)
		if node == null:
			continue
		for property: StringName in book[id]:
			var verdicts: Array = book[id][property]
			for stored: StringName in Kept.stored(node, _properties.of(node), property):
				var one: Wanted = Wanted.new()
				one.id = id
				one.asked = property
				one.property = stored
				one.live = Properties.copy(node.get(stored))
				one.verdict = _verdict(verdicts, Resolve.path_of(root, node), property)
				out.append(one)
			if _is_gone(node, property):
				out.append(_gone_one(id, property, _verdict(verdicts, "", property)))
	return out


## Adds to a save's reply what the file does not hold: not_kept, of what was promised, and
## lost_edits, of what was told to be lost. What it holds as a whole is forgotten.
func tell(data: Dictionary, root: Node, before: Array[Wanted]) -> void:
	if root == null:
		return
	var broken: Array[Wanted] = []
	var lost: Array[Dictionary] = _lost.of(root) + _gone_rows(root)
	var _told: bool = _gone.erase(root.get_instance_id())
	if not before.is_empty():
		_forget(root, before, _missing(root, before, broken, lost))
	var shown: Array = data.get("not_kept", [])
	var mixers: Array[AnimationMixer] = Kept.resetting(root)
	var rows: Array[Dictionary] = []
	for one: Wanted in broken.slice(0, MAX_SHOWN - shown.size()):
		rows.append(_broken_row(root, one, mixers))
	_show(data, "not_kept", rows, broken.size())
	_show(data, "lost_edits", lost, lost.size())


## What the tools told to be lost of this scene: bounded, empty when nothing.
func lost_edits(root: Node) -> Array[Dictionary]:
	var lost: Array[Dictionary] = _lost.of(root) + _gone_rows(root)
	for one: Wanted in wanted(root):
		if one.verdict.get("persisted") == false:
			LostEdits.add(lost, LostEdits.row(root, one.verdict))
	return lost.slice(0, MAX_SHOWN)


# The values that the file does not have, or of which that cannot be told. Those that were promised
# go to `broken`, those that were told to be lost to `lost`.
func _missing(
	root: Node, before: Array[Wanted], broken: Array[Wanted], lost: Array[Dictionary]
) -> Array[Wanted]:
	var out: Array[Wanted] = []
	var kept: Kept = Kept.read(root.scene_file_path)
	for one: Wanted in before:
		var node: Node = one.node(root)
		if node == null:
			continue
		if one.is_gone:
			LostEdits.add(lost, _gone_row(root, Resolve.path_of(root, node) + ":" + one.asked))
			continue
		var found: Kept.Found = kept.of(root, node, one.property)
		if found.is_known and Kept.alike(one.live, found.value):
			continue
		out.append(one)
		var why: Dictionary = _why_lost(root, node, one)
		if not why.is_empty():
			LostEdits.add(lost, LostEdits.row(root, why))
		elif found.is_known:
			one.saved = found.value
			broken.append(one)
	return out


# True when a change of the script took the property away. Names with a slash come and go with other
# properties.
func _is_gone(node: Node, property: StringName) -> bool:
	if Properties.is_metadata(property) or str(property).contains("/"):
		return false
	return node.get_script() != null and not _properties.of(node).info.has(property)


static func _gone_one(id: int, property: StringName, verdict: Dictionary) -> Wanted:
	var one: Wanted = Wanted.new()
	one.id = id
	one.asked = property
	one.property = property
	one.verdict = verdict
	one.is_gone = true
	return one


static func _gone_row(root: Node, target: String) -> Dictionary:
	return {
		"scene": Scenes.id_of(root),
		"target": target,
		"reason": Protocol.REASON_PROPERTY_NOT_STORED,
		"hint": "the node's script does not export the variable any more, so no file has its value",
	}


func _gone_rows(root: Node) -> Array[Dictionary]:
	var rows: Array[Dictionary] = []
	for path: String in _gone.get(root.get_instance_id(), PackedStringArray()):
		if not root.has_node(NodePath(path)):
			rows.append({
				"scene": Scenes.id_of(root),
				"target": path,
				"reason": Protocol.REASON_NODE_FROM_INSTANCE,
				"hint": "a scene inside this one was saved without its place, as open_scene told",
			})
	return rows


# The verdict that the value is lost by; empty when none says so. A later edit, such as children
# that are not editable any more, can have left its node out.
static func _why_lost(root: Node, node: Node, one: Wanted) -> Dictionary:
	if one.verdict.get("persisted") == false:
		return one.verdict
	var now: Dictionary = Saved.chain(root, node)
	return {} if now.is_empty() else Saved.finish(root, Resolve.path_of(root, node), now)


func _forget(root: Node, before: Array[Wanted], missing: Array[Wanted]) -> void:
	var open: Dictionary[String, bool] = {}
	for one: Wanted in missing:
		open["%d %s" % [one.id, one.asked]] = true
	for one: Wanted in before:
		if not open.has("%d %s" % [one.id, one.asked]):
			var known: Dictionary = _book(root).get(one.id, {})
			var _there: bool = known.erase(one.asked)


func _broken_row(root: Node, one: Wanted, mixers: Array[AnimationMixer]) -> Dictionary:
	var node: Node = one.node(root)
	var declared: Dictionary = _properties.info(node, one.property)
	return {
		"scene": Scenes.id_of(root),
		"target": Resolve.path_of(root, node),
		"property": str(one.property),
		"live": Properties.shown(one.live, declared, node)["value"],
		"saved": Properties.shown(one.saved, declared, node)["value"],
		"hint": Kept.hint(root, node, one.property, mixers),
	}


static func _show(data: Dictionary, key: String, rows: Array[Dictionary], count: int) -> void:
	if count == 0:
		return
	var shown: Array = data.get_or_add(key, [])
	shown.append_array(rows.slice(0, maxi(MAX_SHOWN - shown.size(), 0)))
	var before: int = data.get(key + "_total", 0)
	data[key + "_total"] = before + count


func _book(root: Node) -> Dictionary:
	var id: int = root.get_instance_id()
	if not _books.has(id):
		for other: int in _books.keys():
			if not is_instance_id_valid(other):
				var _known: bool = _books.erase(other)
		_books[id] = {}
	return _books[id]


# The node that was changed last comes last: the first ones go first.
static func _note_node(
	book: Dictionary, given: Variant, values: Dictionary, verdicts: Array
) -> void:
	if not is_instance_valid(given):
		return
	var node: Node = given
	var id: int = node.get_instance_id()
	var known: Dictionary = book.get(id, {})
	for property: StringName in values:
		known[property] = verdicts
	var _before: bool = book.erase(id)
	book[id] = known
	if book.size() > MAX_KEPT:
		var _oldest: bool = book.erase(book.keys()[0])


# A value is looked up in the file, unless no stored property holds it.
static func _is_looked_up(op: String, verdict: Dictionary) -> bool:
	var sets: bool = op in SETTING_OPS or op == "batch_set"
	return sets and verdict.get("reason") != Protocol.REASON_PROPERTY_NOT_STORED


static func _verdict(verdicts: Array, path: String, property: StringName) -> Dictionary:
	for verdict: Dictionary in verdicts:
		var target: String = verdict["target"]
		if target == path or target == path + ":" + property:
			return verdict
	return verdicts[0] if verdicts.size() == 1 else {}
