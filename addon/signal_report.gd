extends RefCounted
## The signal connections of a node, out of it and into it, with whether a save keeps each. The
## editor's own (to its docks, or made by the engine between containers and their children) are
## counted, not shown.

const Persistence = preload("./persistence.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Signals = preload("./persistence/signals.gd")
const Values = preload("./values.gd")

const FLAGS: Dictionary[int, String] = {
	CONNECT_DEFERRED: "deferred",
	CONNECT_PERSIST: "persist",
	CONNECT_ONE_SHOT: "one_shot",
	CONNECT_REFERENCE_COUNTED: "reference_counted",
	CONNECT_APPEND_SOURCE_OBJECT: "append_source_object",
}

## How many connections are the editor's own or the engine's.
var left_out: int = 0

var _root: Node
var _node: Node
# {from, signal, to, callable, flags}
var _found: Array[Dictionary] = []


func _init(root: Node) -> void:
	_root = root


## Reads all connections of a node.
func read(node: Node) -> void:
	_node = node
	for info: Dictionary in node.get_signal_list():
		var name: StringName = info["name"]
		for connection: Dictionary in node.get_signal_connection_list(name):
			_take(connection)
	for connection: Dictionary in node.get_incoming_connections():
		var emitter: Signal = connection["signal"]
		if emitter.get_object() != node:
			_take(connection)


## How many connections there are.
func size() -> int:
	return _found.size()


## Some of the connections as replies show them.
func page(offset: int, limit: int) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for connection: Dictionary in _found.slice(offset, offset + limit):
		out.append(_shown(connection))
	return out


func _take(connection: Dictionary) -> void:
	var emitter: Signal = connection["signal"]
	var callable: Callable = connection["callable"]
	var source: Node = _in_scene(emitter.get_object())
	var target: Node = _in_scene(callable.get_object())
	var flags: int = connection["flags"]
	if source == null or target == null or _is_engines(callable, flags):
		left_out += 1
		return
	_found.append(
		{
			"source": source,
			"signal": emitter.get_name(),
			"target": target,
			"callable": callable,
			"flags": flags,
		}
	)


func _in_scene(object: Object) -> Node:
	var node: Node = object as Node
	if node == null or not (node == _root or _root.is_ancestor_of(node)):
		return null
	return node


# Those that the engine makes between nodes are custom ones too, but like a lambda they have no
# method that a node knows.
static func _is_engines(callable: Callable, flags: int) -> bool:
	if flags & CONNECT_PERSIST != 0 or callable.is_standard() or _is_bound(callable):
		return false
	return str(callable.get_method()).contains("::")


static func _is_bound(callable: Callable) -> bool:
	return callable.get_bound_arguments_count() > 0 or callable.get_unbound_arguments_count() > 0


func _shown(connection: Dictionary) -> Dictionary:
	var source: Node = connection["source"]
	var target: Node = connection["target"]
	var callable: Callable = connection["callable"]
	var flags: int = connection["flags"]
	var method: StringName = callable.get_method()
	var out: Dictionary = {
		"way": "out" if source == _node else "in",
		"source": Resolve.path_of(_root, source),
		"signal": str(connection["signal"]),
		"target": Resolve.path_of(_root, target),
		"method": str(method),
		"flags": _names(flags),
		"persistent": flags & CONNECT_PERSIST != 0,
		"verdict": _verdict(connection, method),
	}
	if callable.get_bound_arguments_count() > 0:
		out["binds"] = Values.encode(callable.get_bound_arguments(), {"type": TYPE_ARRAY}, target)
	if callable.get_unbound_arguments_count() > 0:
		out["unbinds"] = callable.get_unbound_arguments_count()
	if not _has_method(target, method):
		out["method_missing"] = true
	return out


func _verdict(connection: Dictionary, method: StringName) -> Dictionary:
	var source: Node = connection["source"]
	var callable: Callable = connection["callable"]
	var flags: int = connection["flags"]
	var is_code: bool = not (callable.is_standard() or _is_bound(callable))
	if flags & CONNECT_PERSIST == 0 or is_code:
		return {
			"target": Resolve.path_of(_root, source),
			"persisted": false,
			"reason": Protocol.REASON_CONNECTION_NOT_PERSISTENT,
			"hint": "a script made it; connect_signal makes connections that are saved",
		}
	var target: Node = connection["target"]
	var signal_name: StringName = connection["signal"]
	return Persistence.of_connection(
		_root, Signals.way(source, signal_name, target, method), flags
	)


# A script without @tool does not run in the editor: what it declares counts.
static func _has_method(target: Node, method: StringName) -> bool:
	if target.has_method(method):
		return true
	var script: Script = target.get_script()
	while script != null:
		for info: Dictionary in script.get_script_method_list():
			if info["name"] == method:
				return true
		script = script.get_base_script()
	return false


static func _names(flags: int) -> Array[String]:
	var out: Array[String] = []
	for flag: int in FLAGS:
		if flags & flag != 0:
			out.append(FLAGS[flag])
	return out
