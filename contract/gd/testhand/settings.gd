@tool
extends RefCounted
## What the test hand does with the project's settings, beside the addon under test.


## Does one act: sets a setting in memory without saving it, or tells whether a text is a script
## that this editor takes.
static func run(request: Dictionary) -> Dictionary:
	if request.get("do") == "setting":
		ProjectSettings.set_setting(str(request.get("name")), request.get("value"))
		return {}
	var script: GDScript = GDScript.new()
	script.source_code = str(request.get("text"))
	return {"parses": script.reload() == OK}
