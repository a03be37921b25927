class_name FixtureThing
extends Resource
## A project resource.

@export var label: String = ""
