extends RefCounted
## Whether two descriptions of a scene say the same, value by value. Numbers may differ by what
## their text in a file loses.

const Components = preload("./components.gd")
const Identical = preload("./values/identical.gd")
const SceneModel = preload("./scene_model.gd")

const MAX_DEPTH: int = 32
const SKIPPED: PackedStringArray = ["resource_path", "script"]


## What a description says, by the things that it says it of.
static func facts(scene: PackedScene) -> Dictionary[String, Variant]:
	var out: Dictionary[String, Variant] = {}
	var state: SceneState = scene.get_state()
	var bundle: Dictionary = scene.get("_bundled")
	var ids: PackedInt32Array = bundle.get("node_ids", PackedInt32Array())
	for index: int in state.get_node_count():
		var path: String = SceneModel.plain(state.get_node_path(index))
		var instance: PackedScene = state.get_node_instance(index)
		out[path] = [
			state.get_node_type(index),
			"" if instance == null else instance.resource_path,
			state.get_node_instance_placeholder(index),
			str(state.get_node_owner_path(index)),
			state.get_node_index(index),
			Array(state.get_node_groups(index)),
			ids[index] if index < ids.size() else 0,
		]
		for number: int in state.get_node_property_count(index):
			var property: StringName = state.get_node_property_name(index, number)
			out[key(path, property)] = state.get_node_property_value(index, number)
	out["editable"] = bundle.get("editable_instances", [])
	out["connections"] = _connections(state)
	return out


## Under which key facts() has a value.
static func key(path: String, property: StringName) -> String:
	return path + ":" + property


## The first thing of which the two do not say the same; empty when there is none.
static func difference(
	a: Dictionary[String, Variant], b: Dictionary[String, Variant]
) -> String:
	for about: String in a:
		if not b.has(about) or not equal(a[about], b[about], 0):
			return about
	for about: String in b:
		if not a.has(about):
			return about
	return ""


## Whether two values are the same. Resources with a file are when it is the same file, others when
## they hold the same.
static func equal(a: Variant, b: Variant, depth: int) -> bool:
	if depth > MAX_DEPTH:
		return true
	if a is Resource and b is Resource:
		var left: Resource = a
		var right: Resource = b
		return _same_resource(left, right, depth + 1)
	if typeof(a) != typeof(b):
		# No object is null, or an object that is none.
		return a == null and b == null
	if a is Array:
		var left: Array = a
		var right: Array = b
		return left.is_same_typed(right) and _same_lists(left, right, depth + 1)
	if a is Dictionary:
		var left: Dictionary = a
		var right: Dictionary = b
		return left.is_same_typed(right) and _same_maps(left, right, depth + 1)
	return a == b or Identical.of(a, b) or Components.nearly(a, b)


static func _same_lists(a: Array, b: Array, depth: int) -> bool:
	if a.size() != b.size():
		return false
	for index: int in a.size():
		if not equal(a[index], b[index], depth):
			return false
	return true


# A file holds the entries in an order of its own.
static func _same_maps(a: Dictionary, b: Dictionary, depth: int) -> bool:
	if a.size() != b.size():
		return false
	for key_of: Variant in a:
		var found: Variant = key_of if b.has(key_of) else _same_key(b, key_of, depth)
		if not b.has(found) or not equal(a[key_of], b[found], depth):
			return false
	return true


static func _same_key(map: Dictionary, wanted: Variant, depth: int) -> Variant:
	for key_of: Variant in map:
		if equal(wanted, key_of, depth):
			return key_of
	return wanted


static func _same_resource(a: Resource, b: Resource, depth: int) -> bool:
	if a == b:
		return true
	if _has_file(a) or _has_file(b):
		return a.resource_path == b.resource_path
	if a.get_class() != b.get_class() or a.get_script() != b.get_script():
		return false
	for info: Dictionary in a.get_property_list():
		var usage: int = info["usage"]
		var name: String = info["name"]
		if usage & PROPERTY_USAGE_STORAGE == 0 or name in SKIPPED:
			continue
		if not equal(a.get(name), b.get(name), depth):
			return false
	return true


static func _has_file(resource: Resource) -> bool:
	return not resource.resource_path.is_empty() and not resource.resource_path.contains("::")


static func _connections(state: SceneState) -> Array:
	var out: Array = []
	for index: int in state.get_connection_count():
		out.append(
			[
				state.get_connection_source(index),
				state.get_connection_signal(index),
				state.get_connection_target(index),
				state.get_connection_method(index),
				state.get_connection_flags(index),
				state.get_connection_binds(index),
				state.get_connection_unbinds(index),
			]
		)
	return out
