extends RefCounted
## The tracks of animations that a change of a node breaks. An animation may be played by several
## players, and may live in a file that is not this scene's: neither is changed behind anyone's
## back.

const Change = preload("./change.gd")
const Found = preload("./found.gd")
const Resolve = preload("../resolve.gd")

const EXTERNAL: String = "external_animation"
const SHARED: String = "shared_animation"


## One track, as all players that play it see it.
class Use:
	extends RefCounted
	## The animation.
	var animation: Animation = null
	## Its name and track, for replies.
	var label: String = ""
	## The track's number.
	var track: int = 0
	## The first player that the change concerns, by its path.
	var node: String = ""
	## The path as it has to be; empty when no player is concerned.
	var after: NodePath = NodePath()
	## True when the players disagree.
	var split: bool = false
	## True when it leads somewhere that does not change.
	var stays: bool = false


var _change: Change
var _uses: Dictionary[String, Use] = {}


func _init(change: Change) -> void:
	_change = change


## Looks at the animations of a player.
func add(mixer: AnimationMixer) -> void:
	var base: Node = mixer.get_node_or_null(mixer.root_node)
	if base == null:
		return
	for name: StringName in mixer.get_animation_list():
		var animation: Animation = mixer.get_animation(name)
		for track: int in animation.get_track_count():
			_add_track(mixer, base, animation, name, track)


## Tells what was found.
func finish(found: Found) -> void:
	for key: String in _uses:
		var use: Use = _uses[key]
		if use.node.is_empty():
			continue
		var path: NodePath = use.animation.track_get_path(use.track)
		var own: bool = is_own(_change.root, use.animation)
		if _change.kind == Change.Kind.REMOVED:
			found.tell_broken(use.node, use.label, path, "removed")
		elif not own or use.split or use.stays:
			found.tell_broken(use.node, use.label, path, SHARED if own else EXTERNAL)
		else:
			found.set_track(use.animation, use.track, use.after)
			found.tell_updated(use.node, use.label, path, use.after)


## True when a resource is saved in the scene's own file.
static func is_own(root: Node, resource: Resource) -> bool:
	var path: String = resource.resource_path
	var file: String = root.scene_file_path
	return path.is_empty() or (not file.is_empty() and path.begins_with(file + "::"))


func _add_track(
	mixer: AnimationMixer, base: Node, animation: Animation, name: StringName, track: int
) -> void:
	var path: NodePath = animation.track_get_path(track)
	var way: Change.Way = _change.breaks(base, path)
	var key: String = "%d %d" % [animation.get_instance_id(), track]
	if way == null and not _leads_somewhere(base, path):
		return
	var use: Use = _uses.get_or_add(key, Use.new())
	if way == null:
		use.stays = true
		return
	use.split = use.split or (not use.node.is_empty() and use.after != way.after)
	if use.node.is_empty():
		use.animation = animation
		use.track = track
		use.label = "animation %s, track %d" % [name, track]
		use.node = Resolve.path_of(_change.root, mixer)
		use.after = way.after


static func _leads_somewhere(base: Node, path: NodePath) -> bool:
	return base.has_node(NodePath(path.get_concatenated_names()))
