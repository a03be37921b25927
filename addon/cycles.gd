extends RefCounted
## Scenes that would contain themselves, by instances or by what their properties refer to. The
## engine reads neither: an instance cycle is not opened at all, and of a cycle of references it
## drops one when it reads the file.

const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const SceneFiles = preload("./scene_files.gd")

const INSTANCE: String = "cyclic_instance"
const REFERENCE: String = "cyclic_reference"


## The failure that a scene with this file would be, of which `instances` are instanced (or its
## base) and `needed` are referred to in any way; null when neither leads back to it.
static func of_file(
	path: String, shown: String, instances: PackedStringArray, needed: PackedStringArray
) -> Result:
	var chain: Array[String] = SceneFiles.chain(instances, path, SceneFiles.instanced)
	var reason: String = INSTANCE
	if chain.is_empty():
		chain = SceneFiles.chain(needed, path)
		reason = REFERENCE
	return null if chain.is_empty() else failure(path, shown, chain, reason)


## The failure for values whose files are the scene's own file or need it; null when none does.
static func of_values(root: Node, values: Dictionary[StringName, Variant]) -> Result:
	return of_file_values(root.scene_file_path, values)


## The same for the scene of a file.
static func of_file_values(own: String, values: Dictionary[StringName, Variant]) -> Result:
	if own.is_empty():
		return null
	for property: StringName in values:
		var files: PackedStringArray = PackedStringArray()
		_add_files(files, values[property])
		if files.is_empty():
			continue
		var chain: Array[String] = SceneFiles.chain(files, own)
		if not chain.is_empty():
			return failure(own, own, chain, REFERENCE).with_detail("property", str(property))
	return null


## The failure for a scene that the chain leads back to.
static func failure(path: String, shown: String, chain: Array[String], reason: String) -> Result:
	var whole: Array[String] = [shown]
	whole.append_array(chain)
	var verb: String = "contain" if reason == INSTANCE else "refer to"
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s would %s itself" % [path, verb],
		{"reason": reason, "chain": whole, "scene_path": path}
	).with_hint("choose another file: details.chain shows how this one is used")


# A built-in resource has no file of its own: it is saved with whoever holds it.
static func _add_files(out: PackedStringArray, value: Variant) -> void:
	if value is Resource:
		var resource: Resource = value
		var path: String = resource.resource_path
		if path.begins_with("res://") and not path.contains("::") and not out.has(path):
			var _full: bool = out.append(path)
	elif value is Array:
		for element: Variant in value:
			_add_files(out, element)
	elif value is Dictionary:
		var map: Dictionary = value
		_add_files(out, map.keys())
		_add_files(out, map.values())
