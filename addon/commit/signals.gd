extends "./applier.gd"
## Makes a connection, or takes one away.

const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "set_connection" change: {source, signal, callable, flags, connected}. The callable has
## the bound values.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var source: Node = change["source"]
	var signal_name: StringName = change["signal"]
	var callable: Callable = change["callable"]
	var flags: int = change["flags"]
	var connects: bool = change["connected"]
	if connects:
		var _failed: int = source.connect(signal_name, callable, flags)
	else:
		source.disconnect(signal_name, callable)
	if source.is_connected(signal_name, callable) != connects:
		return Result.fail(
			Protocol.CODE_VALUE_REJECTED, "the engine did not change the connection"
		)
	_recorder.open(the_call)
	var on: Callable = _recorder.redo_step if connects else _recorder.undo_step
	var off: Callable = _recorder.undo_step if connects else _recorder.redo_step
	on.call(source, &"connect", [signal_name, callable, flags])
	off.call(source, &"disconnect", [signal_name, callable])
	planned.done = _recorder.close(the_call)
	return planned
