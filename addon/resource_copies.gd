extends RefCounted
## Plans for copies of files. Two files with one uid would be one to the engine, so a copy gets its
## own.

const FileMoves = preload("./resource_moves.gd")
const FileWrites = preload("./file_writes.gd")
const Plan = preload("./plan.gd")
const Protocol = preload("./protocol.gd")
const ResourceMemory = preload("./resource_memory.gd")
const ResourceRefs = preload("./resource_refs.gd")
const ResourceTarget = preload("./resource_target.gd")
const Result = preload("./result.gd")
const SaveFiles = preload("./save_files.gd")
const Scenes = preload("./scenes.gd")

const IMPORT: String = ".import"

var _save_files: SaveFiles
var _scenes: Scenes


func _init(save_files: SaveFiles, scenes: Scenes) -> void:
	_save_files = save_files
	_scenes = scenes


## The plan of a copy.
func plan(path: String, new_path: String) -> Result:
	var wrong: Result = ResourceTarget.missing(path, "path")
	if wrong == null:
		wrong = FileMoves.side_file(path, "path")
	if wrong == null:
		wrong = FileMoves.bad_target(path, new_path)
	if wrong == null:
		wrong = _declares_class(path)
	if wrong != null:
		return wrong
	var made: Array[Dictionary] = _main_file(path, new_path)
	if made.is_empty():
		return FileMoves.invalid(path, "encoding", "%s is no text that can be rewritten" % path)
	if FileAccess.file_exists(path + IMPORT):
		made.append(_import_file(path, new_path))
	var the_plan: Plan = FileWrites.plan(
		made, "duplicate_file", {"new_path": new_path, "binary": _is_binary(path)}
	)
	var data: Dictionary = {"path": path, "new_path": new_path}
	# The copy is of what is on the disk; the editor may know better.
	if _is_unsaved(path):
		data["unsaved_changes_left_out"] = true
	return Result.planned(the_plan, data)


# The copy itself; empty when it cannot be made.
func _main_file(path: String, new_path: String) -> Array[Dictionary]:
	var bytes: PackedByteArray = FileAccess.get_file_as_bytes(path)
	var refs: ResourceRefs = ResourceRefs.to(path)
	var is_text: bool = path.get_extension().to_lower() in ResourceRefs.TEXTS
	if not is_text:
		return [FileWrites.content(new_path, bytes)]
	var text: String = bytes.get_string_from_utf8()
	if text.to_utf8_buffer() != bytes:
		return []
	text = FileMoves.own_relatives(text, refs, path, new_path, path)
	if path.get_extension() in ["tres", "tscn"]:
		text = _with_fresh_uid(text)
	return [FileWrites.content(new_path, text.to_utf8_buffer())]


# The uid is in the first line that begins a section.
static func _with_fresh_uid(text: String) -> String:
	var form: RegEx = RegEx.create_from_string("\\A([^\\n]*\\[gd_[^\\n]*?\\suid=\")uid://[^\"]*")
	var found: RegExMatch = form.search(text)
	if found == null:
		return text
	var uid: String = ResourceUID.id_to_text(ResourceUID.create_id())
	return found.get_string(1) + uid + text.substr(found.get_end())


# Without its uid the importer gives the copy one, and files of its own.
static func _import_file(path: String, new_path: String) -> Dictionary:
	var text: String = FileAccess.get_file_as_string(path + IMPORT)
	var form: RegEx = RegEx.create_from_string("(?m)^uid=\"[^\"]*\"\\n")
	return FileWrites.content(new_path + IMPORT, form.sub(text, "").to_utf8_buffer())


static func _is_binary(path: String) -> bool:
	return path.get_extension().to_lower() in ResourceRefs.BINARIES


static func _declares_class(path: String) -> Result:
	var declared: String = ResourceRefs.to(path).global_class
	if declared.is_empty():
		return null
	return FileMoves.invalid(
		path, "class_name_twice", "a copy would declare the class %s again" % declared
	).with_hint("make the new script with scripts_create and another class_name")


func _is_unsaved(path: String) -> bool:
	var root: Node = Scenes.find(path)
	if root != null:
		return _scenes.is_dirty(root)
	var held: Resource = ResourceMemory.cached(path)
	return held != null and ResourceMemory.is_unsaved(_save_files, held, path)
