extends RefCounted
## Measures what an edit does to the objects that it touches, and writes it down as one undo action.
##
## Setters have side effects (max_value clamps value), so undo is measured: snapshot, apply,
## compare, record each difference. The edit itself is done by then, hence commit_action(false).

const Before = preload("./before.gd")
const Call = preload("../call.gd")
const History = preload("../history.gd")
const Joint = preload("./joint.gd")
const Properties = preload("../properties.gd")
const Protocol = preload("../protocol.gd")
const Result = preload("../result.gd")
const Touched = preload("../touched.gd")


## One property to be set.
class Step:
	extends RefCounted
	## Its name.
	var property: StringName
	## What it gets.
	var value: Variant


const MAX_ATTEMPTS: int = 3

# The steps of a batch that becomes one action, whichever recorder they come to; null: each call's
# action is its own.
static var _joint: Joint = null

## The property lists.
var properties: Properties

# Whose history the open action is in.
var _context: Object
var _history: History
var _touched: Touched = Touched.new()
var _undo: EditorUndoRedoManager


func _init(undo: EditorUndoRedoManager, the_properties: Properties, history: History) -> void:
	_history = history
	_undo = undo
	properties = the_properties


## Remembers an object as it is, before an edit that sets the `asked` properties.
func before(object: Object, asked: Array[StringName] = []) -> Before:
	var made: Before = pin(object, asked)
	made.listing = properties.of(object)
	made.values = Properties.stored_values(object, made.listing)
	return made


## Remembers these properties only. They are written down both ways even when the edit leaves them
## as they are.
func pin(object: Object, asked: Array[StringName]) -> Before:
	var made: Before = Before.new()
	made.object = object
	for property: StringName in asked:
		made.asked[property] = Properties.copy(object.get(property))
	return made


## Puts an object back as it was. True when it then is so.
func restore(was: Before) -> bool:
	var steps: Array[Step] = _steps(was.asked, was.asked.keys())
	var stored: Dictionary[StringName, Variant] = was.stored()
	steps.append_array(_steps(stored, _unmet(was.object, stored)))
	return _lead_to(was.object, steps, was)


## True when the object is as it was, in its stored properties and in those set by name.
func is_as(was: Before) -> bool:
	for property: StringName in was.asked:
		if not _equal(was.asked[property], was.object.get(property)):
			return false
	return _unmet(was.object, was.stored()).is_empty()


## Opens the call's one action, in the history of its scene, or in that of `context` (a resource
## with a file of its own: the global one).
func open(the_call: Call, context: Object = null) -> void:
	_context = the_call.root if context == null else context
	if _joint != null:
		_joint.next(_context)
		_touched = _joint.touched
		return
	_touched = Touched.new()
	_undo.create_action(action_name(the_call), UndoRedo.MERGE_DISABLE, _context)


## Writes down a step that redo does. `arguments` are those of the object's method.
func redo_step(object: Object, method: StringName, arguments: Array = []) -> void:
	_note(object, method, arguments)
	if _joint != null:
		_joint.add_redo(object, method, arguments)
		return
	var _nothing: Variant = _undo.callv(&"add_do_method", [object, method] + arguments)


## Writes down a step that undo does. Steps run in the order in which they were written down.
func undo_step(object: Object, method: StringName, arguments: Array = []) -> void:
	_note(object, method, arguments)
	if _joint != null:
		_joint.add_undo(object, method, arguments)
		return
	var _nothing: Variant = _undo.callv(&"add_undo_method", [object, method] + arguments)


## Says below which parent the node is while the action is done, and while it is undone.
func placed(node: Node, done: Node, undone: Node) -> void:
	_touched.place(node, done, undone)


## Says that the object exists only while the action is done (created: freed with an undone action).
func keep_created(node: Node) -> void:
	if _joint != null:
		_joint.keep_created(node)
	else:
		_undo.add_do_reference(node)


## Says that the object exists only while the action is undone (removed: freed with a done action).
func keep_removed(node: Node) -> void:
	if _joint != null:
		_joint.keep_removed(node)
	else:
		_undo.add_undo_reference(node)


## Writes down what differs from before: asked properties first. Steps have side effects of their
## own, so with `rehearsed` they are tried both ways, and what is still missing then is added. True
## when they lead there.
func differences(was: Before, rehearsed: bool = false) -> bool:
	var now: Before = _same_of(was)
	var back: Array[Step] = _steps(was.asked, was.asked.keys())
	var forth: Array[Step] = _steps(now.asked, now.asked.keys())
	if not now.differs_as_asked(was):
		_add_side_effects(back, forth, was, now)
	var sure: bool = true
	if rehearsed and back.size() + forth.size() > 2:
		sure = _lead_to(was.object, back, was)
		sure = _lead_to(was.object, forth, now) and sure
	if _joint != null:
		_write_down(was.object, forth, _joint.add_redo_property, redo_step)
		_write_down(was.object, back, _joint.add_undo_property, undo_step)
		return sure
	_write_down(was.object, forth, _undo.add_do_property, redo_step)
	_write_down(was.object, back, _undo.add_undo_property, undo_step)
	return sure


