extends RefCounted
## Plans for moves of files: the file, its side files, and every text that refers to it by path. All
## that could make the move leave something wrong behind is refused before.

const Buffers = preload("./buffers.gd")
const FileWrites = preload("./file_writes.gd")
const Persistence = preload("./persistence.gd")
const Plan = preload("./plan.gd")
const Protocol = preload("./protocol.gd")
const ResourceMemory = preload("./resource_memory.gd")
const ResourceRefs = preload("./resource_refs.gd")
const ResourceTarget = preload("./resource_target.gd")
const Result = preload("./result.gd")
const SaveFiles = preload("./save_files.gd")
const Scenes = preload("./scenes.gd")
const Slices = preload("./slices.gd")

## Files that belong to another one and go where it goes.
const SIDES: PackedStringArray = [".uid", ".import"]

var _save_files: SaveFiles
var _scenes: Scenes


func _init(save_files: SaveFiles, scenes: Scenes) -> void:
	_save_files = save_files
	_scenes = scenes


## The plan of a move. Every file of the project is read for it, over several frames.
func plan(path: String, new_path: String) -> Result:
	var wrong: Result = _refusal(path, new_path)
	if wrong != null:
		return wrong
	var refs: ResourceRefs = ResourceRefs.to(path)
	return Slices.run(
		func(until: int) -> Result:
			return _found(path, new_path, refs) if refs.go_on(until, false) else null
	)


func _refusal(path: String, new_path: String) -> Result:
	var wrong: Result = ResourceTarget.missing(path, "path")
	if wrong == null:
		wrong = side_file(path, "path")
	if wrong == null:
		wrong = bad_target(path, new_path)
	return _busy(path) if wrong == null else wrong


# The references took some frames to find. The files that have some are read anew in this one, and
# whatever else counts is as it is now.
func _found(path: String, new_path: String, refs: ResourceRefs) -> Result:
	var wrong: Result = _refusal(path, new_path)
	if wrong != null:
		return wrong
	var by_file: Dictionary[String, int] = {}
	for ref: ResourceRefs.Ref in refs.found:
		if ref.by == ResourceRefs.BY_DEPENDENCY:
			return needs(
				"text_references",
				"%s is a binary file that names the path; it cannot be repaired" % ref.file,
				"open it in the editor and save it as .tscn or .tres first",
				ref.file
			)
		if ref.by != ResourceRefs.BY_UID:
			by_file[ref.file] = by_file.get(ref.file, 0) + 1
	for file: String in by_file:
		wrong = _busy_referrer(file)
		if wrong != null:
			return wrong
	return _plan(path, new_path, refs, by_file)


func _plan(
	path: String, new_path: String, refs: ResourceRefs, by_file: Dictionary[String, int]
) -> Result:
	var writes: Array[Dictionary] = []
	var main: Variant = _moved_bytes(path, new_path, refs)
	if main == null:
		return invalid(path, "encoding", "%s is no text that can be rewritten" % path)
	var bytes: PackedByteArray = main
	writes.append(FileWrites.content(new_path, bytes))
	writes.append(FileWrites.removal(path))
	for side: String in sides_of(path):
		var side_bytes: PackedByteArray = FileAccess.get_file_as_bytes(side)
		writes.append(FileWrites.content(new_path + side.trim_prefix(path), side_bytes))
		writes.append(FileWrites.removal(side))
	var updated: Array[Dictionary] = []
	for file: String in by_file:
		var old: PackedByteArray = FileAccess.get_file_as_bytes(file)
		var text: String = old.get_string_from_utf8()
		if text.to_utf8_buffer() != old:
			return invalid(file, "encoding", "%s is no text that can be rewritten" % file)
		var new_text: String = ResourceRefs.replaced(text, refs.in_text(text, file), new_path)
		writes.append(FileWrites.content(file, new_text.to_utf8_buffer()))
		updated.append({"file": file, "count": by_file[file]})
	var more: Dictionary = {
		"path": path, "new_path": new_path, "uid": refs.uid, "referrers": by_file.keys(),
	}
	var the_plan: Plan = FileWrites.plan(writes, "move_file", more)
	var data: Dictionary = {"path": path, "new_path": new_path, "updated_refs": updated}
	return Result.planned(the_plan, data)


## The side files that a file has.
static func sides_of(path: String) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for ending: String in SIDES:
		if FileAccess.file_exists(path + ending):
			var _full: bool = out.append(path + ending)
	return out


