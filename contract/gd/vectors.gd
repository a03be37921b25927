extends SceneTree
## Runs the shared value vectors against the addon's values.gd and prints one line of JSON: counts
## and failures.
##
## Run in a project that has the addon at res://addons/drawbridge and the vectors at res://vectors:
## godot --headless --path PROJECT -s res://gd/vectors.gd. Exits 0 when everything holds.

const Encoder = preload("res://addons/drawbridge/values/encoder.gd")
const Fixture = preload("./vectors_fixture.gd")
const Result = preload("res://addons/drawbridge/result.gd")
const Values = preload("res://addons/drawbridge/values.gd")

const VECTORS: String = "res://vectors"
const FAILURES_SHOWN: int = 40

var _checks: int = 0
var _rows: Dictionary[String, int] = {}
var _failures: PackedStringArray = []
var _fixture: Fixture = null


func _initialize() -> void:
	_fixture = Fixture.new()
	_fixture.build(root)
	_run("valid/values", _valid)
	_run("invalid/values", _invalid)
	_run("valid/same", _same)
	_bounds()
	_resources()
	_nodes()
	_wire_faults()
	_fixture.free_scene()
	var report: Dictionary = {
		"ok": _failures.is_empty() and _rows.get("valid/values", 0) > 0,
		"checks": _checks,
		"rows": _rows,
		"failed": _failures.size(),
		"failures": _failures.slice(0, FAILURES_SHOWN),
	}
	print(JSON.stringify(report))
	quit(0 if report["ok"] else 1)


func _run(file: String, check: Callable) -> void:
	var text: String = FileAccess.get_file_as_string("%s/%s.json" % [VECTORS, file])
	var parsed: Variant = JSON.parse_string(text)
	var rows: Array = parsed if parsed is Array else []
	_rows[file] = rows.size()
	_expect(not rows.is_empty(), "%s has no rows" % file)
	for row: Dictionary in rows:
		check.call(row)


## held is a bool; anything else has failed too.
func _expect(held: Variant, message: String) -> void:
	_checks += 1
	if not is_same(held, true):
		var _full: bool = _failures.append(message)


func _valid(row: Dictionary) -> void:
	var declared: Dictionary = Fixture.declared_of(row)
	var name: String = row["name"]
	var expected: Variant = _fixture.value_of(str(row["expect"]))
	var value: Variant = _decoded(row["wire"], declared, name)
	_expect(_fixture.equal(value, expected), "%s: got %s, not %s" % [name, value, expected])
	var out: Variant = Values.encode(value, declared, _fixture.player)
	var asked: Variant = JSON.to_native(row["out_wire"])
	_expect(Fixture.equal_form(out, asked), "%s: shown as %s, not %s" % [name, out, asked])
	_expect(not JSON.stringify(out).contains("<Object#"), "%s: shows an object id" % name)
	var again: Variant = _decoded(row["out_wire"], declared, name + ", its own form")
	_expect(_fixture.equal(again, value), "%s: its form gives %s, not %s" % [name, again, value])
	_expect(Values.same(value, again, declared), "%s: not the same as itself" % name)
	_expect(Values.already(value, again, declared), "%s: its own value is another one" % name)


func _decoded(wire: Variant, declared: Dictionary, name: String) -> Variant:
	var result: Result = Values.decode(wire, declared, _fixture.place)
	_expect(result.ok, "%s: refused: %s" % [name, result.error])
	return result.data.get("value")


func _invalid(row: Dictionary) -> void:
	var name: String = row["name"]
	var declared: Dictionary = Fixture.declared_of(row)
	var result: Result = Values.decode(row["wire"], declared, _fixture.place)
	_expect(not result.ok, "%s: accepted as %s" % [name, result.data])
	_expect(result.error.get("code") == row["code"], "%s: %s" % [name, result.error])
	var details: Dictionary = result.error.get("details", {})
	var wanted: Dictionary = row["details"]
	for key: String in wanted:
		var found: Variant = details.get(key)
		_expect(found == wanted[key], "%s: %s is %s, not %s" % [name, key, found, wanted[key]])
	for key: String in ["property", "expected", "got"]:
		_expect(details.has(key), "%s: details lack %s" % [name, key])


func _same(row: Dictionary) -> void:
	var asked: Variant = _fixture.value_of(str(row["asked"]))
	var found: Variant = _fixture.value_of(str(row["found"]))
	var got: bool = Values.same(asked, found, Fixture.declared_of(row))
	_expect(got == row["same"], "same(%s, %s) is %s" % [row["asked"], row["found"], got])
	var there: bool = Values.already(asked, found, Fixture.declared_of(row))
	var wanted: bool = row.get("already", row["same"])
	_expect(there == wanted, "already(%s, %s) is %s" % [row["asked"], row["found"], there])


