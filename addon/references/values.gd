extends RefCounted
## The node paths inside values: alone, in lists, in the values of dictionaries, and in the
## resources that the scene's own file holds.

const Change = preload("./change.gd")
const Found = preload("./found.gd")
const Holders = preload("./holders.gd")
const Persistence = preload("../persistence.gd")
const Protocol = preload("../protocol.gd")
const Resolve = preload("../resolve.gd")
const Tracks = preload("./tracks.gd")

## Reasons for which a save leaves out what is changed at a node.
const UNSAVED: PackedStringArray = [
	Protocol.REASON_NODE_NOT_OWNED, Protocol.REASON_INSTANCED_CHILD_NOT_EDITABLE,
]
const MAX_DEPTH: int = 32
## Resources that hold no node paths, or whose paths are looked at elsewhere (tracks).
const PLAIN: PackedStringArray = [
	"Animation", "AnimationLibrary", "AudioStream", "Curve", "Curve2D", "Curve3D", "Font",
	"Gradient", "Image", "InputEvent", "PackedScene", "Script", "Shader", "Shape2D", "Shape3D",
	"TileSet",
]


## A place where paths are looked for.
class Place:
	extends RefCounted
	## The node that has the property, itself or in a resource.
	var node: Node = null
	## The node where paths start.
	var base: Node = null
	## The property, with the index or key inside it.
	var label: String = ""
	## How deep this is.
	var depth: int = 0

	## The same, one level below.
	func below(more: String) -> Place:
		var place: Place = Place.new()
		place.node = node
		place.base = base
		place.label = label + more
		place.depth = depth + 1
		return place


var _change: Change
var _found: Found
var _seen: Dictionary[int, bool] = {}


func _init(change: Change, found: Found) -> void:
	_change = change
	_found = found


## Looks at one property of an object, and notes what has to be set.
func look(object: Object, property: StringName, place: Place) -> void:
	var value: Variant = object.get(property)
	var after: Variant = _after(value, place)
	if not is_same(value, after):
		_found.set_property(object, property, after)


# The value as it has to be; the very same one when nothing changes.
func _after(value: Variant, place: Place) -> Variant:
	if place.depth > MAX_DEPTH:
		return value
	match typeof(value):
		TYPE_NODE_PATH:
			var path: NodePath = value
			return _path_after(value, path, place)
		TYPE_ARRAY:
			return _list_after(value, place)
		TYPE_DICTIONARY:
			return _map_after(value, place)
		TYPE_OBJECT:
			_look_into(value, place)
	return value


func _path_after(value: Variant, path: NodePath, place: Place) -> Variant:
	var way: Change.Way = _change.breaks(place.base, path)
	if way == null:
		_tell_absolute(path, place)
		return value
	# The engine's default for meshes: most of them have no skeleton.
	if place.label == "skeleton" and not way.target is Skeleton3D:
		return value
	var reason: String = _reason(place)
	if not reason.is_empty():
		_found.tell_broken(_shown(place), place.label, path, reason)
		return value
	_found.tell_updated(_shown(place), place.label, path, way.after)
	return way.after


# Why nothing is rewritten here; empty when it is.
func _reason(place: Place) -> String:
	if _change.kind == Change.Kind.REMOVED:
		return "removed"
	var verdict: Dictionary = Persistence.of_node(_change.root, place.node)
	var reason: String = verdict.get("reason", "")
	return reason if reason in UNSAVED else ""


func _shown(place: Place) -> String:
	return Resolve.path_of(_change.root, place.node)


func _list_after(value: Variant, place: Place) -> Variant:
	var list: Array = value
	var copy: Array = list
	for index: int in list.size():
		var after: Variant = _after(list[index], place.below("[%d]" % index))
		if not is_same(after, list[index]):
			copy = list.duplicate() if is_same(copy, list) else copy
			copy[index] = after
	return copy


func _map_after(value: Variant, place: Place) -> Variant:
	var map: Dictionary = value
	var copy: Dictionary = map
	for key: Variant in map:
		if key is NodePath:
			_tell_key(key, place)
		var after: Variant = _after(map[key], place.below("[%s]" % key))
		if not is_same(after, map[key]):
			copy = map.duplicate() if is_same(copy, map) else copy
			copy[key] = after
	return copy


# Another entry may have the new path as its key.
func _tell_key(key: Variant, place: Place) -> void:
	var path: NodePath = key
	if _change.breaks(place.base, path) != null:
		_found.tell_broken(_shown(place), place.label, path, "dictionary_key")


# /root/Main/Kid leads nowhere in the editor, and in the running game perhaps to this node.
func _tell_absolute(path: NodePath, place: Place) -> void:
	if not path.is_absolute() or path.get_name_count() < 2 or path.get_name(0) != &"root":
		return
	if path.get_name(1) != _change.root.name:
		return
	var rest: PackedStringArray = [".."]
	for index: int in range(1, path.get_name_count()):
		var _full: bool = rest.append(str(path.get_name(index)))
	if _change.breaks(_change.root, NodePath("/".join(rest))) != null:
		_found.tell_broken(_shown(place), place.label, path, "absolute_path")


# A node as value follows by itself: the file names it by its path at the next save.
func _look_into(value: Variant, place: Place) -> void:
	if not is_instance_valid(value):
		return
	var object: Object = value
	if object is Node:
		_follow(object as Node, place)
	elif object is Resource and Tracks.is_own(_change.root, object as Resource):
		_look_into_resource(object as Resource, place)


func _follow(target: Node, place: Place) -> void:
	if not _change.root.is_ancestor_of(target) and target != _change.root:
		return
	if _change.kind == Change.Kind.REMOVED:
		if _change.holds(target):
			var gone: NodePath = place.base.get_path_to(target)
			_found.tell_broken(_shown(place), place.label, gone, "removed")
		return
	var before: NodePath = place.base.get_path_to(target)
	var after: NodePath = _change.path_after(place.base, target)
	if before != after and _reason(place).is_empty():
		_found.tell_updated(_shown(place), place.label, before, after)


func _look_into_resource(resource: Resource, place: Place) -> void:
	if _seen.has(resource.get_instance_id()) or _is_plain(resource):
		return
	_seen[resource.get_instance_id()] = true
	for property: String in Holders.of_object(resource):
		var inner: Place = place.below(":" + property)
		inner.base = _base(resource, place)
		if resource is AnimationNode and property == "filters":
			_look_at_filters(resource, inner)
		else:
			look(resource, property, inner)


# The paths of filters are texts.
func _look_at_filters(resource: Resource, place: Place) -> void:
	var before: Array = resource.get(&"filters")
	var paths: Array[NodePath] = []
	for text: String in before:
		paths.append(NodePath(text))
	var after: Array = _list_after(paths, place)
	if not is_same(paths, after):
		_found.set_property(resource, &"filters", after.map(str))


# Where the paths of a resource start: most often at the node that holds it.
func _base(resource: Resource, place: Place) -> Node:
	if resource is ViewportTexture:
		return _change.root
	var mixer: AnimationMixer = place.base as AnimationMixer
	var synchronizer: MultiplayerSynchronizer = place.base as MultiplayerSynchronizer
	var base: Node = null
	if mixer != null and resource is AnimationNode:
		base = mixer.get_node_or_null(mixer.root_node)
	elif synchronizer != null and resource is SceneReplicationConfig:
		base = synchronizer.get_node_or_null(synchronizer.root_path)
	return place.base if base == null else base


static func _is_plain(resource: Resource) -> bool:
	for type: String in PLAIN:
		if resource.is_class(type):
			return true
	return false
