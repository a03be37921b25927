extends RefCounted
## What a command is going to do: made by a handler, reported by a dry run, done by the commit of a
## real run.

const Protocol = preload("./protocol.gd")

## What the call is about: node paths relative to the root, or res:// paths.
var targets: PackedStringArray = PackedStringArray()
## What the commit does, in order. Each is a Dictionary whose "op" names the applier; all of one
## plan share it.
var changes: Array[Dictionary] = []
## True when something that exists is taken away.
var removes: bool = false
## True when files are written.
var writes: bool = false
## The effects of this call, a part of those that the tool declares.
var effects: PackedStringArray = PackedStringArray()
## True when one undo step takes all of it back.
var undoable: bool = true
## The files that the call would write, as they are now: {path, sha256}, sha256 empty when missing.
var files: Array[Dictionary] = []
## What a save keeps: verdicts in the form of protocol.Verdict (see persistence.gd).
var verdicts: Array[Dictionary] = []


## The plan in the form of protocol.Plan, without the fingerprint.
func report() -> Dictionary:
	var out: Dictionary = {
		"targets": Array(targets),
		"effects": Array(effects),
		"removes": removes,
		"writes": writes,
		"undoable": undoable,
	}
	if not files.is_empty():
		out["files"] = files
	if not verdicts.is_empty():
		out["persistence"] = verdicts
	return out


## Adds one change and returns self.
func change(kind: String, arguments: Dictionary) -> RefCounted:
	arguments["op"] = kind
	changes.append(arguments)
	return self


## The name of the applier that the commit needs; empty when there is nothing to do.
func op() -> String:
	return "" if changes.is_empty() else str(changes[0]["op"])


## Adds an effect (and what follows from it) once.
func add_effect(effect: String) -> void:
	if not effects.has(effect):
		var _full: bool = effects.append(effect)
	removes = removes or effect == Protocol.EFFECT_REMOVES
	writes = writes or effect == Protocol.EFFECT_TOUCHES_DISK
