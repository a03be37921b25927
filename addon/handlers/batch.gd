extends RefCounted
## Plans several edits as one. What each of them does is planned in its turn: it may be about what
## the ones before it make.

const Call = preload("../call.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")

const OP: String = "run_commands"


## Plans the entries: {command, params, effects}, in order.
func run_commands(the_call: Call) -> Result:
	var given: Variant = the_call.params.get("entries")
	if not given is Array:
		return _broken("the call came without entries")
	var list: Array = given
	var entries: Array[Dictionary] = []
	var plan: Plan = Plan.new()
	plan.add_effect(Protocol.EFFECT_EDITS_MEMORY)
	for one: Variant in list:
		if not one is Dictionary:
			return _broken("an entry is not an object")
		var entry: Dictionary = one
		if not entry.get("params") is Dictionary or not entry.get("effects") is Array:
			return _broken("an entry lacks its parameters or effects")
		if entry.get("command") == the_call.command:
			return _broken("a batch in a batch")
		var effects: Array = entry["effects"]
		if effects.has(Protocol.EFFECT_REMOVES):
			plan.add_effect(Protocol.EFFECT_REMOVES)
		entries.append(entry)
	var _plan_itself: RefCounted = plan.change(OP, {"entries": entries})
	return Result.planned(plan, {})


static func _broken(message: String) -> Result:
	return Result.fail(Protocol.CODE_BRIDGE_PROTOCOL_ERROR, message)
