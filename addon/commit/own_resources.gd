extends RefCounted
## Resources that live inside another scene's file. A copy that holds one cannot share it: the next
## save would take it over for this file.

const Properties = preload("../properties.gd")
const Tracks = preload("../references/tracks.gd")


## Gives a copy (a node or resource) copies of those that it holds.
static func give(copy: Object, root: Node, properties: Properties) -> void:
	for property: StringName in properties.of(copy).stored:
		var value: Variant = copy.get(property)
		if not value is Resource:
			continue
		var resource: Resource = value
		if resource.resource_path.contains("::") and not Tracks.is_own(root, resource):
			copy.set(property, resource.duplicate(true))
