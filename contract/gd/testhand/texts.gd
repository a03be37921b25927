@tool
extends RefCounted
## Texts that are open in the editor's script and shader editors: what a person types there.

# What was typed into: {edit, path, before}.
var _typed: Array[Dictionary] = []
# Objects made of scripts, by the script's path: what uses a script while it is changed.
var _live: Dictionary[String, Object] = {}


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
	_typed.append({"edit": code, "path": path, "before": code.text})
	code.set_caret_line(0)
	code.set_caret_column(0)
	code.insert_text_at_caret(text)
	return {"unsaved": code.get_version() != code.get_saved_version()}


## Looks at what is shown, or asks an object.
func run(request: Dictionary) -> Dictionary:
	var path: String = str(request.get("path"))
	match str(request.get("do")):
		"edit_text":
			return edit(path)
		"type":
			return type(path, str(request.get("text")))
		"forget_typed":
			return forget()
		"shown":
			return shown(path)
		"live":
			return live(path, str(request.get("method")))
	return panel()


## The text that is open of a file, as it is shown.
func shown(path: String) -> Dictionary:
	if EditorInterface.get_script_editor().get_current_script().resource_path != path:
		return {"error": "it is not the one that is shown"}
	var code: CodeEdit = _script()
	return {"text": code.text, "unsaved": code.get_version() != code.get_saved_version()}


## What a method of an object gives. The object is made of the script at the first time, and kept.
func live(path: String, method: String) -> Dictionary:
	if not _live.has(path):
		var script: GDScript = load(path) as GDScript
		_live[path] = script.new()
	return {"gives": _live[path].call(method)}


## Everything that the Output panel shows.
func panel() -> Dictionary:
	var base: Control = EditorInterface.get_base_control()
	for found: Node in base.find_children("*", "EditorLog", true, false):
		for label: Node in found.find_children("*", "RichTextLabel", true, false):
			return {"text": (label as RichTextLabel).get_parsed_text()}
	return {"error": "no panel"}


## Takes back what was typed, so that no later save writes it. The shader editor looks at its text
## only a second and a half after the last key, and then edits the shader: that must find nothing.
func forget() -> Dictionary:
	for typed: Dictionary in _typed:
		var code: CodeEdit = typed["edit"]
		code.text = typed["before"]
		code.tag_saved_version()
		var shader: Shader = load(str(typed["path"])) as Shader
		if shader != null:
			shader.code = typed["before"]
			EditorInterface.set_object_edited(shader, false)
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
