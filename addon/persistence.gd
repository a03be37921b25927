extends RefCounted
## What a save of the edited scene keeps: the engine's whole rule in one place, used by plans and
## real runs alike.
##
## A node is saved when it and every node on the way up to the root has an owner that is the root,
## or an instance whose children are editable; the engine never visits what lies below a node that
## it leaves out. Nodes of an instance or of a base scene can be changed, but not taken away. All
## functions read only.

const Inherited = preload("./persistence/inherited.gd")
const Order = preload("./persistence/order.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const Stored = preload("./persistence/stored.gd")

const FILE_FORMATS: PackedStringArray = ["tscn", "scn", "tres", "res"]


## Whether a change of this node's own data (properties, groups, script) is kept.
static func of_node(root: Node, node: Node) -> Dictionary:
	return _finish(root, Resolve.path_of(root, node), _chain(root, node))


## Whether values set on a node are kept: one verdict when all fare alike, else one for each
## property.
static func of_properties(
	root: Node, node: Node, listing: Properties.Listing, values: Dictionary[StringName, Variant]
) -> Array[Dictionary]:
	var path: String = Resolve.path_of(root, node)
	var own: Dictionary = _chain(root, node)
	var verdicts: Array[Dictionary] = []
	var alike: bool = true
	for property: StringName in values:
		var found: Dictionary = own
		if found.is_empty():
			found = _property(node, listing, property, values.size() == 1)
		if found.is_empty():
			found = _value(root, values[property])
		var verdict: Dictionary = _finish(root, path + ":" + property, found)
		verdicts.append(verdict)
		alike = alike and _same(verdicts[0], verdict)
	if alike and not verdicts.is_empty():
		verdicts[0]["target"] = path
		return verdicts.slice(0, 1)
	return verdicts


## Whether a new node below parent is kept, at that index (-1: last).
static func of_child(root: Node, parent: Node, target: String, index: int) -> Dictionary:
	var found: Dictionary = _chain(root, parent)
	if found.is_empty() and Order.of(root, parent, null, index) == Order.Fate.BEHIND:
		found = _behind(root, parent, true)
	return _finish(root, target, found)


## Whether taking this node away is kept.
static func of_removal(root: Node, node: Node) -> Dictionary:
	var found: Dictionary = _foreign(root, node)
	if found.is_empty():
		found = _chain(root, node)
		if not found.is_empty():
			# The file never had the node: its absence needs no saving, but whatever made it may do
			# so again.
			found["persisted"] = null
	return _finish(root, Resolve.path_of(root, node), found)


## Whether this node stays at a new place (target) below parent, at that index (-1: last).
static func of_move(
	root: Node, node: Node, parent: Node, target: String, index: int
) -> Dictionary:
	var order: Order.Fate = Order.of(root, parent, node, index)
	var stays: bool = parent == node.get_parent()
	var found: Dictionary = _foreign(root, node)
	if stays and order == Order.Fate.KEPT and not found.is_empty() and index == node.get_index():
		return _finish(root, target, {})
	if stays and order != Order.Fate.SHUFFLED:
		found = {}
	if found.is_empty() and node.owner == null:
		found = _chain(root, node)
	if found.is_empty():
		found = _chain(root, parent)
	if found.is_empty() and order == Order.Fate.BEHIND:
		found = _behind(root, parent, not stays)
	return _finish(root, target, found)


## True when the node comes from an instance or from the base scene, so that a save cannot take it
## away.
static func is_foreign(root: Node, node: Node) -> bool:
	return not _foreign(root, node).is_empty()


## True when the scene's base scenes, at any depth, have this node.
static func is_inherited(root: Node, node: Node) -> bool:
	return Inherited.has(root, Resolve.path_of(root, node))


## True when the importer makes this file, so that the editor never writes it back.
static func is_imported(path: String) -> bool:
	if path.is_empty() or path.get_extension() in FILE_FORMATS:
		return path.begins_with("res://.godot/imported")
	return FileAccess.file_exists(path + ".import")


static func _chain(root: Node, node: Node) -> Dictionary:
	var at: Node = node
	while at != root:
		if at == null or at.owner == null:
			return _why(Protocol.REASON_NODE_NOT_OWNED, _unowned_hint(root, at))
		if at.owner != root and not root.is_editable_instance(at.owner):
			return _why(
				Protocol.REASON_INSTANCED_CHILD_NOT_EDITABLE, _editable_hint(root, at.owner)
			)
		at = at.get_parent()
	return {}


static func _foreign(root: Node, node: Node) -> Dictionary:
	if node.owner != null and node.owner != root:
		return _why(Protocol.REASON_NODE_FROM_INSTANCE, _origin_hint(root, node.owner))
	if node.owner == root and is_inherited(root, node):
		return _why(
			Protocol.REASON_INHERITED_NODE,
			"the node is defined in the base scene and comes back at reload: open_scene the base"
			+ " scene and change it there"
		)
	return {}


# A node that is new below parent is kept in any case, though not at that place.
static func _behind(root: Node, parent: Node, is_new: bool) -> Dictionary:
	var found: Dictionary = _why(
		Protocol.REASON_NODE_FROM_INSTANCE,
		"the order is not saved: the nodes of the instance %s come first when the scene is read"
		% Resolve.path_of(root, parent)
	)
	if is_new:
		found["persisted"] = null
	return found


static func _property(
	node: Node, listing: Properties.Listing, property: StringName, alone: bool
) -> Dictionary:
	var kept: Stored.Kept = Stored.of(node, listing, property)
	if kept == Stored.Kept.ALL:
		return {}
	var found: Dictionary = _why(Protocol.REASON_PROPERTY_NOT_STORED, _not_stored_hint(property))
	if kept == Stored.Kept.PARTS:
		found["persisted"] = null
		found["hint"] = "%s sets several properties, of which only some are stored: %s" % [
			property, ", ".join(Stored.through(node, property))
		]
	elif not alone and Stored.may_be(node, property):
		# Whether the class stores it depends on other properties, perhaps on those that the call
		# sets too.
		found["persisted"] = null
	return found


# A node as value is stored as a path, which leads nowhere when that node is not saved.
static func _value(root: Node, value: Variant) -> Dictionary:
	if value is Array:
		for element: Variant in value:
			var found: Dictionary = _value(root, element)
			if not found.is_empty():
				return found
	var node: Node = null
	if value is Node:
		node = value
	# What an instance brings along is there again at the next load, as long as the instance is.
	while node != null and node.owner != null and node.owner != root and root.is_ancestor_of(node):
		node = node.owner
	return _chain(root, node) if node != null and root.is_ancestor_of(node) else {}


static func _finish(root: Node, target: String, found: Dictionary) -> Dictionary:
	var verdict: Dictionary = {"target": target, "persisted": true}
	var why: Dictionary = found
	if why.is_empty():
		why = _scene(root)
	if not why.is_empty():
		verdict.merge(why, true)
	return verdict


static func _scene(root: Node) -> Dictionary:
	var path: String = root.scene_file_path
	if path.is_empty():
		var found: Dictionary = _why(
			Protocol.REASON_SCENE_HAS_NO_PATH,
			"the scene was never saved: save_scene with scene_path gives it a file"
		)
		found["persisted"] = null
		return found
	if is_imported(path):
		return _why(
			Protocol.REASON_IMPORTED_RESOURCE,
			"%s is made by the importer: make a scene of your own that instances it" % path
		)
	return {}


static func _why(reason: String, hint: String) -> Dictionary:
	return {"persisted": false, "reason": reason, "hint": hint}


static func _same(a: Dictionary, b: Dictionary) -> bool:
	return a["persisted"] == b["persisted"] and a.get("reason") == b.get("reason")


static func _not_stored_hint(property: StringName) -> String:
	return "%s is not stored in scene files, as the node is now: set a stored property" % property


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
	var hint: String = "make the children of %s editable in the Scene dock (Editable Children)" % (
		", then of ".join(closed)
	)
	return hint + _or_there(instance.scene_file_path)


static func _origin_hint(root: Node, instance: Node) -> String:
	var hint: String = "the node is part of the instance %s and comes back at reload" % (
		Resolve.path_of(root, instance)
	)
	return hint + _or_there(instance.scene_file_path).replace(", or ", ": ")


static func _or_there(path: String) -> String:
	if path.is_empty() or is_imported(path):
		return ""
	return ", or open_scene %s and change it there" % path
