extends RefCounted
## Long reads in slices: each frame does a part of the work, so that the editor goes on drawing. The
## queue waits meanwhile, and the call's deadline ends a read that takes for ever.

const Result = preload("./result.gd")

## How long the work of one frame takes. What a frame does beside it has to fit into 100 ms as well:
## the rows of the answer, its JSON, and the editor's own work.
const USEC: int = 40_000
## So many nodes or files end a slice too, however fast they went: a slice that the machine is too
## busy for gets long.
const NODES: int = 25_000
const FILES: int = 2000

const _NO_LIMIT: int = 1 << 60


## Does the work in slices. It is called with the time (in µs of the engine's clock) until which it
## may go on, and gives null while there is more to do, and its Result in the end.
static func run(work: Callable) -> Result:
	var first: Variant = work.call(Time.get_ticks_usec() + USEC)
	if first is Result:
		return first
	var waiting: Result = Result.good({})
	waiting.pending = func() -> Result: return work.call(Time.get_ticks_usec() + USEC)
	waiting.pending_frames = _NO_LIMIT
	return waiting
