extends RefCounted
## Plans of one property in the files of many scenes that are not open. What a file says is read
## from its description; a scene that cannot be changed refuses the whole call.

const Assignments = preload("./assignments.gd")
const Call = preload("./call.gd")
const CrossFile = preload("./cross_file.gd")
const Cycles = preload("./cycles.gd")
const NodeTypes = preload("./node_types.gd")
const Objects = preload("./values/objects.gd")
const OpenUsers = preload("./open_users.gd")
const Openable = preload("./openable.gd")
const Persistence = preload("./persistence.gd")
const Plan = preload("./plan.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const SaveRefusals = preload("./save_refusals.gd")
const SaveTarget = preload("./save_target.gd")
const SceneFiles = preload("./scene_files.gd")
const SceneModel = preload("./scene_model.gd")
const Scenes = preload("./scenes.gd")
const Stored = preload("./persistence/stored.gd")
const TextFilter = preload("./text_filter.gd")
const TypeFilter = preload("./type_filter.gd")
const Values = preload("./values.gd")

## The name of the applier.
const OP: String = "cross_scene"
## Properties that only a node in the tree has: a parent outside of it has no size.
const IN_TREE: Dictionary[StringName, Array] = {
	&"Control": [&"position", &"size"],
}

var _filter: TypeFilter = null
var _pattern: String = ""
var _property: StringName = &""
var _wire: Variant = null
var _files: Array[CrossFile] = []
var _matched: int = 0


## The plan: scenes, node_type, node_pattern, property, value.
func plan(the_call: Call) -> Result:
	_property = the_call.text("property")
	_wire = the_call.params.get("value")
	var wrong: Result = _take_filters(the_call)
	if wrong == null:
		wrong = _take_files(the_call)
	if wrong == null:
		wrong = _take_targets()
	return _planned() if wrong == null else wrong


func _take_filters(the_call: Call) -> Result:
	if str(_property).contains(":"):
		return _invalid(
			"property", "whole_property", "%s is a part of a value" % _property
		).with_hint("give the whole property: %s" % str(_property).get_slice(":", 0))
	var type: String = the_call.text("node_type")
	_pattern = the_call.text("node_pattern")
	if type.is_empty() and _pattern.is_empty():
		return _invalid("node_type", "which_nodes", "give node_type, node_pattern or both")
	if type.is_empty():
		return null
	_filter = TypeFilter.new()
	var known: Result = _filter.setup(type)
	return null if known.ok else known.with_detail("parameter", "node_type")


func _take_files(the_call: Call) -> Result:
	var paths: PackedStringArray = PackedStringArray()
	var given: Array = the_call.params.get("scenes", [])
	for named: Variant in given:
		var path: String = Scenes.path_of(str(named))
		if not paths.has(path):
			var _full: bool = paths.append(path)
	if paths.is_empty():
		return _invalid("scenes", "no_scenes", "scenes names no scene").with_hint(
			"list_scenes shows the scene files"
		)
	for path: String in paths:
		var wrong: Result = _refusal(path)
		if wrong != null:
			return wrong.with_detail("scene_path", path)
		var file: CrossFile = CrossFile.new()
		file.path = path
		file.scene = SceneFiles.load_scene(path).scene
		file.model = SceneModel.read(file.scene)
		_files.append(file)
	return null


static func _refusal(path: String) -> Result:
	var fault: Dictionary = Objects.fault_of(path)
	if not fault.is_empty():
		return Result.fail(str(fault["code"]), str(fault["message"]))
	if path.contains("::"):
		return Result.fail(Protocol.CODE_INVALID_PATH, "%s is no project file" % path)
	if EditorInterface.get_open_scenes().has(path):
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"%s is open in the editor; no file was changed" % path
			)
			.needs("scene_not_open")
			.with_hint("close_scene it, or leave it out and use batch_set_property in it")
		)
	var wrong: Result = SaveTarget.of_path(path)
	if wrong == null:
		wrong = Openable.refusal(path)
	return SaveTarget.protected(path) if wrong == null else wrong


func _take_targets() -> Result:
	for file: CrossFile in _files:
		for path: String in file.model.entries:
			var entry: SceneModel.Entry = file.model.entries[path]
			if not _matches(entry):
				continue
			_matched += 1
			var verdict: Dictionary = Persistence.of_file_node(file.path, file.model, path)
			if verdict["persisted"] == false:
				file.skipped.append(
					{
						"node_path": path, "persisted": false,
						"reason": verdict["reason"], "hint": verdict["hint"],
					}
				)
				continue
			var wrong: Result = _add_target(file, entry, verdict)
			if wrong != null:
				var _b: Result = wrong.with_detail("scene_path", file.path)
				return wrong.with_detail("node_path", path)
	return null


