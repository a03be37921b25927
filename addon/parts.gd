extends RefCounted
## What watches the editor and remembers it, made once and shared by handlers and commits. Nothing
## in here changes anything.

const Disk = preload("./disk.gd")
const ErrorRing = preload("./error_ring.gd")
const History = preload("./history.gd")
const LostValues = preload("./lost_values.gd")
const Promises = preload("./promises.gd")
const Properties = preload("./properties.gd")
const SaveFiles = preload("./save_files.gd")
const ScanWatch = preload("./files/scan_watch.gd")
const Scenes = preload("./scenes.gd")
const Settings = preload("./settings/settings.gd")
const States = preload("./states.gd")
const Watch = preload("./watch.gd")

## The bases of files.
var disk: Disk = Disk.new()
## The engine's errors.
var errors: ErrorRing = ErrorRing.new()
## The undo histories.
var history: History = History.new()
## What scenes lost when they were read.
var lost: LostValues = LostValues.new()
## What saves are held against.
var promises: Promises = Promises.new()
## The property lists.
var properties: Properties = Properties.new()
## Which files a save writes.
var save_files: SaveFiles = SaveFiles.new(disk)
## The scans of the file system.
var scan: ScanWatch = ScanWatch.new()
## The open scenes.
var scenes: Scenes = Scenes.new()
## The project's settings.
var settings: Settings = Settings.new()
## What scene files say.
var states: States = States.new()
## The editor's signals.
var watch: Watch = Watch.new()
## The editor's undo manager.
var undo: EditorUndoRedoManager


## Starts watching.
func setup(the_undo: EditorUndoRedoManager) -> void:
	undo = the_undo
	errors.setup()
	history.setup(undo)
	scenes.setup(undo)
	promises.setup(history, properties)
	settings.setup()
	scan.setup()
	watch.setup(disk, scenes, save_files)


## Stops watching and lets everything go.
func teardown() -> void:
	watch.teardown()
	scan.teardown()
	history.teardown()
	errors.teardown()
	properties.clear()


## Looks around. To be called each frame.
func frame() -> void:
	scenes.frame()
	disk.frame()
	lost.frame()
	scan.frame()
	settings.frame()
