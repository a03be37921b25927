extends RefCounted
## Scripts that are to be attached to nodes: whether they load and fit, and what a node loses with
## the script that it has.

const NodeReport = preload("./node_report.gd")
const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const ScriptCheck = preload("./script_check.gd")
const Values = preload("./values.gd")


## The script at that path, if it can be attached to the node: data.script. Loading it is what the
## real run does too; no code of it runs, save the static initialisers of tool scripts.
static func fit_for(node: Node, path: String) -> Result:
	if not FileAccess.file_exists(path) and not ResourceLoader.exists(path):
		return Result.fail(
			Protocol.CODE_RESOURCE_NOT_FOUND,
			"no file %s" % path,
			{"parameter": "script_path", "script_path": path}
		)
	if not ResourceLoader.exists(path, "Script"):
		return _refuse(path, "not_a_script", "%s is no script" % path)
	var failure: Result = _parse_refusal(path)
	if failure != null:
		return failure
	var script: Script = ResourceLoader.load(path, "Script") as Script
	var base: StringName = &"" if script == null else script.get_instance_base_type()
	if base.is_empty():
		return _refuse(
			path, "script_does_not_load", "%s parses, and the editor does not load it" % path
		).with_hint("rescan_filesystem makes the editor read it again")
	if not ClassDB.is_parent_class(node.get_class(), base):
		return _refuse(
			path,
			"wrong_base_type",
			"%s extends %s, and the node is a %s" % [path, base, node.get_class()]
		).with_detail("base", str(base)).with_detail("node_type", node.get_class())
	return _concrete(script, path)


## The exported values that differ from the script's own, by name, as replies show them: what goes
## with the script.
static func lost_values(node: Node, script: Script, listing: Properties.Listing) -> Dictionary:
	var lost: Dictionary = {}
	if script == null:
		return lost
	for info: Dictionary in script.get_script_property_list():
		var property: StringName = info["name"]
		if not listing.stored.has(property):
			continue
		var value: Variant = node.get(property)
		var usual: Variant = NodeReport.default_of(node, property)
		if typeof(value) != typeof(usual) or value != usual:
			lost[str(property)] = Values.encode(value, listing.info[property], node)
	return lost


# What is on the disk counts: the editor may hold an older text that parses.
static func _parse_refusal(path: String) -> Result:
	if path.get_extension() != "gd":
		return null
	var checked: Dictionary = ScriptCheck.check(FileAccess.get_file_as_string(path), path)
	if checked["parse_ok"]:
		return null
	return _refuse(path, "script_does_not_parse", "%s does not parse" % path).with_detail(
		"diagnostics", checked["diagnostics"]
	).with_hint("correct the script first: details.diagnostics has the lines")


static func _concrete(script: Script, path: String) -> Result:
	if script.is_abstract():
		return _refuse(path, "abstract_class", "%s is abstract" % path)
	var at: Script = script
	while at != null:
		for method: Dictionary in at.get_script_method_list():
			if method["name"] != "_init":
				continue
			var arguments: Array = method["args"]
			var defaults: Array = method["default_args"]
			if arguments.size() > defaults.size():
				return _refuse(
					path, "init_needs_arguments", "%s cannot be made without arguments" % path
				)
			return Result.good({"script": script})
		at = at.get_base_script()
	return Result.good({"script": script})


static func _refuse(path: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		message,
		{"parameter": "script_path", "reason": reason, "script_path": path}
	)
