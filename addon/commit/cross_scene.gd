extends "./write_files.gd"
## Sets a property in the files of scenes that are not open. What it does to a node is measured on
## an instance outside of the tree, as setters change other properties too; into the file go only
## the values that changed, so that all else stays what the file says. All files or none.

const Assignments = preload("../assignments.gd")
const CrossFile = preload("../cross_file.gd")
const Identical = preload("../values/identical.gd")
const LiveInstances = preload("./live_instances.gd")
const OpenUsers = preload("../open_users.gd")
const Properties = preload("../properties.gd")
const SceneBundle = preload("../scene_bundle.gd")
const SceneFiles = preload("../scene_files.gd")
const SceneModel = preload("../scene_model.gd")
const SceneSame = preload("../scene_same.gd")

const _SECOND_MSEC: int = 1100
const _STEP_MSEC: int = 10
const SETTING_COMPRESS: String = "filesystem/on_save/compress_binary_resources"


## A file and what it is going to hold.
class Work:
	extends RefCounted
	## The file.
	var file: CrossFile
	## Its new content.
	var scene: PackedScene
	## What that says, in the form of scene_same.gd.
	var facts: Dictionary[String, Variant]
	## Its uid.
	var uid: int


## Does a "cross_scene" change: {files, users}.
func apply(planned: Result, the_call: Call) -> Result:
	var changed: Result = changed_since(planned)
	if changed != null:
		return changed
	var files: Array[CrossFile] = planned.plan.changes[0]["files"]
	var works: Array[Work] = []
	for file: CrossFile in files:
		var failure: Result = _measure(file)
		if failure != null:
			return failure.with_detail("scene_path", file.path)
		if file.has_difference():
			works.append(_work(file))
	var users: OpenUsers = planned.plan.changes[0]["users"]
	if not users.is_empty():
		_let_a_second_begin(works)
	var failed: Result = _save_all(works)
	return _wrote(planned, the_call) if failed == null else failed


# The editor makes the instances in an open scene anew when their file has another time than the one
# that they were made from, in whole seconds. Without that its next save would write the change into
# the open scene too, so a file that was written in this very second has to wait for the next.
static func _let_a_second_begin(works: Array[Work]) -> void:
	var until: int = Time.get_ticks_msec() + _SECOND_MSEC
	for work: Work in works:
		var written: int = FileAccess.get_modified_time(work.file.path)
		while int(Time.get_unix_time_from_system()) == written and Time.get_ticks_msec() < until:
			OS.delay_msec(_STEP_MSEC)


# Applies the values to an instance of the scene and notes which stored properties they change.
static func _measure(file: CrossFile) -> Result:
	var root: Node = file.scene.instantiate(PackedScene.GEN_EDIT_STATE_MAIN)
	if root == null:
		return Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "%s cannot be instantiated" % file.path
		)
	var properties: Properties = Properties.new()
	var failure: Result = null
	for target: CrossFile.Target in file.targets:
		if target.is_changed and failure == null:
			failure = _measure_target(root, target, properties)
	properties.clear()
	if is_instance_valid(root):
		root.free()
	return failure


static func _measure_target(
	root: Node, target: CrossFile.Target, properties: Properties
) -> Result:
	var path: String = target.entry.path
	var node: Node = root if path == SceneModel.ROOT else root.get_node_or_null(path)
	if node == null:
		return Result.fail(
			Protocol.CODE_INTERNAL_ERROR, "the engine makes no node at %s" % path
		).with_detail("node_path", path)
	var before: Dictionary[StringName, Variant] = properties.snapshot(node)
	var failure: Result = Assignments.apply(node, target.values, properties)
	if failure != null:
		return failure.with_detail("node_path", path)
	target.before = before
	target.after.clear()
	# Some properties are stored only once they are set.
	properties.forget(node.get_instance_id())
	var after: Dictionary[StringName, Variant] = properties.snapshot(node)
	var names: Array[StringName] = target.values.keys()
	names.append_array(after.keys())
	for property: StringName in names:
		if not after.has(property) or target.after.has(property):
			continue
		if before.has(property) and Identical.of(before[property], after[property]):
			continue
		if _holds_node(after[property]):
			return _names_nodes(property).with_detail("node_path", path)
		target.after[property] = after[property]
	target.listing = properties.of(node)
	return null


static func _holds_node(value: Variant) -> bool:
	if value is Array:
		for element: Variant in value:
			if _holds_node(element):
				return true
	return value is Node


static func _names_nodes(property: StringName) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"the call would change %s, which holds nodes" % property,
		{"property": str(property), "reason": "no_node_context"}
	).with_hint("open_scene the scene and set it there")


