extends RefCounted
## Whether a signal and a method are there and fit each other, and how they are connected now.

const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Result = preload("./result.gd")
const Signals = preload("./persistence/signals.gd")
const Suggest = preload("./suggest.gd")

const FLAGS: Dictionary[int, String] = {
	CONNECT_DEFERRED: "deferred",
	CONNECT_PERSIST: "persist",
	CONNECT_ONE_SHOT: "one_shot",
}

const MAX_SHOWN: int = 20


## The failure for a signal that its node has not; null when it has.
static func signal_refusal(way: Signals.Way) -> Result:
	if not _signal(way).is_empty():
		return null
	var names: PackedStringArray = PackedStringArray()
	for info: Dictionary in way.source.get_signal_list():
		var name: String = info["name"]
		var _full: bool = names.append(name)
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s has no signal %s" % [way.source.get_class(), way.signal_name],
		{
			"parameter": "signal_name",
			"reason": "unknown_signal",
			"got": str(way.signal_name),
			"suggestions": Suggest.near(way.signal_name, names),
		}
	)


## The failure for a method name that cannot be one: values cannot be bound to a method here.
static func method_refusal(way: Signals.Way) -> Result:
	if str(way.method).is_valid_unicode_identifier():
		return null
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"method_name is the name of a method and nothing else",
		{"parameter": "method_name", "reason": "invalid_method_name", "got": str(way.method)}
	).with_hint("no values can be bound: have the method find out what it needs")


## What is wrong with the method, for the reply: empty when nothing is. A method may be written
## later, so this refuses nothing.
static func warning(way: Signals.Way) -> Dictionary:
	var method: Dictionary = _method(way.target, way.method)
	var signal_arguments: Array = _signal(way).get("args", [])
	var given: int = signal_arguments.size()
	if method.is_empty():
		return {
			"warning": "method_missing",
			"signal_arguments": _names(signal_arguments),
			"hint": "the target has no method %s: write it, with %d arguments" % [
				way.method, given
			],
		}
	var arguments: Array = method["args"]
	var defaults: Array = method["default_args"]
	var flags: int = method["flags"]
	var least: int = arguments.size() - defaults.size()
	if given >= least and (given <= arguments.size() or flags & METHOD_FLAG_VARARG != 0):
		return {}
	return {
		"warning": "argument_count_mismatch",
		"signal_arguments": _names(signal_arguments),
		"method_arguments": _names(arguments),
		"hint": "%s gives %d arguments, and %s takes %d to %d: calling it will fail" % [
			way.signal_name, given, way.method, least, arguments.size()
		],
	}


## The connection as the engine describes it; empty when there is none. One method is connected to a
## signal once at most, whatever is bound to it.
static func connection(way: Signals.Way) -> Dictionary:
	for found: Dictionary in way.source.get_signal_connection_list(way.signal_name):
		var callable: Callable = found["callable"]
		if callable.get_object() == way.target and callable.get_method() == way.method:
			return found
	return {}


## What the signal is connected to inside the scene, for failures: {target, method}.
static func methods(way: Signals.Way, root: Node) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for found: Dictionary in way.source.get_signal_connection_list(way.signal_name):
		var callable: Callable = found["callable"]
		var target: Node = callable.get_object() as Node
		if target != null and (target == root or root.is_ancestor_of(target)):
			out.append(
				{"target": Resolve.path_of(root, target), "method": str(callable.get_method())}
			)
	return out.slice(0, MAX_SHOWN)


## The names of the flags that say how a connection calls.
static func flag_names(flags: int) -> Array[String]:
	var out: Array[String] = []
	for flag: int in FLAGS:
		if flags & flag != 0:
			out.append(FLAGS[flag])
	return out


static func _signal(way: Signals.Way) -> Dictionary:
	for info: Dictionary in way.source.get_signal_list():
		if info["name"] == way.signal_name:
			return info
	return {}


# A script without @tool does not run in the editor: what it declares counts.
static func _method(target: Node, name: StringName) -> Dictionary:
	var script: Script = target.get_script()
	while script != null:
		for info: Dictionary in script.get_script_method_list():
			if info["name"] == name:
				return info
		script = script.get_base_script()
	for info: Dictionary in ClassDB.class_get_method_list(target.get_class()):
		var flags: int = info["flags"]
		if info["name"] == name and flags & METHOD_FLAG_VIRTUAL == 0:
			return info
	return {}


static func _names(arguments: Array) -> Array[String]:
	var out: Array[String] = []
	for argument: Dictionary in arguments:
		out.append(str(argument["name"]))
	return out
