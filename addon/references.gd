extends RefCounted
## Node paths that a move or a removal breaks: those stored in properties and those of animation
## tracks. References to the node itself (node-typed exports) and connections follow a moved node
## and need no repair.

const Resolve = preload("./resolve.gd")

const MAX_SHOWN: int = 50

## The properties that may hold paths, by class and script: reading a class's list costs 0.3 ms.
static var _holders: Dictionary[StringName, Dictionary] = {}


## The references between `node` with all below it and the rest of the scene: {node, property,
## path}. With `from_outside_only` those of the branch itself do not count (it goes away with them).
static func across(root: Node, node: Node, from_outside_only: bool) -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	var queue: Array[Node] = [root]
	while not queue.is_empty() and out.size() < MAX_SHOWN:
		var at: Node = queue.pop_back()
		var inside: bool = at == node or node.is_ancestor_of(at)
		if inside and from_outside_only:
			continue
		_add_properties(out, root, node, at, inside)
		if at is AnimationMixer:
			_add_tracks(out, root, node, at as AnimationMixer)
		queue.append_array(at.get_children())
	return out


static func _add_properties(
	out: Array[Dictionary], root: Node, node: Node, at: Node, inside: bool
) -> void:
	for property: String in _properties_of(at):
		var value: Variant = at.get(property)
		for path: NodePath in _paths_in(value):
			if _leads_across(at, path, node, inside):
				out.append(
					{"node": Resolve.path_of(root, at), "property": property, "path": str(path)}
				)


static func _paths_in(value: Variant) -> Array[NodePath]:
	var paths: Array[NodePath] = []
	if value is NodePath:
		paths.append(value)
	elif value is Array:
		for element: Variant in value:
			if element is NodePath:
				paths.append(element)
	return paths


static func _add_tracks(
	out: Array[Dictionary], root: Node, node: Node, mixer: AnimationMixer
) -> void:
	var base: Node = mixer.get_node_or_null(mixer.root_node)
	if base == null:
		return
	var inside: bool = base == node or node.is_ancestor_of(base)
	for name: StringName in mixer.get_animation_list():
		var animation: Animation = mixer.get_animation(name)
		for track: int in animation.get_track_count():
			var path: NodePath = animation.track_get_path(track)
			if _leads_across(base, path, node, inside):
				out.append(
					{
						"node": Resolve.path_of(root, mixer),
						"property": "animation %s, track %d" % [name, track],
						"path": str(path),
					}
				)


# A path by unique name finds its node wherever it is; an absolute one is not of this scene.
static func _leads_across(from: Node, path: NodePath, node: Node, inside: bool) -> bool:
	if path.is_empty() or path.is_absolute() or path.get_name_count() == 0:
		return false
	if path.get_name(0).begins_with("%"):
		return false
	var target: Node = from.get_node_or_null(NodePath(path.get_concatenated_names()))
	if target == null:
		return false
	return inside != (target == node or node.is_ancestor_of(target))


static func _properties_of(node: Node) -> PackedStringArray:
	var script: Script = node.get_script()
	var script_id: int = 0 if script == null else script.get_instance_id()
	var type: StringName = node.get_class()
	var by_script: Dictionary = _holders.get_or_add(type, {})
	if not by_script.has(script_id):
		by_script[script_id] = _list(type, script)
	return by_script[script_id]


static func _list(type: StringName, script: Script) -> PackedStringArray:
	var names: PackedStringArray = PackedStringArray()
	for info: Dictionary in ClassDB.class_get_property_list(type):
		_add_holder(names, info)
	if script != null:
		for info: Dictionary in script.get_script_property_list():
			_add_holder(names, info)
	return names


static func _add_holder(names: PackedStringArray, info: Dictionary) -> void:
	var usage: int = info["usage"]
	if usage & PROPERTY_USAGE_STORAGE != 0 and info["type"] in [TYPE_NODE_PATH, TYPE_ARRAY]:
		var name: String = info["name"]
		var _full: bool = names.append(name)
