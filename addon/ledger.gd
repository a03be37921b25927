@tool
extends RefCounted
## What became of the writes of this run: by request id and by the client's key, for all daemons
## together.
##
## It answers "did it apply?" after a lost answer, and makes a re-sent call apply once. The oldest
## settled entries give way when it is full; entries that are not settled never do.

const Job = preload("./link/job.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")

const _CAPACITY: int = 2048
const _REUSED: String = "idempotency_key_reused"

const _OPEN: PackedStringArray = [Protocol.OUTCOME_QUEUED, Protocol.OUTCOME_RUNNING]

# Entries are {id, key, digest, state, answer}; one is in both tables when its call had a key.
var _by_id: Dictionary[String, Dictionary] = {}
var _by_key: Dictionary[String, Dictionary] = {}


## Notes a write that was queued.
func open(job: Job) -> void:
	if not job.is_apply() or _by_id.has(job.id):
		return
	_make_room()
	_by_id[job.id] = {
		"id": job.id,
		"key": job.key(),
		"digest": job.digest(),
		"state": Protocol.OUTCOME_QUEUED,
		"answer": {},
	}


## The answer that a write about to start has already, from an earlier run; empty when it has to
## run. Call it when the job's turn has come: whatever was before it in the queue is settled then.
## The plan of such a call is the first one's too: what it was to make is there by now.
## is_dirty tells of a scene whether it is unsaved now.
func earlier(job: Job, is_dirty: Callable) -> Dictionary:
	if job.phase == Protocol.PHASE_QUERY:
		return {}
	var entry: Dictionary = _first_run(job)
	if entry.is_empty():
		return {}
	if entry["digest"] != job.digest():
		return _reused(job)
	if not _took_effect(entry):
		return {}
	return _again(_of_now(entry, is_dirty), job.id)


## Notes that a write runs now. From here on its key belongs to it.
func start(job: Job) -> void:
	if not job.is_apply() or not _by_id.has(job.id):
		return
	var entry: Dictionary = _by_id[job.id]
	entry["state"] = Protocol.OUTCOME_RUNNING
	if not job.key().is_empty():
		_by_key[job.key()] = entry


## Notes how a write ended. root_id gives the id of the root of an open scene.
func close(job: Job, answer: Dictionary, root_id: Callable) -> void:
	if not _by_id.has(job.id) or not job.is_apply():
		return
	var entry: Dictionary = _by_id[job.id]
	entry["answer"] = answer
	var result: Dictionary = answer.get("result", {})
	entry["root"] = root_id.call(str(result.get("scene", "")))
	if answer["ok"]:
		entry["state"] = Protocol.OUTCOME_APPLIED
	elif _detail(answer, "never_started") == true:
		entry["state"] = Protocol.OUTCOME_NEVER_STARTED
	else:
		entry["state"] = Protocol.OUTCOME_FAILED


## What is known of a write, by the request_id or the idempotency_key that is asked for: {state,
## result?, error?}. is_dirty as for earlier().
func outcome_of(params: Dictionary, is_dirty: Callable) -> Dictionary:
	var request_id: String = str(params.get("request_id", ""))
	var key: String = str(params.get("idempotency_key", ""))
	var entry: Dictionary = _by_id.get(request_id, {})
	if entry.is_empty() and not key.is_empty():
		entry = _by_key.get(key, _queued_with(key))
	if entry.is_empty():
		return {"state": Protocol.OUTCOME_UNKNOWN}
	var out: Dictionary = {"state": entry["state"]}
	var answer: Dictionary = _of_now(entry, is_dirty)
	for part: String in ["result", "error"]:
		if answer.has(part):
			out[part] = answer[part]
	return out


## The entry of the call's first run: under its key, or, re-sent by the link, under its id.
func _first_run(job: Job) -> Dictionary:
	if not job.key().is_empty() and _by_key.has(job.key()):
		return _by_key[job.key()]
	var same: Dictionary = _by_id.get(job.id, {})
	return {} if same.is_empty() or same["state"] == Protocol.OUTCOME_QUEUED else same


## A run that certainly changed nothing may run again.
func _took_effect(entry: Dictionary) -> bool:
	if entry["state"] == Protocol.OUTCOME_APPLIED:
		return true
	var answer: Dictionary = entry["answer"]
	var error: Dictionary = answer.get("error", {})
	return error.get("may_have_applied", false)


## The answer that a run got. What it says of the scene's state is of now.
static func _of_now(entry: Dictionary, is_dirty: Callable) -> Dictionary:
	var answer: Dictionary = entry["answer"]
	var copy: Dictionary = answer.duplicate(true)
	var result: Dictionary = copy.get("result", {})
	var done: Dictionary = result.get("done", {})
	if done.has("scene_dirty"):
		var dirty: bool = is_dirty.call(str(result.get("scene", "")), entry["root"])
		done["scene_dirty"] = dirty
	return copy


## The earlier answer under the new id, marked as such.
static func _again(answer: Dictionary, id: String) -> Dictionary:
	answer["id"] = id
	if answer.has("result"):
		var result: Dictionary = answer["result"]
		var done: Dictionary = result.get("done", {})
		done["deduplicated"] = true
		result["done"] = done
	return answer


func _reused(job: Job) -> Dictionary:
	var failure: Result = Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"this idempotency_key belongs to an earlier call with other arguments",
		{"reason": _REUSED, "idempotency_key": job.key()},
	).with_hint("use a new key for each different call")
	return {"id": job.id, "ok": false, "error": failure.error}


func _queued_with(key: String) -> Dictionary:
	for entry: Dictionary in _by_id.values():
		if entry["key"] == key:
			return entry
	return {}


func _make_room() -> void:
	while _by_id.size() >= _CAPACITY:
		var oldest: Dictionary = _oldest_settled()
		if oldest.is_empty():
			return
		var _had: bool = _by_id.erase(str(oldest["id"]))
		if is_same(_by_key.get(oldest["key"]), oldest):
			_had = _by_key.erase(str(oldest["key"]))


# Looked for at each write once the ledger is full, so the entries are not listed for it.
func _oldest_settled() -> Dictionary:
	for id: String in _by_id:
		var entry: Dictionary = _by_id[id]
		if not entry["state"] in _OPEN:
			return entry
	return {}


func _detail(answer: Dictionary, name: String) -> Variant:
	var error: Dictionary = answer.get("error", {})
	var details: Dictionary = error.get("details", {})
	return details.get(name)
