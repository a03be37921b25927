extends RefCounted
## What a save of the edited scene keeps: the engine's whole rule in one place, used by plans and
## real runs alike.
##
## A node is saved when it and every node on the way up to the root has an owner that is the root,
## or an instance whose children are editable; the engine never visits what lies below a node that
## it leaves out. Nodes of an instance or of a base scene can be changed, but not taken away. All
## functions read only.

const Inherited = preload("./persistence/inherited.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")

const FILE_FORMATS: PackedStringArray = ["tscn", "scn", "tres", "res"]

## Properties that are not stored themselves but set stored ones (measured over all node classes of
## 4.6).
const STORED_AS: Dictionary[StringName, Dictionary] = {
	&"Node2D":
	{
		&"global_position": &"position",
		&"global_rotation": &"rotation",
		&"global_rotation_degrees": &"rotation",
		&"global_scale": &"scale",
		&"global_skew": &"skew",
		&"global_transform": &"position",
		&"rotation_degrees": &"rotation",
		&"transform": &"position",
	},
	&"Node3D":
	{
		&"basis": &"transform",
		&"global_basis": &"transform",
		&"global_position": &"transform",
		&"global_rotation": &"transform",
		&"global_rotation_degrees": &"transform",
		&"global_transform": &"transform",
		&"position": &"transform",
		&"quaternion": &"transform",
		&"rotation": &"transform",
		&"rotation_degrees": &"transform",
		&"scale": &"transform",
	},
	&"Control":
	{
		&"auto_translate": &"auto_translate_mode",
		&"global_position": &"offset_left",
		&"position": &"offset_left",
		&"rotation_degrees": &"rotation",
		&"size": &"offset_right",
	},
	&"Window": {&"auto_translate": &"auto_translate_mode"},
	&"Range": {&"ratio": &"value"},
	&"AudioStreamPlayer": {&"volume_linear": &"volume_db"},
	&"AudioStreamPlayer2D": {&"volume_linear": &"volume_db"},
	&"AudioStreamPlayer3D": {&"volume_linear": &"volume_db"},
	&"VideoStreamPlayer": {&"volume": &"volume_db"},
	&"GeometryInstance3D": {&"gi_lightmap_scale": &"gi_lightmap_texel_scale"},
}


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


## Whether a new node below parent is kept.
static func of_child(root: Node, parent: Node, target: String) -> Dictionary:
	return _finish(root, target, _chain(root, parent))


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


## Whether this node stays at a new place (target) below parent.
static func of_move(root: Node, node: Node, parent: Node, target: String) -> Dictionary:
	var found: Dictionary = _foreign(root, node)
	if found.is_empty() and node.owner == null:
		found = _chain(root, node)
	if found.is_empty():
		found = _chain(root, parent)
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


static func _property(
	node: Node, listing: Properties.Listing, property: StringName, alone: bool
) -> Dictionary:
	if _is_stored(listing, property):
		return {}
	var by: StringName = stored_as(node, property)
	if not by.is_empty() and _is_stored(listing, by):
		return {}
	var found: Dictionary = _why(
		Protocol.REASON_PROPERTY_NOT_STORED,
		"%s is not stored in scene files, as the node is now: set a stored property" % property
	)
	if not alone and _may_be_stored(node, property):
		# Whether the class stores it depends on other properties, perhaps on those that the call
		# sets too.
		found["persisted"] = null
	return found


## The stored property that this one sets, for the node's class; empty when there is none.
static func stored_as(node: Node, property: StringName) -> StringName:
	for type: StringName in STORED_AS:
		if node.is_class(type) and STORED_AS[type].has(property):
			return STORED_AS[type][property]
	return &""


# Overrides (theme, shader) are stored as soon as they are set: the list marks them checkable.
static func _is_stored(listing: Properties.Listing, property: StringName) -> bool:
	if Properties.is_metadata(property):
		return true
	var info: Dictionary = listing.info.get(property, {})
	var usage: int = info.get("usage", 0)
	return usage & (PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_CHECKABLE) != 0


static func _may_be_stored(node: Node, property: StringName) -> bool:
	for info: Dictionary in ClassDB.class_get_property_list(node.get_class()):
		var usage: int = info["usage"]
		if info["name"] == property and usage & PROPERTY_USAGE_STORAGE != 0:
			return true
	return false


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
	var hint: String = "make the children of %s editable (Editable Children)" % (
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
