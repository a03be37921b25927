extends RefCounted
## The files that are open in the script editor and in the shader editor, and which of them a save
## would write.

const ShaderTabs = preload("./shader_tabs.gd")

const SETTING_TRIM: String = "text_editor/behavior/files/trim_trailing_whitespace_on_save"
const SETTING_NEWLINES: String = "text_editor/behavior/files/trim_final_newlines_on_save"
const SETTING_INDENT: String = "text_editor/behavior/files/convert_indent_on_save"
const SETTING_INDENT_TYPE: String = "text_editor/behavior/indent/type"


## One open file.
class Buffer:
	extends RefCounted
	## The file; for a script inside a scene or resource that file's path, "::" and an id.
	var path: String = ""
	## Where the text is edited.
	var edit: CodeEdit = null
	## True when the editor tidies the text before a save, as its settings say.
	var is_tidied: bool = true

	## The text's version when it was last equal to the file, as the editor counts.
	func saved_version() -> int:
		return edit.get_saved_version()

	## True when the editor would write the text at a save.
	func is_unsaved() -> bool:
		return edit.get_version() != edit.get_saved_version()


var _shaders: ShaderTabs = ShaderTabs.new()


## All open files that have a path.
func open() -> Array[Buffer]:
	var out: Array[Buffer] = []
	for editor: ScriptEditorBase in EditorInterface.get_script_editor().get_open_script_editors():
		var edit: CodeEdit = editor.get_base_editor() as CodeEdit
		if edit != null:
			_add(out, _path_of(edit), edit, true)
	var shaders: Dictionary[String, CodeEdit] = _shaders.open()
	for path: String in shaders:
		# The shader editor tidies only what it writes anyway.
		_add(out, path, shaders[path], false)
	return out


## The files that a save of `saving` writes because of their buffers. Before it saves, the script
## editor tidies all its buffers as its settings say, which makes some of them unsaved.
func written_with(saving: String) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for buffer: Buffer in open():
		if not buffer.is_unsaved() and not (buffer.is_tidied and _needs_tidying(buffer.edit.text)):
			continue
		var path: String = buffer.path.get_slice("::", 0)
		if path != saving and not out.has(path) and _is_written(buffer.path):
			var _full: bool = out.append(path)
	return out


static func _add(out: Array[Buffer], path: String, edit: CodeEdit, is_tidied: bool) -> void:
	if path.is_empty():
		return
	var buffer: Buffer = Buffer.new()
	buffer.path = path
	buffer.edit = edit
	buffer.is_tidied = is_tidied
	out.append(buffer)


# Scripts inside a scene are saved with their scene, if that is open.
static func _is_written(path: String) -> bool:
	if not path.contains("::"):
		return true
	var holder: String = path.get_slice("::", 0)
	return not holder.get_extension() in ["tscn", "scn"] or (
		EditorInterface.get_open_scenes().has(holder)
	)


# The highlighter is the only thing that tells which file an editor shows.
static func _path_of(edit: CodeEdit) -> String:
	var highlighter: SyntaxHighlighter = edit.syntax_highlighter
	if highlighter == null or not highlighter.has_method(&"_get_edited_resource"):
		return ""
	var resource: Resource = highlighter.call(&"_get_edited_resource")
	return "" if resource == null else resource.resource_path


static func _needs_tidying(text: String) -> bool:
	var settings: EditorSettings = EditorInterface.get_editor_settings()
	if settings.get_setting(SETTING_NEWLINES) == true and text.ends_with("\n\n"):
		return true
	if settings.get_setting(SETTING_TRIM) == true and _has_line(text, "[ \\t]+(\\n|$)"):
		return true
	if settings.get_setting(SETTING_INDENT) != true:
		return false
	var tabs: bool = settings.get_setting(SETTING_INDENT_TYPE) == 0
	return _has_line(text, "(?m)^\\t* " if tabs else "(?m)^ *\\t")


static func _has_line(text: String, pattern: String) -> bool:
	return RegEx.create_from_string(pattern).search(text) != null
