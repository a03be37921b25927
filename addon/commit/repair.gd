extends RefCounted
## Rewrites the references that a structural edit would break, and writes that down as part of the
## edit's own action.

const Found = preload("../references/found.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const Recorder = preload("./recorder.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")

var _recorder: Recorder
var _found: Found
var _was: Array[Recorder.Before] = []
var _paths: Array[NodePath] = []


## Remembers what is there, before the edit.
func _init(recorder: Recorder, found: Found) -> void:
	_recorder = recorder
	_found = found
	for update: Found.Update in found.updates:
		if update.track < 0:
			_was.append(recorder.pin(update.object, [update.property]))
			_remember_pushed(update.object)
		else:
			var animation: Animation = update.object as Animation
			_paths.append(animation.track_get_path(update.track))


## Rewrites them, after the edit, and reads them back. Gives null, or the failure of the first that
## did not take.
func apply(root: Node) -> Result:
	for update: Found.Update in _found.updates:
		if update.track < 0:
			Properties.write(update.object, update.property, update.value)
		else:
			var animation: Animation = update.object as Animation
			var path: NodePath = update.value
			animation.track_set_path(update.track, path)
	for update: Found.Update in _found.updates:
		var now: Variant = _now(update)
		if not _took(now, update.value):
			return _rejected(root, update, now)
	return null


## Puts all of them back, after the edit itself was. True when they then are as they were.
func take_back() -> bool:
	var whole: bool = true
	for was: Recorder.Before in _was:
		whole = _recorder.restore(was) and _recorder.is_as(was) and whole
	var next: int = 0
	for update: Found.Update in _found.updates:
		if update.track >= 0:
			var animation: Animation = update.object as Animation
			animation.track_set_path(update.track, _paths[next])
			whole = whole and animation.track_get_path(update.track) == _paths[next]
			next += 1
	return whole


## Writes it down in the open action, after the edit's own steps.
func record() -> void:
	for was: Recorder.Before in _was:
		var _sure: bool = _recorder.differences(was)
	var next: int = 0
	for update: Found.Update in _found.updates:
		if update.track >= 0:
			var track: int = update.track
			_recorder.redo_step(update.object, &"track_set_path", [track, update.value])
			_recorder.undo_step(update.object, &"track_set_path", [track, _paths[next]])
			next += 1


static func _now(update: Found.Update) -> Variant:
	if update.track < 0:
		return update.object.get(update.property)
	var animation: Animation = update.object as Animation
	return animation.track_get_path(update.track)


# Filters of an animation node come back sorted, and as texts.
static func _took(now: Variant, asked: Variant) -> bool:
	if typeof(now) != typeof(asked):
		return false
	return now == asked or (now is Array and _texts(now) == _texts(asked))


static func _texts(value: Variant) -> PackedStringArray:
	var list: Array = value
	var out: PackedStringArray = PackedStringArray()
	for one: Variant in list:
		var _full: bool = out.append(str(one))
	out.sort()
	return out


static func _rejected(root: Node, update: Found.Update, now: Variant) -> Result:
	var node: Node = update.object as Node
	var property: String = str(update.property)
	if update.track >= 0:
		property = "tracks/%d/path" % update.track
	return Result.fail(
		Protocol.CODE_VALUE_REJECTED,
		"a reference to the node did not take its new path, so nothing was changed",
		{
			"node_path": update.object.get_class() if node == null else Resolve.path_of(root, node),
			"property": property,
			"asked": str(update.value),
			"now": str(now),
		}
	)


# A remote transform pushes its target about as soon as it is led there.
func _remember_pushed(object: Object) -> void:
	if object is RemoteTransform2D or object is RemoteTransform3D:
		var pusher: Node = object as Node
		var path: NodePath = pusher.get(&"remote_path")
		var target: Node = pusher.get_node_or_null(path)
		if target != null:
			_was.append(_recorder.before(target))
