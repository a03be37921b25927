extends RefCounted
## The tie between a node and its row in the editor's Scene dock.
##
## The dock of 4.6.3 has a node tell it of another editor_description, together with the row that
## the node had. It frees the row when it stops showing the node (its instance is closed, or it has
## left the tree), and does not untie it: the next description then ends the editor.

const TOLD: StringName = &"editor_description_changed"


## Unties a node from a row that is gone. To be called before its description may change.
static func untie(node: Node) -> void:
	for connection: Dictionary in node.get_signal_connection_list(TOLD):
		var callable: Callable = connection["callable"]
		if not is_alive(callable):
			node.disconnect(TOLD, callable)


## True when the objects that are bound to a callable are there.
static func is_alive(callable: Callable) -> bool:
	for bound: Variant in callable.get_bound_arguments():
		if typeof(bound) == TYPE_OBJECT and not is_instance_valid(bound):
			return false
	return true
