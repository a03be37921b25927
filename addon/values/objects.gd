extends RefCounted
## Nodes and resources that a value names: found, loaded and checked against the declared class.
## Nothing is made here.
##
## Each function gives {"value": object}, or {"code": …, "message": …, "details": …} for a failure.

const Place = preload("./place.gd")
const Protocol = preload("../protocol.gd")
const Spec = preload("./spec.gd")

const _SCRIPT_CLASSES: PackedStringArray = [
	"", "Object", "RefCounted", "Resource", "Script", "GDScript",
]
const _MAX_LINKS: int = 16


## The node at a path that starts at place.
static func node_at(path: String, place: Place, declared: Dictionary) -> Dictionary:
	if place == null or place.node == null:
		return _invalid("a node cannot be named here", {"reason": "no_node_context"})
	var found: Node = place.find(path)
	if found == null:
		var details: Dictionary = {"node": path}
		var better: String = place.suggest(path)
		if not better.is_empty():
			details["suggestion"] = better
		return _failure(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"no node at %s in the scene, seen from the node that has the property" % path, details
		)
	return _checked(found, declared)


## The resource at a res:// path or uid://. Loading a script runs its static initialisers, so a
## script is loaded only where one is wanted.
static func resource_at(named: String, declared: Dictionary) -> Dictionary:
	var path: String = named
	if named.begins_with("uid://"):
		var id: int = ResourceUID.text_to_id(named)
		if id == ResourceUID.INVALID_ID or not ResourceUID.has_id(id):
			return _missing(named, "unknown_uid")
		path = ResourceUID.get_id_path(id)
	var fault: Dictionary = fault_of(path)
	if not fault.is_empty():
		return fault
	if path.contains("::"):
		return _sub_resource(path, declared)
	if not ResourceLoader.exists(path):
		return _missing(named, "not_a_resource" if FileAccess.file_exists(path) else "no_file")
	if path.get_extension() in ["gd", "cs"] and not _takes_scripts(declared):
		return wrong_class("a script", declared)
	var loaded: Resource = ResourceLoader.load(path)
	if loaded == null:
		return _invalid("%s does not load" % path, {"reason": "load_failed", "resource": path})
	return _checked(loaded, declared)


## The failure for a path that does not lead to a place in the project; empty for any other.
static func fault_of(path: String) -> Dictionary:
	var fault: Dictionary = _path_fault(path)
	if fault.is_empty() and _leaves_by_link(path.get_slice("::", 0)):
		fault = _outside(path, "a link on the way points elsewhere")
	return fault


## Whether an object is of a class: an engine class, a script class by its global name, or a script
## by its path.
static func is_a(object: Object, name: String) -> bool:
	if object.is_class(name):
		return true
	var script: Script = object.get_script()
	while script != null:
		if str(script.get_global_name()) == name or script.resource_path == name:
			return true
		script = script.get_base_script()
	return false


## Whether an object may stand where the declared type is.
static func fits(object: Object, declared: Dictionary) -> bool:
	var names: Array[PackedStringArray] = Spec.classes(declared)
	for left_out: String in names[1]:
		if is_a(object, left_out):
			return false
	for taken: String in names[0]:
		if is_a(object, taken):
			return true
	return names[0].is_empty()


## What an object is, as its script's global name or its engine class.
static func class_of(object: Object) -> String:
	var script: Script = object.get_script()
	while script != null:
		if not script.get_global_name().is_empty():
			return str(script.get_global_name())
		script = script.get_base_script()
	return object.get_class()


## The failure for an object of another class than declared.
static func wrong_class(got: String, declared: Dictionary) -> Dictionary:
	var expected: String = Spec.type_name(declared)
	return _invalid(
		"expected %s, got %s" % [expected, got],
		{"expected": expected, "got": got, "reason": "wrong_class"}
	)


static func _checked(object: Object, declared: Dictionary) -> Dictionary:
	if not fits(object, declared):
		return wrong_class(class_of(object), declared)
	return {"value": object}


## Sub-resources live inside a scene or resource that is loaded; they have no file of their own to
## load.
static func _sub_resource(path: String, declared: Dictionary) -> Dictionary:
	if not ResourceLoader.has_cached(path):
		return _missing(path, "sub_resource_not_loaded")
	var found: Resource = ResourceLoader.get_cached_ref(path)
	return _missing(path, "sub_resource_not_loaded") if found == null else _checked(found, declared)


static func _takes_scripts(declared: Dictionary) -> bool:
	var names: PackedStringArray = Spec.classes(declared)[0]
	if names.is_empty():
		return true
	for name: String in names:
		if name in _SCRIPT_CLASSES:
			return true
	return false


## The same rule as protocol.ParseResPath, for paths that travel inside values.
static func _path_fault(path: String) -> Dictionary:
	for segment: String in path.replace("\\", "/").split("/"):
		if segment == "..":
			return _outside(path, "it has a segment \"..\"")
	var rest: String = path.trim_prefix("res://")
	var odd: bool = rest == path or rest.is_empty() or rest.contains("\\") or path.length() > 1024
	for segment: String in rest.get_slice("::", 0).split("/"):
		odd = odd or segment.is_empty() or segment == "." or segment.contains(":")
		odd = odd or segment.ends_with(".") or segment.ends_with(" ")
	for index: int in path.length():
		var point: int = path.unicode_at(index)
		odd = odd or point < 0x20 or (point >= 0x7f and point < 0xa0)
	if odd:
		return _failure(
			Protocol.CODE_INVALID_PATH, "not a usable resource path", {"path": path.c_escape()}
		)
	return {}


## Whether a link on the way to a file leads out of the project. The target of a link is judged as
## it is written, so an absolute one has to be spelled as the project's own path is.
static func _leaves_by_link(path: String) -> bool:
	var home: String = ProjectSettings.globalize_path("res://").trim_suffix("/")
	var folder: DirAccess = DirAccess.open(home)
	var rest: PackedStringArray = path.trim_prefix("res://").split("/")
	var at: String = home
	var links: int = 0
	while not rest.is_empty():
		at = at.path_join(rest[0])
		rest.remove_at(0)
		if folder == null or not folder.is_link(at):
			continue
		links += 1
		var target: String = folder.read_link(at)
		if not target.is_absolute_path():
			target = at.get_base_dir().path_join(target)
		at = target.simplify_path()
		if links > _MAX_LINKS or not at.begins_with(home + "/"):
			return true
		# The target's own folders may be links too: walk it from the start.
		rest = at.trim_prefix(home + "/").split("/") + rest
		at = home
	return false


static func _outside(path: String, because: String) -> Dictionary:
	return _failure(
		Protocol.CODE_PATH_OUTSIDE_PROJECT,
		"the path %s leaves the project: %s" % [path, because], {"path": path}
	)


static func _missing(named: String, reason: String) -> Dictionary:
	return _failure(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"no resource at %s" % named, {"resource": named, "reason": reason}
	)


static func _invalid(message: String, details: Dictionary) -> Dictionary:
	return _failure(Protocol.CODE_VALIDATION_ERROR, message, details)


static func _failure(code: String, message: String, details: Dictionary) -> Dictionary:
	return {"code": code, "message": message, "details": details}
