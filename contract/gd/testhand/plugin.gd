@tool
extends EditorPlugin
## A person's hand in the editor, moved by a test: it edits, opens, saves and closes beside the
## addon under test.
##
## It listens on a loopback port that it writes to PORT_FILE, and takes one JSON object a line:
## {"do": name, …}. The answer is one JSON object a line. It shares no code with the addon, so
## that the two cannot agree on a mistake.

const Acts = preload("./acts.gd")

const SETTLE_FRAMES: int = 2
const PORT_FILE: String = "res://.godot/testhand_port"

var _server: TCPServer = TCPServer.new()
var _peer: StreamPeerTCP = null
var _text: String = ""
var _acts: Acts = Acts.new()
var _request: Dictionary = {}
var _wait: int = 0


func _enter_tree() -> void:
	_acts.undo = get_undo_redo()
	if _server.listen(0, "127.0.0.1") != OK:
		push_error("the test hand cannot listen")
		return
	var file: FileAccess = FileAccess.open(PORT_FILE, FileAccess.WRITE)
	if not file.store_string("%d\n" % _server.get_local_port()):
		push_error("the test hand cannot tell its port")


func _exit_tree() -> void:
	_server.stop()
	_peer = null
	_acts.undo = null


func _process(_delta: float) -> void:
	_acts.frames.note()
	if _peer == null:
		if not _server.is_connection_available():
			return
		_peer = _server.take_connection()
	if _peer.poll() != OK or _peer.get_status() != StreamPeerTCP.STATUS_CONNECTED:
		_peer = null
		return
	if _request.is_empty():
		_read()
	elif _wait > 0:
		_wait -= 1
	if not _request.is_empty() and _wait == 0:
		_answer()


func _read() -> void:
	var waiting: int = _peer.get_available_bytes()
	if waiting > 0:
		_text += _peer.get_utf8_string(waiting)
	var end: int = _text.find("\n")
	if end < 0:
		return
	var asked: Variant = JSON.parse_string(_text.left(end))
	_text = _text.substr(end + 1)
	_request = asked if asked is Dictionary else {}
	# Tabs get their star a frame after the change: who wants to see that waits.
	_wait = SETTLE_FRAMES if _request.get("settled") == true else 0


func _answer() -> void:
	var answer: Dictionary = _acts.run(_request)
	_request = {}
	var out: String = JSON.stringify(answer, "", true, true) + "\n"
	if _peer.put_data(out.to_utf8_buffer()) != OK:
		_peer = null
