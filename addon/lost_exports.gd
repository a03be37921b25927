extends RefCounted
## Values of open scenes that go with a change of a script: the engine stores what the script
## exports, and drops the value of a variable that is exported no more.

const Properties = preload("./properties.gd")
const Resolve = preload("./resolve.gd")
const Scenes = preload("./scenes.gd")
const StaleScripts = preload("./stale_scripts.gd")

## How many a reply lists.
const MAX_SHOWN: int = 20
const HINT: String = (
	"the script exports these variables no more, so the next save of the scene leaves their values"
	+ " out: put the exports back before the scene is saved, if that is not what was meant"
)


## One value.
class Value:
	extends RefCounted
	## The node that has it.
	var node: Node
	## The property.
	var info: Dictionary
	## The value.
	var value: Variant


var _had: Array[Value] = []
var _live: GDScript


## Looks at the values that differ from the script's own. To be made before the script gets its new
## text.
func _init(live: GDScript) -> void:
	_live = live
	for node: Node in StaleScripts.users(live):
		var script: Script = node.get_script()
		for info: Dictionary in _exports(script):
			var name: StringName = info["name"]
			var now: Variant = node.get(name)
			if not _is_usual(now, script.get_property_default_value(name)):
				var one: Value = Value.new()
				one.node = node
				one.info = info
				one.value = now
				_had.append(one)


## Says which of them the scripts do not export now.
func tell(data: Dictionary) -> void:
	var rows: Array[Dictionary] = []
	for one: Value in _had:
		var script: Script = null
		if is_instance_valid(one.node):
			script = one.node.get_script()
		if not _has(script, one.info):
			rows.append(_row(one))
	if rows.is_empty():
		return
	data["lost_values"] = rows.slice(0, MAX_SHOWN)
	data["lost_values_total"] = rows.size()
	data["lost_values_hint"] = HINT


# Of two types that the engine does not compare, `==` is an error.
static func _is_usual(value: Variant, usual: Variant) -> bool:
	return typeof(value) == typeof(usual) and value == usual


static func _row(one: Value) -> Dictionary:
	var scene: String = StaleScripts.scene_of(one.node)
	var root: Node = Scenes.find(scene)
	return {
		"scene": scene,
		"node_path": "" if root == null else Resolve.path_of(root, one.node),
		"property": one.info["name"],
		"value": Properties.shown(one.value, one.info, one.node)["value"],
	}


# A script that does not parse has no list, and the save is refused while that is so.
static func _has(script: Script, info: Dictionary) -> bool:
	if script == null or script.get_instance_base_type().is_empty():
		return true
	return _exports(script).any(
		func(now: Dictionary) -> bool:
			return now["name"] == info["name"] and now["type"] == info["type"]
	)


static func _exports(script: Script) -> Array[Dictionary]:
	return script.get_script_property_list().filter(
		func(info: Dictionary) -> bool:
			var usage: int = info["usage"]
			return usage & PROPERTY_USAGE_SCRIPT_VARIABLE and usage & PROPERTY_USAGE_STORAGE
	)
