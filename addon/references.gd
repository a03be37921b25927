extends RefCounted
## The references of a scene to a node that is renamed, moved or removed: node paths in properties
## and resources, exported nodes, tracks of animations. What the Scene dock repairs is repaired, as
## part of the same action; what it cannot repair is told. Connections follow a node and need
## nothing. All of it reads only; the commit does what was found.

const Change = preload("./references/change.gd")
const Found = preload("./references/found.gd")
const Holders = preload("./references/holders.gd")
const Scripts = preload("./references/scripts.gd")
const Tracks = preload("./references/tracks.gd")
const Values = preload("./references/values.gd")


## What a new name does.
static func of_rename(root: Node, node: Node, name: String) -> Found:
	return _scan(Change.renamed(root, node, name))


## What a new parent, and perhaps another name there, does.
static func of_move(root: Node, node: Node, parent: Node, name: String) -> Found:
	return _scan(Change.moved(root, node, parent, name))


## What is broken when the node goes. What lies below it goes along and does not count.
static func of_removal(root: Node, node: Node) -> Found:
	return _scan(Change.removed(root, node))


static func _scan(change: Change) -> Found:
	var found: Found = Found.new()
	var holders: Holders = Holders.new()
	var values: Values = Values.new(change, found)
	var tracks: Tracks = Tracks.new(change)
	var scripts: Scripts = Scripts.new()
	var queue: Array[Node] = [change.root]
	while not queue.is_empty():
		var at: Node = queue.pop_back()
		if change.kind == Change.Kind.REMOVED and change.holds(at):
			continue
		_look(holders, values, at)
		if at is AnimationMixer:
			tracks.add(at as AnimationMixer)
		scripts.add(found, change, at)
		var children: Array[Node] = at.get_children()
		children.reverse()
		queue.append_array(children)
	tracks.finish(found)
	return found


static func _look(holders: Holders, values: Values, at: Node) -> void:
	for property: String in holders.of_node(at):
		var place: Values.Place = Values.Place.new()
		place.node = at
		place.base = at
		place.label = property
		values.look(at, property, place)
