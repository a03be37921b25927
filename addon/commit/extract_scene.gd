extends "./write_files.gd"
## Writes a branch of the edited scene as a scene of its own, and puts an instance of it in the
## branch's place. The branch itself is packed, as a save would, not a copy of it: for that moment
## its nodes have its root as owner. Nothing is left of it when something fails.

const Branch = preload("../branch.gd")
const Recorder = preload("./recorder.gd")
const Resolve = preload("../resolve.gd")
const SceneFiles = preload("../scene_files.gd")
const Structure = preload("./structure.gd")
const Touched = preload("../touched.gd")

const SETTING_COMPRESS: String = "filesystem/on_save/compress_binary_resources"

var _recorder: Recorder


func _init(disk: Disk, history: History, recorder: Recorder) -> void:
	super(disk, history)
	_recorder = recorder


## Does an "extract_scene" change: {node, path, replaces, links, references}.
func apply(planned: Result, the_call: Call) -> Result:
	var changed: Result = changed_since(planned)
	if changed != null:
		return changed
	var change: Dictionary = planned.plan.changes[0]
	var path: String = change["path"]
	var was: Variant = null
	if FileAccess.file_exists(path):
		was = FileAccess.get_file_as_bytes(path)
	var failure: Result = _write_branch(change, the_call.root)
	var swap: Swap = null
	if failure == null and change["replaces"]:
		swap = Swap.new(_recorder, change, the_call)
		failure = swap.run()
	if failure != null:
		var _problem: String = _write({"path": path, "bytes": was})
		return failure
	var told: Result = _wrote(planned, the_call)
	if swap != null:
		var on_disk: Array = told.done["on_disk"]
		told.done = swap.done
		told.done["on_disk"] = on_disk
		told.data["instance_of"] = path
	return told


static func _write_branch(change: Dictionary, root: Node) -> Result:
	var node: Node = change["node"]
	var path: String = change["path"]
	var links: Array[Branch.Link] = change["links"]
	var packed: PackedScene = PackedScene.new()
	var code: Error = _pack(packed, node, root, links)
	if code == OK:
		code = DirAccess.make_dir_recursive_absolute(path.get_base_dir())
	var flags: int = 0
	if EditorInterface.get_editor_settings().get_setting(SETTING_COMPRESS) == true:
		flags = ResourceSaver.FLAG_COMPRESS
	if code == OK:
		code = ResourceSaver.save(packed, path, flags)
	var loaded: SceneFiles.Loaded = null
	if code == OK:
		loaded = SceneFiles.load_scene(path)
	if loaded != null and loaded.scene != null and loaded.scene.can_instantiate():
		return null
	return Result.fail(
		Protocol.CODE_INTERNAL_ERROR,
		"the engine did not write %s: %s" % [path, error_string(code)],
		{"scene_path": path, "messages": [] if loaded == null else loaded.messages}
	)


static func _pack(
	packed: PackedScene, node: Node, root: Node, links: Array[Branch.Link]
) -> Error:
	var own: Array[Node] = []
	for below: Node in node.find_children("*", "", true, false):
		if below.owner == root:
			own.append(below)
	var unique: bool = node.unique_name_in_owner
	# Names that are unique in the scene stay so in the new one; its root needs none.
	node.unique_name_in_owner = false
	for link: Branch.Link in links:
		link.source.disconnect(link.name, link.callable)
	for below: Node in own:
		below.owner = node
	var code: Error = packed.pack(node)
	for below: Node in own:
		below.owner = root
	for link: Branch.Link in links:
		var _failed: int = link.source.connect(link.name, link.callable, link.flags)
	node.unique_name_in_owner = unique
	return code


