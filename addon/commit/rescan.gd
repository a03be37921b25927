extends "./applier.gd"
## Starts a scan of the project's files. It goes on over many frames, and ends after the reply.

const History = preload("../history.gd")
const ScanWatch = preload("../files/scan_watch.gd")

var _history: History
var _scan: ScanWatch


func _init(history: History, scan: ScanWatch) -> void:
	_history = history
	_scan = scan


## Does a "rescan" change; a scan that goes on already is left to itself.
func apply(planned: Result, _the_call: Call) -> Result:
	var files: EditorFileSystem = EditorInterface.get_resource_filesystem()
	var was_scanning: bool = _scan.is_scanning()
	if not was_scanning:
		_scan.begin()
		files.scan()
	_history.bump()
	planned.data["started"] = not was_scanning
	planned.data["scanning"] = _scan.is_scanning()
	planned.done = {"undoable": false}
	return planned
