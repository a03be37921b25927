extends RefCounted
## What an object's stored properties were before an edit, and which of them the edit sets by name.

const Before = preload("./before.gd")
const Properties = preload("../properties.gd")

## The object.
var object: Object
## The list that the values are from; null when only the asked properties count.
var listing: Properties.Listing = null
## The values of the list's stored properties, in its order.
var values: Array = []
## The old values of the properties that are set by name, in that order; not all of them are stored
## ones.
var asked: Dictionary[StringName, Variant] = {}


## The stored properties by name.
func stored() -> Dictionary[StringName, Variant]:
	var none: Dictionary[StringName, Variant] = {}
	return none if listing == null else listing.by_name(values)


## True when nothing but what is set by name differs from how it was: the usual case, told by one
## comparison in the engine.
func differs_as_asked(was: Before) -> bool:
	if listing != was.listing:
		return false
	if listing == null:
		return true
	var others: Array = values.duplicate()
	for property: StringName in asked:
		var at: int = listing.stored.find(property)
		if at >= 0:
			others[at] = was.values[at]
	return others == was.values
