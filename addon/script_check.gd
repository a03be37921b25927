extends RefCounted
## Whether a text is a script that parses, found out by the engine itself and without running the
## text: a script is made from it, off the cache, and compiled. This is the one file of the addon
## that may do so.
##
## `@tool` is taken out first: an editor runs the static initialisers of a tool script as soon as it
## is compiled. Initialisers of tool scripts that the text needs and that are not loaded yet do run.

const LogLines = preload("./script_log.gd")
const ProjectFiles = preload("./project_files.gd")
const ScriptText = preload("./script_text.gd")

## Diagnostics given; more than that help nobody.
const MAX_DIAGNOSTICS: int = 50
## What a checked script is called once its check is over: the engine keeps the last one that had a
## path for itself, and must not take it for the script of that path.
const ASIDE: String = "res://.godot/drawbridge_check.gd"
## A text without any content: it makes the engine let go of everything that the checked one needed.
const NOTHING: String = "extends RefCounted\n"
## The function of the engine that says what is wrong with a text.
const COMPILER: String = "GDScript::reload"

const _PREFIXES: Array[String] = ["Parse Error: ", "Compile Error: "]
# A class that is not registered yet is known to the engine's analyzer, but not to its compiler.
const _UNKNOWN: String = "Compile Error: Identifier not found: "
const _DEPENDED: String = "Compile Error: Failed to compile depended scripts."
# A project can make an error of this warning, and `@tool` was taken out here.
const _MISSING_TOOL: String = "Parse Error: The base class script has the \"@tool\" annotation"

## True while a check runs: what the compiler logs then is about the text, not about the call.
static var running: bool = false

static var _panel: RichTextLabel = null


## {parse_ok, diagnostics: [{line, message}]} of a text that is, or is going to be, the script at
## `path`. A diagnostic about another file has `file`.
static func check(text: String, path: String) -> Dictionary:
	var log_lines: LogLines = LogLines.new()
	var shown: int = _shown_lines()
	OS.add_logger(log_lines)
	running = true
	var failed: Error = _compile(ScriptText.without_tool(text), path)
	if failed != OK and _is_about_others(log_lines.lines):
		log_lines.lines.clear()
		failed = _compile(ScriptText.without_tool(text), path)
	running = false
	OS.remove_logger(log_lines)
	_hide_lines_after(shown)
	var found: Array[Dictionary] = []
	if failed != OK:
		found = _diagnostics(log_lines.lines, path, text)
	if failed != OK and log_lines.lines.is_empty():
		found.append({"line": 0, "message": "the engine does not accept it and does not say why"})
	return {"parse_ok": found.is_empty(), "diagnostics": found.slice(0, MAX_DIAGNOSTICS)}


## Gives a script in memory its new text, which parses. False when the engine does not take it.
static func renew(live: GDScript, text: String) -> bool:
	live.source_code = text
	return live.reload(true) == OK


## What tells a script's text, with those of its base scripts, from another.
static func text_id(script: Script) -> int:
	var texts: Array[int] = []
	var at: Script = script
	while at != null:
		texts.append(at.get_instance_id())
		texts.append(at.source_code.hash())
		at = at.get_base_script()
	return texts.hash()


# With the path known, class names, relative paths and the classes' use of each other are right.
static func _compile(text: String, path: String) -> Error:
	var is_loaded: bool = ResourceLoader.get_cached_ref(path) != null
	var unloaded: PackedStringArray = PackedStringArray() if is_loaded else _unloaded()
	var script: GDScript = GDScript.new()
	script.set_path_cache(path)
	script.source_code = text
	var failed: Error = script.reload()
	script.source_code = NOTHING
	var _done: Error = script.reload()
	if is_loaded:
		script.set_path_cache("")
	else:
		script.take_over_path(ASIDE)
		_let_go(unloaded)
	return failed


# After a file that the script of this path needed was moved or removed, the engine looks for it
# once more, says this and nothing else, and has forgotten it then.
static func _is_about_others(lines: Array[Dictionary]) -> bool:
	for line: Dictionary in lines:
		if line["message"] != _DEPENDED:
			return false
	return not lines.is_empty()


static func _unloaded() -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for file: String in ProjectFiles.all():
		if file.ends_with(".gd") and not ResourceLoader.has_cached(file):
			var _full: bool = out.append(file)
	return out


# What the text needed was loaded, and may extend the checked script instead of the one of that
# path. So whoever needs it next has to load it again.
static func _let_go(files: PackedStringArray) -> void:
	for file: String in files:
		var script: GDScript = ResourceLoader.get_cached_ref(file) as GDScript
		if script != null:
			script.take_over_path(ASIDE)


static func _diagnostics(
	lines: Array[Dictionary], path: String, text: String
) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	var own_class: String = ScriptText.class_name_of(text)
	var is_tool: bool = ScriptText.contains_tool(text)
	for line: Dictionary in lines:
		var message: String = line["message"]
		if not own_class.is_empty() and message == _UNKNOWN + own_class:
			continue
		if is_tool and line["file"] == path and message.begins_with(_MISSING_TOOL):
			continue
		for prefix: String in _PREFIXES:
			message = message.trim_prefix(prefix)
		var found: Dictionary = {"line": line["line"], "message": message}
		if line["file"] != path:
			found["file"] = line["file"]
		if not out.has(found):
			out.append(found)
	return out


# The editor's Output panel shows every error, and has no switch. What is on it because of a check
# is about a text that may never be anywhere, so it is taken off again.
static func _shown_lines() -> int:
	if not is_instance_valid(_panel):
		var base: Control = EditorInterface.get_base_control()
		for panel: Node in base.find_children("*", "EditorLog", true, false):
			for label: Node in panel.find_children("*", "RichTextLabel", true, false):
				_panel = label
	return _panel.get_paragraph_count() if is_instance_valid(_panel) else 0


static func _hide_lines_after(count: int) -> void:
	if not is_instance_valid(_panel):
		return
	# The last paragraph is the empty one that the next line goes to.
	for index: int in range(_panel.get_paragraph_count() - 2, count - 2, -1):
		var _removed: bool = _panel.remove_paragraph(index)
