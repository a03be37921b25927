extends RefCounted
## What a change of a node does to the references of a scene: what is rewritten with it, and what is
## left broken.


## How many of each a reply shows; all of them are rewritten.
const MAX_SHOWN: int = 200


## One property to be set, or one track to be led elsewhere (track is not negative).
class Update:
	extends RefCounted
	## The node, resource or animation.
	var object: Object = null
	## The property; empty for a track.
	var property: StringName = &""
	## The track of the animation.
	var track: int = -1
	## What it gets.
	var value: Variant = null


## What the commit does.
var updates: Array[Update] = []
## What replies show of it: {node, property, from, to}.
var updated: Array[Dictionary] = []
## What stays broken: {node, property, path, reason}.
var broken: Array[Dictionary] = []


## Notes a property that gets a value.
func set_property(object: Object, property: StringName, value: Variant) -> void:
	var update: Update = Update.new()
	update.object = object
	update.property = property
	update.value = value
	updates.append(update)


## Notes a track that gets a path.
func set_track(animation: Animation, track: int, path: NodePath) -> void:
	var update: Update = Update.new()
	update.object = animation
	update.track = track
	update.value = path
	updates.append(update)


## Notes for replies what is rewritten.
func tell_updated(node: String, property: String, from: NodePath, to: NodePath) -> void:
	updated.append({"node": node, "property": property, "from": str(from), "to": str(to)})


## Notes for replies what stays broken, and why.
func tell_broken(node: String, property: String, path: NodePath, reason: String) -> void:
	broken.append({"node": node, "property": property, "path": str(path), "reason": reason})


## Rewrites nothing after all: a save loses the change itself, and with it the paths that suit it.
func give_up(reason: String) -> void:
	updates.clear()
	for one: Dictionary in updated:
		var path: String = one["from"]
		tell_broken(str(one["node"]), str(one["property"]), NodePath(path), reason)
	updated.clear()


## Writes it into a reply.
func tell(data: Dictionary) -> void:
	_tell(data, "updated_refs", updated)
	_tell(data, "broken_refs", broken)


static func _tell(data: Dictionary, key: String, all: Array[Dictionary]) -> void:
	if all.is_empty():
		return
	data[key] = all.slice(0, MAX_SHOWN)
	if all.size() > MAX_SHOWN:
		data[key + "_total"] = all.size()