## Closes the action (its steps are done already) and gives what the reply says of it.
func close(the_call: Call) -> Dictionary:
	if _joint == null:
		_undo.commit_action(false)
		_history.remember(_context, _touched)
	_context = null
	return {"undoable": true, "undo_action": action_name(the_call), "scene_dirty": true}


## From here on the actions of all calls are one, in the history of `context`.
func join(context: Object) -> Joint:
	_joint = Joint.new(context)
	return _joint


## Forgets what a batch had joined that did not come to its end.
static func abandon() -> void:
	_joint = null


## Closes the one action of all that was joined.
func finish(the_call: Call) -> Dictionary:
	var joint: Joint = _joint
	_joint = null
	if joint.size() == 0:
		return {"undoable": false}
	joint.write(_undo, action_name(the_call))
	_history.remember(joint.context, joint.touched)
	return {"undoable": true, "undo_action": action_name(the_call), "scene_dirty": true}


## The name of the call's action. It always says whose it is.
static func action_name(the_call: Call) -> String:
	var name: String = the_call.command if the_call.action.is_empty() else the_call.action
	return name if name.begins_with(History.OURS) else History.OURS + name


# The engine steps over an owned node that is gone; the owner has to be there.
func _note(object: Object, method: StringName, arguments: Array) -> void:
	if method != &"set_owner":
		_touched.note(object)
	_touched.note(arguments)


func _same_of(was: Before) -> Before:
	var asked: Array[StringName] = was.asked.keys()
	return pin(was.object, asked) if was.listing == null else before(was.object, asked)


# Adds the steps for stored properties that differ although nobody set them by name.
static func _add_side_effects(
	back: Array[Step], forth: Array[Step], was: Before, now: Before
) -> void:
	var before_it: Dictionary[StringName, Variant] = was.stored()
	var after_it: Dictionary[StringName, Variant] = now.stored()
	var changed: Array[StringName] = _unlike(before_it, after_it)
	for property: StringName in was.asked:
		changed.erase(property)
	back.append_array(_steps(before_it, changed))
	forth.append_array(_steps(after_it, changed))
	for property: StringName in after_it:
		if not before_it.has(property) and not was.asked.has(property):
			forth.append_array(_steps(after_it, [property]))


static func _steps(
	values: Dictionary[StringName, Variant], names: Array[StringName]
) -> Array[Step]:
	var steps: Array[Step] = []
	for property: StringName in names:
		# A property that is not there (any more) has nothing to be set.
		if values.has(property):
			var step: Step = Step.new()
			step.property = property
			step.value = values[property]
			steps.append(step)
	return steps


# Does the steps, and adds to them until the object is as the goal says. True when it is so in the
# end.
func _lead_to(object: Object, steps: Array[Step], goal: Before) -> bool:
	var from: int = 0
	for attempt: int in MAX_ATTEMPTS:
		for step: Step in steps.slice(from):
			Properties.write(object, step.property, step.value)
		from = steps.size()
		var stored: Dictionary[StringName, Variant] = goal.stored()
		var unmet: Array[StringName] = _unmet(object, stored)
		if unmet.is_empty():
			return true
		steps.append_array(_steps(stored, unmet))
	return false


# The stored properties that do not have these values; one that is not listed any more counts too.
func _unmet(object: Object, values: Dictionary[StringName, Variant]) -> Array[StringName]:
	return _unlike(values, properties.snapshot(object))


func _write_down(
	object: Object, steps: Array[Step], by_property: Callable, by_method: Callable
) -> void:
	_touched.note(object)
	for step: Step in steps:
		_touched.note(step.value)
		if Properties.is_metadata(step.property):
			var key: StringName = Properties.metadata_key(step.property)
			by_method.call(object, &"set_meta", [key, step.value])
		else:
			by_property.call(object, step.property, step.value)


# The names under which `found` does not hold what `wanted` does.
static func _unlike(
	wanted: Dictionary[StringName, Variant], found: Dictionary[StringName, Variant]
) -> Array[StringName]:
	var unlike: Array[StringName] = []
	for property: StringName in wanted:
		var value: Variant = found.get(property)
		if is_same(wanted[property], value) and (value != null or found.has(property)):
			continue
		if not found.has(property) or not _equal(wanted[property], value):
			unlike.append(property)
	return unlike


static func _equal(a: Variant, b: Variant) -> bool:
	if typeof(a) != typeof(b):
		return false
	return a == b or is_same(a, b)
