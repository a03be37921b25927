extends RefCounted
## One way of doing a plan's changes. The commit picks it by the changes' "op" (see commit.gd).

const Call = preload("../call.gd")
const Result = preload("../result.gd")


## Does what planned.plan says and answers with data (planned.data, read back) and done, or with a
## failure after which nothing has changed. May set `pending` on the Result when it needs more
## frames.
func apply(planned: Result, _the_call: Call) -> Result:
	return Result.fail(
		Result.Protocol.CODE_INTERNAL_ERROR, "no applier for %s" % planned.plan.op()
	)


## True when the frame ends with these changes. The engine ignores a second scene switch in one
## frame, and its Scene dock crashes the editor when nodes leave and enter the tree several times
## before it has caught up (4.6.3). Only what leaves the tree as it is may say no.
func ends_frame() -> bool:
	return true
