@tool
extends RefCounted
## What has to be written down of commands that have their answer: the daemon has it sooner then.
## Nothing else may happen before it is done.

var _owed: Array[Callable] = []


## Adds something to be called.
func add(one: Callable) -> void:
	_owed.append(one)


## Calls all of it, in order.
func settle() -> void:
	while not _owed.is_empty():
		var owed: Array[Callable] = _owed
		_owed = []
		for one: Callable in owed:
			one.call()


## Forgets it.
func clear() -> void:
	_owed.clear()
