extends RefCounted
## The steps of several calls on their way to being one undo action. Nothing of it is in the
## editor's history before all calls went well: until then it can be taken back without a trace.

const Properties = preload("../properties.gd")
const Touched = preload("../touched.gd")


## One step: a method with its arguments, or a property with its value.
class Step:
	extends RefCounted
	## What it works on. It may be freed by now, so it has no type.
	var object: Variant
	## The method or property.
	var name: StringName
	## The method's arguments, or the value alone.
	var arguments: Array
	## True for a property.
	var is_property: bool = false

	## Does it; false when its object is gone.
	func run() -> bool:
		if not is_instance_valid(object):
			return false
		var target: Object = object
		if is_property:
			Properties.write(target, name, arguments[0])
		else:
			var _nothing: Variant = target.callv(name, arguments)
		return true


## The object whose history the action is for.
var context: Object
## True when a call's action was for another history.
var is_mixed: bool = false
## What all of the steps work on.
var touched: Touched = Touched.new()

var _redo: Array[Step] = []
# By call.
var _undo: Array[Array] = []
var _created: Array[Node] = []
var _removed: Array[Node] = []


func _init(the_context: Object) -> void:
	context = the_context


## Begins the next call's steps, which are for the history of `for_context`.
func next(for_context: Object) -> void:
	is_mixed = is_mixed or for_context != context
	_undo.append([])


## How many calls have steps.
func size() -> int:
	return _undo.size()


## Adds a method that redo calls.
func add_redo(object: Object, method: StringName, arguments: Array) -> void:
	_redo.append(_step(object, method, arguments, false))


## Adds a method that undo calls.
func add_undo(object: Object, method: StringName, arguments: Array) -> void:
	_undo[-1].append(_step(object, method, arguments, false))


## Adds a property that redo sets.
func add_redo_property(object: Object, property: StringName, value: Variant) -> void:
	_redo.append(_step(object, property, [value], true))


## Adds a property that undo sets.
func add_undo_property(object: Object, property: StringName, value: Variant) -> void:
	_undo[-1].append(_step(object, property, [value], true))


## Says that the node exists only while the action is done.
func keep_created(node: Node) -> void:
	_created.append(node)


## Says that the node exists only while the action is undone.
func keep_removed(node: Node) -> void:
	_removed.append(node)


## Takes all of it back: the last call first, each call's steps in their order. True when every step
## could be done.
func roll_back() -> bool:
	var whole: bool = true
	var calls: Array[Array] = _undo.duplicate()
	calls.reverse()
	for steps: Array in calls:
		for step: Step in steps:
			whole = step.run() and whole
	for node: Node in _created:
		if is_instance_valid(node) and not node.is_inside_tree():
			node.free()
	return whole


## Writes all of it down as one action, whose steps are done already.
func write(undo: EditorUndoRedoManager, name: String) -> void:
	undo.create_action(name, UndoRedo.MERGE_DISABLE, context, true)
	for step: Step in _redo:
		if step.is_property:
			var target: Object = step.object
			undo.add_do_property(target, step.name, step.arguments[0])
		else:
			var _a: Variant = undo.callv(
				&"add_do_method", [step.object, step.name] + step.arguments
			)
	for steps: Array in _undo:
		# They run backwards: the last call first, and each call's own in their order.
		var backwards: Array = steps.duplicate()
		backwards.reverse()
		for step: Step in backwards:
			if step.is_property:
				var target: Object = step.object
				undo.add_undo_property(target, step.name, step.arguments[0])
			else:
				var _b: Variant = undo.callv(
					&"add_undo_method", [step.object, step.name] + step.arguments
				)
	for node: Node in _created:
		undo.add_do_reference(node)
	for node: Node in _removed:
		undo.add_undo_reference(node)
	undo.commit_action(false)


static func _step(
	object: Object, name: StringName, arguments: Array, is_property: bool
) -> Step:
	var made: Step = Step.new()
	made.object = object
	made.name = name
	made.arguments = arguments
	made.is_property = is_property
	return made
