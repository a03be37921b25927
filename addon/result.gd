extends RefCounted
## What a handler or the commit gives back: data, data with a plan, or a failure.
##
## Made with the static functions only. A failure names its code, what happened in one sentence and
## what to do.

const Plan = preload("./plan.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")

## True unless this is a failure.
var ok: bool = false
## The handler's own answer.
var data: Dictionary = {}
## What a writing command is going to change; null for reads and failures.
var plan: Plan = null
## What an apply did, in the form of protocol.Done. Set by the commit.
var done: Dictionary = {}
## The failure in the form of protocol.Error; empty when ok.
var error: Dictionary = {}
## Set while an apply needs more frames: called once a frame, it gives null (not yet) or the final
## Result.
var pending: Callable = Callable()
## How many frames `pending` may take; it gives its Result in the last one.
var pending_frames: int = 5


## A read's answer.
static func good(answer: Dictionary) -> Result:
	var result: Result = Result.new()
	result.ok = true
	result.data = answer
	return result


## A writing command's answer: what it will do, and the data for the reply.
static func planned(the_plan: Plan, answer: Dictionary) -> Result:
	var result: Result = good(answer)
	result.plan = the_plan
	return result


## A failure with the code's own hint; details may be left out.
static func fail(code: String, message: String, details: Dictionary = {}) -> Result:
	var result: Result = Result.new()
	result.error = {"code": code, "message": message, "hint": hint_for(code)}
	if not details.is_empty():
		result.error["details"] = details
	return result


## The general hint of a code; empty for a code that the protocol does not know.
static func hint_for(code: String) -> String:
	return Protocol.HINTS.get(code, "")


## Names what has to be true first. Returns self, for chaining at the place of failure.
func needs(token: String) -> Result:
	error["required"] = token
	return self


## Replaces the code's general hint by a better one. Returns self.
func with_hint(text: String) -> Result:
	error["hint"] = text
	return self


## Adds one detail. Returns self.
func with_detail(key: String, value: Variant) -> Result:
	var details: Dictionary = error.get("details", {})
	details[key] = value
	error["details"] = details
	return self


## Says that the effect may have happened although this is a failure. Returns self.
func maybe_applied() -> Result:
	error["may_have_applied"] = true
	return self
