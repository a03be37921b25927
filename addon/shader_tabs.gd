extends RefCounted
## The shaders that are open in the shader editor. Nothing in the engine's interface tells them, so
## the editor's own controls are read: a list of files beside one tab for each, in the same order.

const LIST: String = "ItemList"
const TABS: String = "TabContainer"
const SPLIT: String = "SplitContainer"
const TEXT: String = "CodeEdit"
const SHADER_EDITOR: String = "TextShaderEditor"

# Pairs of list and tabs that may be the shader editor's; null until looked for, which costs 20 ms.
var _pairs: Array[Array] = []
var _searched: bool = false


## Where the text of each open shader and shader include is edited, by its file. A shader inside a
## scene or resource has that file's path, "::" and an id.
func open() -> Dictionary[String, CodeEdit]:
	if not _searched:
		_searched = true
		_search()
	var out: Dictionary[String, CodeEdit] = {}
	for pair: Array in _pairs:
		var list: ItemList = pair[0]
		var tabs: TabContainer = pair[1]
		for index: int in mini(list.item_count, tabs.get_tab_count()):
			var tab: Control = tabs.get_tab_control(index)
			if tab.is_class(SHADER_EDITOR):
				_add(out, list.get_item_tooltip(index), tab)
	return out


func _search() -> void:
	var base: Control = EditorInterface.get_base_control()
	for split: Node in base.find_children("*", SPLIT, true, false):
		var tabs: Node = _child(split, TABS)
		var list: Node = _child(split, LIST)
		if tabs != null and list != null:
			_pairs.append([list, tabs])


static func _child(parent: Node, type: String) -> Node:
	for child: Node in parent.get_children():
		if child.is_class(type):
			return child
	return null


static func _add(out: Dictionary[String, CodeEdit], path: String, tab: Control) -> void:
	var texts: Array[Node] = tab.find_children("*", TEXT, true, false)
	if not path.is_empty() and not texts.is_empty():
		out[path] = texts[0]
