@tool
extends RefCounted
## Runs commands, one at a time, from one queue for all daemons, and gives each exactly one answer.
##
## It is the only place that knows ids, deadlines and the ledger. What a command does is decided by
## the editor facade: a handler plans, and only phase apply lets the commit carry the plan out,
## after the guards have had a last look.

## The edited scene, the selection or the file system changed; the argument is the event's name.
signal reported(event: String)

const Answers = preload("./link/answers.gd")
const Call = preload("./call.gd")
const Editor = preload("./editor.gd")
const Guards = preload("./link/guards.gd")
const Job = preload("./link/job.gd")
const Later = preload("./link/later.gd")
const Ledger = preload("./ledger.gd")
const LogCapture = preload("./log_capture.gd")
const Owed = preload("./link/owed.gd")
const Proof = preload("./link/proof.gd")
const Protocol = preload("./protocol.gd")
const Queue = preload("./link/queue.gd")
const Result = preload("./result.gd")

# Answered by the router itself, at once: they tell of the queue and must not wait in it.
const _OUTCOME: String = "command_outcome"
const _PING: String = "ping"
# Answered by the router in turn, for measuring the way to the editor and back.
const _ECHO: String = "echo"

var _editor: Editor = null
var _editor_id: String = ""
var _commands: Dictionary[String, bool] = {}
var _ledger: Ledger = Ledger.new()
var _capture: LogCapture = LogCapture.new()
var _queue: Queue = Queue.new()
var _on_stack: bool = false
var _frame_closed: bool = false
# The command that has begun and not ended, in this frame or over several: a read or a plan that is
# made in slices, or a write.
var _running: Job = null
# True when its commit has begun.
var _committing: bool = false
# What is left of it for the frames after this one.
var _later: Later = Later.new()
var _owed: Owed = Owed.new()


## Builds the editor facade. Called once, in the editor.
func setup(undo: EditorUndoRedoManager) -> void:
	_editor_id = Proof.new().nonce(Protocol.NONCE_BYTES)
	_editor = Editor.new()
	_editor.setup(undo)
	for command: String in _editor.commands():
		_commands[command] = true
	_forward(_editor.scene_changed, Protocol.EVENT_SCENE_CHANGED)
	_forward(_editor.selection_changed, Protocol.EVENT_SELECTION_CHANGED)
	_forward(_editor.filesystem_changed, Protocol.EVENT_FILESYSTEM_CHANGED)


## Lets the editor go. What is queued stays unanswered: the links are closed by then.
func teardown() -> void:
	_owed.clear()
	_queue.clear()
	if _running != null:
		_later.close()
		var _unsaid: Array[Dictionary] = _capture.end()
	if _editor != null:
		_editor.teardown()
		_editor = null


## The random id of this run of the addon.
func editor_id() -> String:
	return _editor_id


## The names of the commands that handlers answer, sorted.
func commands() -> PackedStringArray:
	return _editor.commands()


## The edited scene and its revision: {scene, rev, scene_dirty}.
func state() -> Dictionary:
	return _editor.state()


## True when the editor has come up far enough for calls.
func is_ready() -> bool:
	return _editor.is_ready()


## True while a command is on the stack: a frame that begins then must not touch anything.
func is_running() -> bool:
	return _on_stack


## True when commands wait for their turn.
func has_work() -> bool:
	return not _queue.is_empty()


## True when no more commands run in this frame.
func is_frame_closed() -> bool:
	return _frame_closed


## Writes down what is still owed. To be called once the answers have been sent.
func settle() -> void:
	_owed.settle()


## Starts the frame's turn: the editor looks around, and a command that has begun goes on.
func begin_frame() -> void:
	_on_stack = true
	_frame_closed = false
	_editor.frame()
	if _later.is_open():
		_go_on()
	_on_stack = false


## Takes a request. Its answer goes to `reply`, once; `owner` is the link that it came by.
func submit(request: Dictionary, reply: Callable, owner: RefCounted) -> void:
	settle()
	var job: Job = Job.new(request, reply, owner)
	var fault: String = job.fault()
	if not fault.is_empty():
		reply.call(Answers.faulty(job, fault))
	elif job.command == _OUTCOME:
		reply.call(Answers.good(job, _ledger.outcome_of(job.params(), _editor.is_dirty)))
	elif job.command == _PING:
		reply.call(Answers.good(job, {}))
	else:
		_ledger.open(job)
		_queue.add(job)


## Withdraws a request that has not started. One that has is answered as usual.
func cancel(id: String, owner: RefCounted) -> void:
	var job: Job = _queue.withdraw(id, owner)
	if job != null:
		_answer(job, Answers.not_started(job, "the request was cancelled", {"cancelled": true}))


## Forgets what a lost link had asked for and what has not started. The ledger says so.
func drop(owner: RefCounted) -> void:
	for job: Job in _queue.drop(owner):
		_answer(job, Answers.not_started(job, "the link was lost", {}))


## Runs what is queued until the time is up, and gives how many commands it took from the queue.
func step(until_usec: int) -> int:
	var taken: int = 0
	while has_work() and not _frame_closed and _running == null:
		if taken > 0 and Time.get_ticks_usec() >= until_usec:
			break
		var job: Job = _queue.take()
		taken += 1
		_on_stack = true
		_take(job)
		_on_stack = false
	return taken


