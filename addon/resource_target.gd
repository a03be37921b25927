extends RefCounted
## The resource that a call names: a file, a resource inside that file, or what a node's property
## holds. Scripts are left to the tools for scripts.

const LoadProbe = preload("./load_probe.gd")
const NearFiles = preload("./near_files.gd")
const Protocol = preload("./protocol.gd")
const Resolve = preload("./resolve.gd")
const ResourceTarget = preload("./resource_target.gd")
const Result = preload("./result.gd")
const Scenes = preload("./scenes.gd")

const MAX_DEPTH: int = 8
const SCENES: PackedStringArray = ["tscn", "scn"]
const SCRIPTS: PackedStringArray = ["gd", "cs"]

## The resource itself.
var resource: Resource = null
## Itself first, then each resource that holds the one before it.
var chain: Array[Resource] = []
## The properties on the way: the node's first, then those of the resources in it.
var way: PackedStringArray = PackedStringArray()
## The node that was named; null for a resource named by its file.
var node: Node = null


## How replies name it: its path, or else the node and the way to it.
func name(root: Node) -> String:
	if not resource.resource_path.is_empty():
		return resource.resource_path
	return Resolve.path_of(root, node) + ":" + ":".join(way)


## The resource of a file, or with `inside` the one of that id in it: data.target.
static func in_file(path: String, inside: String) -> Result:
	var loaded: Result = load_file(path, "resource_path")
	if not loaded.ok:
		return loaded
	var main: Resource = loaded.data["resource"]
	var target: ResourceTarget = ResourceTarget.new()
	target.resource = main
	target.chain = [main]
	if inside.is_empty():
		return Result.good({"target": target})
	var full: String = path + "::" + inside
	var found: Resource = null
	if ResourceLoader.has_cached(full):
		found = ResourceLoader.get_cached_ref(full)
	if found == null:
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"%s holds no loaded resource with the id %s" % [path, inside],
			{"resource_path": path, "sub_resource": inside}
		).with_hint(
			"read_resource_file lists the ids; a scene's resources are loaded while it is open"
		)
	target.resource = found
	target.chain = [found, main]
	return Result.good({"target": target})


## What a node's property holds, or with "a:b" what property b of that resource holds: data.target.
static func in_node(root: Node, path: String, property: String) -> Result:
	var at: Node = Resolve.find(root, path)
	if at == null:
		return Resolve.missing(root, path)
	var target: ResourceTarget = ResourceTarget.new()
	var held: Object = at
	var steps: PackedStringArray = property.split(":")
	var chain_of: Array[Resource] = []
	for step: String in steps:
		var value: Variant = held.get(step)
		if not value is Resource or chain_of.size() >= MAX_DEPTH:
			return _holds_none(held, step, value)
		held = value
		chain_of.push_front(value)
	target.resource = chain_of[0]
	target.chain = chain_of
	target.way = steps
	target.node = at
	return Result.good({"target": target})


## The resource of a file: data.resource, as the editor has it in memory.
static func load_file(path: String, parameter: String) -> Result:
	var wrong: Result = missing(path, parameter)
	if wrong != null:
		return wrong
	if path.get_extension().to_lower() in SCRIPTS:
		return _refuse(parameter, path, "is_script", "%s is a script" % path).with_hint(
			"the scripts tools (scripts_read, scripts_patch) are made for it"
		)
	if not ResourceLoader.exists(path):
		return _refuse(parameter, path, "not_a_resource", "%s is no resource file" % path)
	var probe: LoadProbe = LoadProbe.new()
	OS.add_logger(probe)
	var loaded: Resource = ResourceLoader.load(path)
	OS.remove_logger(probe)
	if loaded == null:
		var messages: Array[String] = probe.messages()
		return _refuse(
			parameter, path, "load_failed",
			"%s does not load: %s" % [path, "; ".join(messages.slice(0, 3))]
		).with_detail("messages", messages).with_hint("mend the file, or what it needs")
	return Result.good({"resource": loaded})


## The failure for a path without a file, with similar files; null when there is one.
static func missing(path: String, parameter: String) -> Result:
	if FileAccess.file_exists(path):
		return null
	if DirAccess.dir_exists_absolute(path):
		return _refuse(parameter, path, "is_folder", "%s is a folder" % path)
	return Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"no file at %s" % path,
		{"parameter": parameter, "path": path, "near": NearFiles.of(path)}
	).with_hint("give the path of a file that exists; details.near has similar ones")


static func _holds_none(held: Object, property: String, value: Variant) -> Result:
	var holders: Array[String] = []
	for info: Dictionary in held.get_property_list():
		if held.get(str(info["name"])) is Resource and info["name"] != "script":
			holders.append(str(info["name"]))
	return Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"%s of the %s holds no resource" % [property, held.get_class()],
		{
			"parameter": "node_property", "property": property,
			"holds": type_string(typeof(value)), "resources": holders,
		}
	).with_hint("details.resources lists its properties that hold one")


static func _refuse(parameter: String, path: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		message,
		{"parameter": parameter, "reason": reason, "path": path}
	)
