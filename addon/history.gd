extends RefCounted
## The editor's undo histories as this addon watches them: which action is on top, and undo and redo
## through the editor's own menu, which alone keeps the editor's books right.
##
## The editor undoes the newest action of two histories (the edited scene's and the global one) and
## does not say which that is. So each history's actions are numbered as their signals come; what
## was there before the watch counts as older than all that is numbered, and two tops without a
## number are a case of "cannot say".

const Touched = preload("./touched.gd")
const UndoMenu = preload("./undo_menu.gd")

const GLOBAL: int = 0
const UNKNOWN: int = 0
## Names of this addon's actions begin so.
const OURS: String = "Drawbridge: "


## One history: a number for each of its actions, and how many of them are done.
class Track:
	extends RefCounted
	## The engine's own object.
	var engine: UndoRedo
	## Its id: the engine frees it with its scene.
	var engine_id: int = 0
	## For each action, done or undone, when it came; UNKNOWN for those from before the watch.
	var stamps: Array[int] = []
	## How many actions are done.
	var done: int = 0
	## The engine's version when last looked at.
	var version: int = 0


## The action that an undo or redo would walk over.
class Top:
	extends RefCounted
	## False when there is none.
	var exists: bool = false
	## False when two histories compete and their order is not known.
	var sure: bool = true
	## The history's id.
	var history: int = GLOBAL
	## When it came, as a number that no other action has; UNKNOWN when it was before the watch.
	var stamp: int = UNKNOWN
	## The action's name.
	var name: String = ""
	## What it works on; null when it is not this addon's.
	var touched: Touched = null


## Grows with each change that was noticed; never shrinks, never repeats within one run of the
## editor.
var revision: int = 1

var _undo: EditorUndoRedoManager
var _tracks: Dictionary[int, Track] = {}
var _clock: int = UNKNOWN
var _touched: Dictionary[int, Touched] = {}
var _menu: UndoMenu = UndoMenu.new()


## Starts watching.
func setup(undo: EditorUndoRedoManager) -> void:
	_undo = undo
	var _a: int = undo.history_changed.connect(_on_history_changed)
	var _b: int = undo.version_changed.connect(_on_version_changed)
	var _ids: Array[int] = _live()


## Stops watching.
func teardown() -> void:
	if _undo != null and _undo.history_changed.is_connected(_on_history_changed):
		_undo.history_changed.disconnect(_on_history_changed)
		_undo.version_changed.disconnect(_on_version_changed)
	_tracks.clear()
	_touched.clear()


## Says that something changed that no history shows (a scene switch, a file).
func bump() -> void:
	revision += 1
	var _ids: Array[int] = _live()


## The actions that `count` undos (or redos) would walk over, in that order; fewer when there are
## fewer. The list ends with an entry that is not `sure` when the order of the histories is not
## known from there on.
func upcoming(redo: bool, count: int) -> Array[Top]:
	var ids: Array[int] = _live()
	var at: Dictionary[int, int] = {}
	for id: int in ids:
		at[id] = _tracks[id].done if redo else _tracks[id].done - 1
	var out: Array[Top] = []
	for step: int in count:
		var top: Top = _pick(ids, at, redo)
		if not top.exists:
			break
		out.append(top)
		if not top.sure:
			break
		at[top.history] += 1 if redo else -1
	return out


## Walks one step through the editor's menu. True when exactly the expected action was walked over.
func walk(redo: bool, expected: Top) -> bool:
	var before: Dictionary[int, int] = _positions()
	if not _menu.press(redo):
		return false
	var after: Dictionary[int, int] = _positions()
	for id: int in before:
		var moved: int = after.get(id, before[id]) - before[id]
		var due: int = 0 if id != expected.history else (1 if redo else -1)
		if moved != due:
			return false
	return true


## Remembers what the action works on that was just committed in the history of this scene, or of
## another object (the global one).
func remember(root: Object, touched: Touched) -> void:
	# The signal of the commit has brought the tracks up to date.
	var track: Track = _tracks.get(_undo.get_object_history_id(root))
	if track == null or track.done < 1 or track.done > track.stamps.size():
		return
	if track.stamps[track.done - 1] == UNKNOWN:
		_clock += 1
		track.stamps[track.done - 1] = _clock
	_touched[track.stamps[track.done - 1]] = touched


## The newest action that is done: its history's id and its number; empty when there is none, or
## none that the watch has seen.
func newest() -> Array[int]:
	for top: Top in upcoming(false, 1):
		if top.sure and top.stamp != UNKNOWN:
			return [top.history, top.stamp]
	return []


