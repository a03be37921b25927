extends RefCounted
## What one of this addon's undo actions works on, by the objects' ids. Scripts free nodes whenever
## they like, and the engine then walks over the action with pointers to nothing: the editor dies.

const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")


## Where the action leaves a node; a parent of 0 means outside of the scene.
class Place:
	extends RefCounted
	## The node's id.
	var node: int = 0
	## Its parent's id while the action is done.
	var done: int = 0
	## Its parent's id while the action is undone.
	var undone: int = 0


var _ids: Dictionary[int, bool] = {}
var _places: Array[Place] = []


## Notes a value that a step uses: an object, a method of one, a list that may hold some, or
## anything else.
func note(value: Variant) -> void:
	if value is Array:
		for inner: Variant in value:
			note(inner)
	elif value is Callable:
		var callable: Callable = value
		note(callable.get_object())
	elif value is Object and not value is RefCounted:
		var object: Object = value
		_ids[object.get_instance_id()] = true


## Notes where the action leaves a node: below which parent; null is outside of the scene.
func place(node: Node, done: Node, undone: Node) -> void:
	for known: Place in _places:
		if known.node == node.get_instance_id():
			# An earlier call of the same action put it somewhere first.
			known.done = 0 if done == null else done.get_instance_id()
			return
	var made: Place = Place.new()
	made.node = node.get_instance_id()
	made.done = 0 if done == null else done.get_instance_id()
	made.undone = 0 if undone == null else undone.get_instance_id()
	_places.append(made)


## True when the engine would work on freed objects, now or at the end of the frame.
func is_freed() -> bool:
	for id: int in _ids:
		var object: Object = instance_from_id(id) if is_instance_id_valid(id) else null
		if object == null or object.is_queued_for_deletion():
			return true
	return false


## True when the nodes are where the action, done or undone, leaves them.
func is_in_place(done: bool) -> bool:
	for one: Place in _places:
		var wanted: int = one.done if done else one.undone
		var node: Node = null
		if is_instance_id_valid(one.node):
			node = instance_from_id(one.node) as Node
		var parent: Node = null if node == null else node.get_parent()
		if (0 if parent == null else parent.get_instance_id()) != wanted:
			return false
		if wanted != 0 and node.is_queued_for_deletion():
			return false
	return true


## The nodes that are there.
func nodes() -> Array[Node]:
	var out: Array[Node] = []
	for id: int in _ids:
		var node: Node = null
		if is_instance_id_valid(id):
			node = instance_from_id(id) as Node
		if node != null:
			out.append(node)
	return out


## Why an action with freed objects is not walked over.
static func refusal(action: String) -> Result:
	return (
		Result
		. fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"%s works on a node that a script has freed since: the editor would crash" % action,
			{"action": action, "freed": true}
		)
		. needs("walkable_action")
		. with_hint(
			"nothing was changed by this step; save_scene to keep what it holds, then reload_scene:"
			+ " that clears its history"
		)
	)


## The failure for an edit whose node, or a parent of it, was removed by a script.
static func removed_itself(what: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALUE_REJECTED,
		"%s: a script of the node, or of one around it, removed it at once" % what,
		{"reason": "node_removed_itself"}
	).with_hint("read the scripts that run in the editor (@tool): one frees or moves the node")
