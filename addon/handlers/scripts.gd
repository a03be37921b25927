extends RefCounted
## GDScript files: listing, reading, checking and writing them. A text is checked before it is
## written, and what does not parse is not written unless the caller says so.

const Buffers = preload("../buffers.gd")
const Call = preload("../call.gd")
const Paging = preload("../paging.gd")
const ProjectFiles = preload("../project_files.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const Scenes = preload("../scenes.gd")
const ScriptCheck = preload("../script_check.gd")
const ScriptPage = preload("../script_page.gd")
const ScriptRefusals = preload("../script_refusals.gd")
const ScriptText = preload("../script_text.gd")
const ScriptWrites = preload("../script_writes.gd")
const Slices = preload("../slices.gd")

var _buffers: Buffers = Buffers.new()
var _writes: ScriptWrites = ScriptWrites.new(_buffers)


## The scripts below a folder, with their global classes. The addon's own are left out.
func scripts_list(the_call: Call) -> Result:
	var folder: String = the_call.text("directory", "res://").trim_suffix("/") + "/"
	if folder != "res:///" and not DirAccess.dir_exists_absolute(folder):
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND, "no folder %s" % folder, {"directory": folder}
		)
	if folder == "res:///":
		folder = "res://"
	var files: ProjectFiles = ProjectFiles.new()
	return Slices.run(
		func(until: int) -> Result:
			return _list(the_call, folder, files.found) if files.go_on(until) else null
	)


static func _list(the_call: Call, folder: String, files: PackedStringArray) -> Result:
	var found: PackedStringArray = ScriptPage.scripts_below(folder, files)
	var paging: Paging = Paging.new(the_call, 200, 2000)
	var data: Dictionary = {
		"scripts": ScriptPage.rows(found.slice(paging.offset, paging.offset + paging.limit)),
		"directory": folder,
	}
	var own: String = ScriptPage.own_folder()
	if own.begins_with(folder):
		data["left_out"] = own
	paging.tell(data, found.size())
	return Result.good(data)


## A page of a script's lines, as they are on the disk.
func scripts_read(the_call: Call) -> Result:
	var path: String = _path(the_call)
	var wrong: Result = ScriptRefusals.cannot_read(path)
	if wrong != null:
		return wrong
	var script: ScriptText = ScriptText.read(path)
	wrong = ScriptRefusals.cannot_hold(script, path)
	if wrong != null:
		return wrong
	var data: Dictionary = ScriptPage.lines(
		script.text, maxi(0, the_call.number("offset", 0)), maxi(1, the_call.number("limit", 2000))
	)
	data["script_path"] = path
	data["sha256"] = script.sha256
	data["line_ends"] = script.line_ends()
	data["unsaved_in_editor"] = _writes.unsaved_buffer(path) != null
	return Result.good(data)


## What the engine says of a text as the script at a path.
func scripts_validate(the_call: Call) -> Result:
	var path: String = _path(the_call)
	var given: bool = the_call.params.has("content")
	var wrong: Result = (
		ScriptRefusals.bad_path(path) if given else ScriptRefusals.cannot_read(path)
	)
	if wrong != null:
		return wrong
	var script: ScriptText = ScriptText.new() if given else ScriptText.read(path)
	if given:
		script.set_text(the_call.text("content"))
	wrong = ScriptRefusals.cannot_hold(script, path)
	if wrong != null:
		return wrong
	var data: Dictionary = ScriptCheck.check(script.text, path)
	wrong = ScriptRefusals.cannot_judge(data, path)
	if wrong != null:
		return wrong
	data["script_path"] = path
	data["contains_tool"] = ScriptText.contains_tool(script.text)
	if not given:
		data["sha256"] = script.sha256
	return Result.good(data)


## Writes a script that is not there yet.
func scripts_create(the_call: Call) -> Result:
	var path: String = _path(the_call)
	var wrong: Result = ScriptRefusals.bad_path(path)
	if wrong != null:
		return wrong
	if FileAccess.file_exists(path) and not the_call.flag("overwrite"):
		return ScriptRefusals.exists(path)
	var text: String = the_call.text("content")
	if the_call.params.has("base_type"):
		text = "extends %s\n" % the_call.text("base_type")
	return _writes.plan(the_call, path, text, ScriptText.new(), {})


## Replaces a text that stands in a script once, or everywhere if told to.
func scripts_patch(the_call: Call) -> Result:
	var path: String = _path(the_call)
	var wrong: Result = ScriptRefusals.cannot_read(path)
	if wrong != null:
		return wrong
	var script: ScriptText = ScriptText.read(path)
	wrong = ScriptRefusals.cannot_hold(script, path)
	if wrong == null:
		wrong = ScriptRefusals.other_hash(script, path, the_call.text("expected_sha256"))
	if wrong != null:
		return wrong
	var find: String = the_call.text("find")
	var by: String = the_call.text("replace")
	var matches: int = 0 if find.is_empty() else script.count(find)
	if matches == 0 or (matches > 1 and not the_call.flag("all")):
		return ScriptRefusals.no_single_match(path, matches)
	return _writes.plan(
		the_call, path, script.replaced(find, by), script, {"replacements": matches}
	)


## Writes a script's whole text. One that is there is replaced only by who has read it, or says so.
func scripts_write(the_call: Call) -> Result:
	var path: String = _path(the_call)
	var wrong: Result = ScriptRefusals.bad_path(path)
	if wrong != null:
		return wrong
	var expected: String = the_call.text("expected_sha256")
	if not FileAccess.file_exists(path):
		if not expected.is_empty():
			return ScriptRefusals.missing(path)
	elif expected.is_empty() and not the_call.flag("overwrite"):
		return ScriptRefusals.needs_hash(path)
	else:
		wrong = ScriptRefusals.other_hash(ScriptText.read(path), path, expected)
	if wrong != null:
		return wrong
	return _writes.plan(the_call, path, the_call.text("content"), ScriptText.new(), {})


static func _path(the_call: Call) -> String:
	return Scenes.path_of(the_call.text("script_path"))
