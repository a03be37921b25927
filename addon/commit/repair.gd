extends RefCounted
## Rewrites the references that a structural edit would break, and writes that down as part of the
## edit's own action.

const Found = preload("../references/found.gd")
const Properties = preload("../properties.gd")
const Recorder = preload("./recorder.gd")

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


## Rewrites them, after the edit.
func apply() -> void:
	for update: Found.Update in _found.updates:
		if update.track < 0:
			Properties.write(update.object, update.property, update.value)
		else:
			var animation: Animation = update.object as Animation
			var path: NodePath = update.value
			animation.track_set_path(update.track, path)


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


# A remote transform pushes its target about as soon as it is led there.
func _remember_pushed(object: Object) -> void:
	if object is RemoteTransform2D or object is RemoteTransform3D:
		var pusher: Node = object as Node
		var path: NodePath = pusher.get(&"remote_path")
		var target: Node = pusher.get_node_or_null(path)
		if target != null:
			_was.append(_recorder.before(target))
