@tool
extends Node
## The addon's end of the links: finds daemons, keeps one peer for each, and gives the router its
## turn each frame.
##
## Each frame first reads every socket to its end, then runs commands within a time budget. A drawn
## editor calls _process again while a command saves or imports; such a call returns at once.

const Finder = preload("./link/finder.gd")
const Identity = preload("./link/identity.gd")
const Pace = preload("./link/pace.gd")
const Peer = preload("./link/peer.gd")
const Protocol = preload("./protocol.gd")
const Router = preload("./router.gd")

const _FRAME_BUDGET_USEC: int = 8000
# A turn costs some 150 µs, which is 2 % of the time at an editor's 140 frames a second.
const _COLD_TURN_USEC: int = 100_000
const _LINGER_USEC: int = 2000
const _LINGER_STEP_USEC: int = 50

var _router: Router = null
var _finder: Finder = Finder.new()
var _pace: Pace = Pace.new()
var _hello: Dictionary = {}
var _peers: Dictionary[String, Peer] = {}
var _events: Dictionary[String, bool] = {}
var _look_at_msec: int = 0
var _beat_at_msec: int = 0
var _turn_usec: int = 0


func _process(_delta: float) -> void:
	if _router == null or _router.is_running() or _is_resting():
		return
	_turn_usec = Time.get_ticks_usec()
	var until: int = _turn_usec + _FRAME_BUDGET_USEC
	_router.begin_frame()
	if not _router.is_ready():
		return
	_look_for_daemons()
	var _came: bool = _exchange(until)
	_linger(until)
	_report()
	_pace.adjust()


## Starts linking. Called once, before the node enters the tree.
func setup(router: Router) -> void:
	_router = router
	var _connected: Error = router.reported.connect(_on_router_reported) as Error
	_hello = Identity.hello(router.editor_id(), router.commands())


## Says goodbye to every daemon and gives the editor its own pace back.
func teardown() -> void:
	for peer: Peer in _peers.values():
		peer.close()
	_peers.clear()
	_pace.restore()
	_router = null


## What is known of each daemon, for people: its file, the state of its link, and why it refused, if
## it did.
func states() -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for peer: Peer in _peers.values():
		out.append(peer.describe())
	return out


## True in a frame that is left to the editor alone: nobody has called for long, and the last turn
## was not long ago.
func _is_resting() -> bool:
	return _pace.is_cold() and Time.get_ticks_usec() - _turn_usec < _COLD_TURN_USEC


## Makes a peer for each new rendezvous file, and forgets those whose file is gone and that are not
## linked.
func _look_for_daemons() -> void:
	var now: int = Time.get_ticks_msec()
	if now < _look_at_msec:
		return
	_look_at_msec = now + Finder.INTERVAL_MSEC
	var files: PackedStringArray = _finder.files()
	for file: String in files:
		if not _peers.has(file):
			_peers[file] = Peer.new(file)
	for file: String in _peers.keys():
		if not files.has(file) and _peers[file].is_waiting():
			var _known: bool = _peers.erase(file)


## Reads every socket to its end, then runs what is due. Gives true when a command came in.
func _exchange(until_usec: int) -> bool:
	var came: bool = false
	for peer: Peer in _peers.values():
		came = _read(peer) or came
	came = _router.step(until_usec) > 0 or came
	for peer: Peer in _peers.values():
		peer.flush()
	_router.settle()
	if came:
		_pace.touch()
	return came


func _read(peer: Peer) -> bool:
	if not peer.step(_hello, peer.is_waiting() and _may_dial()):
		_router.drop(peer)
	var came: bool = false
	for frame: Dictionary in peer.take_frames():
		came = true
		if frame.has("cancel"):
			_router.cancel(str(frame["cancel"]), peer)
		else:
			_router.submit(frame, peer.reply(), peer)
	return came


func _may_dial() -> bool:
	var busy: int = 0
	for peer: Peer in _peers.values():
		busy += 0 if peer.is_waiting() else 1
	return busy < Protocol.MAX_DAEMONS


## Stays awake inside the frame for a little while after each command, as long as the frame's time
## lasts: the next one is probably on its way, and the rest of the frame with its sleep is the
## largest part of a round trip.
func _linger(until_usec: int) -> void:
	if not _pace.is_active() or _router.has_work():
		return
	var since: int = Time.get_ticks_usec()
	var now: int = since
	while now < mini(since + _LINGER_USEC, until_usec) and not _router.is_frame_closed():
		if not _pace.is_hot():
			OS.delay_usec(_LINGER_STEP_USEC)
		var came: bool = _exchange(until_usec)
		now = Time.get_ticks_usec()
		since = now if came else since


## Sends the beat and what has changed since the last frame.
func _report() -> void:
	var now: int = Time.get_ticks_msec()
	if now >= _beat_at_msec:
		_beat_at_msec = now + Protocol.BEAT_INTERVAL_MS
		_events[Protocol.EVENT_BEAT] = true
	if _events.is_empty():
		return
	var state: Dictionary = _router.state()
	_hello["scene"] = state["scene"]
	var data: Dictionary = {"scene": state["scene"], "rev": state["rev"]}
	for event: String in _events:
		for peer: Peer in _peers.values():
			peer.send_event({"event": event, "data": data})
	_events.clear()


func _on_router_reported(event: String) -> void:
	_events[event] = true
