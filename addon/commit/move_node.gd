extends "./applier.gd"
## Gives a node another parent or another place among its siblings, and leads the references that
## would break there.

const Found = preload("../references/found.gd")
const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")
const Repair = preload("./repair.gd")
const Resolve = preload("../resolve.gd")
const Structure = preload("./structure.gd")
const Touched = preload("../touched.gd")

var _recorder: Recorder


func _init(recorder: Recorder) -> void:
	_recorder = recorder


## Does a "move_node" change: {node, parent, name, index, keep, foreign, found}.
func apply(planned: Result, the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var node: Node = change["node"]
	var failure: Result = null
	if change["parent"] == node.get_parent():
		failure = _reorder(node, change, the_call)
	else:
		failure = _move(node, change, the_call)
	if failure != null:
		return failure
	planned.done = _recorder.close(the_call)
	planned.data["path"] = Resolve.path_of(the_call.root, node)
	planned.data["name"] = str(node.name)
	planned.data["index"] = node.get_index()
	return planned


func _reorder(node: Node, change: Dictionary, the_call: Call) -> Result:
	var name: String = str(node.name)
	var parent: Node = node.get_parent()
	var old_index: int = node.get_index()
	var index: int = change["index"]
	var was: Array[Recorder.Before] = Structure.before(_recorder, parent)
	parent.move_child(node, index)
	if not Structure.stays(node, parent, the_call.root):
		return Touched.removed_itself(name).maybe_applied()
	_recorder.open(the_call)
	_recorder.placed(node, parent, parent)
	_recorder.redo_step(parent, &"move_child", [node, node.get_index()])
	_recorder.undo_step(parent, &"move_child", [node, old_index])
	Structure.differences(_recorder, was)
	return null


func _move(node: Node, change: Dictionary, the_call: Call) -> Result:
	var parents: Array[Node] = [node.get_parent(), change["parent"]]
	var old_index: int = node.get_index()
	var old_name: String = str(node.name)
	var old_owners: Array[Structure.Owned] = Structure.outside(node, Structure.owners(node))
	var was: Array[Recorder.Before] = [_recorder.before(node)]
	for parent: Node in parents:
		was.append_array(Structure.before(_recorder, parent))
	var found: Found = change["found"]
	var repair: Repair = Repair.new(_recorder, found)
	_do(node, change, old_owners)
	if not Structure.stays(node, parents[1], the_call.root):
		return Touched.removed_itself(old_name).maybe_applied()
	var wrong: Result = repair.apply(the_call.root)
	if wrong != null:
		parents[1].remove_child(node)
		node.name = old_name
		Structure.place_steps(_now, node, parents[0], old_index, old_owners)
		var whole: bool = repair.take_back()
		whole = Structure.restore(_recorder, was) and whole
		return wrong if whole else wrong.maybe_applied()
	var new_owners: Array[Structure.Owned] = Structure.outside(node, Structure.owners(node))
	_recorder.open(the_call)
	_recorder.placed(node, parents[1], parents[0])
	_recorder.redo_step(parents[0], &"remove_child", [node])
	_recorder.redo_step(node, &"set_name", [change["name"]])
	Structure.place_steps(_recorder.redo_step, node, parents[1], node.get_index(), new_owners)
	_recorder.undo_step(parents[1], &"remove_child", [node])
	_recorder.undo_step(node, &"set_name", [old_name])
	Structure.place_steps(_recorder.undo_step, node, parents[0], old_index, old_owners)
	Structure.differences(_recorder, was)
	repair.record()
	return null


static func _now(object: Object, method: StringName, arguments: Array) -> void:
	var _nothing: Variant = object.callv(method, arguments)


static func _do(node: Node, change: Dictionary, owners: Array[Structure.Owned]) -> void:
	var parent: Node = change["parent"]
	var index: int = change["index"]
	var place: Variant = _global_place(node) if change["keep"] else null
	node.get_parent().remove_child(node)
	if not is_instance_valid(node):
		return
	node.name = change["name"]
	parent.add_child(node, true)
	if not is_instance_valid(node) or node.get_parent() != parent:
		return
	if index >= 0:
		parent.move_child(node, index)
	if not change["foreign"]:
		_own_again(owners)
	_put(node, place)


# An owner has to stand above; what came from an instance stays without one outside of it, as
# nothing of it is saved.
static func _own_again(owners: Array[Structure.Owned]) -> void:
	for owned: Structure.Owned in owners:
		if not is_instance_valid(owned.node) or not is_instance_valid(owned.owner):
			continue
		if owned.owner.is_ancestor_of(owned.node):
			owned.node.owner = owned.owner


static func _global_place(node: Node) -> Variant:
	if node is Node2D or node is Node3D:
		return node.get(&"global_transform")
	return node.get(&"global_position") if node is Control else null


# Only when the place is another one now: putting it back costs precision.
static func _put(node: Node, place: Variant) -> void:
	if place == null or _global_place(node) == place:
		return
	node.set(&"global_position" if node is Control else &"global_transform", place)
