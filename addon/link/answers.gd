@tool
extends RefCounted
## The forms of an answer, as protocol.Response. The id comes first: the daemon finds it there in a
## frame that is too large to be read.

const Call = preload("../call.gd")
const Job = preload("./job.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")


## An answer that is data and nothing else.
static func good(job: Job, data: Dictionary) -> Dictionary:
	return {"id": job.id, "ok": true, "result": {"data": data}}


## What a handler or the commit gave. `report` is the plan as reported, empty for reads.
static func succeeded(job: Job, given: Result, seen: Call, report: Dictionary) -> Dictionary:
	var result: Dictionary = {"data": given.data, "scene": seen.scene}
	if not report.is_empty():
		result["plan"] = report
	if job.is_apply():
		result["done"] = given.done
	return {"id": job.id, "ok": true, "result": result}


## A failure.
static func failed(job: Job, failure: Result) -> Dictionary:
	return {"id": job.id, "ok": false, "error": failure.error}


## The failure of a request whose form is wrong.
static func faulty(job: Job, fault: String) -> Dictionary:
	return failed(
		job,
		Result.fail(
			Protocol.CODE_VALIDATION_ERROR, "the request's %s is missing or wrong" % fault
		)
	)


## The failure of a command that there is no handler for.
static func unknown(job: Job) -> Dictionary:
	return failed(
		job,
		Result.fail(
			Protocol.CODE_ADDON_VERSION_MISMATCH, "this addon has no command %s" % job.command
		)
	)


## The failure of a command that certainly has not begun.
static func not_started(job: Job, why: String, extra: Dictionary) -> Dictionary:
	var details: Dictionary = {"never_started": true}
	details.merge(extra)
	return failed(job, Result.fail(Protocol.CODE_TIMEOUT, why, details))


## The failure of a command whose reading took too long. It has changed nothing.
static func not_ended(job: Job) -> Dictionary:
	var failure: Result = Result.fail(
		Protocol.CODE_TIMEOUT,
		"the deadline passed before everything was read; nothing was changed",
		{"never_started": true}
	)
	return failed(job, failure.with_hint("pass a larger timeout_seconds, or ask for less"))


## The failure of a command on whose way something of ours died; `fault` is the script error, if one
## was logged.
static func died(job: Job, fault: Dictionary, commit_began: bool) -> Dictionary:
	var failure: Result = Result.fail(
		Protocol.CODE_INTERNAL_ERROR, "%s failed inside the addon" % job.command, fault.duplicate()
	)
	return failed(job, failure.maybe_applied() if commit_began else failure)


## Adds the engine's errors: to the result, or to a failure's details.
static func add_engine_errors(answer: Dictionary, errors: Array[Dictionary]) -> void:
	if errors.is_empty():
		return
	if answer.has("result"):
		var result: Dictionary = answer["result"]
		result["engine_errors"] = errors
		return
	var error: Dictionary = answer["error"]
	var details: Dictionary = error.get("details", {})
	details["engine_errors"] = errors
	error["details"] = details