## Puts the instance in the branch's place, as one action.
class Swap:
	extends RefCounted
	## What the reply says of the action.
	var done: Dictionary = {}

	var _recorder: Recorder
	var _call: Call
	var _node: Node
	var _other: Node
	var _parent: Node
	var _index: int
	var _owners: Array[Structure.Owned]
	var _path: String
	var _old: Array[Branch.Link]
	var _new: Array[Branch.Link] = []
	var _references: Array[Branch.Reference]

	func _init(recorder: Recorder, change: Dictionary, the_call: Call) -> void:
		_recorder = recorder
		_call = the_call
		_node = change["node"]
		_path = change["path"]
		_old = change["links"]
		_references = change["references"]
		_parent = _node.get_parent()
		_index = _node.get_index()
		_owners = Structure.outside(_node, Structure.owners(_node))

	## Does it. Gives null, or the failure after which all is as before.
	func run() -> Result:
		var scene: PackedScene = (
			ResourceLoader.load(_path, "PackedScene", ResourceLoader.CACHE_MODE_REPLACE)
			as PackedScene
		)
		if scene != null:
			_other = scene.instantiate(PackedScene.GEN_EDIT_STATE_INSTANCE)
		if _other == null:
			return Result.fail(
				Protocol.CODE_INTERNAL_ERROR, "the engine made no instance of %s" % _path
			)
		var was: Array[Recorder.Before] = Structure.before(_recorder, _parent)
		for crossing: Branch.Reference in _references:
			if not crossing.is_out:
				was.append(_recorder.before(crossing.holder, [crossing.property]))
		_swap()
		if not Structure.stays(_other, _parent, _call.root) or not is_instance_valid(_node):
			return Touched.removed_itself(_path).maybe_applied()
		_record(was)
		return null

	func _swap() -> void:
		var name: StringName = _node.name
		_other.unique_name_in_owner = _node.unique_name_in_owner
		for link: Branch.Link in _old:
			link.source.disconnect(link.name, link.callable)
			var made: Branch.Link = _carried(link)
			if made != null:
				_new.append(made)
		_parent.remove_child(_node)
		_other.name = name
		_parent.add_child(_other, true)
		_parent.move_child(_other, _index)
		_other.owner = _call.root
		for link: Branch.Link in _new:
			var _failed: int = link.source.connect(link.name, link.callable, link.flags)
		for crossing: Branch.Reference in _references:
			if not crossing.is_out:
				var value: Variant = crossing.holder.get(crossing.property)
				crossing.holder.set(
					crossing.property, Branch.carried_over(value, _node, _other)
				)

	# A connection that a node inside of an instance makes is not saved: it is told as lost.
	func _carried(link: Branch.Link) -> Branch.Link:
		if not link.is_out:
			var target: Node = Branch.counterpart(link.target, _node, _other)
			return null if target == null else link.between(link.source, target)
		return link.between(_other, link.target) if link.source == _node else null

	func _record(was: Array[Recorder.Before]) -> void:
		_recorder.open(_call)
		for link: Branch.Link in _old:
			_recorder.redo_step(link.source, &"disconnect", [link.name, link.callable])
		_recorder.redo_step(_parent, &"remove_child", [_node])
		var owners: Array[Structure.Owned] = Structure.outside(_other, Structure.owners(_other))
		Structure.place_steps(_recorder.redo_step, _other, _parent, _index, owners)
		for link: Branch.Link in _new:
			_recorder.redo_step(link.source, &"connect", [link.name, link.callable, link.flags])
			_recorder.undo_step(link.source, &"disconnect", [link.name, link.callable])
		_recorder.undo_step(_parent, &"remove_child", [_other])
		Structure.place_steps(_recorder.undo_step, _node, _parent, _index, _owners)
		for link: Branch.Link in _old:
			_recorder.undo_step(link.source, &"connect", [link.name, link.callable, link.flags])
		_recorder.keep_created(_other)
		_recorder.keep_removed(_node)
		_recorder.placed(_node, null, _parent)
		_recorder.placed(_other, _parent, null)
		Structure.differences(_recorder, was)
		done = _recorder.close(_call)
		var shown: Node = EditorInterface.get_inspector().get_edited_object() as Node
		if shown != null and (shown == _node or _node.is_ancestor_of(shown)):
			EditorInterface.inspect_object(null)
