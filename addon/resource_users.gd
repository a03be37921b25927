extends RefCounted
## Which nodes of the open scenes use a resource, by themselves or through resources that hold it.
## Asking nodes for their properties is slow, so the look ends after a while and says so.

const Resolve = preload("./resolve.gd")
const SaveFiles = preload("./save_files.gd")
const Scenes = preload("./scenes.gd")

const MAX_USEC: int = 40000
const MAX_SHOWN: int = 30
const MAX_DEPTH: int = 4

## The users: {scene, node_path, property}.
var rows: Array[Dictionary] = []
## All that were found; rows has the first of them.
var total: int = 0
## False when not all nodes were looked at.
var complete: bool = true
## The first user in the edited scene.
var here: Node = null

var _wanted: Resource
var _until: int = 0


## Looks for the users of a resource.
func look_for(resource: Resource) -> void:
	_wanted = resource
	_until = Time.get_ticks_usec() + MAX_USEC
	var edited: Node = Scenes.edited()
	if edited != null:
		_look_at_scene(edited, true)
	for root: Node in EditorInterface.get_open_scene_roots():
		if root != edited:
			_look_at_scene(root, false)


## What replies say of the users.
func report(data: Dictionary) -> void:
	data["used_by"] = rows
	data["used_by_total"] = total
	data["shared"] = total > 1
	if not complete:
		data["used_by_complete"] = false


func _look_at_scene(root: Node, is_edited: bool) -> void:
	var queue: Array[Node] = [root]
	var next: int = 0
	while next < queue.size():
		if Time.get_ticks_usec() > _until:
			complete = false
			return
		var node: Node = queue[next]
		next += 1
		_look_at(root, node, is_edited)
		queue.append_array(node.get_children())


func _look_at(root: Node, node: Node, is_edited: bool) -> void:
	for info: Dictionary in node.get_property_list():
		var usage: int = info["usage"]
		if usage & PROPERTY_USAGE_STORAGE == 0 or not SaveFiles.HOLDERS.has(info["type"]):
			continue
		if not _reaches(node.get(str(info["name"])), 0):
			continue
		total += 1
		if is_edited and here == null:
			here = node
		if rows.size() < MAX_SHOWN:
			rows.append(
				{
					"scene": Scenes.id_of(root),
					"node_path": Resolve.path_of(root, node),
					"property": str(info["name"]),
				}
			)


func _reaches(value: Variant, depth: int) -> bool:
	if value is Resource:
		var resource: Resource = value
		if resource == _wanted:
			return true
		if depth >= MAX_DEPTH or resource is Script or resource is PackedScene:
			return false
		for child: Resource in SaveFiles.children(resource):
			if _reaches(child, depth + 1):
				return true
	elif value is Array:
		for element: Variant in value:
			if depth < MAX_DEPTH and _reaches(element, depth + 1):
				return true
	elif value is Dictionary:
		var dictionary: Dictionary = value
		for key: Variant in dictionary:
			if depth < MAX_DEPTH and _reaches(dictionary[key], depth + 1):
				return true
	return false
