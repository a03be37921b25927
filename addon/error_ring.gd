@tool
extends Logger
## Keeps the last errors and warnings that the editor logged, whether a command runs or not, so that
## a client can ask what came since it last asked.
##
## The engine calls it from any thread, in the middle of anything: each call does a few dictionary
## steps and nothing else. Equal errors are one entry that counts, so that a script that fails in
## every frame neither fills the ring nor pushes the others out.

const LogCapture = preload("./log_capture.gd")

## How many different errors are kept.
const MAX_ENTRIES: int = 500
const MAX_TEXT: int = 1000
## Names of the engine's error types, by their number.
const KINDS: Array[String] = ["error", "warning", "script", "shader"]

var _mutex: Mutex = Mutex.new()
var _seq: int = 0
# By what makes two errors equal; the one that came longest ago is first.
var _entries: Dictionary[String, Dictionary] = {}
# The numbers of the last entries that were pushed out, rising, and how many there were in all.
var _gone: PackedInt64Array = PackedInt64Array()
var _gone_count: int = 0


func _log_error(
	_function: String,
	file: String,
	line: int,
	code: String,
	rationale: String,
	_editor_notify: bool,
	error_type: int,
	script_backtraces: Array[ScriptBacktrace]
) -> void:
	var text: String = code if rationale.is_empty() else rationale
	if LogCapture.is_noise(file, text):
		return
	var script: String = _script_frame(script_backtraces)
	var key: String = "%s:%d:%s:%s" % [file, line, script, text]
	_mutex.lock()
	_note(key, {"kind": _kind(error_type), "message": text, "file": file, "line": line}, script)
	_mutex.unlock()


## Starts listening.
func setup() -> void:
	OS.add_logger(self)


## Stops listening.
func teardown() -> void:
	OS.remove_logger(self)


## What came after number `seq`, oldest first, at most `limit`: entries, total, returned, truncated,
## next_seq (to pass the next time) and dropped (pushed out of the ring since then).
func after(seq: int, limit: int) -> Dictionary:
	_mutex.lock()
	# Numbers begin anew with each start of the editor: this one is of an earlier run.
	var is_foreign: bool = seq > _seq
	var from: int = 0 if is_foreign else seq
	var found: Array[Dictionary] = []
	var total: int = 0
	var next: int = from
	for entry: Dictionary in _entries.values():
		if entry["seq"] <= from:
			continue
		total += 1
		if found.size() < limit:
			found.append(entry.duplicate())
			next = entry["seq"]
	var out: Dictionary = {
		"entries": found, "total": total, "returned": found.size(),
		"truncated": found.size() < total, "next_seq": next, "dropped": _dropped_after(from),
	}
	_mutex.unlock()
	if is_foreign:
		out["restarted"] = true
	var now: int = Time.get_ticks_msec()
	for entry: Dictionary in found:
		var came: int = entry["msec"]
		entry["age_ms"] = now - came
		var _known: bool = entry.erase("msec")
	return out


# The mutex is held.
func _note(key: String, entry: Dictionary, script: String) -> void:
	_seq += 1
	var times: int = 1
	if _entries.has(key):
		entry = _entries[key]
		times += entry["times"]
		# To the end: the order is that of the last time.
		var _known: bool = _entries.erase(key)
	else:
		entry["message"] = str(entry["message"]).left(MAX_TEXT)
		if not script.is_empty():
			entry["script"] = script
	entry["seq"] = _seq
	entry["times"] = times
	entry["msec"] = Time.get_ticks_msec()
	_entries[key] = entry
	if _entries.size() > MAX_ENTRIES:
		_push_out()


func _push_out() -> void:
	for key: String in _entries:
		var seq: int = _entries[key]["seq"]
		var _known: bool = _entries.erase(key)
		if _gone.size() >= MAX_ENTRIES:
			_gone = _gone.slice(1)
		var _full: bool = _gone.append(seq)
		_gone_count += 1
		return


# Exact for numbers that are remembered, and for 0; for those between it is how many are gone in
# all.
func _dropped_after(seq: int) -> int:
	if _gone_count > _gone.size() and seq < _gone[0]:
		return _gone_count
	return _gone.size() - _gone.bsearch(seq, false)


# The script's line that was running, as res://file.gd:12; empty when none was.
static func _script_frame(backtraces: Array[ScriptBacktrace]) -> String:
	for trace: ScriptBacktrace in backtraces:
		if trace.get_frame_count() > 0:
			return "%s:%d" % [trace.get_frame_file(0), trace.get_frame_line(0)]
	return ""


static func _kind(error_type: int) -> String:
	return KINDS[error_type] if error_type >= 0 and error_type < KINDS.size() else KINDS[0]
