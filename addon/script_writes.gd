extends RefCounted
## Plans for writing a script, the same for every tool that does: size, unsaved text in the script
## editor, and a check of the new text. commit/write_script.gd does it.

const Buffers = preload("./buffers.gd")
const Call = preload("./call.gd")
const FileWrites = preload("./file_writes.gd")
const Plan = preload("./plan.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const ScriptCheck = preload("./script_check.gd")
const ScriptRefusals = preload("./script_refusals.gd")
const ScriptText = preload("./script_text.gd")

## The name of the applier that writes.
const OP: String = "write_script"

var _buffers: Buffers


func _init(buffers: Buffers) -> void:
	_buffers = buffers


## The plan that makes `text` the script at `path`, in the bytes of `form`; data is added to.
func plan(
	the_call: Call, path: String, text: String, form: ScriptText, data: Dictionary
) -> Result:
	var wrong: Result = _cannot_write(the_call, path, text)
	if wrong != null:
		return wrong
	var checked: Dictionary = ScriptCheck.check(text, path)
	if not checked["parse_ok"] and not the_call.flag("allow_errors"):
		wrong = ScriptRefusals.cannot_judge(checked, path)
		return ScriptRefusals.does_not_parse(path, checked) if wrong == null else wrong
	data.merge(checked)
	data["script_path"] = path
	data["created"] = not FileAccess.file_exists(path)
	data["contains_tool"] = ScriptText.contains_tool(text)
	var own_class: String = ScriptText.class_name_of(text)
	if not own_class.is_empty():
		data["class_name"] = own_class
	var writes: Array[Dictionary] = [FileWrites.content(path, form.bytes_of(text))]
	var made: Plan = FileWrites.plan(
		writes, OP, {"text": text, "parse_ok": checked["parse_ok"], "class_name": own_class}
	)
	if unsaved_buffer(path) != null:
		made.add_effect(Protocol.EFFECT_DISCARDS_UNSAVED)
		data["discards_unsaved"] = true
	return Result.planned(made, data)


## The open text of a script that has something typed and not saved; null when there is none.
func unsaved_buffer(path: String) -> Buffers.Buffer:
	for buffer: Buffers.Buffer in _buffers.open():
		if buffer.path == path and buffer.is_unsaved():
			return buffer
	return null


func _cannot_write(the_call: Call, path: String, text: String) -> Result:
	var held: ScriptText = ScriptText.new()
	held.set_text(text)
	var wrong: Result = ScriptRefusals.cannot_hold(held, path)
	if wrong == null and not the_call.flag("discard_unsaved") and unsaved_buffer(path) != null:
		return ScriptRefusals.unsaved(path)
	return wrong
