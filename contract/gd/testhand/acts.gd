@tool
extends RefCounted
## What the test hand can do. Each act gives a Dictionary, with "error" when it could not.

const Dump = preload("./dump.gd")
const Doings = preload("./doings.gd")
const Frames = preload("./frames.gd")
const Settings = preload("./settings.gd")
const Texts = preload("./texts.gd")

## The editor's undo manager.
var undo: EditorUndoRedoManager = null
## The frames that go by.
var frames: Frames = Frames.new()

var _tabs: TabBar = null
var _texts: Texts = Texts.new()


## Does one act.
func run(request: Dictionary) -> Dictionary:
	match str(request.get("do")):
		"look":
			return _look()
		"frames":
			return frames.take()
		"dump":
			return {"text": Dump.new().of_edited()}
		"set":
			return _set_property(request)
		"set_global":
			return _set_global(request)
		"clear_global":
			undo.clear_history(EditorUndoRedoManager.GLOBAL_HISTORY, false)
			return {}
		"add_ghost":
			return _add_ghost(request)
		"open":
			EditorInterface.open_scene_from_path(str(request.get("path")))
			return _look()
		"edit_text", "type", "forget_typed", "shown", "live", "panel":
			return _texts.run(request)
		"save":
			return {"code": EditorInterface.save_scene()}
		"close":
			return {"code": EditorInterface.close_scene()}
		"new_scene":
			return _new_scene()
		"select", "selection", "complain", "connect":
			return Doings.run(request)
		"press":
			return _press(str(request.get("item")))
		_:
			return _run_file(request)


# Acts on files and resources.
func _run_file(request: Dictionary) -> Dictionary:
	match str(request.get("do")):
		"make_resource":
			return _make_resource(request)
		"update_file":
			EditorInterface.get_resource_filesystem().update_file(str(request.get("path")))
			return {}
		"setting", "parses":
			return Settings.run(request)
	return {"error": "no such act"}


## What can be seen: open scenes, the edited one, tabs with a star, the version of each history.
func _look() -> Dictionary:
	var root: Node = EditorInterface.get_edited_scene_root()
	var scenes: Array[String] = []
	for path: String in EditorInterface.get_open_scenes():
		scenes.append(path)
	return {
		"scenes": scenes,
		"edited": "" if root == null else root.scene_file_path,
		"starred": _starred(),
		"scene_version": _version(root),
		"global_version":
			undo.get_history_undo_redo(EditorUndoRedoManager.GLOBAL_HISTORY).get_version(),
		"top": _top(root),
	}


func _version(root: Node) -> int:
	if root == null:
		return 0
	return undo.get_history_undo_redo(undo.get_object_history_id(root)).get_version()


func _top(root: Node) -> String:
	if root == null:
		return ""
	return undo.get_history_undo_redo(undo.get_object_history_id(root)).get_current_action_name()


func _starred() -> Array[String]:
	if not is_instance_valid(_tabs):
		_tabs = _find_tabs()
	var titles: Array[String] = []
	for index: int in _tabs.tab_count:
		if _tabs.get_tab_title(index).ends_with("(*)"):
			titles.append(_tabs.get_tab_title(index).trim_suffix("(*)"))
	return titles


func _find_tabs() -> TabBar:
	for found: Node in EditorInterface.get_base_control().find_children("*", "TabBar", true, false):
		if "SceneTabs" in str(found.get_path()):
			return found as TabBar
	return null


## A property of a node, as one action with a name of its own, in the scene's history.
func _set_property(request: Dictionary) -> Dictionary:
	var root: Node = EditorInterface.get_edited_scene_root()
	if root == null:
		return {"error": "no scene"}
	var node: Node = root.get_node_or_null(NodePath(str(request.get("node"))))
	if node == null:
		return {"error": "no such node"}
	var property: StringName = StringName(str(request.get("property")))
	undo.create_action(str(request.get("action")), UndoRedo.MERGE_DISABLE, root)
	undo.add_do_property(node, property, JSON.to_native(request.get("value")))
	undo.add_undo_property(node, property, node.get(property))
	undo.commit_action()
	return {}


## The name of a resource of its own file, as one action in the global history.
func _set_global(request: Dictionary) -> Dictionary:
	var resource: Resource = load(str(request.get("path"))) as Resource
	if resource == null:
		return {"error": "no such resource"}
	undo.create_action(str(request.get("action")), UndoRedo.MERGE_DISABLE)
	undo.add_do_property(resource, &"resource_name", str(request.get("value")))
	undo.add_undo_property(resource, &"resource_name", resource.resource_name)
	undo.commit_action()
	return {"history": undo.get_object_history_id(resource)}


## A resource that code made and gave a path, with or without a file there; the scene holds it.
func _make_resource(request: Dictionary) -> Dictionary:
	var path: String = str(request.get("path"))
	var made: Gradient = Gradient.new()
	if request.get("saved") == true and ResourceSaver.save(made, path) != OK:
		return {"error": "it cannot be saved"}
	made.take_over_path(path)
	EditorInterface.get_edited_scene_root().set_meta(&"made", made)
	return {}


## A node without an owner, and one below it that the scene owns: what a tool script leaves that
## forgets owners.
func _add_ghost(request: Dictionary) -> Dictionary:
	var root: Node = EditorInterface.get_edited_scene_root()
	var parent: Node = root.get_node_or_null(NodePath(str(request.get("parent"))))
	if parent == null:
		return {"error": "no such parent"}
	var ghost: Node2D = Node2D.new()
	ghost.name = str(request.get("name", "Ghost"))
	parent.add_child(ghost)
	var child: Node2D = Node2D.new()
	child.name = "OwnedBelow"
	ghost.add_child(child)
	child.owner = root
	return {}


## Closes everything and makes a scene that has no file.
func _new_scene() -> Dictionary:
	while not EditorInterface.get_open_scenes().is_empty():
		if EditorInterface.close_scene() != OK:
			return {"error": "a scene does not close"}
	var root: Node2D = Node2D.new()
	root.name = "Unsaved"
	EditorInterface.add_root_node(root)
	return _look()


## An item of the editor's menus, by the name of its shortcut.
func _press(item: String) -> Dictionary:
	var base: Control = EditorInterface.get_base_control()
	for found: Node in base.find_children("*", "PopupMenu", true, false):
		var menu: PopupMenu = found as PopupMenu
		for index: int in menu.item_count:
			var shortcut: Shortcut = menu.get_item_shortcut(index)
			if shortcut != null and shortcut.resource_name == item and menu.name == &"Scene":
				menu.id_pressed.emit(menu.get_item_id(index))
				return _look()
	return {"error": "no such item"}
