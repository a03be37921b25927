extends RefCounted
## The editor as the router sees it: makes calls, runs handlers, commits, and tells the state. The
## router knows nothing else of the editor, and nothing in here knows of ids, ledger or frames of
## the link.

## Another scene is edited, or none.
signal scene_changed
## Files of the project appeared, changed or went.
signal filesystem_changed
## Other nodes are selected.
signal selection_changed

const AllCommits = preload("./commit/all_commits.gd")
const AllHandlers = preload("./handlers/all_handlers.gd")
const Call = preload("./call.gd")
const Commands = preload("./commands.gd")
const Commit = preload("./commit.gd")
const Fingerprint = preload("./fingerprint.gd")
const Parts = preload("./parts.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Scenes = preload("./scenes.gd")
const StaleScripts = preload("./stale_scripts.gd")


# The editor opens the scenes of the last time in the frame in which its first scan is over.
const _QUIET_FRAMES: int = 2

var _commit: Commit = Commit.new()
var _parts: Parts = Parts.new()
var _handlers: Dictionary[String, RefCounted] = {}
var _quiet_frames: int = 0


## Builds all parts and starts watching the editor.
func setup(undo: EditorUndoRedoManager) -> void:
	_parts.setup(undo)
	AllCommits.register(_commit, _parts)
	_commit.plan_with(call_handler)
	for handler: RefCounted in AllHandlers.make(_parts):
		_add_handler(handler)
	var _d: int = _parts.scenes.saved_state_lost.connect(_commit.mark_unsaved)
	var _a: int = _parts.watch.scene_changed.connect(_on_scene_changed)
	var _b: int = _parts.watch.filesystem_changed.connect(filesystem_changed.emit)
	var _c: int = _parts.watch.selection_changed.connect(selection_changed.emit)


## Stops watching and lets everything go.
func teardown() -> void:
	_parts.teardown()
	_handlers.clear()


## True when the editor has come up: its first scan is over and the scenes of the last time are open
## again, so that it will not switch away from what a call has opened.
func is_ready() -> bool:
	return _quiet_frames >= _QUIET_FRAMES


## Looks around. To be called each frame.
func frame() -> void:
	if not is_ready() and not EditorInterface.get_resource_filesystem().is_scanning():
		_quiet_frames += 1
	_parts.frame()


## The names of all commands, sorted: the handlers' public methods.
func commands() -> PackedStringArray:
	var names: PackedStringArray = PackedStringArray(_handlers.keys())
	names.sort()
	return names


## The call that a request asks for, as data.call, or why it cannot be made: wrong scene, no scene.
func make_call(request: Dictionary) -> Result:
	var the_call: Call = Call.new()
	the_call.command = request.get("command", "")
	the_call.phase = request.get("phase", Protocol.PHASE_QUERY)
	the_call.action = request.get("action", "")
	the_call.params = request.get("params", {})
	var asked: String = Scenes.path_of(str(request.get("scene", "")))
	the_call.root = _root_for(the_call, asked)
	if the_call.root != null:
		the_call.scene = Scenes.id_of(the_call.root)
	var wrong: Result = _wrong_scene(the_call, asked)
	return Result.good({"call": the_call}) if wrong == null else wrong


## What the command's handler says; null when the handler died.
func call_handler(the_call: Call) -> Result:
	var given: Variant = _handlers[the_call.command].call(the_call.command, the_call)
	var result: Result = given if given is Result else null
	if result == null or the_call.root == null:
		return result
	var stale: Result = StaleScripts.refusal(result.plan, the_call.root)
	return result if stale == null else stale


## Carries a plan out. The Result has done, or is pending, or is a failure.
func apply(planned: Result, the_call: Call) -> Result:
	var applied: Result = _commit.apply(planned, the_call)
	# Before the answer goes out: whoever has it may change the files.
	_parts.disk.look_at_named(the_call.params)
	return _complete(applied)


## Remembers what a plan that was carried out has changed. To be called before anything else
## happens.
func note() -> void:
	_commit.note()


## True when nothing else may run in the frame in which this plan is carried out.
func ends_frame(planned: Result) -> bool:
	return _commit.ends_frame(planned.plan)


## The plan in the form of protocol.Plan, without its fingerprint.
func report(planned: Result) -> Dictionary:
	return {} if planned.plan == null else planned.plan.report()


## The state that a plan was made on, in the form of protocol.Fingerprint (all but the editor's id,
## which the router knows).
func fingerprint(planned: Result, the_call: Call) -> Dictionary:
	return {
		"scene": the_call.scene,
		"rev": _parts.history.revision,
		"unsaved": _parts.scenes.is_dirty(the_call.root),
		"target": Fingerprint.of_targets(the_call.root, planned.plan.targets),
	}


## The edited scene, the revision, and whether the scene is unsaved.
func state() -> Dictionary:
	var root: Node = Scenes.edited()
	return {
		"scene": edited_scene(),
		"rev": _parts.history.revision,
		"scene_dirty": _parts.scenes.is_dirty(root),
	}


## The edited scene's id; empty when no scene is open.
func edited_scene() -> String:
	return Scenes.edited_id()


## True when the open scene has unsaved changes that had this root, under whatever path it is now,
## or else that has this id; without an id, the edited scene. A scene that is closed has none.
func is_dirty(scene: String, root: int) -> bool:
	var found: Node = instance_from_id(root) as Node if is_instance_id_valid(root) else null
	if not EditorInterface.get_open_scene_roots().has(found):
		found = Scenes.edited() if scene.is_empty() else Scenes.find(scene)
	return _parts.scenes.is_dirty(found)


## The id of the root of the open scene of this id; 0 when there is none.
func root_id(scene: String) -> int:
	var root: Node = Scenes.find(scene)
	return 0 if root == null else root.get_instance_id()


func _add_handler(handler: RefCounted) -> void:
	var script: Script = handler.get_script()
	for method: Dictionary in script.get_script_method_list():
		var name: String = method["name"]
		if not name.begins_with("_") and not name.begins_with("@"):
			_handlers[name] = handler


func _complete(result: Result) -> Result:
	if result.pending.is_valid():
		var inner: Callable = result.pending
		result.pending = func() -> Result: return _complete_later(inner)
	elif result.ok:
		result.done["scene_dirty"] = _parts.scenes.is_dirty(Scenes.edited())
	return result


func _complete_later(inner: Callable) -> Result:
	var given: Result = inner.call()
	return null if given == null else _complete(given)


# Reads may be for any open scene; everything else is for the edited one.
func _root_for(the_call: Call, asked: String) -> Node:
	if asked.is_empty() or the_call.command in Commands.FOR_ANY_SCENE:
		return Scenes.edited()
	return Scenes.find(asked)


# That no scene is open goes first: which one the call names tells nothing then.
func _wrong_scene(the_call: Call, asked: String) -> Result:
	if the_call.command in Commands.FOR_ANY_SCENE:
		return null
	if the_call.root == null and (asked.is_empty() or Scenes.open_ids().is_empty()):
		return (
			Result.fail(Protocol.CODE_PRECONDITION_FAILED, "no scene is open in the editor")
			.needs("active_scene")
			.with_hint("open one with open_scene, or make one with create_scene")
		)
	var reads: bool = the_call.phase == Protocol.PHASE_QUERY
	if the_call.root == null or not (asked.is_empty() or reads or _is_edited(the_call.root)):
		return Result.fail(
			Protocol.CODE_SCENE_MISMATCH,
			"the call is for %s, and %s is edited" % [asked, _named(Scenes.edited_id())],
			{"active": Scenes.edited_id(), "asked": asked, "open": Scenes.open_ids()}
		).with_hint(Scenes.way_to(asked))
	if not reads and not _is_edited(the_call.root):
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"the editor is between two scenes: nothing can be changed now",
				{"scene": the_call.scene}
			)
			.needs("active_scene")
			.with_hint("call again")
		)
	return null


static func _is_edited(root: Node) -> bool:
	return Scenes.is_active(root)


static func _named(id: String) -> String:
	return "no scene" if id.is_empty() else id


func _on_scene_changed() -> void:
	_parts.history.bump()
	scene_changed.emit()
