extends RefCounted
## Edits that a save loses, as their verdicts said: other than values, which a save looks up in its
## file. Each goes with its undo action.

const History = preload("./history.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Saved = preload("./persistence/saved.gd")
const Scenes = preload("./scenes.gd")

## How many are remembered, of all scenes; the oldest go first.
const MAX_KEPT: int = 500
# A node that was not saved can be by now.
const _MENDED: PackedStringArray = [
	Protocol.REASON_NODE_NOT_OWNED, Protocol.REASON_INSTANCED_CHILD_NOT_EDITABLE
]


## One of them.
class Loss:
	extends RefCounted
	## What the call was told.
	var verdict: Dictionary = {}
	## The scene's root.
	var root: int = 0
	## The action that did it, as History.newest gave it.
	var action: Array[int] = []


var _history: History
var _losses: Array[Loss] = []
# Those of the call that is carried out, until it is known whether it went well, and as which
# action. Those of a batch that is one action are settled together.
var _unsettled: Array[Loss] = []


## Takes the histories.
func setup(history: History) -> void:
	_history = history


## Notes what an edit that has just been done was told.
func note(root: Node, verdict: Dictionary) -> void:
	var loss: Loss = Loss.new()
	loss.verdict = verdict
	loss.root = root.get_instance_id()
	_unsettled.append(loss)


## Ends what a call noted: `went_well` is false when it was taken back.
func settle(went_well: bool) -> void:
	if _unsettled.is_empty():
		return
	var action: Array[int] = _history.newest()
	for loss: Loss in _unsettled:
		if went_well and not action.is_empty():
			loss.action = action
			_losses.append(loss)
	_unsettled.clear()
	if _losses.size() > MAX_KEPT:
		_losses = _losses.slice(-MAX_KEPT)


## Those of a scene whose action is still done, as rows for a reply.
func of(root: Node) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for loss: Loss in _losses:
		if loss.root != root.get_instance_id() or not _history.is_done(loss.action):
			continue
		if not _is_mended(root, loss.verdict):
			add(out, row(root, loss.verdict))
	return out


## A verdict as a row.
static func row(root: Node, verdict: Dictionary) -> Dictionary:
	return {
		"scene": Scenes.id_of(root),
		"target": verdict["target"],
		"reason": verdict.get("reason"),
		"hint": verdict.get("hint"),
	}


## Adds a row once.
static func add(rows: Array[Dictionary], one: Dictionary) -> void:
	if not rows.has(one):
		rows.append(one)


static func _is_mended(root: Node, verdict: Dictionary) -> bool:
	if not str(verdict["reason"]) in _MENDED:
		return false
	var node: Node = Resolve.find(root, str(verdict["target"]))
	return node != null and Saved.chain(root, node).is_empty()