## True while such an action is done. The scene may be in another tab: nothing walks its history
## there.
func is_done(action: Array[int]) -> bool:
	var track: Track = _tracks.get(action[0])
	var at: int = -1 if track == null else track.stamps.find(action[1])
	return at >= 0 and at < track.done


## True when the editor's menu items for undo and redo were found.
func can_walk() -> bool:
	return _menu.is_found()


## How many actions of each watched history are done: unequal before and after means that something
## was walked.
func positions() -> Dictionary[int, int]:
	return _positions()


func _positions() -> Dictionary[int, int]:
	var out: Dictionary[int, int] = {}
	for id: int in _live():
		out[id] = _tracks[id].engine.get_current_action() + 1
	return out


func _pick(ids: Array[int], at: Dictionary[int, int], redo: bool) -> Top:
	var best: Top = Top.new()
	for id: int in ids:
		var track: Track = _tracks[id]
		var index: int = at[id]
		if index < 0 or index >= track.stamps.size():
			continue
		var stamp: int = track.stamps[index]
		var newer: bool = stamp < best.stamp if redo else stamp > best.stamp
		if best.exists and stamp == best.stamp:
			best.sure = false
		if best.exists and not newer:
			continue
		best.exists = true
		best.history = id
		best.name = track.engine.get_action_name(index)
		best.touched = _touched.get(stamp)
		best.stamp = stamp
	return best


# The histories that the editor's undo looks at now: the global one and the edited scene's. Those of
# closed scenes are freed by the engine and must not be touched again.
func _live() -> Array[int]:
	var ids: Array[int] = []
	var root: Node = EditorInterface.get_edited_scene_root()
	if _watch(GLOBAL):
		ids.append(GLOBAL)
	var id: int = GLOBAL if root == null else _undo.get_object_history_id(root)
	if id != GLOBAL and _watch(id):
		ids.append(id)
	return ids


# False when the engine has no such history.
func _watch(id: int) -> bool:
	var engine: UndoRedo = _undo.get_history_undo_redo(id)
	if engine == null:
		_drop(id)
		return false
	if _tracks.has(id) and _tracks[id].engine_id == engine.get_instance_id():
		return true
	_drop(id)
	var track: Track = Track.new()
	track.engine = engine
	track.engine_id = engine.get_instance_id()
	track.done = engine.get_current_action() + 1
	track.version = engine.get_version()
	for index: int in engine.get_history_count():
		track.stamps.append(UNKNOWN)
	_tracks[id] = track
	return true


func _drop(id: int) -> void:
	if _tracks.has(id):
		for stamp: int in _tracks[id].stamps:
			var _ours: bool = _touched.erase(stamp)
		var _known: bool = _tracks.erase(id)


# An action was committed somewhere, or a history was cleared. A history that is seen for the first
# time now got its last action now, unless the change was elsewhere.
func _on_history_changed() -> void:
	revision += 1
	var known: Array[int] = _tracks.keys()
	var found: bool = false
	for id: int in _live():
		if known.has(id):
			found = _note_commit(_tracks[id]) or found
	for id: int in _tracks:
		var track: Track = _tracks[id]
		if not found and not known.has(id) and track.done == track.stamps.size() and track.done > 0:
			_clock += 1
			track.stamps[track.done - 1] = _clock


# An undo or redo moved a history's position; the actions stay.
func _on_version_changed() -> void:
	revision += 1
	for id: int in _live():
		var track: Track = _tracks[id]
		track.done = track.engine.get_current_action() + 1
		track.version = track.engine.get_version()


# Forgets what cannot be redone any more: an action in another history takes that away. True when
# the actions that are done can still be the ones that were.
func _keeps_done(track: Track, count: int) -> bool:
	if count == track.stamps.size():
		return true
	if count > track.stamps.size() or count < track.done:
		return false
	for stamp: int in track.stamps.slice(count):
		var _ours: bool = _touched.erase(stamp)
	var _resized: int = track.stamps.resize(count)
	return true


# True when this history is the one that changed.
func _note_commit(track: Track) -> bool:
	var count: int = track.engine.get_history_count()
	if track.engine.get_version() == track.version and _keeps_done(track, count):
		return false
	track.version = track.engine.get_version()
	track.done = track.engine.get_current_action() + 1
	for stamp: int in track.stamps.slice(maxi(count - 1, 0)):
		var _ours: bool = _touched.erase(stamp)
	if count == 0:
		track.stamps.clear()
		return true
	_clock += 1
	# In place: a history can have thousands of actions.
	if track.stamps.size() >= count:
		var _resized: int = track.stamps.resize(count - 1)
	while track.stamps.size() < count - 1:
		track.stamps.append(UNKNOWN)
	track.stamps.append(_clock)
	return true
