extends RefCounted
## The scenes that are open in the editor: their ids, which one is edited, whether it is unsaved,
## and dialogs that stand in the way.

## Nothing leads back to the edited scene's saved state. The editor compares version numbers only,
## which repeat, and would call the scene saved at the same one.
signal saved_state_lost

## The id of a scene that was never saved is this and its root's instance id.
const UNSAVED_PREFIX: String = "unsaved:"
const DIRTY_MARK: String = "(*)"
## The editor writes a tab's mark a frame after the change.
const MARK_DELAY: int = 2
const UNKNOWN: int = -1

## How often the editor cleared the history of a scene that stayed open. It makes a scene's nodes
## anew when that comes to the front after a scene inside it was saved.
var clears: int = 0

var _undo: EditorUndoRedoManager
var _tabs: TabBar
# By the root's instance id: the history's version at which the scene equals its file and the base
# that it counts from, the version when last looked at, and the frame in which that changed.
var _saved_version: Dictionary[int, int] = {}
var _saved_base: Dictionary[int, int] = {}
var _last_version: Dictionary[int, int] = {}
var _changed_frame: Dictionary[int, int] = {}
# By the history's id: how many actions it has.
var _actions: Dictionary[int, int] = {}


## Takes the editor's undo manager and finds the scene tabs.
func setup(undo: EditorUndoRedoManager) -> void:
	_undo = undo
	var _failed: int = undo.history_changed.connect(_on_history_changed)
	for found: Node in EditorInterface.get_base_control().find_children("*", "TabBar", true, false):
		if str(found.get_path()).contains("SceneTabs"):
			_tabs = found
			break


## The edited scene's root; null when no scene is open.
static func edited() -> Node:
	return EditorInterface.get_edited_scene_root()


## The edited scene's id; empty when no scene is open.
static func edited_id() -> String:
	var root: Node = edited()
	return "" if root == null else id_of(root)


## A scene's id: its file's path, or one made from its root while it has no file.
static func id_of(root: Node) -> String:
	if root.scene_file_path.is_empty():
		return UNSAVED_PREFIX + str(root.get_instance_id())
	return root.scene_file_path


## The root of an open scene; null when no open scene has this id. A uid:// id is understood.
static func find(id: String) -> Node:
	var wanted: String = path_of(id)
	var now: Node = edited()
	if now != null and id_of(now) == wanted:
		return now
	for root: Node in EditorInterface.get_open_scene_roots():
		if id_of(root) == wanted:
			return root
	return null


## The ids of all open scenes.
static func open_ids() -> Array[String]:
	var ids: Array[String] = []
	for root: Node in EditorInterface.get_open_scene_roots():
		ids.append(id_of(root))
	return ids


## The path behind a uid:// id; any other text as it is.
static func path_of(id: String) -> String:
	if not id.begins_with("uid://"):
		return id
	var uid: int = ResourceUID.text_to_id(id)
	return ResourceUID.get_id_path(uid) if ResourceUID.has_id(uid) else id


## What has to be called before a call for a scene that is not the edited one.
static func way_to(id: String) -> String:
	var path: String = path_of(id)
	if path.begins_with("res://") and FileAccess.file_exists(path):
		return "open_scene %s, then call again" % path
	if open_ids().has(path):
		return "it has no file, so no tool switches to it: in the editor, a person does"
	return "there is no such scene; list_open_scenes has those that are open"


## What to tell of a switch of scenes that began when `clears` was this.
func cleared_since(before: int) -> Dictionary:
	if clears == before:
		return {}
	return {
		"undo_history": (
			"cleared: a scene inside the edited one was saved, so the editor made its nodes anew;"
			+ " undo does not reach back beyond this call"
		)
	}


## True when the scene may be changed: an edit elsewhere would land in the global history.
static func is_active(root: Node) -> bool:
	return root != null and root == edited() and root.is_inside_tree()


## Looks at the edited scene's history. To be called each frame, so that changes are dated.
func frame() -> void:
	var root: Node = edited()
	if root != null:
		var _version: int = _look(root)


## Says that the scene equals its file now. The history of a scene in another tab cannot be read:
## that one is looked at anew when it is edited again.
func note_saved(root: Node) -> void:
	if is_active(root):
		_note(root, _look(root))
	else:
		_forget(root.get_instance_id())


## True when the scene has changes that its file lacks. The tab's mark decides, except right after a
## change, which it does not show yet: then the history's version does.
func is_dirty(root: Node) -> bool:
	if root == null:
		return false
	if root.scene_file_path.is_empty():
		return true
	if not is_active(root):
		return is_marked_dirty(root)
	var version: int = _look(root)
	var id: int = root.get_instance_id()
	if Engine.get_process_frames() - _changed_frame[id] >= MARK_DELAY:
		return is_marked_dirty(root)
	var saved: int = _saved_version.get(id, UNKNOWN)
	return version != saved if saved != UNKNOWN else true


