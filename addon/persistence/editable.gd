extends RefCounted
## Which instances a scene file makes editable: it can add to those that an inner or base scene
## makes editable, and not take away from them.

const Layers = preload("./layers.gd")

const LIST: String = "editable_instances"


## The file that makes the children of this instance editable; empty when none but the edited
## scene's own may do so.
static func given_by(root: Node, instance: Node) -> String:
	for layer: Layers.Layer in Layers.around(root, instance.owner if instance.owner else root):
		var bundle: Dictionary = layer.scene.get(&"_bundled")
		var list: Array = bundle.get(LIST, [])
		for path: NodePath in list:
			if Layers.plain(path) == Layers.path_in(layer, instance):
				return layer.file
	return ""
