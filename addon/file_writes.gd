extends RefCounted
## Plans for writing files: what a handler wants to be on the disk, turned into a plan that names
## every file as it is now. commit/write_files.gd does it.

const Disk = preload("./disk.gd")
const Plan = preload("./plan.gd")
const Protocol = preload("./protocol.gd")

## The name of the applier that writes.
const OP: String = "write_files"
## The name of the applier that brings kept bytes back.
const RESTORE_OP: String = "restore_files"


## One file to write: its path, and its whole new content.
static func content(path: String, bytes: PackedByteArray) -> Dictionary:
	return {"path": path, "bytes": bytes}


## One file to take away.
static func removal(path: String) -> Dictionary:
	return {"path": path, "bytes": null}


## The plan that makes all of these so, or none. `op` names another applier that extends
## write_files.gd, and `more` is what that one needs to know.
static func plan(
	writes: Array[Dictionary], op: String = OP, more: Dictionary = {}
) -> Plan:
	var made: Plan = Plan.new()
	made.undoable = false
	made.add_effect(Protocol.EFFECT_TOUCHES_DISK)
	for write: Dictionary in writes:
		var path: String = write["path"]
		var _full: bool = made.targets.append(path)
		made.files.append({"path": path, "sha256": Disk.sha256(path)})
		if write["bytes"] == null:
			made.add_effect(Protocol.EFFECT_REMOVES)
	var arguments: Dictionary = {"writes": writes}
	arguments.merge(more)
	var _plan: RefCounted = made.change(op, arguments)
	return made
