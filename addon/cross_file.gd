extends RefCounted
## One scene file of a call that changes many, and what becomes of its nodes.

const Assignments = preload("./assignments.gd")
const NodeTypes = preload("./node_types.gd")
const Properties = preload("./properties.gd")
const SceneModel = preload("./scene_model.gd")
const Values = preload("./values.gd")

## How many nodes of each kind a reply shows of a file.
const MAX_SHOWN: int = 100


## One node that gets the property.
class Target:
	extends RefCounted
	## The node in the file.
	var entry: SceneModel.Entry
	## Its class.
	var kind: NodeTypes.Kind = NodeTypes.Kind.new()
	## Its properties.
	var listing: Properties.Listing
	## The value by the property.
	var values: Dictionary[StringName, Variant] = {}
	## What a save keeps.
	var verdict: Dictionary = {}
	## False when the file gives it the value already.
	var is_changed: bool = true
	## The stored properties that the commit saw change, the asked one first: before and after.
	var before: Dictionary[StringName, Variant] = {}
	var after: Dictionary[StringName, Variant] = {}
	## What the commit read back of the asked property, as replies show it.
	var shown: Dictionary = {}

	## What the node has of a property when this file says nothing of it; null when nobody knows.
	func underlying(property: StringName) -> Variant:
		if entry.given.has(property):
			return entry.given[property]
		var script: Script = kind.code
		while script != null:
			var found: Variant = script.get_property_default_value(property)
			if found != null:
				return found
			script = script.get_base_script()
		return ClassDB.class_get_property_default_value(kind.native, property)

	## True when it has the value already, by this file or without it.
	func has_already() -> bool:
		var property: StringName = values.keys()[0]
		var declared: Dictionary = Assignments.declaration(listing, property)
		var found: Variant = entry.own.get(property)
		if not entry.own.has(property):
			found = underlying(property)
		return Values.already(values[property], found, declared)


## Its path.
var path: String = ""
## What it holds; read past the cache.
var scene: PackedScene = null
## Its nodes.
var model: SceneModel = null
## Those that get the property.
var targets: Array[Target] = []
## Those that fit and are not this file's to change: {node_path, persisted, reason, hint}.
var skipped: Array[Dictionary] = []


## True when the file has to be written.
func is_changed() -> bool:
	for target: Target in targets:
		if target.is_changed:
			return true
	return false


## True when the commit saw that the file has to say something else.
func has_difference() -> bool:
	for target: Target in targets:
		if not target.after.is_empty():
			return true
	return false


## What a reply says of it. The commit puts in what it reads back.
func row() -> Dictionary:
	var applied: Array[Dictionary] = []
	var unchanged: Array[String] = []
	for target: Target in targets:
		if not target.is_changed:
			unchanged.append(target.entry.path)
			continue
		var shown: Dictionary = target.shown
		if shown.is_empty():
			shown = Assignments.shown_planned(target.values, target.listing, null)
		applied.append({"node_path": target.entry.path, "properties": shown})
	return {
		"scene_path": path,
		"applied": applied.slice(0, MAX_SHOWN),
		"applied_total": applied.size(),
		"unchanged": unchanged.slice(0, MAX_SHOWN),
		"unchanged_total": unchanged.size(),
		"skipped": skipped.slice(0, MAX_SHOWN),
		"skipped_total": skipped.size(),
	}
