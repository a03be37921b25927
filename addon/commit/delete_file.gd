extends "./write_files.gd"
## Removes files, and makes the editor forget them: a save must not write them again.

const ResourceMemory = preload("../resource_memory.gd")


func _after(planned: Result, _the_call: Call) -> Result:
	var path: String = planned.plan.targets[0]
	ResourceMemory.removed(path)
	return planned