func _matches(entry: SceneModel.Entry) -> bool:
	if not ClassDB.class_exists(entry.type):
		return false
	if _filter != null and not _filter.matches_kind(entry.type, entry.script()):
		return false
	if _pattern.is_empty():
		return true
	var whole: bool = _pattern.contains("/") or _pattern == SceneModel.ROOT
	return TextFilter.new(_pattern).matches(entry.path if whole else entry.name)


func _add_target(
	file: CrossFile, entry: SceneModel.Entry, verdict: Dictionary
) -> Result:
	var target: CrossFile.Target = CrossFile.Target.new()
	target.entry = entry
	target.verdict = verdict
	target.kind.native = entry.type
	target.kind.code = entry.script()
	target.kind.name = _class_name(target.kind)
	target.listing = NodeTypes.listing(target.kind, [str(_property)])
	var decoded: Result = Assignments.decode(
		{str(_property): _wire}, target.listing, target.kind.name, null
	)
	if not decoded.ok:
		return decoded
	target.values = decoded.data["values"]
	var wrong: Result = _not_stored(target)
	if wrong == null:
		wrong = Cycles.of_file_values(file.path, target.values)
	if wrong == null:
		target.is_changed = not target.has_already()
		file.targets.append(target)
	return wrong


static func _class_name(kind: NodeTypes.Kind) -> String:
	var at: Script = kind.code
	while at != null:
		if not at.get_global_name().is_empty():
			return at.get_global_name()
		at = at.get_base_script()
	return kind.native


func _not_stored(target: CrossFile.Target) -> Result:
	var type: StringName = target.kind.native
	if Stored.of_class(type, target.listing, _property) != Stored.Kept.ALL:
		return _invalid(
			_property, "property_not_stored", "%s is not stored in scene files" % _property
		).with_hint("set a stored property; get_persistence tells of one in an open scene")
	var needs_tree: bool = _property.begins_with("global_")
	for native: StringName in IN_TREE:
		needs_tree = needs_tree or (
			ClassDB.is_parent_class(type, native) and IN_TREE[native].has(_property)
		)
	if not needs_tree:
		return null
	var others: PackedStringArray = PackedStringArray(Stored.through_class(type, _property))
	return _invalid(
		_property, "needs_open_scene",
		"%s follows from what is around the node, which only an open scene has" % _property
	).with_hint(
		"set what is stored (%s), or open_scene it and set it there" % ", ".join(others)
	)


func _planned() -> Result:
	var made: Plan = Plan.new()
	made.undoable = false
	var changed: Array[CrossFile] = []
	for file: CrossFile in _files:
		for target: CrossFile.Target in file.targets:
			var _full: bool = made.targets.append(str(target.verdict["target"]))
			made.verdicts.append(target.verdict)
		if file.is_changed():
			changed.append(file)
			made.files.append(SaveRefusals.state(file.path))
	if made.targets.is_empty():
		return _nothing_there()
	var data: Dictionary = {
		"property": str(_property),
		"matched": _matched,
		"changed": not changed.is_empty(),
		"files_changed": changed.size(),
		"scenes": _rows(),
	}
	if not changed.is_empty():
		made.add_effect(Protocol.EFFECT_TOUCHES_DISK)
		var users: OpenUsers = OpenUsers.of(changed)
		if not users.is_empty():
			made.add_effect(Protocol.EFFECT_CHANGES_VIEW)
			data["open_scenes"] = users.rows()
		var _itself: RefCounted = made.change(OP, {"files": changed, "users": users})
	return Result.planned(made, data)


func _rows() -> Array[Dictionary]:
	var rows: Array[Dictionary] = []
	for file: CrossFile in _files:
		rows.append(file.row())
	return rows


func _nothing_there() -> Result:
	var skipped: Array[Dictionary] = []
	for file: CrossFile in _files:
		for row: Dictionary in file.skipped:
			skipped.append({"scene_path": file.path}.merged(row))
	var failure: Result = Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"no node of these scenes fits" if skipped.is_empty()
		else "all nodes that fit belong to instances that these scenes cannot change"
	)
	if skipped.is_empty():
		return failure.with_hint("open_scene one of them: find_nodes shows which nodes there are")
	var _itself: Result = failure.with_hint("name the scenes of the instances: details.skipped")
	return failure.with_detail("skipped", skipped.slice(0, CrossFile.MAX_SHOWN))


static func _invalid(parameter: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR, message, {"parameter": parameter, "reason": reason}
	)
