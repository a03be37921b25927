extends RefCounted
## The editor's Scene dock, as far as it has to be helped.
##
## Half a second after a node's editor_description was set, the dock of 4.6.3 renews the tooltip of
## the node's row, and does not look whether the row is still there: when the node has left the tree
## by then, the editor crashes. So what waits is done before nodes come or go.

const DockRow = preload("../dock_row.gd")

var _timers: Array[Timer] = []


## Has the dock do now what it would do later, unless it is too late for that. To be called before
## nodes come or go.
func settle() -> void:
	if _timers.is_empty():
		_find()
	for timer: Timer in _timers:
		if is_instance_valid(timer) and not timer.is_stopped():
			timer.stop()
			if _is_alive(timer):
				timer.timeout.emit()


# What is bound to the timer's signal is a node and its row.
static func _is_alive(timer: Timer) -> bool:
	for connection: Dictionary in timer.timeout.get_connections():
		var callable: Callable = connection["callable"]
		if not DockRow.is_alive(callable):
			return false
	return true


func _find() -> void:
	var base: Control = EditorInterface.get_base_control()
	for tree: Node in base.find_children("*", "SceneTreeEditor", true, false):
		for child: Node in tree.get_children(true):
			if child is Timer:
				_timers.append(child)