## What has no end, or is too large, is marked and stays small.
func _bounds() -> void:
	var cycle: Array = [1]
	cycle.append(cycle)
	_shows(cycle, {"type": TYPE_ARRAY}, [1, {"$truncated": "Array", "size": 2, "reason": "cycle"}])
	cycle.clear()
	var map: Dictionary = {}
	map["self"] = map
	_shows(map, {}, {"self": {"$truncated": "Dictionary", "size": 1, "reason": "cycle"}})
	map.clear()
	var deep: Array = []
	for level: int in 100:
		deep = [deep]
	_expect(JSON.stringify(Values.encode(deep, {})).length() < 200, "depth is not bounded")
	var wide: PackedInt64Array = []
	var _size: int = wide.resize(Encoder.MAX_ITEMS + 1)
	_shows(
		wide, {"type": TYPE_PACKED_INT64_ARRAY},
		{"$truncated": "PackedInt64Array", "size": wide.size(), "reason": "size"}
	)
	var tree: Array = [0, 0, 0, 0]
	for level: int in 20:
		tree = [tree, tree, tree, tree]
	var shown: String = JSON.stringify(Values.encode(tree, {}))
	_expect(shown.length() < 40 * Encoder.MAX_ITEMS, "size is not bounded")
	_shows("x".repeat(Encoder.MAX_TEXT + 1), {"type": TYPE_STRING}, {
		"$truncated": "String", "size": Encoder.MAX_TEXT + 1, "reason": "size",
	})
	for closed: Variant in [RID(), Callable(), Signal()]:
		_shows(closed, {}, {"$opaque": type_string(typeof(closed))})
	_shows(RefCounted.new(), {}, {"$opaque": "RefCounted"})


func _shows(value: Variant, declared: Dictionary, wanted: Variant) -> void:
	var out: Variant = Values.encode(value, declared, _fixture.player)
	_expect(Fixture.equal_form(out, wanted), "shown as %s, not %s" % [str(out).left(200), wanted])


## Resources without a file are shown with their properties (BR-031), to a bounded depth.
func _resources() -> void:
	var mesh: BoxMesh = BoxMesh.new()
	mesh.size = Vector3(1, 2, 3)
	var out: Dictionary = Values.encode(mesh, {"type": TYPE_OBJECT, "class_name": "Mesh"}, null)
	_expect(out["$resource"] == "BoxMesh" and out["path"] == null, "mesh shown as %s" % out)
	var properties: Dictionary = out["properties"]
	_expect(properties.get("size") == [1.0, 2.0, 3.0], "mesh properties %s" % properties)
	var loop: Resource = _fixture.thing_script.new()
	loop.set("other", loop)
	var text: String = JSON.stringify(Values.encode(loop, {}))
	_expect(text.length() < 500 and not text.contains("<Object#"), "resource in itself: %s" % text)
	loop.set("other", null)
	var names: Dictionary = {"Texture2D": "Texture2D", "VectorHud": "VectorHud"}
	for name: String in names:
		var declared: Dictionary = {"type": TYPE_OBJECT, "class_name": name}
		_expect(Values.type_name(declared) == names[name], "type name of %s" % name)
	var idle: Dictionary = {
		"type": TYPE_INT, "hint": PROPERTY_HINT_ENUM, "hint_string": "Physics,Idle",
	}
	_expect(Values.enum_name(1, idle) == "Idle" and Values.enum_name(7, idle) == "", "enum names")


## Node paths start where the property is, or will be.
func _nodes() -> void:
	var declared: Dictionary = {"name": "p", "type": TYPE_OBJECT, "class_name": "Node"}
	var below: Values.Place = Values.place_below(_fixture.player, _fixture.scene)
	var wanted: Dictionary = {"../Child": "Child", "../../Hud": "../Hud", "..": ".", "../..": ".."}
	for path: String in wanted:
		var result: Result = Values.decode("s:" + path, declared, below)
		var node: Node = _fixture.player.get_node(str(wanted[path]))
		_expect(result.data.get("value") == node, "below: %s gives %s" % [path, result.error])
	for path: String in [".", "Child", "../Nope", "../../.."]:
		_expect(not Values.decode("s:" + path, declared, below).ok, "below: %s was found" % path)
	_expect(not Values.decode("s:..", declared).ok, "a node without a place")
	var stranger: Node = Node.new()
	_shows(stranger, declared, {"$node": null, "name": ""})
	stranger.free()


## What is not in wire form is the peer's fault. (The engine logs an error for each.)
func _wire_faults() -> void:
	for wire: Variant in [5.0, "plain", {"type": "Node"}, {"x": 1}]:
		var result: Result = Values.decode(wire, {"name": "p", "type": TYPE_NIL})
		_expect(not result.ok and result.error["code"] == "BRIDGE_PROTOCOL_ERROR", "wire %s" % wire)
