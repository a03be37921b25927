@tool
extends RefCounted
## The last look at a plan before it is reported or committed: phase, declared effects,
## confirmation, expected state.
##
## Each check gives null, or the failure; nothing has happened then.

const Job = preload("./job.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")


## A read has no plan, and everything else has one that does no more than the tool declares.
static func check_plan(job: Job, plan: Plan) -> Result:
	if (plan == null) != (job.phase == Protocol.PHASE_QUERY):
		var what: String = "a plan for a read" if plan != null else "no plan"
		return Result.fail(Protocol.CODE_INTERNAL_ERROR, "%s gave %s" % [job.command, what])
	if plan == null:
		return null
	var declared: Array = job.effects()
	for effect: String in plan.effects:
		if not declared.has(effect):
			return Result.fail(
				Protocol.CODE_INTERNAL_ERROR,
				"%s would do more than its tool declares" % job.command,
				{"effect": effect, "declared": declared},
			)
	return null


## Plans that remove or write are carried out only when the daemon saw the confirmation.
static func check_confirmed(job: Job, plan: Plan) -> Result:
	if job.is_confirmed() or not (plan.removes or plan.writes):
		return null
	return Result.fail(
		Protocol.CODE_PRECONDITION_FAILED, "%s removes or writes and is not confirmed" % job.command
	).needs("confirm")


## The state in which the commit happens is the one that was decided on. `report` is the plan with
## its fingerprint.
static func check_expected(job: Job, report: Dictionary) -> Result:
	var wanted: Dictionary = job.expect()
	if wanted.is_empty():
		return null
	var now: Dictionary = report.get("fingerprint", {})
	for part: String in ["editor", "rev", "target"]:
		if wanted.has(part) and now.get(part) != wanted[part]:
			return Result.fail(
				Protocol.CODE_STATE_CHANGED_SINCE_PREPARE,
				"the %s is not the expected one any more" % part,
				{"part": part, "expected": wanted[part], "now": now.get(part)},
			)
	if not wanted.get("files", {}) is Dictionary:
		return Result.fail(Protocol.CODE_VALIDATION_ERROR, "expect.files must be an object")
	var files: Dictionary = wanted.get("files", {})
	return null if files.is_empty() else _check_files(files, report)


## The files are those that were decided on, none more, each as it was then.
static func _check_files(wanted: Dictionary, report: Dictionary) -> Result:
	var now: Dictionary[String, String] = {}
	var files: Array = report.get("files", [])
	for file: Dictionary in files:
		now[str(file["path"])] = str(file["sha256"])
	var known: Array[String] = now.keys()
	known.append_array(wanted.keys())
	for path: String in known:
		if not now.has(path) or not wanted.has(path) or now[path] != wanted[path]:
			return Result.fail(
				Protocol.CODE_DISK_CHANGED,
				"%s is not what it was when the call was decided on; nothing was written" % path,
				{"path": path, "files": [path]},
			)
	return null
