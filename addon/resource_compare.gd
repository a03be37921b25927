extends RefCounted
## Whether a resource in memory says what its file says. The engine's own mark will not do: reading
## a file marks the resources inside it as changed.

const MAX_DEPTH: int = 32

var _seen: Dictionary[int, bool] = {}


## True when both hold the same, down to the resources that live inside them.
func same(a: Resource, b: Resource, depth: int = 0) -> bool:
	if a == null or b == null or depth > MAX_DEPTH:
		return a == b
	if a.get_class() != b.get_class() or a.get_script() != b.get_script():
		return false
	if _seen.has(a.get_instance_id()):
		return true
	_seen[a.get_instance_id()] = true
	for info: Dictionary in a.get_property_list():
		var usage: int = info["usage"]
		var name: String = info["name"]
		if usage & PROPERTY_USAGE_STORAGE == 0 or name in ["script", "resource_path"]:
			continue
		if not _equal(a.get(name), b.get(name), depth + 1):
			return false
	return true


func _equal(a: Variant, b: Variant, depth: int) -> bool:
	if a is Resource and b is Resource:
		var left: Resource = a
		var right: Resource = b
		if _has_file(left) or _has_file(right):
			return left.resource_path == right.resource_path
		return same(left, right, depth)
	if typeof(a) != typeof(b):
		return false
	if a is Array:
		var first: Array = a
		var second: Array = b
		return first.size() == second.size() and _equal_lists(first, second, depth)
	if a is Dictionary:
		var first: Dictionary = a
		var second: Dictionary = b
		return first.keys() == second.keys() and _equal_lists(
			first.values(), second.values(), depth
		)
	return a == b


func _equal_lists(a: Array, b: Array, depth: int) -> bool:
	for index: int in a.size():
		if depth > MAX_DEPTH or not _equal(a[index], b[index], depth + 1):
			return false
	return true


static func _has_file(resource: Resource) -> bool:
	return not resource.resource_path.is_empty() and not resource.resource_path.contains("::")
