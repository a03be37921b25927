extends RefCounted
## Which files the editor writes when it saves a scene: the scene, every edited resource that is
## cached, open scripts and shaders with unsaved text, and the default environment. Mirrors
## EditorNode::_save_scene of 4.6.

const Disk = preload("./disk.gd")
const Scenes = preload("./scenes.gd")

const SETTING_ENVIRONMENT: String = "rendering/environment/defaults/default_environment"
## Sub-resources looked at below one resource; more than that is no hand-made resource.
const MAX_SUBRESOURCES: int = 10000
## Types whose values may hold a resource.
const HOLDERS: Array[int] = [TYPE_OBJECT, TYPE_ARRAY, TYPE_DICTIONARY, TYPE_NIL]

var _disk: Disk


func _init(disk: Disk) -> void:
	_disk = disk


## The external resource files that a save writes.
func resources() -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	var environment: String = Scenes.path_of(
		str(ProjectSettings.get_setting(SETTING_ENVIRONMENT, ""))
	)
	if not environment.is_empty() and ResourceLoader.has_cached(environment):
		var _full: bool = out.append(environment)
	for path: String in _disk.cached_files():
		if out.has(path):
			continue
		var resource: Resource = ResourceLoader.get_cached_ref(path)
		if resource == null or resource is PackedScene:
			continue
		if is_edited(resource, path):
			var _full: bool = out.append(path)
	return out


## The files that unsaved buffers of scripts and shaders are written to.
func buffers(saving: String) -> PackedStringArray:
	return _disk.buffers_written_with(saving)


## True when a save writes the resource of this file: it or one inside it has unsaved changes.
func is_edited(resource: Resource, path: String) -> bool:
	if _disk.is_edited(resource):
		return true
	if resource is Script:
		return false
	# A sub-resource's flag makes the editor write the file that holds it.
	var inside: String = path + "::"
	var seen: Dictionary[int, bool] = {resource.get_instance_id(): true}
	var queue: Array[Resource] = [resource]
	while not queue.is_empty() and seen.size() < MAX_SUBRESOURCES:
		var at: Resource = queue.pop_back()
		for child: Resource in _children(at):
			if seen.has(child.get_instance_id()) or not child.resource_path.begins_with(inside):
				continue
			if _disk.is_edited(child):
				return true
			seen[child.get_instance_id()] = true
			queue.append(child)
	return seen.size() >= MAX_SUBRESOURCES


## The resources that a resource's stored properties hold.
static func children(resource: Resource) -> Array[Resource]:
	return _children(resource)


static func _children(resource: Resource) -> Array[Resource]:
	var out: Array[Resource] = []
	for info: Dictionary in resource.get_property_list():
		var usage: int = info["usage"]
		if usage & PROPERTY_USAGE_STORAGE != 0 and HOLDERS.has(info["type"]):
			_add(out, resource.get(str(info["name"])), 0)
	return out


static func _add(out: Array[Resource], value: Variant, depth: int) -> void:
	if value is Resource:
		var resource: Resource = value
		out.append(resource)
	elif depth > 8:
		return
	elif value is Array:
		for element: Variant in value:
			_add(out, element, depth + 1)
	elif value is Dictionary:
		var dictionary: Dictionary = value
		for key: Variant in dictionary:
			_add(out, key, depth + 1)
			_add(out, dictionary[key], depth + 1)
