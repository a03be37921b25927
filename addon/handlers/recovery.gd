extends RefCounted
## Plans for bringing files back as they were: the daemon gives their bytes along with the call.

const Buffers = preload("../buffers.gd")
const Call = preload("../call.gd")
const Disk = preload("../disk.gd")
const FileWrites = preload("../file_writes.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const SaveFiles = preload("../save_files.gd")

## The name of the applier.
const OP: String = FileWrites.RESTORE_OP

var _save_files: SaveFiles
var _buffers: Buffers = Buffers.new()


func _init(save_files: SaveFiles) -> void:
	_save_files = save_files


## Plans one file's old bytes: path, and what the daemon kept of it.
func restore_file(the_call: Call) -> Result:
	var read: Result = _files_of(the_call)
	if not read.ok:
		return read
	var files: Array[Dictionary] = read.data["files"]
	if files.size() != 1 or files[0]["path"] != the_call.text("path"):
		return _broken("the kept bytes are not those of %s" % the_call.text("path"))
	return _planned(files, {"path": files[0]["path"], "restored": _about(the_call)})


## Plans the old bytes of all files that differ from a checkpoint.
func restore_checkpoint(the_call: Call) -> Result:
	var read: Result = _files_of(the_call)
	if not read.ok:
		return read
	var files: Array[Dictionary] = read.data["files"]
	return _planned(files, _about(the_call))


func _planned(files: Array[Dictionary], data: Dictionary) -> Result:
	var writes: Array[Dictionary] = []
	for file: Dictionary in files:
		var path: String = file["path"]
		if Disk.sha256(path) != file["sha256"]:
			var bytes: PackedByteArray = file["bytes"]
			writes.append(FileWrites.content(path, bytes))
	data["changed"] = not writes.is_empty()
	data["files_restored"] = writes.size()
	for write: Dictionary in writes:
		var refused: Result = _refusal(str(write["path"]))
		if refused != null and data.has("undo_back"):
			return refused.with_detail("undo_back", data["undo_back"])
		if refused != null:
			return refused
	if not writes.is_empty():
		return Result.planned(FileWrites.plan(writes, OP), data)
	var plan: Plan = Plan.new()
	plan.undoable = false
	for file: Dictionary in files:
		var _full: bool = plan.targets.append(str(file["path"]))
	return Result.planned(plan, data)


# What the editor holds of the file in memory must not be lost, and must not be saved over the
# restored bytes later.
func _refusal(path: String) -> Result:
	if EditorInterface.get_open_scenes().has(path):
		return _in_the_way(path, "scene_not_open", "is open in the editor").with_hint(
			"save what you want to keep and close it with close_scene, then call again"
		)
	for buffer: Buffers.Buffer in _buffers.open():
		if buffer.path.get_slice("::", 0) == path and buffer.is_unsaved():
			return _in_the_way(path, "text_saved", "has unsaved text in the editor").with_hint(
				"save or close it in the script editor, then call again"
			)
	if not ResourceLoader.has_cached(path):
		return null
	var resource: Resource = ResourceLoader.get_cached_ref(path)
	if resource != null and _save_files.is_edited(resource, path):
		return _in_the_way(path, "resource_saved", "has unsaved changes in the editor").with_hint(
			"save_resource or save_scene writes them; then call again"
		)
	return null


static func _in_the_way(path: String, required: String, what: String) -> Result:
	return Result.fail(
		Protocol.CODE_PRECONDITION_FAILED, "%s %s" % [path, what], {"path": path}
	).needs(required)


static func _about(the_call: Call) -> Dictionary:
	var kept: Dictionary = the_call.params["kept"]
	var about: Variant = kept.get("about")
	return about if about is Dictionary else {}


# The files with their bytes, as data.files: {path, sha256, bytes}. Each is what its hash says.
static func _files_of(the_call: Call) -> Result:
	var kept: Variant = the_call.params.get("kept")
	if not kept is Dictionary:
		return _broken("the call came without kept bytes")
	var map: Dictionary = kept
	if not map.get("files") is Array:
		return _broken("the call came without kept bytes")
	var files: Array[Dictionary] = []
	var list: Array = map["files"]
	for one: Variant in list:
		if not one is Dictionary:
			return _broken("a kept file is not an object")
		var file: Dictionary = one
		var path: String = str(file.get("path", ""))
		var bytes: PackedByteArray = _bytes_of(file)
		if _sum(bytes) != file.get("sha256") or not path.begins_with("res://"):
			return _broken("the bytes of %s are not what their hash says" % path)
		files.append({"path": path, "sha256": file["sha256"], "bytes": bytes})
	return Result.good({"files": files})


static func _bytes_of(file: Dictionary) -> PackedByteArray:
	var text: String = str(file.get("bytes", ""))
	return PackedByteArray() if text.is_empty() else Marshalls.base64_to_raw(text)


static func _sum(bytes: PackedByteArray) -> String:
	var context: HashingContext = HashingContext.new()
	var failed: bool = context.start(HashingContext.HASH_SHA256) != OK
	if not bytes.is_empty():
		failed = context.update(bytes) != OK or failed
	return "" if failed else context.finish().hex_encode()


static func _broken(message: String) -> Result:
	return Result.fail(Protocol.CODE_BRIDGE_PROTOCOL_ERROR, message)
