extends "./disk_applier.gd"
## Writes and removes files, all of them or none: each is read back, and what was there is put back
## when one fails. The editor is told about each.

const History = preload("../history.gd")
const LostExports = preload("../lost_exports.gd")
const ScriptCheck = preload("../script_check.gd")
const StaleScripts = preload("../stale_scripts.gd")

const UID: String = ".uid"

var _disk: Disk
var _history: History


func _init(disk: Disk, history: History) -> void:
	_disk = disk
	_history = history


## Does the writes of a plan made by file_writes.gd.
func apply(planned: Result, the_call: Call) -> Result:
	var changed: Result = changed_since(planned)
	if changed != null:
		return changed
	var writes: Array[Dictionary] = planned.plan.changes[0]["writes"]
	var failure: Result = _write_all(writes)
	if failure != null:
		return failure
	return _wrote(planned, the_call)


# Tells the editor and the caller about the files of the plan, which are on the disk now.
func _wrote(planned: Result, the_call: Call) -> Result:
	var files: Array[Dictionary] = planned.plan.files
	var made: Array[Dictionary] = _tell_editor(files)
	_history.bump()
	planned.done = {"undoable": false, "on_disk": _states(files)}
	if not made.is_empty():
		planned.done["also_written"] = made
	return _still_there(_after(planned, the_call), files)


# What is done about a file once it is written can write it again, as the editor's own save of a
# script does: what the reply says of the disk has to be true at its end.
func _still_there(told: Result, files: Array[Dictionary]) -> Result:
	var now: Array[Dictionary] = _states(files)
	if not told.ok or told.done.get("on_disk", now) == now:
		return told
	return (
		Result.fail(
			Protocol.CODE_INTERNAL_ERROR,
			"the files were written, and are not as they were written any more",
			{"written": told.done["on_disk"], "on_disk": now}
		)
		.with_hint("read the files in details.on_disk again; restore_file brings old bytes back")
		.maybe_applied()
	)


## What a kind of file needs when it is on the disk. The files stay, whatever is given back.
func _after(planned: Result, _the_call: Call) -> Result:
	return planned


func _write_all(writes: Array[Dictionary]) -> Result:
	var before: Array[Dictionary] = []
	for write: Dictionary in writes:
		var path: String = write["path"]
		var kept: Variant = null
		if FileAccess.file_exists(path):
			kept = FileAccess.get_file_as_bytes(path)
		before.append({"path": path, "bytes": kept})
		var problem: String = _write(write)
		if problem.is_empty():
			continue
		var whole: bool = true
		before.reverse()
		for old: Dictionary in before:
			whole = _write(old).is_empty() and whole
		var failure: Result = Result.fail(
			Protocol.CODE_INTERNAL_ERROR,
			"%s could not be written: %s" % [path, problem],
			{"path": path, "restored": whole}
		)
		return failure if whole else failure.maybe_applied()
	return null


# What went wrong; empty when the file is now as it has to be. The editor's FileAccess writes beside
# the file and renames, so that a file is never half written.
static func _write(write: Dictionary) -> String:
	var path: String = write["path"]
	if write["bytes"] == null:
		var gone: Error = DirAccess.remove_absolute(path) if FileAccess.file_exists(path) else OK
		return "" if gone == OK and not FileAccess.file_exists(path) else error_string(gone)
	var bytes: PackedByteArray = write["bytes"]
	var made: Error = DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	if made != OK:
		return error_string(made)
	var file: FileAccess = FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		return error_string(FileAccess.get_open_error())
	var stored: bool = file.store_buffer(bytes)
	file.close()
	if not stored or FileAccess.get_file_as_bytes(path) != bytes:
		return "it does not read back as written"
	return ""


# Scripts and shaders get a .uid file from the editor as soon as it knows them.
func _tell_editor(files: Array[Dictionary]) -> Array[Dictionary]:
	var made: Array[Dictionary] = []
	for file: Dictionary in files:
		var path: String = file["path"]
		var had_uid: bool = FileAccess.file_exists(path + UID)
		EditorInterface.get_resource_filesystem().update_file(path)
		_disk.remember(path)
		if not had_uid and FileAccess.file_exists(path + UID):
			made.append({"path": path + UID, "sha256": Disk.sha256(path + UID)})
	return made


static func _states(files: Array[Dictionary]) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for file: Dictionary in files:
		var path: String = file["path"]
		out.append({"path": path, "sha256": Disk.sha256(path)})
	return out


# A script in memory gets its new text; with it come the scripts that extend it, and the nodes of
# open scenes. False when the editor does not take it.
func _renew_script(
	planned: Result, live: GDScript, text: String, write: Dictionary
) -> bool:
	var renewal: StaleScripts.Renewal = StaleScripts.Renewal.new(live)
	var exports: LostExports = LostExports.new(live)
	if not ScriptCheck.renew(live, text):
		return false
	# Saved by the editor, so that it renews the scripts that extend this one, and does not take the
	# file for a newer one than its own.
	var path: String = write["path"]
	var saved: Error = ResourceSaver.save(live, path)
	if saved != OK or FileAccess.get_file_as_bytes(path) != write["bytes"]:
		var _problem: String = _write(write)  # The last look at the disk finds it.
	_disk.remember(path)
	renewal.tell(planned.data)
	exports.tell(planned.data)
	return true
