extends RefCounted
## Whether a scan of the project's files goes on. The editor says that none does before it has begun
## to import what the scan found, so a scan that we started is over only when the editor has also
## told of its sources.

# A scan that finds nothing new may tell nothing: then it is over after this many quiet frames.
const _QUIET_FRAMES: int = 60

var _waiting: bool = false
var _quiet: int = 0


## Starts listening.
func setup() -> void:
	var files: EditorFileSystem = EditorInterface.get_resource_filesystem()
	var _connected: int = files.sources_changed.connect(_on_sources_changed)


## Stops listening.
func teardown() -> void:
	var files: EditorFileSystem = EditorInterface.get_resource_filesystem()
	if files.sources_changed.is_connected(_on_sources_changed):
		files.sources_changed.disconnect(_on_sources_changed)


## Counts quiet frames. To be called each frame.
func frame() -> void:
	if not _waiting:
		return
	_quiet = 0 if _is_busy() else _quiet + 1
	if _quiet >= _QUIET_FRAMES:
		_waiting = false


## A scan of ours has begun.
func begin() -> void:
	_waiting = true
	_quiet = 0


## True while files are looked for or imported.
func is_scanning() -> bool:
	return _waiting or _is_busy()


static func _is_busy() -> bool:
	var files: EditorFileSystem = EditorInterface.get_resource_filesystem()
	if files.is_scanning():
		return true
	return files.has_method(&"is_importing") and files.call(&"is_importing") == true


func _on_sources_changed(_exist: bool) -> void:
	if not EditorInterface.get_resource_filesystem().is_scanning():
		_waiting = false
