extends RefCounted
## The rule for changes inside resources: of the resource and those that hold it, the first with a
## path decides. A file of its own is written with the next save, whatever the node; a resource
## inside this scene goes with its node; one inside another scene, or made by the importer, is lost.

const Persistence = preload("../persistence.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")

## What a save does with a resource.
enum Home { NODE, FILE, ELSEWHERE, IMPORTED }


## Where a change of a resource ends up; chain is itself and what holds it, outwards.
static func home_of(root: Node, chain: Array[Resource]) -> Home:
	var path: String = deciding_path(chain)
	if path.is_empty():
		return Home.NODE
	var holder: String = path.get_slice("::", 0)
	if Persistence.is_imported(holder):
		return Home.IMPORTED
	if root != null and holder == root.scene_file_path:
		return Home.NODE
	if not path.contains("::"):
		return Home.FILE
	if not ResourceLoader.has_cached(holder):
		return Home.ELSEWHERE
	return Home.ELSEWHERE if ResourceLoader.get_cached_ref(holder) is PackedScene else Home.FILE


## The path that decides; empty when none of them has one.
static func deciding_path(chain: Array[Resource]) -> String:
	for resource: Resource in chain:
		if not resource.resource_path.is_empty():
			return resource.resource_path
	return ""


## The verdict on values set on chain[0]. `node` is one that holds it (null: no node of the scene).
static func of_values(
	root: Node,
	chain: Array[Resource],
	node: Node,
	target: String,
	listing: Properties.Listing,
	values: Dictionary[StringName, Variant]
) -> Dictionary:
	for property: StringName in values:
		if not is_stored(listing, property):
			return _lost(
				target, Protocol.REASON_PROPERTY_NOT_STORED,
				"%s is not stored in files: set a stored property" % property
			)
	return of_chain(root, chain, node, target)


## True when files keep the property.
static func is_stored(listing: Properties.Listing, property: StringName) -> bool:
	var info: Dictionary = listing.info.get(property, {})
	var usage: int = info.get("usage", PROPERTY_USAGE_STORAGE)
	return usage & (PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_CHECKABLE) != 0


## The verdict on any change inside chain[0].
static func of_chain(
	root: Node, chain: Array[Resource], node: Node, target: String
) -> Dictionary:
	var holder: String = deciding_path(chain).get_slice("::", 0)
	match home_of(root, chain):
		Home.FILE:
			return {"target": target, "persisted": true}
		Home.IMPORTED:
			return _lost(
				target, Protocol.REASON_IMPORTED_RESOURCE,
				"%s is made by the importer and never written back: " % holder
				+ "make a resource of your own (create_resource, or make_unique on the node)"
			)
		Home.ELSEWHERE:
			return _lost(
				target, Protocol.REASON_EMBEDDED_IN_OTHER_RESOURCE,
				"the %s lives inside %s: open_scene that and change it there, " % [
					chain[0].get_class(), holder,
				] + "or pass make_unique:true to give the node its own"
			)
	if node == null:
		return _lost(
			target, Protocol.REASON_NODE_NOT_OWNED,
			"no node of the scene uses it, so a save leaves it out"
		)
	var verdict: Dictionary = Persistence.of_node(root, node)
	verdict["target"] = target
	return verdict


static func _lost(target: String, reason: String, hint: String) -> Dictionary:
	return {"target": target, "persisted": false, "reason": reason, "hint": hint}
