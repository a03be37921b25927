@tool
extends RefCounted
## Keeps the editor's main loop awake while commands arrive, and lets it rest again.
##
## The editor sleeps after each frame, 100 ms long when its window is not in front, and sets that
## sleep anew whenever the focus changes. Whatever differs from what was set here last is therefore
## the user's value of now.

## How long after the last command the link is watched without a sleep: one wakes up 50 to 150 µs
## late, which is a third of a round trip, and a busy caller's next write is there by then.
const HOT_USEC: int = 1000
## How long after the last command the loop spins fast.
const ACTIVE_USEC: int = 300_000
## How long after the last command the loop rests only briefly.
const WARM_USEC: int = 30_000_000

# Values that nobody would type as a setting, so that ours is never taken for the user's.
const _ACTIVE_SLEEP_USEC: int = 101
const _WARM_SLEEP_USEC: int = 9973

const _NEVER: int = -WARM_USEC

var _ours: int = -1
var _users: int = OS.low_processor_usage_mode_sleep_usec
var _last_usec: int = _NEVER


## Notes that a command came in.
func touch() -> void:
	_last_usec = Time.get_ticks_usec()


## True right after a command.
func is_hot() -> bool:
	return Time.get_ticks_usec() - _last_usec < HOT_USEC


## True shortly after a command.
func is_active() -> bool:
	return Time.get_ticks_usec() - _last_usec < ACTIVE_USEC


## True when the last command was long ago.
func is_cold() -> bool:
	return Time.get_ticks_usec() - _last_usec >= WARM_USEC


## Sets the sleep that is right now.
func adjust() -> void:
	var current: int = OS.low_processor_usage_mode_sleep_usec
	if current != _ours:
		_users = current
	var wanted: int = _wanted()
	if wanted != current:
		OS.low_processor_usage_mode_sleep_usec = wanted
	_ours = wanted if wanted != _users else -1


## Gives the editor the user's own value back.
func restore() -> void:
	if _ours >= 0 and OS.low_processor_usage_mode_sleep_usec == _ours:
		OS.low_processor_usage_mode_sleep_usec = _users
	_ours = -1
	_last_usec = _NEVER


func _wanted() -> int:
	var idle: int = Time.get_ticks_usec() - _last_usec
	if idle < ACTIVE_USEC:
		return mini(_users, _ACTIVE_SLEEP_USEC)
	if idle < WARM_USEC:
		return mini(_users, _WARM_SLEEP_USEC)
	return _users
