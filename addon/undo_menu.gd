extends RefCounted
## The editor's own menu items for undo and redo, which alone keep the editor's books right.

const UNDO: StringName = &"ui_undo"
const REDO: StringName = &"ui_redo"

var _menus: Dictionary[StringName, Dictionary] = {}


## Undoes or redoes once. False when the menu item was not found.
func press(redo: bool) -> bool:
	var menu: Dictionary = _menu(REDO if redo else UNDO)
	if menu.is_empty():
		return false
	var popup: PopupMenu = menu["popup"]
	popup.id_pressed.emit(menu["id"])
	return true


## True when both were found.
func is_found() -> bool:
	return not _menu(UNDO).is_empty() and not _menu(REDO).is_empty()


func _menu(action: StringName) -> Dictionary:
	if _menus.has(action) and is_instance_valid(_menus[action]["popup"]):
		return _menus[action]
	var base: Control = EditorInterface.get_base_control()
	for found: Node in base.find_children("*", "PopupMenu", true, false):
		var popup: PopupMenu = found
		if not _is_editor_menu(popup):
			continue
		for index: int in popup.item_count:
			if _is_item(popup, index, action):
				_menus[action] = {"popup": popup, "id": popup.get_item_id(index)}
				return _menus[action]
	return {}


# The editor's own menus are those that EditorNode listens to; script editors have Undo items too.
static func _is_editor_menu(popup: PopupMenu) -> bool:
	for connection: Dictionary in popup.id_pressed.get_connections():
		var callable: Callable = connection["callable"]
		if callable.get_object() != null and callable.get_object().is_class("EditorNode"):
			return true
	return false


# By key, not by text: the text is translated. The editor's shortcut may be changed by the user:
# then by its name.
static func _is_item(popup: PopupMenu, index: int, action: StringName) -> bool:
	var shortcut: Shortcut = popup.get_item_shortcut(index)
	if shortcut == null:
		return false
	if shortcut.resource_name == ("Undo" if action == UNDO else "Redo"):
		return true
	var settings: EditorSettings = EditorInterface.get_editor_settings()
	if not settings.has_method(&"get_shortcut"):
		return false
	return settings.call(&"get_shortcut", action) == shortcut
