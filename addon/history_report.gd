extends RefCounted
## What the undo histories hold, for list_history. Reads only.

const History = preload("./history.gd")
const Scenes = preload("./scenes.gd")

var _undo: EditorUndoRedoManager
var _history: History


func _init(undo: EditorUndoRedoManager, history: History) -> void:
	_undo = undo
	_history = history


## The actions of the next `count` undos and redos, and the size and tops of each history.
func of(count: int) -> Dictionary:
	var root: Node = Scenes.edited()
	var histories: Array[Dictionary] = []
	if root != null:
		var own: Dictionary = _of_one(_undo.get_object_history_id(root))
		own["scene"] = Scenes.id_of(root)
		# Another one when the scene was read again, which begins a new history.
		own["root_id"] = str(root.get_instance_id())
		histories.append(own)
	histories.append(_of_one(History.GLOBAL))
	return {
		"undo": _next(false, count),
		"redo": _next(true, count),
		"histories": histories,
		"can_walk": _history.can_walk(),
	}


func _next(redo: bool, count: int) -> Dictionary:
	var actions: Array[Dictionary] = []
	var out: Dictionary = {"available": false, "actions": actions}
	for top: History.Top in _history.upcoming(redo, count):
		out["available"] = true
		# What follows depends on which of two histories the editor holds for the newer one.
		if not top.sure:
			out["order_unknown"] = true
		var action: Dictionary = {"name": top.name, "history": _named(top.history)}
		action["ours"] = top.name.begins_with(History.OURS)
		if top.stamp != History.UNKNOWN:
			action["number"] = top.stamp
		if top.touched != null and top.touched.is_freed():
			action["blocked"] = "what it works on is gone"
		actions.append(action)
	return out


func _of_one(id: int) -> Dictionary:
	var out: Dictionary = {"history": _named(id), "undo": 0, "redo": 0}
	var engine: UndoRedo = _undo.get_history_undo_redo(id)
	if engine == null:
		return out
	var done: int = engine.get_current_action() + 1
	out["undo"] = done
	out["redo"] = engine.get_history_count() - done
	if engine.has_undo():
		out["undo_action"] = engine.get_action_name(done - 1)
	if engine.has_redo():
		out["redo_action"] = engine.get_action_name(done)
	return out


static func _named(id: int) -> String:
	return "global" if id == History.GLOBAL else "scene"
