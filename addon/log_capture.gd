@tool
extends Logger
## Collects what the engine logs as errors while a command runs, and tells our own faults from other
## noise.
##
## A script error ends only the function in which it happens; the caller goes on with null. So a
## script error in one of our own files means that a handler died, whatever it seems to have
## answered. Errors of other threads, such as an import going on, say nothing about the command and
## are left out.

const Identity = preload("./link/identity.gd")
const ScriptCheck = preload("./script_check.gd")

const _MAX_ERRORS: int = 20
const _MAX_TEXT: int = 1000

# A headless editor cannot draw the thumbnail of the scene that it saves, and says so each time.
const _THUMBNAIL_ERROR: String = "Parameter \"t\" is null."
const _THUMBNAIL_FILE: String = "texture_storage.h"

var _mutex: Mutex = Mutex.new()
var _on: bool = false
var _own_folder: String = Identity.folder() + "/"
var _errors: Array[Dictionary] = []
var _left_out: int = 0
var _fault: Dictionary = {}


func _log_error(
	function: String,
	file: String,
	line: int,
	code: String,
	rationale: String,
	_editor_notify: bool,
	error_type: int,
	_script_backtraces: Array[ScriptBacktrace]
) -> void:
	if error_type == ERROR_TYPE_WARNING or OS.get_thread_caller_id() != OS.get_main_thread_id():
		return
	if ScriptCheck.running and function == ScriptCheck.COMPILER:
		return  # These are a tool's diagnostics.
	_mutex.lock()
	if _on:
		var text: String = code if rationale.is_empty() else rationale
		if not is_noise(file, text):
			_note(file, line, text, error_type == ERROR_TYPE_SCRIPT)
	_mutex.unlock()


## Starts collecting for a command.
func begin() -> void:
	_mutex.lock()
	_errors = []
	_left_out = 0
	_fault = {}
	_on = true
	_mutex.unlock()
	OS.add_logger(self)


## Ends collecting. Gives the errors in the form of protocol.EngineError.
func end() -> Array[Dictionary]:
	OS.remove_logger(self)
	_mutex.lock()
	_on = false
	var out: Array[Dictionary] = _errors
	if _left_out > 0:
		out.append({"message": "%d more errors were left out" % _left_out})
	_mutex.unlock()
	return out


## The first script error in our own files since begin; empty when there was none.
func own_fault() -> Dictionary:
	return _fault


## True for an error that the engine logs although nothing is wrong.
static func is_noise(file: String, text: String) -> bool:
	return (
		text == _THUMBNAIL_ERROR
		and file.ends_with(_THUMBNAIL_FILE)
		and DisplayServer.get_name() == "headless"
	)


func _note(file: String, line: int, text: String, is_script: bool) -> void:
	var error: Dictionary = {"message": text.left(_MAX_TEXT), "file": file, "line": line}
	if is_script:
		error["script"] = true
		if _fault.is_empty() and file.begins_with(_own_folder):
			_fault = error
	if _errors.size() < _MAX_ERRORS:
		_errors.append(error)
	else:
		_left_out += 1
