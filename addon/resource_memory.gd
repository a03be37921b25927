extends RefCounted
## The editor's memory of resource files, after a file was written, moved or removed beside it.

const ResourceCompare = preload("./resource_compare.gd")
const Result = preload("./result.gd")
const SaveFiles = preload("./save_files.gd")


## The resource in the cache; null when there is none.
static func cached(path: String) -> Resource:
	return ResourceLoader.get_cached_ref(path) if ResourceLoader.has_cached(path) else null


## Makes a cached resource equal to its file: those who hold it see what is there now. Reading over
## it leaves what the file does not name, so `anew` gives that its default first.
static func read_again(path: String, anew: bool = false) -> void:
	var held: Resource = cached(path)
	if held == null:
		return
	if anew:
		_reset(held)
	var _same: Resource = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_REPLACE)
	mark_saved(held)


## What a property of the resource is when nothing sets it.
static func default_of(resource: Resource, property: StringName) -> Variant:
	var script: Script = resource.get_script()
	while script != null:
		var from_script: Variant = script.get_property_default_value(property)
		if from_script != null:
			return from_script
		script = script.get_base_script()
	return ClassDB.class_get_property_default_value(resource.get_class(), property)


static func _reset(held: Resource) -> void:
	for info: Dictionary in held.get_property_list():
		var usage: int = info["usage"]
		var name: StringName = info["name"]
		if usage & PROPERTY_USAGE_STORAGE == 0 or name in [&"script", &"resource_path"]:
			continue
		held.set(name, default_of(held, name))


## True when a resource in memory has changes that its file lacks. Reading a file leaves marks on
## what lives inside it: with no mark on the resource itself the file has the last word.
static func is_unsaved(save_files: SaveFiles, resource: Resource, path: String) -> bool:
	if resource is PackedScene or resource is Script or not save_files.is_edited(resource, path):
		return false
	if is_marked(resource):
		return true
	var read: Resource = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
	return not ResourceCompare.new().same(resource, read)


## Takes the mark of unsaved changes off a resource and those inside its file.
static func mark_saved(resource: Resource) -> void:
	for at: Resource in inside(resource):
		mark(at, false)


## True when the next save writes the object. Engines older than 4.6 cannot say: then it does.
static func is_marked(object: Object) -> bool:
	var editor: Object = Engine.get_singleton(&"EditorInterface")
	return not editor.has_method(&"is_object_edited") or (
		editor.call(&"is_object_edited", object) == true
	)


## Marks an object as changed or not, where the engine can.
static func mark(object: Object, edited: bool) -> void:
	var editor: Object = Engine.get_singleton(&"EditorInterface")
	if editor.has_method(&"set_object_edited"):
		var _nothing: Variant = editor.call(&"set_object_edited", object, edited)


## A resource and those that live inside its file.
static func inside(resource: Resource) -> Array[Resource]:
	var prefix: String = resource.resource_path + "::"
	var out: Array[Resource] = [resource]
	var seen: Dictionary[int, bool] = {resource.get_instance_id(): true}
	var next: int = 0
	while next < out.size() and out.size() < SaveFiles.MAX_SUBRESOURCES:
		var at: Resource = out[next]
		next += 1
		if at is Script:
			continue
		for child: Resource in SaveFiles.children(at):
			var id: int = child.get_instance_id()
			if not seen.has(id) and child.resource_path.begins_with(prefix):
				seen[id] = true
				out.append(child)
	return out


## Gives a resource, and those inside its file, a new path.
static func moved(from: String, to: String) -> void:
	var held: Resource = cached(from)
	if held == null:
		return
	for at: Resource in inside(held):
		at.take_over_path(to + at.resource_path.trim_prefix(from))


## Takes a resource's path away: a save must not make the file again.
static func removed(path: String) -> void:
	var held: Resource = cached(path)
	if held == null:
		return
	var uid: int = ResourceUID.text_to_id(ResourceUID.path_to_uid(path))
	if uid != ResourceUID.INVALID_ID and ResourceUID.has_id(uid):
		ResourceUID.remove_id(uid)
	for at: Resource in inside(held):
		at.resource_path = ""
		mark(at, false)


## Has the editor look for what it cannot be told of file by file: folders that are new to it, and
## files that it imports. It does so in the frames to come.
static func rescan(planned: Result, paths: PackedStringArray) -> void:
	var files: EditorFileSystem = EditorInterface.get_resource_filesystem()
	for path: String in paths:
		var imports: bool = FileAccess.file_exists(path + ".import")
		if imports or files.get_filesystem_path(path.get_base_dir()) == null:
			files.scan()
			planned.data["rescan_pending"] = true
			return
