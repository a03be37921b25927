@tool
extends RefCounted
## One request on its way through the queue. What only some requests have is read from the frame
## when asked for.

const Protocol = preload("../protocol.gd")

const _PHASES: PackedStringArray = [Protocol.PHASE_QUERY, Protocol.PHASE_PLAN, Protocol.PHASE_APPLY]
const _MAX_TEXT: int = 256

## The frame as it came, for the editor to make a call of.
var frame: Dictionary = {}
var id: String = ""
var command: String = ""
var phase: String = ""
## Called once, with the answer.
var reply: Callable = Callable()
## The link that the request came by.
var owner: RefCounted = null


func _init(request: Dictionary, answer_to: Callable, came_by: RefCounted) -> void:
	frame = request
	reply = answer_to
	owner = came_by
	id = text("id")
	command = text("command")
	phase = text("phase")


## What is wrong with the form of the request; empty when nothing is.
func fault() -> String:
	if id.is_empty() or id.length() > _MAX_TEXT:
		return "id"
	if command.is_empty() or command.length() > _MAX_TEXT:
		return "command"
	if not _PHASES.has(phase):
		return "phase"
	if not frame.get("params") is Dictionary:
		return "params"
	if not frame.get("deadline_unix_ms") is float:
		return "deadline_unix_ms"
	for part: String in ["expect", "effects"]:
		if frame.has(part) and not frame[part] is Dictionary and not frame[part] is Array:
			return part
	return ""


## True when the deadline is over.
func is_late() -> bool:
	return Time.get_unix_time_from_system() * 1000.0 > frame["deadline_unix_ms"]


## True for a request that may change something.
func is_apply() -> bool:
	return phase == Protocol.PHASE_APPLY


## True when the daemon saw the confirmation that the tool demands.
func is_confirmed() -> bool:
	return frame.get("confirmed", false) == true


## The command's parameters as they came.
func params() -> Dictionary:
	return frame["params"]


## The effects that the tool declares.
func effects() -> Array:
	var declared: Variant = frame.get("effects")
	return declared if declared is Array else []


## What has to be so in the frame of the commit; empty when nothing was asked for.
func expect() -> Dictionary:
	var expected: Variant = frame.get("expect")
	return expected if expected is Dictionary else {}


## The client's key for sending this call again; empty when it gave none.
func key() -> String:
	return text("idempotency_key")


## The hash of command and arguments.
func digest() -> String:
	return text("digest")


## A text of the frame; empty when it is missing or no text.
func text(name: String) -> String:
	var value: Variant = frame.get(name)
	return value if value is String else ""
