extends RefCounted
## What a save of the edited scene keeps: the engine's whole rule in one place, used by plans and
## real runs alike.
##
## A node is saved when it and every node on the way up to the root has an owner that is the root,
## or an instance whose children are editable; the engine never visits what lies below a node that
## it leaves out. Nodes of an instance or of a base scene can be changed, but not taken away. All
## functions read only.

const Editable = preload("./persistence/editable.gd")
const Groups = preload("./persistence/groups.gd")
const Inherited = preload("./persistence/inherited.gd")
const Layers = preload("./persistence/layers.gd")
const Order = preload("./persistence/order.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const SceneModel = preload("./scene_model.gd")
const Saved = preload("./persistence/saved.gd")
const Signals = preload("./persistence/signals.gd")
const Stored = preload("./persistence/stored.gd")


## Whether a change of this node's own data (properties, groups, script) is kept.
static func of_node(root: Node, node: Node) -> Dictionary:
	return Saved.finish(root, Resolve.path_of(root, node), Saved.chain(root, node))


## Whether a node keeps being found by its name, or stays off that; `property` is the engine's.
static func of_unique(
	root: Node, node: Node, property: StringName, unique: bool
) -> Dictionary:
	if not unique:
		return of_loss(root, node, property)
	var given: bool = Layers.given(root, node, property) == true
	var found: Dictionary = Saved.value(root, node) if given else Saved.chain(root, node)
	return Saved.finish(root, Resolve.path_of(root, node), found)


## Whether a script, or a unique name, stays off a node that loses it: `property` holds it. A node
## that is not saved never had it in a file, unless another file gives it.
static func of_loss(root: Node, node: Node, property: StringName) -> Dictionary:
	var found: Dictionary = Saved.chain(root, node)
	var given: Variant = Layers.given(root, node, property)
	if not found.is_empty() and (given == null or is_same(given, false)):
		found["persisted"] = null
	return Saved.finish(root, Resolve.path_of(root, node), found)


## Whether values set on a node are kept: one verdict when all fare alike, else one for each
## property.
static func of_properties(
	root: Node, node: Node, listing: Properties.Listing, values: Dictionary[StringName, Variant]
) -> Array[Dictionary]:
	var path: String = Resolve.path_of(root, node)
	var own: Dictionary = Saved.chain(root, node)
	var verdicts: Array[Dictionary] = []
	var alike: bool = true
	for property: StringName in values:
		var found: Dictionary = own
		if found.is_empty():
			found = _property(node, listing, property, values.size() == 1)
		if found.is_empty():
			found = Saved.value(root, values[property])
		verdicts.append(Saved.finish(root, path, found))
		alike = alike and _same(verdicts[0], verdicts[-1])
	if alike:
		return verdicts.slice(0, 1)
	for index: int in verdicts.size():
		verdicts[index]["target"] = path + ":" + values.keys()[index]
	return verdicts


## Whether a scene file can say something of one of its nodes; the scene is not open.
static func of_file_node(file: String, model: SceneModel, path: String) -> Dictionary:
	var verdict: Dictionary = {"target": file_target(file, path), "persisted": true}
	var closed: String = model.closed_by(path)
	if not closed.is_empty():
		var hint: String = (
			"the node is part of the instance %s: open_scene %s and make its children editable"
			+ " with set_editable_children"
		) % [closed, file] + Saved.or_there(model.entries[closed].file)
		verdict.merge(Saved.because(Protocol.REASON_INSTANCED_CHILD_NOT_EDITABLE, hint), true)
	return verdict


## How replies name a node of a scene file.
static func file_target(file: String, path: String) -> String:
	return file + ":" + path


## Whether a new node below parent is kept, at that index (-1: last).
static func of_child(root: Node, parent: Node, target: String, index: int) -> Dictionary:
	var found: Dictionary = Saved.chain(root, parent)
	if found.is_empty() and Order.of(root, parent, null, index) == Order.Fate.BEHIND:
		found = _behind(root, parent, true)
	return Saved.finish(root, target, found)


## What a save loses of the first values of a new node, of which the built-in class and the list are
## known: a verdict for each of these.
static func of_first_values(
	root: Node,
	target: String,
	native: StringName,
	listing: Properties.Listing,
	values: Dictionary[StringName, Variant]
) -> Array[Dictionary]:
	var lost: Array[Dictionary] = []
	for property: StringName in values:
		var found: Dictionary = Saved.value(root, values[property])
		var kept: Stored.Kept = Stored.of_class(native, listing, property)
		if kept != Stored.Kept.ALL:
			found = Saved.because(
				Protocol.REASON_PROPERTY_NOT_STORED, _not_stored_hint(property)
			)
		if kept == Stored.Kept.PARTS:
			found["persisted"] = null
			found["hint"] = "%s sets several properties, of which only some are stored" % property
		if not found.is_empty():
			lost.append(Saved.finish(root, target + ":" + property, found))
	return lost


## Whether taking this node away is kept.
static func of_removal(root: Node, node: Node) -> Dictionary:
	var found: Dictionary = _foreign(root, node)
	if found.is_empty():
		found = Saved.chain(root, node)
		if not found.is_empty():
			# The file never had the node: its absence needs no saving, but whatever made it may do
			# so again.
			found["persisted"] = null
	elif not Saved.value(root, node).is_empty():
		# It would come back with an instance that is not saved itself.
		found["persisted"] = null
	return Saved.finish(root, Resolve.path_of(root, node), found)


## Whether this node stays at a new place (target) below parent, at that index (-1: last).
static func of_move(
	root: Node, node: Node, parent: Node, target: String, index: int
) -> Dictionary:
	var order: Order.Fate = Order.of(root, parent, node, index)
	var stays: bool = parent == node.get_parent()
	var found: Dictionary = _foreign(root, node)
	if stays and order == Order.Fate.KEPT and not found.is_empty() and index == node.get_index():
		return Saved.finish(root, target, {})
	if stays and order != Order.Fate.SHUFFLED:
		found = {}
	if found.is_empty() and node.owner == null:
		found = Saved.chain(root, node)
		if Layers.gives_again(root, parent, node.name):
			found["persisted"] = null  # A node of that name is there when the scene is read.
	if found.is_empty():
		found = Saved.chain(root, parent)
	if found.is_empty() and order == Order.Fate.BEHIND:
		found = _behind(root, parent, not stays)
	return Saved.finish(root, target, found)


## Whether a node stays in a group that it is put into, or is in already.
static func of_group(root: Node, node: Node, group: StringName, persistent: bool) -> Dictionary:
	var given: bool = not Groups.given_by(root, node, group).is_empty()
	var found: Dictionary = Saved.value(root, node) if given else Saved.chain(root, node)
	if found.is_empty() and not given and not persistent:
		found = Saved.because(
			Protocol.REASON_GROUP_NOT_PERSISTENT, "add_to_group with persistent:true has it saved"
		)
	return Saved.finish(root, Resolve.path_of(root, node), found)


## Whether a node stays out of a group that it is taken out of.
static func of_group_removal(root: Node, node: Node, group: StringName) -> Dictionary:
	var file: String = Groups.given_by(root, node, group)
	var found: Dictionary = Saved.chain(root, node)
	found = _taken(found, Protocol.REASON_GROUP_FROM_BASE_SCENE, file)
	return Saved.finish(root, Resolve.path_of(root, node), found)


## Whether a connection is kept. The target may be a node that only its instance brings along.
static func of_connection(root: Node, way: Signals.Way, flags: int) -> Dictionary:
	var made: Signals.Made = Signals.given_by(root, way)
	var found: Dictionary = Saved.chain(root, way.source)
	if made != null:
		found = Saved.value(root, way.source)
	if found.is_empty():
		found = Saved.value(root, way.target)
	if found.is_empty() and made != null and made.flags != Signals.plain_flags(flags):
		found = _taken({}, Protocol.REASON_CONNECTION_FROM_BASE_SCENE, made.file)
	return Saved.finish(root, Resolve.path_of(root, way.source), found)


## Whether a connection that is taken away stays away.
static func of_disconnection(root: Node, way: Signals.Way) -> Dictionary:
	var made: Signals.Made = Signals.given_by(root, way)
	var found: Dictionary = Saved.chain(root, way.source)
	if found.is_empty():
		found = Saved.value(root, way.target)
	var file: String = "" if made == null else made.file
	if not Saved.value(root, way.source).is_empty():
		file = ""  # It is not saved, and what would make the connection again is not either.
	found = _taken(found, Protocol.REASON_CONNECTION_FROM_BASE_SCENE, file)
	return Saved.finish(root, Resolve.path_of(root, way.source), found)


## Whether the children of an instance stay editable, or stay not.
static func of_editable(root: Node, instance: Node, editable: bool) -> Dictionary:
	var file: String = Editable.given_by(root, instance)
	var found: Dictionary = Saved.chain(root, instance)
	if not editable:
		found = _taken(found, Protocol.REASON_EDITABLE_IN_BASE_SCENE, file)
	elif not file.is_empty():
		found = Saved.value(root, instance)
	return Saved.finish(root, Resolve.path_of(root, instance), found)


## True when the node comes from an instance or from the base scene, so that a save cannot take it
## away.
static func is_foreign(root: Node, node: Node) -> bool:
	return not _foreign(root, node).is_empty()


## True when the importer makes this file, so that the editor never writes it back.
static func is_imported(path: String) -> bool:
	return Saved.is_imported(path)


## True when the scene's base scenes, at any depth, have this node.
static func is_inherited(root: Node, node: Node) -> bool:
	return Inherited.has(root, Resolve.path_of(root, node))


static func _foreign(root: Node, node: Node) -> Dictionary:
	if node.owner != null and node.owner != root:
		return Saved.because(
			Protocol.REASON_NODE_FROM_INSTANCE, Saved.origin_hint(root, node.owner)
		)
	if node.owner == root and is_inherited(root, node):
		return Saved.because(
			Protocol.REASON_INHERITED_NODE,
			"the node is defined in the base scene and comes back at reload: open_scene the base"
			+ " scene and change it there"
		)
	return {}


# What is taken away comes back when another file gives it. When none does and the node is not saved
# anyhow, the file never had it: whatever made it may do so again.
static func _taken(found: Dictionary, reason: String, file: String) -> Dictionary:
	if file.is_empty():
		if not found.is_empty():
			found["persisted"] = null
		return found
	if not found.is_empty():
		return found
	var there: String = Saved.or_there(file).replace(", or ", ": ")
	return Saved.because(reason, "%s gives it%s" % [file, there])


# A node that is new below parent is kept in any case, though not at that place.
static func _behind(root: Node, parent: Node, is_new: bool) -> Dictionary:
	var found: Dictionary = Saved.because(
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
	var found: Dictionary = Saved.because(
		Protocol.REASON_PROPERTY_NOT_STORED, _not_stored_hint(property)
	)
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


static func _same(a: Dictionary, b: Dictionary) -> bool:
	return a["persisted"] == b["persisted"] and a.get("reason") == b.get("reason")


static func _not_stored_hint(property: StringName) -> String:
	return "%s is not stored in scene files, as the node is now: set a stored property" % property
