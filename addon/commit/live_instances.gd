extends RefCounted
## Shows in open scenes what the files of their instances say now. The editor does not by itself,
## and its next save of such a scene would write the old values into it as changes of its own.

const CrossFile = preload("../cross_file.gd")
const Identical = preload("../values/identical.gd")
const OpenUsers = preload("../open_users.gd")
const Properties = preload("../properties.gd")
const Resolve = preload("../resolve.gd")
const SceneSame = preload("../scene_same.gd")
const Scenes = preload("../scenes.gd")

const MAX_SHOWN: int = 20


## Gives the nodes of open scenes the new values, where they have the old ones. The rows say of each
## scene whether all its nodes show the change, and which do not.
static func update(users: OpenUsers) -> Array[Dictionary]:
	var others: Dictionary[String, Array] = {}
	for anchor: OpenUsers.Anchor in users.anchors():
		for target: CrossFile.Target in anchor.file.targets:
			var node: Node = null
			# A setter may have freed it.
			if is_instance_valid(anchor.node):
				node = anchor.node.get_node_or_null(target.entry.path)
			for property: StringName in target.after:
				if is_instance_valid(node) and _shows(node, target, property):
					continue
				var id: String = Scenes.id_of(anchor.root)
				if not others.has(id):
					others[id] = []
				if is_instance_valid(node):
					others[id].append(Resolve.path_of(anchor.root, node) + ":" + property)
	var rows: Array[Dictionary] = users.rows()
	for row: Dictionary in rows:
		var own: Array = others.get(row["scene"], [])
		row["shows_change"] = not others.has(row["scene"])
		if not own.is_empty():
			row["own_values"] = own.slice(0, MAX_SHOWN)
	return rows


static func _shows(node: Node, target: CrossFile.Target, property: StringName) -> bool:
	var wanted: Variant = target.after[property]
	var now: Variant = node.get(property)
	if not SceneSame.equal(wanted, now, 0) and Identical.of(now, target.before.get(property)):
		Properties.write(node, property, wanted)
	return is_instance_valid(node) and SceneSame.equal(wanted, node.get(property), 0)
