extends Logger
## Keeps what the engine says while something loads. The engine may call it from other threads.

const MAX_MESSAGES: int = 20

var _mutex: Mutex = Mutex.new()
var _messages: Array[String] = []


## What was said so far.
func messages() -> Array[String]:
	_mutex.lock()
	var out: Array[String] = _messages.duplicate()
	_mutex.unlock()
	return out


func _log_error(
	_function: String,
	_file: String,
	_line: int,
	code: String,
	rationale: String,
	_editor_notify: bool,
	_error_type: int,
	_script_backtraces: Array[ScriptBacktrace]
) -> void:
	_mutex.lock()
	if _messages.size() < MAX_MESSAGES:
		_messages.append(code if rationale.is_empty() else rationale)
	_mutex.unlock()
