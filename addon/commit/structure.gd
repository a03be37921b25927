extends RefCounted
## What the structural edits share: who owns what below a node, where a node stands, what its parent
## makes of it.

const Recorder = preload("./recorder.gd")


## One node's owner.
class Owned:
	extends RefCounted
	## The node.
	var node: Node
	## Its owner.
	var owner: Node


## The owners of a node and of all below it, internal ones too, parents before children.
static func owners(node: Node) -> Array[Owned]:
	var out: Array[Owned] = []
	var queue: Array[Node] = [node]
	while not queue.is_empty():
		var at: Node = queue.pop_front()
		if at.owner != null:
			var owned: Owned = Owned.new()
			owned.node = at
			owned.owner = at.owner
			out.append(owned)
		queue.append_array(at.get_children(true))
	return out


## Those owners that leaving the tree takes away: they stand outside of the branch.
static func outside(node: Node, all: Array[Owned]) -> Array[Owned]:
	var out: Array[Owned] = []
	for owned: Owned in all:
		if owned.owner != node and not node.is_ancestor_of(owned.owner):
			out.append(owned)
	return out


## Writes the steps that bring a node below parent, at its place, with owners.
static func place_steps(
	step: Callable, node: Node, parent: Node, index: int, all: Array[Owned]
) -> void:
	step.call(parent, &"add_child", [node, true])
	step.call(parent, &"move_child", [node, index])
	for owned: Owned in all:
		if is_instance_valid(owned.node) and is_instance_valid(owned.owner):
			step.call(owned.node, &"set_owner", [owned.owner])


## True when the node is there, below this parent inside of the scene, and stays so: nothing from it
## up to the root is about to be freed. The node may be freed already.
static func stays(node: Variant, parent: Variant, root: Node) -> bool:
	if not is_instance_valid(node) or not is_instance_valid(root):
		return false
	var at: Node = node
	if at != root and (not is_instance_valid(parent) or at.get_parent() != parent):
		return false
	while at != null and not at.is_queued_for_deletion():
		if at == root:
			return true
		at = at.get_parent()
	return false


## Remembers a parent before a child comes or goes. A TabContainer moves its current tab and shows
## and hides its children then, on the way there and on the way back alike.
static func before(recorder: Recorder, parent: Node) -> Array[Recorder.Before]:
	var out: Array[Recorder.Before] = []
	if not parent is TabContainer:
		out.append(recorder.before(parent))
		return out
	out.append(recorder.before(parent, [&"current_tab"]))
	for child: Node in parent.get_children():
		if child is Control:
			out.append(recorder.pin(child, [&"visible"]))
	return out


## Remembers the other nodes that a change of these properties reaches: the tabs of a TabContainer,
## and the buttons of a group, which the engine switches together.
static func companions(
	recorder: Recorder, node: Node, names: Array[StringName]
) -> Array[Recorder.Before]:
	var out: Array[Recorder.Before] = []
	if node.get_parent() is TabContainer and names.has(&"visible"):
		return before(recorder, node.get_parent())
	if node is TabContainer and names.has(&"current_tab"):
		for child: Node in node.get_children():
			if child is Control:
				out.append(recorder.pin(child, [&"visible"]))
	var button: BaseButton = node as BaseButton
	if button != null and button.button_group != null and names.has(&"button_pressed"):
		for other: BaseButton in button.button_group.get_buttons():
			if other != button:
				out.append(recorder.pin(other, [&"button_pressed"]))
	return out


## Writes down what differs.
static func differences(recorder: Recorder, was: Array[Recorder.Before]) -> void:
	for one: Recorder.Before in was:
		if is_instance_valid(one.object):
			var _sure: bool = recorder.differences(one)


## Puts a parent back as it was. True when it then is so.
static func restore(recorder: Recorder, was: Array[Recorder.Before]) -> bool:
	var whole: bool = true
	for one: Recorder.Before in was:
		whole = is_instance_valid(one.object) and recorder.restore(one) and whole
	return whole
