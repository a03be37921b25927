extends "./place_node.gd"
## Copies a node with all below it beside it, as the editor's own Duplicate does: instances stay
## instances, what is saved of groups and connections is copied, resources are shared.

const Copies = preload("../copies.gd")
const OwnResources = preload("./own_resources.gd")

const EVERYTHING: int = (
	Node.DUPLICATE_SIGNALS | Node.DUPLICATE_GROUPS | Node.DUPLICATE_SCRIPTS
	| Node.DUPLICATE_USE_INSTANTIATION
)
## Where engines have the flag that the editor copies with. It has no name in scripts, and moves.
const MAYBE_EDITOR: Array[int] = [32, 16, 64]


## Does a "duplicate_node" change: {node, parent, name, index, own, not_unique,
## foreign}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var source: Node = change["node"]
	var flag: int = _editor_flag()
	var copy: Node = source.duplicate(EVERYTHING | flag) if flag > 0 else null
	if copy == null:
		return Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "the engine did not copy %s" % planned.data["source_path"]
		).with_hint("read engine_errors")
	var untrue: Result = Copies.difference(the_call.root, source, copy)
	if untrue != null:
		copy.free()
		return untrue
	for path: String in change["not_unique"]:
		var twin: Node = copy.get_node_or_null(NodePath(path))
		if twin != null:
			twin.unique_name_in_owner = false
	var own: Array[Node] = []
	for path: String in change["own"]:
		var twin: Node = copy.get_node_or_null(NodePath(path))
		if twin == null:
			copy.free()
			return Result.fail(
				Protocol.CODE_INTERNAL_ERROR, "the engine's copy has no %s" % path
			)
		own.append(twin)
	for path: String in change["foreign"]:
		OwnResources.give(copy.get_node(NodePath(path)), the_call.root, _recorder.properties)
	return _place(planned, the_call, copy, own)


# The flag of the editor's copies keeps what is not saved out of them: groups for the time being.
# Zero when this engine has none that is known.
static func _editor_flag() -> int:
	var probe: Node = Node.new()
	probe.name = "Probe"
	probe.add_to_group(&"drawbridge_probe")
	var found: int = 0
	for flag: int in MAYBE_EDITOR:
		var copy: Node = probe.duplicate(EVERYTHING | flag)
		if found == 0 and copy != null and not copy.is_in_group(&"drawbridge_probe"):
			found = flag
		if copy != null:
			copy.free()
	probe.free()
	return found
