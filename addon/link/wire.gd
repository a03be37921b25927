@tool
extends RefCounted
## One WebSocket to a daemon: JSON objects in and out, one per text frame.
##
## Buffers are set before dialling. What does not fit the outgoing buffer now waits for the next
## flush: the engine would throw it away and print an error.

const Protocol = preload("../protocol.gd")

# One frame has to fit beside what is on its way already.
const _BUFFER: int = 2 * Protocol.MAX_FRAME
const _MAX_PACKETS: int = 16384
# An answer of this many characters fits a frame whatever they are.
const _SURELY_FITS: int = Protocol.MAX_FRAME >> 2

# Small answers go out together, in a frame of about this many characters, and wait no longer than
# that for more to come: a frame costs two system calls, and wakes the daemon twice.
const _TOGETHER: int = 32768
const _TOGETHER_USEC: int = 1000

const _STATUS_PROTOCOL_ERROR: int = 1002

var _socket: WebSocketPeer = WebSocketPeer.new()
var _json: JSON = JSON.new()
var _outbox: PackedStringArray = PackedStringArray()
var _answers: PackedStringArray = PackedStringArray()
var _answers_length: int = 0
var _answers_since_usec: int = 0


## Starts dialling, with the proof as header.
func dial(url: String, proof: String) -> Error:
	_socket.inbound_buffer_size = _BUFFER
	_socket.outbound_buffer_size = _BUFFER
	_socket.max_queued_packets = _MAX_PACKETS
	_socket.supported_protocols = PackedStringArray([Protocol.SUBPROTOCOL])
	_socket.handshake_headers = PackedStringArray(["%s: %s" % [Protocol.PROOF_HEADER, proof]])
	return _socket.connect_to_url(url)


## Moves bytes both ways and gives the socket's state.
func poll() -> WebSocketPeer.State:
	_socket.poll()
	var state: WebSocketPeer.State = _socket.get_ready_state()
	if state == WebSocketPeer.STATE_OPEN and not _outbox.is_empty():
		_flush()
	return state


## True when frames have arrived that were not read.
func has_frames() -> bool:
	return _socket.get_available_packet_count() > 0


## Without it the kernel waits for more bytes before it sends a small answer.
func hurry() -> void:
	_socket.set_no_delay(true)


## Everything that has arrived. A frame that is no JSON object closes the socket.
func read() -> Array[Dictionary]:
	var frames: Array[Dictionary] = []
	while _socket.get_available_packet_count() > 0:
		var bytes: PackedByteArray = _socket.get_packet()
		var parsed: Error = _json.parse(bytes.get_string_from_utf8())
		if parsed != OK or not _socket.was_string_packet() or not _json.data is Dictionary:
			close(_STATUS_PROTOCOL_ERROR, "not a JSON object")
			return frames
		var frame: Dictionary = _json.data
		frames.append(frame)
	return frames


## Sends one object. Gives 0, or the size in bytes of a frame that is too large to be sent.
func send(frame: Dictionary) -> int:
	var text: String = _text_of(frame)
	var size: int = _oversize(text)
	if size == 0:
		_send_text(text)
	return size


## Sends an answer, perhaps together with the next ones: send_answers() has to follow in this frame.
## Gives 0, or the size in bytes of an answer that is too large to be sent.
func answer(response: Dictionary) -> int:
	var text: String = _text_of(response)
	if text.length() < _TOGETHER:
		_keep(text)
		return 0
	send_answers()
	var size: int = _oversize(text)
	if size == 0:
		_send_text(text)
	return size


## Sends the answers that were kept: one as it is, several as {"answers": […]}.
func send_answers() -> void:
	if _answers.size() == 1:
		_send_text(_answers[0])
	elif _answers.size() > 1:
		_send_text("{\"answers\":[%s]}" % ",".join(_answers))
	_answers.clear()
	_answers_length = 0


func _keep(text: String) -> void:
	var now: int = Time.get_ticks_usec()
	if _answers.is_empty():
		_answers_since_usec = now
	var _full: bool = _answers.append(text)
	_answers_length += text.length()
	if _answers_length >= _TOGETHER or now - _answers_since_usec >= _TOGETHER_USEC:
		send_answers()


func _send_text(text: String) -> void:
	if not _outbox.is_empty() or not _put(text):
		var _full: bool = _outbox.append(text)


static func _text_of(frame: Dictionary) -> String:
	return JSON.stringify(frame, "", false, true)


# The size in bytes of a text that is larger than a frame may be, else 0.
static func _oversize(text: String) -> int:
	if text.length() <= _SURELY_FITS:
		return 0
	var size: int = text.to_utf8_buffer().size()
	return size if size > Protocol.MAX_FRAME else 0


## Closes with a status; the other side sees it as such.
func close(status: int = 1000, reason: String = "") -> void:
	_socket.close(status, reason)


## What the other side gave as the reason of its close.
func close_reason() -> String:
	return _socket.get_close_reason()


## Puts a frame into the outgoing buffer. False when there is no room yet.
func _put(text: String) -> bool:
	var waiting: int = _socket.get_current_outbound_buffered_amount()
	if waiting > 0 and waiting + 4 * text.length() > _BUFFER:
		return false
	# A failure here means that the socket is closing; the next poll sees it.
	var _sent: Error = _socket.send_text(text)
	return true


func _flush() -> void:
	var done: int = 0
	while done < _outbox.size() and _put(_outbox[done]):
		done += 1
	_outbox = _outbox.slice(done)
