extends RefCounted
## Reads of the open scenes: the tree, one node, a search. They run no project code beyond property
## getters.

const Call = preload("../call.gd")
const NodeReport = preload("../node_report.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const Resolve = preload("../resolve.gd")
const Result = preload("../result.gd")
const Scenes = preload("../scenes.gd")
const Slices = preload("../slices.gd")
const States = preload("../states.gd")
const TextFilter = preload("../text_filter.gd")
const TreeRows = preload("../tree_rows.gd")
const TypeFilter = preload("../type_filter.gd")

const MAX_ROWS: int = 5000

var _states: States
var _properties: Properties


func _init(states: States, properties: Properties) -> void:
	_states = states
	_properties = properties


## A page of the tree below node_path: compact rows, and marks where a node is more than a plain
## one.
func get_scene_tree(the_call: Call) -> Result:
	var rows: TreeRows = _rows(the_call, 1000)
	rows.max_depth = the_call.number("max_depth", -1)
	rows.name_filter = TextFilter.new(the_call.text("name_filter"))
	return _read(the_call, rows, "node_path", the_call.text("type_filter"))


## All nodes below `under` that fit name, type, group and script_path.
func find_nodes(the_call: Call) -> Result:
	var rows: TreeRows = _rows(the_call, 200)
	rows.name_filter = TextFilter.new(the_call.text("name"))
	rows.group = StringName(the_call.text("group"))
	rows.script_path = Scenes.path_of(the_call.text("script_path"))
	return _read(the_call, rows, "under", the_call.text("type"))


## One node: where it comes from, its groups, its children and its properties.
func get_node(the_call: Call) -> Result:
	var path: String = the_call.text("node_path", ".")
	var node: Node = Resolve.find(the_call.root, path)
	if node == null:
		return Resolve.missing(the_call.root, path)
	var report: NodeReport = NodeReport.new(_states, _properties)
	return report.of(the_call.root, node, _names(the_call), the_call.flag("all"))


func _rows(the_call: Call, limit: int) -> TreeRows:
	var rows: TreeRows = TreeRows.new()
	rows.offset = maxi(0, the_call.number("offset", 0))
	rows.limit = clampi(the_call.number("limit", limit), 1, MAX_ROWS)
	return rows


func _read(the_call: Call, rows: TreeRows, parameter: String, type: String) -> Result:
	var path: String = the_call.text(parameter, ".")
	var from: Node = Resolve.find(the_call.root, path)
	if from == null:
		return Resolve.missing(the_call.root, path, parameter)
	if not type.is_empty():
		rows.type_filter = TypeFilter.new()
		var known: Result = rows.type_filter.setup(type)
		if not known.ok:
			return known
	rows.inherited = _states.inherited(the_call.root)
	rows.begin(the_call.root, from, Resolve.path_of(the_call.root, from))
	return Slices.run(func(until: int) -> Result: return _go_on(the_call, rows, until))


static func _go_on(the_call: Call, rows: TreeRows, until_usec: int) -> Result:
	if not rows.is_there():
		return Result.fail(
			Protocol.CODE_SCENE_MISMATCH,
			"%s was closed, or the node deleted, while it was read" % the_call.scene,
			{"scene": the_call.scene}
		).with_hint(Scenes.way_to(the_call.scene))
	if not rows.go_on(until_usec):
		return null
	var data: Dictionary = rows.page()
	data["root"] = str(the_call.root.name)
	data["scene"] = the_call.scene
	return Result.good(data)


static func _names(the_call: Call) -> PackedStringArray:
	var names: PackedStringArray = PackedStringArray()
	var given: Variant = the_call.params.get("properties", [])
	if given is Array:
		for name: Variant in given:
			var _full: bool = names.append(str(name))
	return names
