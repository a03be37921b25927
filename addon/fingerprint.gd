extends RefCounted
## A digest of what a plan is about, so that a later commit can tell whether it is still the same.
## Edits also change the revision; the digest catches what no history shows.

const Resolve = preload("./resolve.gd")

const MAX_TARGETS: int = 1000


## The digest of targets: node paths of the scene, or files.
static func of_targets(root: Node, targets: PackedStringArray) -> String:
	var lines: PackedStringArray = PackedStringArray()
	for target: String in targets.slice(0, MAX_TARGETS):
		var _full: bool = lines.append(target + " " + _of(root, target))
	return "\n".join(lines).sha256_text()


static func _of(root: Node, target: String) -> String:
	var path: String = target.get_slice(":", 0)
	if target.begins_with("res://") or root == null:
		return ""
	var node: Node = Resolve.find(root, path)
	if node == null:
		return "missing"
	var script: Script = node.get_script()
	return "%d %s %d %s" % [
		node.get_instance_id(),
		node.get_class(),
		node.get_child_count(),
		"" if script == null else script.resource_path,
	]
