@tool
extends RefCounted
## Texts that are open in the editor's script and shader editors: what a person types there.

var _typed: Array[CodeEdit] = []


## Opens a script or shader in its editor.
func edit(path: String) -> Dictionary:
	var resource: Resource = load(path)
	if resource is Script:
		EditorInterface.edit_script(resource as Script)
	elif resource != null:
		EditorInterface.edit_resource(resource)
	else:
		return {"error": "no such text"}
	return {}


## Types at the beginning of the text that was opened last: of a shader, or else of a script.
func type(path: String, text: String) -> Dictionary:
	var code: CodeEdit = _shader() if path.ends_with(".gdshader") else _script()
	if code == null:
		return {"error": "no such editor"}
	code.set_caret_line(0)
	code.set_caret_column(0)
	code.insert_text_at_caret(text)
	_typed.append(code)
	return {"unsaved": code.get_version() != code.get_saved_version()}


## Has the editors forget that something was typed, so that no later save writes it.
func forget() -> Dictionary:
	for code: CodeEdit in _typed:
		code.tag_saved_version()
	_typed.clear()
	return {}


func _script() -> CodeEdit:
	var editor: ScriptEditorBase = EditorInterface.get_script_editor().get_current_editor()
	return null if editor == null else editor.get_base_editor() as CodeEdit


func _shader() -> CodeEdit:
	var base: Control = EditorInterface.get_base_control()
	for found: Node in base.find_children("*", "TextShaderEditor", true, false):
		var tabs: TabContainer = found.get_parent() as TabContainer
		if tabs != null and tabs.get_current_tab_control() == found:
			return found.find_children("*", "CodeEdit", true, false)[0] as CodeEdit
	return null