## Gives a job its answer, by running it unless there is one already.
func _take(job: Job) -> void:
	settle()
	var answer: Dictionary = _ledger.earlier(job, _editor.is_dirty)
	if answer.is_empty() and job.is_late():
		answer = Answers.not_started(job, "the deadline passed before the command could start", {})
	if not answer.is_empty():
		_answer(job, answer)
		return
	_ledger.start(job)
	_capture.begin()
	_running = job
	answer = Answers.good(job, job.params()) if job.command == _ECHO else _run(job)
	if not _later.is_open():
		_finish(answer)


## Runs a command to its answer. Empty when something of ours died on the way, or when the command
## goes on in the next frame.
func _run(job: Job) -> Dictionary:
	if not _commands.has(job.command):
		return Answers.unknown(job)
	var made: Result = _editor.make_call(job.frame)
	if made == null or not made.ok:
		return {} if made == null else Answers.failed(job, made)
	var seen: Call = made.data["call"]
	return _planned(job, _editor.call_handler(seen), seen)


## What a handler's result comes to; empty when the handler goes on in the next frame. Then guards
## and commit have their turn in the frame in which it ends.
func _planned(job: Job, planned: Result, seen: Call) -> Dictionary:
	if planned == null:
		return {}
	if planned.pending.is_valid():
		_later.open(planned, _planned_later.bind(seen))
		_frame_closed = true
		return {}
	if not planned.ok:
		return Answers.failed(job, planned)
	var refusal: Result = Guards.check_plan(job, planned.plan)
	if refusal != null:
		return Answers.failed(job, refusal)
	if job.phase == Protocol.PHASE_QUERY:
		return Answers.succeeded(job, planned, seen, {})
	return _plan_or_apply(job, planned, seen)


## The same after some frames. A plan is carried out in the state of now.
func _planned_later(job: Job, planned: Result, seen: Call) -> Dictionary:
	if job.phase == Protocol.PHASE_QUERY:
		return _planned(job, planned, seen)
	var made: Result = _editor.make_call(job.frame)
	if made == null or not made.ok:
		return {} if made == null else Answers.failed(job, made)
	var now: Call = made.data["call"]
	return _planned(job, planned, now)


func _plan_or_apply(job: Job, planned: Result, seen: Call) -> Dictionary:
	var report: Dictionary = _editor.report(planned)
	# A plain write is not compared with anything.
	if job.phase == Protocol.PHASE_PLAN or not job.expect().is_empty():
		var fingerprint: Dictionary = _editor.fingerprint(planned, seen)
		fingerprint["editor"] = _editor_id
		report["fingerprint"] = fingerprint
	if job.phase == Protocol.PHASE_PLAN:
		return Answers.succeeded(job, planned, seen, report)
	var refusal: Result = Guards.check_confirmed(job, planned.plan)
	if refusal == null:
		refusal = Guards.check_expected(job, report)
	if refusal != null:
		return Answers.failed(job, refusal)
	_committing = true
	_frame_closed = _editor.ends_frame(planned)
	var applied: Result = _editor.apply(planned, seen)
	_owed.add(_editor.note)
	return _applied(job, applied, seen, report)


## The answer of a commit; empty when it goes on in the next frame.
func _applied(job: Job, applied: Result, seen: Call, report: Dictionary) -> Dictionary:
	if applied == null:
		return {}
	if applied.pending.is_valid():
		_later.open(applied, _applied.bind(seen, report))
		_frame_closed = true
		return {}
	if not applied.ok:
		return Answers.failed(job, applied)
	# The commit may have opened the scene, or saved it under another path.
	seen.scene = _editor.edited_scene()
	return Answers.succeeded(job, applied, seen, report)


## Gives the command that has begun its turn of this frame.
func _go_on() -> void:
	_frame_closed = true
	if not _committing and _running.is_late():
		_later.close()
		_finish(Answers.not_ended(_running))
		return
	var given: Variant = _later.ask()
	if given == null and not _later.is_spent() and _capture.own_fault().is_empty():
		return
	var taker: Callable = _later.taker()
	var answer: Dictionary = {}
	if given is Result:
		answer = taker.call(_running, given)
	if not _later.is_open():
		_finish(answer)


## Ends the command that has run. A script error in our own files means that something of ours died
## on the way, whatever the answer looks like.
func _finish(answer: Dictionary) -> void:
	var job: Job = _running
	var fault: Dictionary = _capture.own_fault()
	if answer.is_empty() or not fault.is_empty():
		answer = Answers.died(job, fault, _committing)
	_running = null
	_committing = false
	Answers.add_engine_errors(answer, _capture.end())
	_answer(job, answer)


func _answer(job: Job, answer: Dictionary) -> void:
	job.reply.call(answer)
	if job.is_apply():
		_owed.add(_ledger.close.bind(job, answer, _editor.root_id))


func _forward(from: Signal, event: String) -> void:
	var _connected: int = from.connect(func() -> void: reported.emit(event))
