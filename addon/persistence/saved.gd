extends RefCounted
## Which nodes of the edited scene its file holds, and how a verdict on that is put together.
##
## See persistence.gd, the one place that decides with it. All functions read only.

const Protocol = preload("../protocol.gd")
const Resolve = preload("../resolve.gd")

const FILE_FORMATS: PackedStringArray = ["tscn", "scn", "tres", "res"]


## True when the importer makes this file, so that the editor never writes it back.
static func is_imported(path: String) -> bool:
	if path.is_empty() or path.get_extension() in FILE_FORMATS:
		return path.begins_with("res://.godot/imported")
	return FileAccess.file_exists(path + ".import")


## Why a save leaves the node out; empty when it is saved.
static func chain(root: Node, node: Node) -> Dictionary:
	var at: Node = node
	while at != root:
		if at == null or at.owner == null:
			return because(Protocol.REASON_NODE_NOT_OWNED, _unowned_hint(root, at))
		if at.owner != root and not root.is_editable_instance(at.owner):
			return because(
				Protocol.REASON_INSTANCED_CHILD_NOT_EDITABLE, _editable_hint(root, at.owner)
			)
		at = at.get_parent()
	return {}


## Why a value is not saved: a node is stored as a path, which leads nowhere when that node is not
## saved.
static func value(root: Node, held: Variant) -> Dictionary:
	if typeof(held) < TYPE_OBJECT:
		return {}
	if held is Array:
		for element: Variant in held:
			var found: Dictionary = value(root, element)
			if not found.is_empty():
				return found
	var node: Node = null
	if held is Node:
		node = held
	# What an instance brings along is there again at the next load, as long as the instance is.
	while node != null and node.owner != null and node.owner != root and root.is_ancestor_of(node):
		node = node.owner
	return chain(root, node) if node != null and root.is_ancestor_of(node) else {}


## The verdict for a target, of what was found against it: empty is nothing.
static func finish(root: Node, target: String, found: Dictionary) -> Dictionary:
	var verdict: Dictionary = {"target": target, "persisted": true}
	var why: Dictionary = found
	if why.is_empty():
		why = _scene(root)
	if not why.is_empty():
		verdict.merge(why, true)
	return verdict


## What is found against a change: it is not saved, for this reason.
static func because(reason: String, hint: String) -> Dictionary:
	return {"persisted": false, "reason": reason, "hint": hint}


## What to do about a node that an instance brings along.
static func origin_hint(root: Node, instance: Node) -> String:
	var hint: String = "the node is part of the instance %s and comes back at reload" % (
		Resolve.path_of(root, instance)
	)
	return hint + or_there(instance.scene_file_path).replace(", or ", ": ")


## The other way: to change it in its own file; empty when nobody can.
static func or_there(path: String) -> String:
	if path.is_empty() or is_imported(path):
		return ""
	return ", or open_scene %s and change it there" % path


static func _scene(root: Node) -> Dictionary:
	var path: String = root.scene_file_path
	if path.is_empty():
		var found: Dictionary = because(
			Protocol.REASON_SCENE_HAS_NO_PATH,
			"the scene was never saved: save_scene with scene_path gives it a file"
		)
		found["persisted"] = null
		return found
	if is_imported(path):
		return because(
			Protocol.REASON_IMPORTED_RESOURCE,
			"%s is made by the importer: make a scene of your own that instances it" % path
		)
	return {}


static func _unowned_hint(root: Node, node: Node) -> String:
	var name: String = "the node" if node == null else Resolve.path_of(root, node)
	return name + " has no owner (a script made it): the scene file leaves out it and all below it"


# Every instance on the way has to be editable; the outermost comes first, as a person would switch
# them on.
static func _editable_hint(root: Node, instance: Node) -> String:
	var closed: PackedStringArray = PackedStringArray()
	var at: Node = instance
	while at != null and at != root:
		if not root.is_editable_instance(at):
			var _failed: int = closed.insert(0, Resolve.path_of(root, at))
		at = at.owner
	var hint: String = "make the children of %s editable with set_editable_children" % (
		", then of ".join(closed)
	)
	return hint + or_there(instance.scene_file_path)