## True when the scene's tab has the mark of unsaved changes. An unknown tab counts as unsaved:
## nobody may be told that a scene is safe without knowing it.
func is_marked_dirty(root: Node) -> bool:
	if not is_instance_valid(_tabs):
		return true
	var roots: Array[Node] = EditorInterface.get_open_scene_roots()
	if roots.size() == _tabs.tab_count:
		return _is_marked(roots.find(root))
	# Tabs without a scene are missing from the list, so positions say nothing. The current tab is
	# the edited scene's, though only from the frame after a switch.
	return root != edited() or _is_marked(_tabs.current_tab)


## The dialog that waits for a human: {title, text, class}. Empty when there is none.
static func modal() -> Dictionary:
	var window: Window = modal_window()
	if window == null:
		return {}
	var text: String = ""
	if window is AcceptDialog:
		var dialog: AcceptDialog = window
		text = dialog.dialog_text
	return {"title": window.title, "text": text, "class": window.get_class()}


## The window of that dialog; null when there is none.
static func modal_window() -> Window:
	for window: Window in _shown_windows():
		if window.visible and window.exclusive:
			return window
	return null


# Those with a window of the system, and those that are drawn inside of one. Windows of the edited
# scene are drawn inside its own viewport and wait for nobody. To look for them among the editor's
# nodes costs some 25 ms.
static func _shown_windows() -> Array[Window]:
	var out: Array[Window] = []
	for id: int in DisplayServer.get_window_list():
		var owner: int = DisplayServer.window_get_attached_instance_id(id)
		if is_instance_id_valid(owner) and instance_from_id(owner) is Window:
			out.append(instance_from_id(owner))
	var top: Window = EditorInterface.get_base_control().get_tree().root
	if not out.has(top):
		out.append(top)
	var next: int = 0
	while next < out.size():
		out.append_array(out[next].get_embedded_subwindows())
		next += 1
	return out


func _look(root: Node) -> int:
	var id: int = root.get_instance_id()
	var history: UndoRedo = _history_of(root)
	var version: int = 0 if history == null else history.get_version()
	if not _last_version.has(id):
		_forget_closed()
		_changed_frame[id] = 0
		_last_version[id] = version
		if not is_marked_dirty(root):
			_note(root, version)
	if _last_version[id] != version:
		_last_version[id] = version
		_changed_frame[id] = Engine.get_process_frames()
	if _saved_version.has(id) and not _can_reach(history, _saved_version[id], _saved_base[id]):
		var _known: bool = _saved_version.erase(id)
		if _saved_base[id] == _base_of(history) and is_active(root):
			saved_state_lost.emit()
	return version


# The version less the actions below it: undo, redo and new actions leave it as it is, and a cleared
# history does not.
static func _base_of(history: UndoRedo) -> int:
	return 0 if history == null else history.get_version() - history.get_current_action()


# Versions go down with undo, so an action that takes the place of undone ones gets to a number that
# was there before. The saved version is the same as then only while redo leads to it, or undo.
static func _can_reach(history: UndoRedo, version: int, base: int) -> bool:
	if history == null:
		return true
	var redoable: int = history.get_history_count() - 1 - history.get_current_action()
	return base == _base_of(history) and version <= history.get_version() + redoable


func _history_of(root: Node) -> UndoRedo:
	return _undo.get_history_undo_redo(_undo.get_object_history_id(root))


# Two actions of one frame are looked at one by one. A scene not seen before waits for its frame.
func _on_history_changed() -> void:
	var root: Node = edited()
	_note_clear(root)
	var id: int = 0 if root == null else root.get_instance_id()
	if not _last_version.has(id):
		return
	var before: int = _last_version[id]
	var version: int = _look(root)
	# A new action that has the saved one's number, or a lower one, has taken its place.
	if version > before and _saved_version.get(id, UNKNOWN) >= version:
		var _known: bool = _saved_version.erase(id)
		saved_state_lost.emit()


# The editor calls a scene saved when it clears its history, whatever it was before.
func _note_clear(root: Node) -> void:
	var history: UndoRedo = null if root == null else _history_of(root)
	if history == null:
		return
	var id: int = _undo.get_object_history_id(root)
	var count: int = history.get_history_count()
	if count == 0 and _actions.get(id, 0) > 0:
		clears += 1
		if is_marked_dirty(root):
			saved_state_lost.emit()
	_actions[id] = count


func _note(root: Node, version: int) -> void:
	_saved_version[root.get_instance_id()] = version
	_saved_base[root.get_instance_id()] = _base_of(_history_of(root))


func _forget_closed() -> void:
	for id: int in _last_version.keys():
		if not is_instance_id_valid(id):
			_forget(id)


func _forget(id: int) -> void:
	var _a: bool = _last_version.erase(id)
	var _b: bool = _saved_version.erase(id)
	var _c: bool = _changed_frame.erase(id)
	var _d: bool = _saved_base.erase(id)


func _is_marked(tab: int) -> bool:
	if tab < 0 or tab >= _tabs.tab_count:
		return true
	return _tabs.get_tab_title(tab).ends_with(DIRTY_MARK)