## The failure for a side file, which is not handled by itself; null for other files.
static func side_file(path: String, parameter: String) -> Result:
	for ending: String in SIDES:
		if path.ends_with(ending):
			return Result.fail(
				Protocol.CODE_VALIDATION_ERROR,
				"%s belongs to %s and goes where that goes" % [path, path.trim_suffix(ending)],
				{"parameter": parameter, "reason": "side_file", "path": path}
			)
	return null


## The failure for a place where the file cannot go; null when it can.
static func bad_target(path: String, new_path: String) -> Result:
	if FileAccess.file_exists(new_path) or DirAccess.dir_exists_absolute(new_path):
		return Result.fail(
			Protocol.CODE_ALREADY_EXISTS, "%s exists already" % new_path, {"path": new_path}
		).with_hint("choose another new_path")
	if new_path.get_extension() != path.get_extension():
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"the ending says what a file is: it stays .%s" % path.get_extension(),
			{"parameter": "new_path", "reason": "extension", "expected": path.get_extension()}
		)
	for ending: String in SIDES:
		if FileAccess.file_exists(new_path + ending):
			return Result.fail(
				Protocol.CODE_ALREADY_EXISTS,
				"%s exists already" % (new_path + ending), {"path": new_path + ending}
			).with_hint("it belongs to no file; have it removed, or choose another new_path")
	return null


## A text of `path` as it has to be at another place: relative paths become whole ones, and those to
## itself lead to `itself`.
static func own_relatives(
	text: String, refs: ResourceRefs, path: String, new_path: String, itself: String
) -> String:
	if path.get_base_dir() == new_path.get_base_dir():
		return text
	var out: String = ""
	var from: int = 0
	for relative: Dictionary in refs.relative_of(text, path):
		var start: int = relative["start"]
		var length: int = relative["length"]
		var goal: String = relative["path"]
		out += text.substr(from, start - from) + (itself if goal == path else goal)
		from = start + length
	return out + text.substr(from)


## A failure that names what has to be true first.
static func needs(token: String, message: String, hint: String, file: String) -> Result:
	return (
		Result.fail(Protocol.CODE_PRECONDITION_FAILED, message, {"file": file})
		.needs(token)
		.with_hint(hint)
	)


## A failure for a file that this cannot be done with.
static func invalid(file: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		message,
		{"parameter": "path", "reason": reason, "file": file}
	)


# The moved file's own text, whose paths to itself and relative paths change; null when it cannot be
# rewritten.
func _moved_bytes(path: String, new_path: String, refs: ResourceRefs) -> Variant:
	var bytes: PackedByteArray = FileAccess.get_file_as_bytes(path)
	if not path.get_extension().to_lower() in ResourceRefs.TEXTS:
		return bytes
	var text: String = bytes.get_string_from_utf8()
	if text.to_utf8_buffer() != bytes:
		return null
	var moved: String = ResourceRefs.replaced(text, refs.in_text(text, path), new_path)
	return own_relatives(moved, refs, path, new_path, new_path).to_utf8_buffer()


# What the editor has in memory of the file must be what is moved.
func _busy(path: String) -> Result:
	if Scenes.find(path) != null:
		return needs("scene_not_open", "%s is open" % path, "close_scene it first", path)
	return _unsaved(path)


# The edited scene is read anew afterwards; a scene in another tab would keep the old path.
func _busy_referrer(file: String) -> Result:
	var root: Node = Scenes.find(file)
	if root != null:
		if _scenes.is_dirty(root):
			return needs(
				"scene_saved", "%s refers to it and is unsaved" % file, "save_scene it first", file
			)
		if not Scenes.is_active(root):
			return needs(
				"scene_not_open",
				"%s refers to it and is open in another tab" % file,
				"close_scene that tab first, or open_scene it to make it the edited one",
				file
			)
	return _unsaved(file)


func _unsaved(file: String) -> Result:
	for buffer: Buffers.Buffer in Buffers.new().open():
		if buffer.path.get_slice("::", 0) == file and buffer.is_unsaved():
			return needs(
				"script_saved",
				"%s has unsaved text in the script editor" % file,
				"have the script saved in the editor first",
				file
			)
	var held: Resource = ResourceMemory.cached(file)
	if held == null or Persistence.is_imported(file):
		return null
	if not ResourceMemory.is_unsaved(_save_files, held, file):
		return null
	return needs(
		"resource_saved", "%s has unsaved changes" % file, "save_resource it first", file
	)
