@tool
extends RefCounted
## The rest of a command that needs more than one frame: what is asked for it once a frame, and who
## takes what that gives in the end.

const Result = preload("../result.gd")

var _ask: Callable = Callable()
var _take: Callable = Callable()
var _frames: int = 0
var _limit: int = 0


## True while there is a rest.
func is_open() -> bool:
	return _ask.is_valid()


## Takes the rest of a command; `take` is called with what it gives in the end.
func open(waiting: Result, take: Callable) -> void:
	_ask = waiting.pending
	_take = take
	_frames = 0
	_limit = waiting.pending_frames


## Forgets it.
func close() -> void:
	_ask = Callable()
	_take = Callable()


## Asks once. Null while nothing is there and more frames are left.
func ask() -> Variant:
	_frames += 1
	return _ask.call()


## True when no more frames are left.
func is_spent() -> bool:
	return _frames >= _limit


## Who takes what was given; the rest is over.
func taker() -> Callable:
	var take: Callable = _take
	close()
	return take
