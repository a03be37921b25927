extends Node2D
## Node paths in lists, dictionaries, resources and in the text itself.

@export var paths: Array[NodePath] = []
@export var map: Dictionary = {}
@export var any: Resource
@export var others: Array[Node2D] = []


## Paths in text: nothing rewrites them.
func named() -> Array[Node]:
	# A comment is no path: $"../Kid"
	return [$"../Kid", get_node("../Kid/Deep"), %Deep, $"../Box"]
