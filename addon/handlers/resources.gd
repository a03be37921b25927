extends RefCounted
## Resources: read, made as files, changed in memory, saved. Everything is refused or decided here;
## the commit only does what the plan says.

const Assignments = preload("../assignments.gd")
const Call = preload("../call.gd")
const Disk = preload("../disk.gd")
const NodeTypes = preload("../node_types.gd")
const Persistence = preload("../persistence.gd")
const Plan = preload("../plan.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const ResourceEdits = preload("../resource_edits.gd")
const ResourceFacts = preload("../resource_facts.gd")
const ResourceMemory = preload("../resource_memory.gd")
const ResourceRules = preload("../persistence/resources.gd")
const ResourceTarget = preload("../resource_target.gd")
const ResourceTypes = preload("../resource_types.gd")
const Result = preload("../result.gd")
const SaveFiles = preload("../save_files.gd")
const SaveRefusals = preload("../save_refusals.gd")
const Scenes = preload("../scenes.gd")

const FORMATS: PackedStringArray = ["tres", "res"]

var _disk: Disk
var _edits: ResourceEdits
var _facts: ResourceFacts
var _save_files: SaveFiles


func _init(disk: Disk, save_files: SaveFiles, properties: Properties) -> void:
	_disk = disk
	_save_files = save_files
	_edits = ResourceEdits.new(properties)
	_facts = ResourceFacts.new(disk, save_files, properties)


## Reads a resource file: resource_path, sub_resource, all, offset, limit.
func read_resource_file(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("resource_path"))
	var found: Result = ResourceTarget.in_file(path, the_call.text("sub_resource"))
	if not found.ok:
		return found
	var target: ResourceTarget = found.data["target"]
	return Result.good(
		_facts.of(
			path, target, the_call.flag("all"),
			the_call.number("offset", 0), the_call.number("limit", 200)
		)
	)


## Plans a new resource file: resource_type, resource_path, properties, overwrite.
func create_resource(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("resource_path"))
	var found: Result = ResourceTypes.find(the_call.text("resource_type"))
	if not found.ok:
		return found
	var kind: NodeTypes.Kind = found.data["kind"]
	var wrong: Result = _bad_place(path, kind, the_call.flag("overwrite"))
	if wrong != null:
		return wrong
	var read: Result = Assignments.of_call(the_call)
	if not read.ok:
		return read
	var wires: Dictionary[String, Variant] = read.data["wires"]
	var listing: Properties.Listing = NodeTypes.listing(kind, wires.keys())
	wrong = ResourceEdits.refused(wires)
	if wrong != null:
		return wrong
	var decoded: Result = Assignments.decode(wires, listing, kind.name, null)
	if not decoded.ok:
		return decoded
	var values: Dictionary[StringName, Variant] = decoded.data["values"]
	wrong = _not_stored(values, listing)
	if wrong != null:
		return wrong
	var plan: Plan = _file_plan(path)
	var _itself: RefCounted = plan.change(
		"create_resource", {"native": kind.native, "script": kind.code, "values": values}
	)
	var data: Dictionary = {
		"resource_path": path, "type": kind.name, "overwritten": FileAccess.file_exists(path),
	}
	if not values.is_empty():
		data["properties"] = Assignments.shown_planned(values, listing, null)
	return Result.planned(plan, data)


## Plans property changes in memory: resource_path with sub_resource, or node_path with
## node_property and make_unique; property with value, or properties.
func set_resource_property(the_call: Call) -> Result:
	return _edits.of_call(the_call)


## Plans writing an edited resource to its file: resource_path.
func save_resource(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("resource_path"))
	var found: Result = ResourceTarget.load_file(path, "resource_path")
	if not found.ok:
		return found
	var resource: Resource = found.data["resource"]
	if resource is PackedScene:
		return _invalid("resource_path", "is_scene", "%s is a scene" % path).with_hint(
			"save_scene saves scenes"
		)
	if Persistence.is_imported(path):
		return _imported(path)
	if not ResourceMemory.is_unsaved(_save_files, resource, path):
		return Result.fail(
			Protocol.CODE_NOTHING_TO_SAVE,
			"%s has no unsaved changes" % path,
			{"resource_path": path}
		)
	var changed: Array[Dictionary] = _disk.changed([path], [])
	if not changed.is_empty():
		return SaveRefusals.disk_changed(changed, path)
	var plan: Plan = _file_plan(path)
	var _itself: RefCounted = plan.change("save_resource", {"resource": resource})
	return Result.planned(plan, {"resource_path": path})


static func _bad_place(path: String, kind: NodeTypes.Kind, overwrite: bool) -> Result:
	if not path.get_extension() in FORMATS:
		return _invalid(
			"resource_path", "extension", "resource_path must end in .tres or .res"
		).with_detail("expected", Array(FORMATS))
	if DirAccess.dir_exists_absolute(path):
		return _invalid("resource_path", "is_folder", "%s is a folder" % path)
	if not FileAccess.file_exists(path):
		return null
	if not overwrite:
		return Result.fail(
			Protocol.CODE_ALREADY_EXISTS,
			"%s exists already" % path,
			{"path": path, "sha256": Disk.sha256(path)}
		)
	if Persistence.is_imported(path):
		return _imported(path)
	var cached: Resource = null
	if ResourceLoader.has_cached(path):
		cached = ResourceLoader.get_cached_ref(path)
	if cached != null and (cached.get_class() != kind.native or cached.get_script() != kind.code):
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"%s is in use as a %s" % [path, cached.get_class()],
				{"path": path, "type": cached.get_class()}
			)
			.needs("resource_not_loaded")
			.with_hint("choose another path; find_references shows what uses this one")
		)
	return null


static func _not_stored(
	values: Dictionary[StringName, Variant], listing: Properties.Listing
) -> Result:
	for property: StringName in values:
		if not ResourceRules.is_stored(listing, property):
			return _invalid(
				property, "property_not_stored", "%s is not stored in files" % property
			)
	return null


static func _file_plan(path: String) -> Plan:
	var plan: Plan = Plan.new()
	plan.targets = [path]
	plan.undoable = false
	plan.add_effect(Protocol.EFFECT_TOUCHES_DISK)
	plan.files.append({"path": path, "sha256": Disk.sha256(path)})
	return plan


static func _imported(path: String) -> Result:
	return _invalid("resource_path", "imported", "%s is made by the importer" % path).with_hint(
		"create_resource makes a resource of your own"
	)


static func _invalid(parameter: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR, message, {"parameter": parameter, "reason": reason}
	)