static func _work(file: CrossFile) -> Work:
	var made: Work = Work.new()
	made.file = file
	made.uid = ResourceLoader.get_resource_uid(file.path)
	var bundle: SceneBundle = SceneBundle.new(file.scene)
	for target: CrossFile.Target in file.targets:
		var order: Array[StringName] = []
		order.assign(target.listing.info.keys())
		var node: int = target.entry.index
		for property: StringName in target.after:
			var value: Variant = target.after[property]
			var under: Variant = target.underlying(property)
			if under != null and Identical.of(under, value):
				if node >= 0:
					bundle.erase_value(node, property)
				continue
			if node < 0:
				node = bundle.add_node(target.entry.path)
			bundle.set_value(node, property, value, order)
	made.scene = bundle.packed()
	made.facts = SceneSame.facts(made.scene)
	return made


static func _save_all(works: Array[Work]) -> Result:
	var before: Array[Dictionary] = []
	for work: Work in works:
		var path: String = work.file.path
		before.push_front({"path": path, "bytes": FileAccess.get_file_as_bytes(path)})
		var failure: Result = _save(work)
		if failure == null:
			continue
		var whole: bool = true
		for old: Dictionary in before:
			whole = _write(old).is_empty() and whole
			EditorInterface.get_resource_filesystem().update_file(str(old["path"]))
		var _itself: Result = failure.with_detail("restored", whole)
		return failure if whole else failure.maybe_applied()
	return null


# The failure; null when the file says what it has to. The editor's FileAccess writes beside the
# file and renames.
static func _save(work: Work) -> Result:
	var path: String = work.file.path
	var flags: int = 0
	if EditorInterface.get_editor_settings().get_setting(SETTING_COMPRESS) == true:
		flags = ResourceSaver.FLAG_COMPRESS
	var code: Error = ResourceSaver.save(work.scene, path, flags)
	if code != OK:
		return _unwritten(path, error_string(code))
	var loaded: SceneFiles.Loaded = SceneFiles.load_scene(path)
	if loaded.scene == null:
		return _unwritten(path, "it does not load: %s" % "; ".join(loaded.messages.slice(0, 3)))
	if work.uid != ResourceUID.INVALID_ID and ResourceLoader.get_resource_uid(path) != work.uid:
		return _unwritten(path, "its uid would be another one")
	var about: String = SceneSame.difference(work.facts, SceneSame.facts(loaded.scene))
	if not about.is_empty():
		return _unwritten(path, "%s does not read back as it should" % about)
	return _read_back(work.file, loaded.scene)


static func _unwritten(path: String, problem: String) -> Result:
	return Result.fail(
		Protocol.CODE_INTERNAL_ERROR,
		"%s could not be written: %s" % [path, problem],
		{"scene_path": path}
	)


# Whether the nodes that the new file makes have what was measured: the order in which values are
# set is the file's then.
static func _read_back(file: CrossFile, scene: PackedScene) -> Result:
	var root: Node = scene.instantiate(PackedScene.GEN_EDIT_STATE_MAIN)
	if root == null:
		return _unwritten(file.path, "it cannot be instantiated")
	var failure: Result = null
	var properties: Properties = Properties.new()
	for target: CrossFile.Target in file.targets:
		var path: String = target.entry.path
		var node: Node = root if path == SceneModel.ROOT else root.get_node_or_null(path)
		for property: StringName in target.after:
			if node == null or not SceneSame.equal(target.after[property], node.get(property), 0):
				failure = _not_kept(file.path, path, property)
		if node != null:
			target.shown = Assignments.shown(node, target.values.keys(), properties)
	properties.clear()
	root.free()
	return failure


static func _not_kept(file: String, path: String, property: StringName) -> Result:
	return Result.fail(
		Protocol.CODE_VALUE_REJECTED,
		"%s does not keep the value when its file is read" % property,
		{"scene_path": file, "node_path": path, "property": str(property)}
	)


func _after(planned: Result, _the_call: Call) -> Result:
	var change: Dictionary = planned.plan.changes[0]
	var files: Array[CrossFile] = change["files"]
	for file: CrossFile in files:
		if ResourceLoader.has_cached(file.path):
			# Into the object that others hold: what is instanced from now on is the new content.
			var _same: Resource = ResourceLoader.load(
				file.path, "", ResourceLoader.CACHE_MODE_REPLACE
			)
		_disk.remember(file.path)
	var rows: Array[Dictionary] = planned.data["scenes"]
	for row: Dictionary in rows:
		for file: CrossFile in files:
			if row["scene_path"] == file.path:
				row.merge(file.row(), true)
	var users: OpenUsers = change["users"]
	if not users.is_empty():
		planned.data["open_scenes"] = LiveInstances.update(users)
	return planned
