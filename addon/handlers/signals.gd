extends RefCounted
## Plans for connections between a signal and a method of two nodes of the edited scene.

const Call = preload("../call.gd")
const Persistence = preload("../persistence.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")
const SignalFit = preload("../signal_fit.gd")
const Signals = preload("../persistence/signals.gd")


## Plans a connection more: source_path, signal_name, target_path, method_name, deferred, one_shot.
func connect_signal(the_call: Call) -> Result:
	var read: Result = _way(the_call)
	if not read.ok:
		return read
	var way: Signals.Way = read.data["way"]
	var failure: Result = SignalFit.signal_refusal(way)
	if failure == null:
		failure = SignalFit.method_refusal(way)
	if failure != null:
		return failure
	var flags: int = CONNECT_PERSIST
	flags |= CONNECT_DEFERRED if the_call.flag("deferred") else 0
	flags |= CONNECT_ONE_SHOT if the_call.flag("one_shot") else 0
	var there: Dictionary = SignalFit.connection(way)
	if not there.is_empty() and not _is_plain(there, flags):
		return _other_connection(there, way)
	var plan: Plan = _plan(the_call, way)
	plan.verdicts.append(Persistence.of_connection(the_call.root, way, flags))
	plan.undoable = there.is_empty()
	var data: Dictionary = _data(the_call, way, flags)
	data["changed"] = plan.undoable
	if plan.undoable:
		_change(plan, way, Callable(way.target, way.method), flags, true)
	else:
		data["already_connected"] = true
	data.merge(SignalFit.warning(way))
	return Result.planned(plan, data)


## Plans the end of a connection: source_path, signal_name, target_path, method_name.
func disconnect_signal(the_call: Call) -> Result:
	var read: Result = _way(the_call)
	if not read.ok:
		return read
	var way: Signals.Way = read.data["way"]
	var failure: Result = SignalFit.signal_refusal(way)
	if failure != null:
		return failure
	var there: Dictionary = SignalFit.connection(way)
	if there.is_empty():
		return _refuse("method_name", "not_connected", "there is no such connection").with_detail(
			"connected", SignalFit.methods(way, the_call.root)
		)
	var flags: int = there["flags"]
	if flags & CONNECT_PERSIST == 0:
		return _refuse(
			"method_name", "not_persistent", "a script made the connection for the time being"
		).with_hint("no scene file has it: change the script that makes it")
	var callable: Callable = there["callable"]
	if callable.is_custom() and not callable.is_valid():
		return _irrevocable(way)
	var plan: Plan = _plan(the_call, way)
	plan.add_effect(Protocol.EFFECT_REMOVES)
	plan.verdicts.append(Persistence.of_disconnection(the_call.root, way))
	_change(plan, way, callable, flags, false)
	var data: Dictionary = _data(the_call, way, flags)
	data["disconnected"] = true
	if callable.get_bound_arguments_count() > 0:
		data["bound_arguments"] = callable.get_bound_arguments_count()
	return Result.planned(plan, data)


# The engine connects a callable with bound values only to a method that is there, so undo could
# not bring such a connection back.
static func _irrevocable(way: Signals.Way) -> Result:
	return (
		Result
		. fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"it has bound values and no method %s: undo could not make it again" % way.method,
			{"reason": "method_missing"}
		)
		. needs("method")
		. with_hint("attach_script a script with the method to the target first")
	)


static func _way(the_call: Call) -> Result:
	var ends: Array[Node] = []
	for parameter: String in ["source_path", "target_path"]:
		var node: Node = Resolve.find(the_call.root, the_call.text(parameter))
		if node == null:
			return Resolve.missing(the_call.root, the_call.text(parameter), parameter)
		ends.append(node)
	var signal_name: StringName = the_call.text("signal_name")
	var method: StringName = the_call.text("method_name")
	return Result.good({"way": Signals.way(ends[0], signal_name, ends[1], method)})


static func _plan(the_call: Call, way: Signals.Way) -> Plan:
	var plan: Plan = Plan.new()
	plan.add_effect(Protocol.EFFECT_EDITS_MEMORY)
	for node: Node in [way.source, way.target]:
		var path: String = Resolve.path_of(the_call.root, node)
		if not plan.targets.has(path):
			var _full: bool = plan.targets.append(path)
	return plan


static func _change(
	plan: Plan, way: Signals.Way, callable: Callable, flags: int, connected: bool
) -> void:
	var _plan_itself: RefCounted = plan.change(
		"set_connection",
		{
			"source": way.source,
			"signal": way.signal_name,
			"callable": callable,
			"flags": flags,
			"connected": connected,
		}
	)


static func _data(the_call: Call, way: Signals.Way, flags: int) -> Dictionary:
	return {
		"source": Resolve.path_of(the_call.root, way.source),
		"signal": str(way.signal_name),
		"target": Resolve.path_of(the_call.root, way.target),
		"method": str(way.method),
		"flags": SignalFit.flag_names(flags),
	}


# Whether the connection that is there is just the one that is asked for.
static func _is_plain(there: Dictionary, flags: int) -> bool:
	var callable: Callable = there["callable"]
	var its_flags: int = there["flags"]
	return Signals.plain_flags(its_flags) == flags and callable.is_standard()


static func _other_connection(there: Dictionary, way: Signals.Way) -> Result:
	var flags: int = there["flags"]
	var callable: Callable = there["callable"]
	return (
		_refuse(
			"method_name",
			"already_connected",
			"%s is connected to %s already, in another way" % [way.signal_name, way.method]
		)
		. with_detail("flags", SignalFit.flag_names(flags))
		. with_detail("bound_arguments", callable.get_bound_arguments_count())
		. with_hint("disconnect_signal it first, then connect it anew")
	)


static func _refuse(parameter: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR, message, {"parameter": parameter, "reason": reason}
	)
