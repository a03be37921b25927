@tool
extends RefCounted
## One daemon, from its rendezvous file to the accepted link, and back to waiting when it is lost or
## refused.
##
## It dials for ever. How long it waits between tries depends on what happened: little after a lost
## link, more when the daemon refuses, much when something else answers on the port, because each of
## those tries makes the engine print two errors.

const Finder = preload("./finder.gd")
const Proof = preload("./proof.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const Wire = preload("./wire.gd")

enum State { WAITING, DIALLING, PROVING, GREETING, LINKED }

const _HANDSHAKE_MSEC: int = 5000
const _FIRST_MSEC: int = 100

# The first and the longest wait after each kind of failure, in ms.
const _AFTER_LOSS: Vector2i = Vector2i(_FIRST_MSEC, _FIRST_MSEC)
const _AFTER_DEAD_PORT: Vector2i = Vector2i(_FIRST_MSEC, 2000)
const _AFTER_REFUSAL: Vector2i = Vector2i(1000, 5000)
# The first editor may go away at any time, and then this one is wanted.
const _AFTER_FIRST_EDITOR: Vector2i = Vector2i(1000, 1000)
const _AFTER_STRANGER: Vector2i = Vector2i(5000, 600_000)

const _REASON_AUTH: String = "auth"
const _SECOND_EDITOR: String = "second_editor"
# The refusals that a person has to do something about. Another project's daemon refusing us is
# everyday.
const _WORTH_SAYING: Dictionary[String, String] = {
	"version": "daemon and addon differ; run drawbridge install, then restart the editor",
	_SECOND_EDITOR: "another editor of this project is linked; this one links when that closes",
	"hello": "the daemon does not understand this addon",
}

var _file: String = ""
var _state: State = State.WAITING
var _reason: String = ""
var _details: Dictionary = {}
var _said: String = ""

var _wire: Wire = null
var _proof: Proof = null
var _rendezvous: Dictionary = {}
var _nonce: String = ""
var _frames: Array[Dictionary] = []
# Counts the sockets.
var _epoch: int = 0
var _reply: Callable = Callable()
var _polls: int = 0
var _dialled_msec: int = 0
var _retry_msec: int = 0
var _wait_msec: int = 0


func _init(file: String) -> void:
	_file = file


## True while there is no socket.
func is_waiting() -> bool:
	return _state == State.WAITING


## Where answers to what came over the socket of now go. An answer for an earlier socket is not sent
## on a later one.
func reply() -> Callable:
	return _reply


## What is known of this daemon, for people.
func describe() -> Dictionary:
	var state: String = State.keys()[_state]
	return {
		"file": _file, "state": state.to_lower(), "reason": _reason, "details": _details
	}


## Moves the link on by what has arrived. False when an accepted link was just lost.
func step(hello: Dictionary, may_dial: bool) -> bool:
	var now: int = Time.get_ticks_msec()
	if _state == State.WAITING:
		if may_dial and now >= _retry_msec:
			_dial(now)
		return true
	var was_linked: bool = _state == State.LINKED
	_advance(hello, now)
	return not was_linked or _state == State.LINKED


## Gives the requests and cancels that have arrived, in order.
func take_frames() -> Array[Dictionary]:
	if _frames.is_empty():
		return _frames
	var out: Array[Dictionary] = _frames
	_frames = []
	return out


## Sends an event when linked.
func send_event(event: Dictionary) -> void:
	if _state == State.LINKED:
		var _size: int = _wire.send(event)


## Sends the answers that wait to be sent together.
func flush() -> void:
	if _state == State.LINKED:
		_wire.send_answers()


## Closes the socket, if there is one, and forgets it.
func close() -> void:
	if _wire != null:
		_wire.close()
		var _last: WebSocketPeer.State = _wire.poll()
	_forget()


## Sends an answer, or in its place a small failure when it is larger than a frame may be.
func _answer(response: Dictionary, for_epoch: int) -> void:
	if for_epoch != _epoch or _state != State.LINKED:
		return
	var size: int = _wire.answer(response)
	if size > 0 and (not _shorten(response, size) or _wire.answer(response) > 0):
		var _small: int = _wire.answer(_too_large(response, size))


func _dial(now: int) -> void:
	_rendezvous = Finder.read(_file)
	if _rendezvous.is_empty():
		_wait(now, _AFTER_DEAD_PORT)
		return
	if _proof == null:
		_proof = Proof.new()
	_nonce = _proof.nonce(Protocol.NONCE_BYTES)
	var shown: String = _proof.of_addon(_text("secret"), _text("boot_nonce"), _nonce)
	_wire = Wire.new()
	_epoch += 1
	_reply = _answer.bind(_epoch)
	_polls = 0
	_dialled_msec = now
	_state = State.DIALLING
	if _wire.dial(_text("url"), "%s %s" % [_nonce, shown]) != OK:
		_wait(now, _AFTER_STRANGER)


func _advance(hello: Dictionary, now: int) -> void:
	_polls += 1
	var ready: WebSocketPeer.State = _wire.poll()
	if ready == WebSocketPeer.STATE_OPEN:
		if _state == State.DIALLING:
			_state = State.PROVING
			_wire.hurry()
		# Asked again and again between two commands, mostly for nothing.
		if _wire.has_frames():
			_take(hello, now)
	elif ready == WebSocketPeer.STATE_CLOSED:
		_closed(now)
	if _state != State.LINKED and _state != State.WAITING and now - _dialled_msec > _HANDSHAKE_MSEC:
		_refuse(now, _REASON_AUTH, {"problem": "the handshake took too long"}, _AFTER_STRANGER)


## Takes what has arrived; the first two frames are the daemon's proof and its decision.
func _take(hello: Dictionary, now: int) -> void:
	for frame: Dictionary in _wire.read():
		match _state:
			State.PROVING:
				_check_welcome(frame, hello, now)
			State.GREETING:
				_check_decision(frame, now)
			State.LINKED:
				_frames.append(frame)


func _check_welcome(frame: Dictionary, hello: Dictionary, now: int) -> void:
	var welcome: Dictionary = _part(frame, "welcome")
	var shown: String = str(welcome.get("proof", ""))
	if not _proof.is_daemons(shown, _text("secret"), _text("boot_nonce"), _nonce):
		_refuse(now, _REASON_AUTH, {"problem": "no proof"}, _AFTER_STRANGER)
		return
	_state = State.GREETING
	var _size: int = _wire.send({"hello": hello})


func _check_decision(frame: Dictionary, now: int) -> void:
	if frame.has("accept"):
		_state = State.LINKED
		_reason = ""
		_details = {}
		_wait_msec = 0
		return
	var reject: Dictionary = _part(frame, "reject")
	_rejected(now, str(reject.get("reason", "hello")), _part(reject, "details"))


func _rejected(now: int, reason: String, details: Dictionary) -> void:
	var wait: Vector2i = _AFTER_FIRST_EDITOR if reason == _SECOND_EDITOR else _AFTER_REFUSAL
	_refuse(now, reason, details, wait)


## The socket is closed: what that means depends on how far the link had come.
func _closed(now: int) -> void:
	match _state:
		State.LINKED:
			_wait(now, _AFTER_LOSS)
		State.GREETING:
			_closed_while_greeting(now)
		State.DIALLING when _polls == 1:
			_wait(now, _AFTER_DEAD_PORT)
		_:
			_refuse(now, _REASON_AUTH, {"problem": "the handshake was refused"}, _AFTER_STRANGER)


## The engine gives no frame out once it has seen the close, so a refusal may be left in the close's
## reason alone: "CODE reason".
func _closed_while_greeting(now: int) -> void:
	var parts: PackedStringArray = _wire.close_reason().split(" ")
	if parts.size() == 2 and parts[0] == Protocol.CODE_PEER_REJECTED:
		_rejected(now, parts[1], {})
	else:
		_wait(now, _AFTER_REFUSAL)


func _refuse(now: int, reason: String, details: Dictionary, wait: Vector2i) -> void:
	_wire.close()
	var _last: WebSocketPeer.State = _wire.poll()
	_reason = reason
	_details = details
	_wait(now, wait)
	if _WORTH_SAYING.has(reason) and _said != reason:
		push_warning("Drawbridge: %s. %s" % [_WORTH_SAYING[reason], JSON.stringify(details)])
	_said = reason


## Waits before the next try, twice as long as the last time within the given bounds.
func _wait(now: int, bounds: Vector2i) -> void:
	_wait_msec = clampi(2 * _wait_msec, bounds.x, bounds.y)
	_retry_msec = now + _wait_msec
	_forget()


func _forget() -> void:
	_state = State.WAITING
	_wire = null
	_frames = []


func _text(key: String) -> String:
	return _rendezvous[key]


static func _part(frame: Dictionary, key: String) -> Dictionary:
	var part: Variant = frame.get(key)
	return part if part is Dictionary else {}


## Takes out of an answer what makes it long. A write is done, and a failure is what it is, however
## much there is to say of it; only a read is worth nothing without its data.
static func _shorten(response: Dictionary, size: int) -> bool:
	var mark: Dictionary = {"$truncated": "Dictionary", "size": size, "reason": "reply_size"}
	var result: Dictionary = _part(response, "result")
	if result.has("done"):
		result["data"] = mark
		return true
	var error: Dictionary = _part(response, "error")
	if error.has("details"):
		error["details"] = mark
		return true
	return false


static func _too_large(response: Dictionary, size: int) -> Dictionary:
	var failure: Result = Result.fail(
		Protocol.CODE_RESPONSE_TOO_LARGE,
		"the answer has %d bytes and a frame holds %d" % [size, Protocol.MAX_FRAME],
		{"bytes": size, "limit": Protocol.MAX_FRAME},
	)
	var result: Dictionary = _part(response, "result")
	if result.has("done") or _part(response, "error").get("may_have_applied", false):
		failure = failure.maybe_applied()
	return {"id": response["id"], "ok": false, "error": failure.error}
