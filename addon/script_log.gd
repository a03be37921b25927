extends Logger
## Keeps what the engine says of scripts while one is checked.

const _MAX_LINES: int = 200
const _MAX_TEXT: int = 500

## {file, line, message} of each error, in order.
var lines: Array[Dictionary] = []


func _log_error(
	_function: String,
	file: String,
	line: int,
	code: String,
	rationale: String,
	_editor_notify: bool,
	error_type: int,
	_script_backtraces: Array[ScriptBacktrace]
) -> void:
	# Other threads and other parts of the engine do not speak of the text.
	if error_type != ERROR_TYPE_SCRIPT or OS.get_thread_caller_id() != OS.get_main_thread_id():
		return
	if lines.size() < _MAX_LINES:
		var text: String = code if rationale.is_empty() else rationale
		lines.append({"file": file, "line": line, "message": text.left(_MAX_TEXT)})
