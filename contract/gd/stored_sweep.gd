extends SceneTree
## Measures which properties a save keeps, over all node classes that can be made, and compares each
## with what the addon's persistence/stored.gd says; prints one line of JSON.
##
## Every property that is not stored itself is set, on a fresh node, to changed values; what it does
## to the node's stored properties decides. A property that takes no value, or that is listed
## otherwise in another state, is tried again in that state (each flag, enum and count changed).
## Run in a project that has the addon: godot --headless --path PROJECT -s res://gd/stored_sweep.gd

const Properties = preload("res://addons/drawbridge/properties.gd")
const Samples = preload("./stored_samples.gd")
const Stored = preload("res://addons/drawbridge/persistence/stored.gd")

## Set by other means than as a property.
const NOT_SET: Array[StringName] = [
	&"script", &"owner", &"name", &"scene_file_path", &"multiplayer",
]
const FAILURES_SHOWN: int = 60


## What setting one property did.
class Effect:
	extends RefCounted
	## The property took a value.
	var took: bool = false
	## Stored properties that changed.
	var changed: Dictionary[StringName, bool] = {}
	## What the addon says.
	var told: Stored.Kept = Stored.Kept.NONE
	## The stored properties that the addon names.
	var named: Array = []


var _frames: int = 0
var _counts: Dictionary[String, int] = {"classes": 0, "kept": 0, "lost": 0, "parts": 0, "mute": 0}
var _failures: PackedStringArray = []


# The root is in the tree from the second frame on.
func _process(_delta: float) -> bool:
	_frames += 1
	if _frames < 2:
		return false
	for type: String in Samples.classes():
		_counts["classes"] += 1
		_sweep(type)
	print(JSON.stringify({
		"ok": _failures.is_empty(), "counts": _counts, "failed": _failures.size(),
		"failures": _failures.slice(0, FAILURES_SHOWN),
	}))
	return true


func _sweep(type: String) -> void:
	var node: Node = Samples.make(type, root)
	var fresh: Properties.Listing = Properties.new().of(node)
	var mute: Dictionary[StringName, bool] = {}
	for property: StringName in fresh.info:
		if _is_settable(type, fresh, property):
			var effect: Effect = _try(type, property, &"", null)
			mute[property] = not effect.took
			_judge(type, property, "", effect)
	for state: StringName in fresh.stored:
		for value: Variant in Samples.states(fresh.info[state], node.get(state)):
			_sweep_state(type, fresh, mute, state, value)
	for property: StringName in mute:
		_counts["mute"] += 1 if mute[property] else 0
	node.get_parent().free()


# Tries what this state shows otherwise than a fresh node does, and what took nothing so far.
func _sweep_state(
	type: String,
	fresh: Properties.Listing,
	mute: Dictionary[StringName, bool],
	state: StringName,
	value: Variant
) -> void:
	var node: Node = Samples.make(type, root)
	node.set(state, value)
	var now: Properties.Listing = Properties.new().of(node)
	for property: StringName in now.info:
		if property == state or not _is_settable(type, now, property):
			continue
		if not fresh.stored.has(property) and not mute.get(property, not fresh.info.has(property)):
			continue
		var effect: Effect = _try(type, property, state, value)
		if effect.took:
			mute[property] = false
		_judge(type, property, " with %s %s" % [state, value], effect)
	node.get_parent().free()


static func _is_settable(
	type: String, listing: Properties.Listing, property: StringName
) -> bool:
	var usage: int = listing.info[property]["usage"]
	if usage & (PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_READ_ONLY) != 0 or property in NOT_SET:
		return false
	if ClassDB.class_get_property_getter(type, property).is_empty():
		return true
	return not ClassDB.class_get_property_setter(type, property).is_empty()


func _try(type: String, property: StringName, state: StringName, at: Variant) -> Effect:
	var effect: Effect = Effect.new()
	var node: Node = Samples.make(type, root)
	if not state.is_empty():
		node.set(state, at)
	var properties: Properties = Properties.new()
	var listing: Properties.Listing = properties.of(node)
	effect.told = Stored.of(node, listing, property)
	effect.named = Stored.through(node, property)
	var before: Dictionary[StringName, Variant] = properties.snapshot(node)
	var was: Variant = Properties.copy(node.get(property))
	for value: Variant in Samples.values(listing.info[property], was):
		node.set(property, value)
		properties.forget(node.get_instance_id())
		_note(effect, property, before, properties.snapshot(node))
		effect.took = effect.took or not _equal(was, node.get(property))
	node.get_parent().free()
	return effect


# What only becomes listed is no change of its own, unless it is the property itself.
static func _note(
	effect: Effect,
	asked: StringName,
	before: Dictionary[StringName, Variant],
	now: Dictionary[StringName, Variant]
) -> void:
	for property: StringName in now:
		var changed: bool = property == asked
		if before.has(property):
			changed = not _equal(before[property], now[property])
		if changed:
			effect.changed[property] = true


static func _equal(a: Variant, b: Variant) -> bool:
	return typeof(a) == typeof(b) and (is_same(a, b) or a == b)


func _judge(type: String, property: StringName, state: String, effect: Effect) -> void:
	if not effect.took and effect.changed.is_empty():
		return
	var kept: bool = not effect.changed.is_empty()
	_counts["parts" if effect.told == Stored.Kept.PARTS else "kept" if kept else "lost"] += 1
	var right: bool = kept == (effect.told != Stored.Kept.NONE)
	for name: StringName in effect.named:
		right = right and (not kept or effect.told != Stored.Kept.ALL or effect.changed.has(name))
	if not right:
		var _full: bool = _failures.append("%s.%s%s: changes %s, said to keep %s of %s" % [
			type, property, state, effect.changed.keys(), Stored.Kept.find_key(effect.told),
			effect.named,
		])
