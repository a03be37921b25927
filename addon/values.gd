extends RefCounted
## Values between the wire and the engine, in one form in and out.
##
## Everything that a caller wants to store goes through decode, everything that is shown goes
## through encode, and nothing is ever made from text by the engine's own readers. A value that does
## not fit is a failure that says what was expected; nothing becomes zero, empty or null by itself.
## The repository describes the form in protocol/vectors/README.md.

const Compare = preload("./values/compare.gd")
const Choices = preload("./values/choices.gd")
const Decoder = preload("./values/decoder.gd")
const Encoder = preload("./values/encoder.gd")
const Identical = preload("./values/identical.gd")
const Place = preload("./values/place.gd")
const Result = preload("./result.gd")
const Spec = preload("./values/spec.gd")
const Tags = preload("./values/tags.gd")


## A value from the wire as the declared type asks for it: Result.good({"value": …}) or a failure
## whose details have property, expected and got. declared is a dictionary of
## Object.get_property_list(); place says where node paths start (null: node values are refused).
static func decode(wire: Variant, declared: Dictionary, place: Place = null) -> Result:
	var decoder: Decoder = Decoder.new()
	decoder.place = place
	var value: Variant = decoder.decode(wire, declared)
	if decoder.failed():
		return Result.fail(decoder.code, decoder.message, decoder.details)
	return Result.good({"value": value})


## Where the node paths in a property of this node start. root is the root of its scene.
static func place_of(node: Node, root: Node) -> Place:
	return Place.at(node, root)


## Where the node paths in a property of a future child of this node start.
static func place_below(parent: Node, root: Node) -> Place:
	return Place.below(parent, root)


## What the client sees of a value of the declared type. Node paths are relative to base.
static func encode(value: Variant, declared: Dictionary, base: Node = null) -> Variant:
	# Most properties are one of these, and a list of nodes has thousands of them: no object is made
	# for them.
	var type: int = typeof(value)
	if type == TYPE_BOOL or type == TYPE_NIL:
		return value
	if type == declared.get("type", TYPE_NIL):
		if type == TYPE_FLOAT:
			var number: float = value
			return Tags.show_float(number)
		if type == TYPE_INT:
			var whole: int = value
			return Tags.show_int(whole)
		if Encoder.Compound.has(type):
			return Encoder.compound(value, type)
	var encoder: Encoder = Encoder.new()
	encoder.base = base
	return encoder.encode(value, declared)


## Whether a property that was set to asked and reads as found holds what was asked, as exactly as
## it can store it.
static func same(asked: Variant, found: Variant, declared: Dictionary) -> bool:
	return Compare.same(asked, found, declared)


## Whether a property that reads as found has asked already, so that there is nothing to set. Unlike
## same() this never takes one value for another.
static func already(asked: Variant, found: Variant, declared: Dictionary) -> bool:
	return Identical.already(asked, found, declared)


## The declared type in words: "Vector2", "int", "Texture2D", "Array[Vector2]", "enum", "flags",
## "Variant".
static func type_name(declared: Dictionary) -> String:
	return Spec.type_name(declared)


## The name of an enum property's value; empty when the property is no enum or the value has no
## name.
static func enum_name(value: Variant, declared: Dictionary) -> String:
	return Choices.name_of(value, declared)
