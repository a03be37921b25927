@tool
extends RefCounted
## How long the editor's frames take, as its main loop sees them: the longest time from one to the
## next, and how many there were. The processor time beside it says how much of that was work, and
## not a sleep or a wait for a processor that others use; the system tells it on Linux only.

const CPU_FILE: String = "/proc/self/schedstat"

var _last_usec: int = 0
var _last_cpu_usec: int = 0
var _longest_usec: int = 0
var _longest_cpu_usec: int = 0
var _count: int = 0


## Notes a frame. To be called in each.
func note() -> void:
	var now: int = Time.get_ticks_usec()
	var cpu: int = _cpu_usec()
	if _last_usec > 0:
		_longest_usec = maxi(_longest_usec, now - _last_usec)
		_longest_cpu_usec = maxi(_longest_cpu_usec, cpu - _last_cpu_usec)
	_last_usec = now
	_last_cpu_usec = cpu
	_count += 1


## What was seen since it was asked last: {longest_usec, longest_cpu_usec, frames}.
func take() -> Dictionary:
	var seen: Dictionary = {
		"longest_usec": _longest_usec, "longest_cpu_usec": _longest_cpu_usec, "frames": _count,
	}
	_longest_usec = 0
	_longest_cpu_usec = 0
	_count = 0
	return seen


# The main thread's; the file has it in ns: "run wait slices".
static func _cpu_usec() -> int:
	var file: FileAccess = FileAccess.open(CPU_FILE, FileAccess.READ)
	if file == null:
		return 0
	return roundi(file.get_buffer(64).get_string_from_ascii().get_slice(" ", 0).to_float() / 1000)
