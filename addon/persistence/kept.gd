extends RefCounted
## What the file of a saved scene holds of a value, and why it is not the one that the scene has.
## Read past the cache; nothing is instantiated.

const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const Resolve = preload("../resolve.gd")
const SceneModel = preload("../scene_model.gd")
const Stored = preload("./stored.gd")

const RESET: StringName = &"RESET"
const RESET_HINT: String = (
	"the RESET animation of %s sets it while the scene is saved: change its RESET track, or set"
	+ " reset_on_save of that node to false, and save again"
)
const CODE_HINT: String = (
	"something changed it while the scene was saved, most likely the scene's own code"
	+ " (a @tool script in NOTIFICATION_EDITOR_PRE_SAVE): set it there"
)


## A value in the file.
class Found:
	extends RefCounted
	## False when nobody can say what the file comes to.
	var is_known: bool = false
	## It, or the default that its absence means.
	var value: Variant = null


var _model: SceneModel = null


## Reads a scene's file.
static func read(path: String) -> RefCounted:
	var out: RefCounted = new()
	var scene: PackedScene = (
		ResourceLoader.load(path, "PackedScene", ResourceLoader.CACHE_MODE_IGNORE) as PackedScene
	)
	if scene != null:
		out.set(&"_model", SceneModel.read(scene))
	return out


## The stored properties that hold a property of the node.
static func stored(
	node: Node, listing: Properties.Listing, property: StringName
) -> Array[StringName]:
	var out: Array[StringName] = []
	if Stored.of(node, listing, property) != Stored.Kept.ALL:
		return out
	out.assign(Stored.through(node, property))
	if out.is_empty():
		out.append(property)
	return out


## What the file says of a property of a node that the scene has.
func of(root: Node, node: Node, property: StringName) -> Found:
	var found: Found = Found.new()
	var path: String = Resolve.path_of(root, node)
	if _model == null or not _model.entries.has(path):
		return found
	var entry: SceneModel.Entry = _model.entries[path]
	if entry.has(property):
		found.is_known = true
		found.value = entry.value(property)
	elif Properties.is_metadata(property):
		found.is_known = true
	else:
		_take_default(found, node, property)
	return found


## True when the file's value counts as the live one. Objects are not looked into: they are as good
## as alike.
static func alike(live: Variant, in_file: Variant) -> bool:
	if _holds_object(live) or _holds_object(in_file):
		return true
	if typeof(live) == typeof(in_file) and live == in_file:
		return true
	return var_to_str(live) == var_to_str(in_file)


## The scene's nodes that give others values while it is saved.
static func resetting(root: Node) -> Array[AnimationMixer]:
	var out: Array[AnimationMixer] = []
	for found: Node in [root] + root.find_children("*", "AnimationMixer", true, false):
		var mixer: AnimationMixer = found as AnimationMixer
		if mixer != null and mixer.reset_on_save and mixer.has_animation(RESET):
			out.append(mixer)
	return out


## The likely reason for another value in the file; `mixers` are the scene's resetting ones.
static func hint(
	root: Node, node: Node, property: StringName, mixers: Array[AnimationMixer]
) -> String:
	for mixer: AnimationMixer in mixers:
		if _resets(mixer, node, property):
			return RESET_HINT % Resolve.path_of(root, mixer)
	return CODE_HINT


# What a node without the property in its file has. The engine leaves out what equals the script's
# default, or else the class's; what the dock reverts to is another matter.
static func _take_default(found: Found, node: Node, property: StringName) -> void:
	var script: Script = node.get_script()
	if script != null:
		found.value = script.get_property_default_value(property)
	if found.value == null:
		found.value = ClassDB.class_get_property_default_value(node.get_class(), property)
	found.is_known = found.value != null


static func _resets(mixer: AnimationMixer, node: Node, property: StringName) -> bool:
	var base: Node = mixer.get_node_or_null(mixer.root_node)
	var animation: Animation = mixer.get_animation(RESET)
	for track: int in animation.get_track_count():
		var path: NodePath = animation.track_get_path(track)
		if base == null or base.get_node_or_null(NodePath(path.get_concatenated_names())) != node:
			continue
		if path.get_subname_count() == 0 or path.get_subname(0) == property:
			return true
	return false


static func _holds_object(value: Variant) -> bool:
	if value is Array:
		var items: Array = value
		return items.any(_holds_object)
	if value is Dictionary:
		var pairs: Dictionary = value
		return _holds_object(pairs.keys()) or _holds_object(pairs.values())
	return typeof(value) == TYPE_OBJECT or typeof(value) == TYPE_NODE_PATH
