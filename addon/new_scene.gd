extends RefCounted
## The text of a scene file that holds one node, written without making the node.

const NodeTypes = preload("./node_types.gd")


## The file's bytes: a root of this kind and name. A file that is replaced keeps its uid.
static func bytes(path: String, kind: NodeTypes.Kind, name: String) -> PackedByteArray:
	var text: String = "[gd_scene format=3 uid=\"%s\"]\n\n" % _uid(path)
	if kind.code != null:
		text += "[ext_resource type=\"Script\"%s path=\"%s\" id=\"1_root\"]\n\n" % [
			_uid_attribute(kind.code.resource_path), kind.code.resource_path.c_escape()
		]
	text += "[node name=\"%s\" type=\"%s\"]\n" % [name.c_escape(), kind.native]
	if kind.code != null:
		text += "script = ExtResource(\"1_root\")\n"
	return text.to_utf8_buffer()


static func _uid(path: String) -> String:
	var known: int = ResourceUID.INVALID_ID
	if FileAccess.file_exists(path):
		known = ResourceLoader.get_resource_uid(path)
	return ResourceUID.id_to_text(
		ResourceUID.create_id() if known == ResourceUID.INVALID_ID else known
	)


static func _uid_attribute(path: String) -> String:
	var known: int = ResourceLoader.get_resource_uid(path)
	return "" if known == ResourceUID.INVALID_ID else " uid=\"%s\"" % ResourceUID.id_to_text(known)
