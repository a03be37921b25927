@tool
extends EditorPlugin
## The second pair of test hands: it brings about faults in the editor and looks where a person
## would look.
##
## It talks like the test hand beside it (one JSON object a line, over a loopback port that it
## writes to PORT_FILE), and shares no code with the addon under test.

const PORT_FILE: String = "res://.godot/faulthand_port"
const LINK: String = "res://addons/drawbridge/link.gd"

var _server: TCPServer = TCPServer.new()
var _peer: StreamPeerTCP = null
var _text: String = ""
var _block_msec: int = 0
var _dialog: AcceptDialog = null
var _link: Node = null
var _started: bool = false
var _counting: bool = false
var _was_inside: bool = false
var _seen_inside: String = ""
var _frames_inside: int = 0
var _changes_inside: int = 0


func _enter_tree() -> void:
	var files: EditorFileSystem = EditorInterface.get_resource_filesystem()
	_started = not files.is_scanning()
	if not _started:
		# The editor restores its layout and scenes at this signal, before plugins hear of it.
		var _failed: int = files.sources_changed.connect(_on_sources_changed, CONNECT_ONE_SHOT)
	if _server.listen(0, "127.0.0.1") != OK:
		push_error("the fault hand cannot listen")
		return
	var file: FileAccess = FileAccess.open(PORT_FILE, FileAccess.WRITE)
	if not file.store_string("%d\n" % _server.get_local_port()):
		push_error("the fault hand cannot tell its port")


func _exit_tree() -> void:
	_server.stop()
	_peer = null


func _process(_delta: float) -> void:
	if _counting:
		_count_reentry()
	if _block_msec > 0:
		var msec: int = _block_msec
		_block_msec = 0
		OS.delay_msec(msec)
	if _peer == null:
		if not _server.is_connection_available():
			return
		_peer = _server.take_connection()
	if _peer.poll() != OK or _peer.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		_peer = null
		return
	_read()


## A frame that begins while a command of the addon is on the stack began inside that command: a
## drawn editor does that during saves. The scene must not change from one such frame to the next,
## because one command runs at a time.
func _count_reentry() -> void:
	var link: Node = _find_link()
	var router: RefCounted = null if link == null else link.get(&"_router")
	var inside: bool = router != null and is_same(router.call(&"is_running"), true)
	var root: Node = EditorInterface.get_edited_scene_root()
	var now: String = "" if root == null else str(root.get(&"plain"))
	if inside:
		_frames_inside += 1
		if _was_inside and now != _seen_inside:
			_changes_inside += 1
		_seen_inside = now
	_was_inside = inside


func _find_link() -> Node:
	if not is_instance_valid(_link):
		_link = null
		for node: Node in get_tree().root.find_children("*", "Node", true, false):
			var script: Script = node.get_script()
			if script != null and script.resource_path == LINK:
				_link = node
	return _link


func _read() -> void:
	var waiting: int = _peer.get_available_bytes()
	if waiting > 0:
		_text += _peer.get_utf8_string(waiting)
	var end: int = _text.find("\n")
	if end < 0:
		return
	var line: String = _text.left(end)
	_text = _text.substr(end + 1)
	var asked: Variant = JSON.parse_string(line)
	var answer: Dictionary = {"error": "not a JSON object"}
	if asked is Dictionary:
		var request: Dictionary = asked
		answer = _run(request)
	var out: String = JSON.stringify(answer, "", true, true) + "\n"
	if _peer.put_data(out.to_utf8_buffer()) != OK:
		_peer = null


func _run(request: Dictionary) -> Dictionary:
	match str(request.get("do")):
		"block":
			# The answer goes out first; the next frame blocks.
			_block_msec = int(str(request.get("msec")))
			return {}
		"sha":
			return _sha(request)
		"peek":
			return _peek(request)
		"children":
			return {"children": _children()}
		"started":
			return {"started": _started}
		"sleep":
			return {"usec": OS.low_processor_usage_mode_sleep_usec}
		"focus_out":
			# This is what the window sends when another one comes in front.
			get_tree().root.propagate_notification(NOTIFICATION_APPLICATION_FOCUS_OUT)
			return {"usec": OS.low_processor_usage_mode_sleep_usec}
		"focus_in":
			get_tree().root.propagate_notification(NOTIFICATION_APPLICATION_FOCUS_IN)
			return {"usec": OS.low_processor_usage_mode_sleep_usec}
		"plugin":
			var enabled: bool = is_same(request.get("enabled"), true)
			EditorInterface.set_plugin_enabled(str(request.get("name")), enabled)
			return {}
		"links":
			return _links()
		"count_reentry":
			_counting = is_same(request.get("on"), true)
			return {"frames": _frames_inside, "changes": _changes_inside}
		"modal":
			return _modal(is_same(request.get("open"), true))
	return {"error": "no such act"}


func _on_sources_changed(_exist: bool) -> void:
	_started = true


func _node(request: Dictionary) -> Node:
	var root: Node = EditorInterface.get_edited_scene_root()
	return null if root == null else root.get_node_or_null(NodePath(str(request.get("node"))))


## The hash and length of a text property, for texts too large to show.
func _sha(request: Dictionary) -> Dictionary:
	var node: Node = _node(request)
	if node == null:
		return {"error": "no such node"}
	var value: Variant = node.get(StringName(str(request.get("property"))))
	var text: String = str(value)
	return {"sha256": text.sha256_text(), "length": text.length()}


## A property as text.
func _peek(request: Dictionary) -> Dictionary:
	var node: Node = _node(request)
	if node == null:
		return {"error": "no such node"}
	return {"text": str(node.get(StringName(str(request.get("property")))))}


## What the addon under test shows of its links to people.
func _links() -> Dictionary:
	var link: Node = _find_link()
	return {"links": [] if link == null else link.call(&"states")}


## The children of the edited root and their z_index.
func _children() -> Dictionary[String, int]:
	var found: Dictionary[String, int] = {}
	var root: Node = EditorInterface.get_edited_scene_root()
	if root != null:
		for child: Node in root.get_children():
			var item: CanvasItem = child as CanvasItem
			found[str(child.name)] = 0 if item == null else item.z_index
	return found


## Opens or hides a dialog that nothing else may be clicked beside. It is not freed before the
## editor ends: the engine moves its own progress dialog into it during a save, and would crash at
## the next one.
func _modal(open: bool) -> Dictionary:
	if _dialog == null:
		_dialog = AcceptDialog.new()
		_dialog.title = "Fault hand"
		_dialog.exclusive = true
	if open:
		EditorInterface.popup_dialog_centered(_dialog)
	else:
		_dialog.hide()
	return {"visible": _dialog.visible}
