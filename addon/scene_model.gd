extends RefCounted
## The nodes of a scene as its own file, the scenes that it instances and its bases make them. Read
## from the files' descriptions: nothing is instantiated.

const SceneModel = preload("./scene_model.gd")

const ROOT: String = "."
const MAX_DEPTH: int = 64
const SCRIPT_PROPERTY: StringName = &"script"


## One node.
class Entry:
	extends RefCounted
	## Its path from the root; "." is the root.
	var path: String = ""
	## Its name.
	var name: String = ""
	## Its built-in class; empty when nobody says.
	var type: StringName = &""
	## The root of the instance that it belongs to; empty for nodes of the scene itself, inherited
	## ones too.
	var owner: String = ""
	## The scene file that it is an instance of.
	var file: String = ""
	## Its number among the nodes that the file itself names; -1 when it names it not.
	var index: int = -1
	## The values that the file itself gives it.
	var own: Dictionary[StringName, Variant] = {}
	## Those that instances and bases give it.
	var given: Dictionary[StringName, Variant] = {}

	## True when some file gives it the property.
	func has(property: StringName) -> bool:
		return own.has(property) or given.has(property)

	## What the files give it.
	func value(property: StringName) -> Variant:
		return own.get(property, given.get(property))

	## Its script; null when it has none.
	func script() -> Script:
		var found: Variant = value(SCRIPT_PROPERTY)
		return found if found is Script else null

	## The same node as a scene sees it that has it at `at`, by an instance or as its base.
	func seen_from(at: String, is_base: bool) -> Entry:
		var out: Entry = Entry.new()
		out.path = SceneModel.join(at, path)
		out.name = name
		out.type = type
		out.file = file
		out.given = given.merged(own, true)
		out.owner = SceneModel.join(at, owner)
		if is_base:
			out.owner = owner
		elif owner.is_empty():
			out.owner = "" if path == ROOT else at
		return out


## The nodes by path; those of the base come first.
var entries: Dictionary[String, Entry] = {}
## The instances whose children are editable, by whichever file.
var editable: Dictionary[String, bool] = {}

var _known: Dictionary[int, SceneModel] = {}


## What the scene's description says. `known` are the scenes that were read on the way, by id.
static func read(
	scene: PackedScene, depth: int = 0, known: Dictionary[int, SceneModel] = {}
) -> SceneModel:
	var id: int = scene.get_instance_id()
	if known.has(id):
		return known[id]
	var model: SceneModel = SceneModel.new()
	model._known = known
	var state: SceneState = scene.get_state()
	if depth > MAX_DEPTH or state.get_node_count() == 0:
		return model
	var base: PackedScene = state.get_node_instance(0)
	if base != null:
		model._add_scene(ROOT, base, true, depth + 1)
	for index: int in state.get_node_count():
		model._add_node(state, index, depth + 1)
	var bundle: Dictionary = scene.get("_bundled")
	for path: NodePath in bundle.get("editable_instances", []):
		model.editable[plain(path)] = true
	model._known = {}
	known[id] = model
	return model


## The instance that keeps the scene's file from saying anything of the node; empty when none does.
func closed_by(path: String) -> String:
	var at: String = path
	while at != ROOT and entries.has(at):
		var owner: String = entries[at].owner
		if not owner.is_empty() and not editable.has(owner):
			return owner
		at = parent(at)
	return ""


## The path of what is at `below`, seen from the root when it is seen from `at`.
static func join(at: String, below: String) -> String:
	if at == ROOT:
		return below
	return at if below == ROOT or below.is_empty() else at.path_join(below)


## The path of a node's parent.
static func parent(path: String) -> String:
	var found: String = path.get_base_dir()
	return ROOT if found.is_empty() else found


## A path as descriptions write it, without the dot in front.
static func plain(path: NodePath) -> String:
	return ROOT if str(path) == ROOT else str(path).trim_prefix("./")


func _add_node(state: SceneState, index: int, depth: int) -> void:
	var path: String = plain(state.get_node_path(index))
	var scene: PackedScene = null if index == 0 else _instance(state, index)
	if scene != null:
		_add_scene(path, scene, false, depth)
	elif not state.get_node_type(index).is_empty():
		var made: Entry = Entry.new()
		made.path = path
		made.type = state.get_node_type(index)
		entries[path] = made
	if not entries.has(path):
		# The file changes a node that its instance or base does not have any more.
		return
	var entry: Entry = entries[path]
	entry.index = index
	entry.name = state.get_node_name(index)
	for number: int in state.get_node_property_count(index):
		var property: StringName = state.get_node_property_name(index, number)
		entry.own[property] = state.get_node_property_value(index, number)


func _add_scene(at: String, scene: PackedScene, is_base: bool, depth: int) -> void:
	var model: SceneModel = read(scene, depth, _known)
	for path: String in model.entries:
		var entry: Entry = model.entries[path].seen_from(at, is_base)
		if path == ROOT:
			entry.file = "" if is_base else scene.resource_path
		entries[entry.path] = entry
	for path: String in model.editable:
		editable[join(at, path)] = true


static func _instance(state: SceneState, index: int) -> PackedScene:
	if not state.is_node_instance_placeholder(index):
		return state.get_node_instance(index)
	var path: String = state.get_node_instance_placeholder(index)
	if not ResourceLoader.exists(path, "PackedScene"):
		return null
	return ResourceLoader.load(path, "PackedScene") as PackedScene
