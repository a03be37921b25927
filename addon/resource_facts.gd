extends RefCounted
## What read_resource_file says of a resource. Properties are shown when they differ from the
## default, unless all are asked for.

const Disk = preload("./disk.gd")
const Objects = preload("./values/objects.gd")
const Persistence = preload("./persistence.gd")
const Properties = preload("./properties.gd")
const ResourceMemory = preload("./resource_memory.gd")
const ResourceTarget = preload("./resource_target.gd")
const SaveFiles = preload("./save_files.gd")

const MAX_INSIDE: int = 200
const SHOWN: int = PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_EDITOR
## Said elsewhere in the answer, or the engine's own bookkeeping.
const SKIPPED: Array[StringName] = [
	&"script", &"resource_path", &"resource_scene_unique_id", &"_bundled",
]

var _disk: Disk
var _properties: Properties
var _save_files: SaveFiles


func _init(disk: Disk, save_files: SaveFiles, properties: Properties) -> void:
	_disk = disk
	_save_files = save_files
	_properties = properties


## The answer, with one page of its properties.
func of(path: String, target: ResourceTarget, all: bool, offset: int, limit: int) -> Dictionary:
	var main: Resource = target.chain[target.chain.size() - 1]
	var resource: Resource = target.resource
	var data: Dictionary = {
		"resource_path": path,
		"type": Objects.class_of(resource),
		"native_type": resource.get_class(),
		"uid": _uid(path),
		"imported": Persistence.is_imported(path),
		"unsaved": ResourceMemory.is_unsaved(_save_files, main, path),
	}
	if resource != main:
		data["sub_resource"] = resource.resource_path.get_slice("::", 1)
	var script: Script = resource.get_script()
	if script != null:
		data["script"] = script.resource_path
	_add_page(data, resource, all, offset, limit)
	if resource == main:
		_add_inside(data, main, path)
	return data


func _add_page(data: Dictionary, resource: Resource, all: bool, offset: int, limit: int) -> void:
	var listing: Properties.Listing = _properties.of(resource)
	var chosen: Array[StringName] = []
	for property: StringName in listing.info:
		var usage: int = listing.info[property]["usage"]
		if SKIPPED.has(property) or usage & SHOWN == 0:
			continue
		if all or _differs(resource, property, usage):
			chosen.append(property)
	var values: Dictionary[String, Dictionary] = {}
	for property: StringName in chosen.slice(offset, offset + limit):
		values[str(property)] = Properties.shown(
			resource.get(property), listing.info[property], null
		)
	data["properties"] = values
	data["total"] = chosen.size()
	data["returned"] = values.size()
	var truncated: bool = offset + values.size() < chosen.size()
	data["truncated"] = truncated
	if truncated:
		data["next_offset"] = offset + values.size()


# The resources inside the file, found through what holds them.
func _add_inside(data: Dictionary, main: Resource, path: String) -> void:
	var inside: Array[Dictionary] = []
	var seen: Dictionary[int, bool] = {}
	var queue: Array[Resource] = _held_by(main)
	var next: int = 0
	while next < queue.size() and seen.size() < SaveFiles.MAX_SUBRESOURCES:
		var at: Resource = queue[next]
		next += 1
		if seen.has(at.get_instance_id()) or not at.resource_path.begins_with(path + "::"):
			continue
		seen[at.get_instance_id()] = true
		if inside.size() < MAX_INSIDE:
			inside.append(
				{"id": at.resource_path.get_slice("::", 1), "type": Objects.class_of(at)}
			)
		queue.append_array(SaveFiles.children(at))
	data["sub_resources"] = inside
	data["sub_resources_total"] = seen.size()


# A scene holds its resources in the description of its nodes.
static func _held_by(main: Resource) -> Array[Resource]:
	if not main is PackedScene:
		return SaveFiles.children(main)
	var scene: PackedScene = main
	var state: SceneState = scene.get_state()
	var out: Array[Resource] = []
	for node: int in state.get_node_count():
		for index: int in state.get_node_property_count(node):
			var value: Variant = state.get_node_property_value(node, index)
			if value is Resource:
				var held: Resource = value
				out.append(held)
	return out


static func _differs(resource: Resource, property: StringName, usage: int) -> bool:
	if usage & PROPERTY_USAGE_STORAGE == 0:
		return false
	var now: Variant = resource.get(property)
	var usual: Variant = ResourceMemory.default_of(resource, property)
	if typeof(now) == typeof(usual):
		return now != usual
	if now is String or now is StringName:
		return str(now) != str(usual)
	return not (now == null and usual == null)


static func _uid(path: String) -> Variant:
	var id: int = ResourceLoader.get_resource_uid(path)
	if id == ResourceUID.INVALID_ID:
		return null
	return ResourceUID.id_to_text(id)
