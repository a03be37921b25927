class_name FixtureMover
extends Node2D
## A project class with a property.

@export var speed: float = 100.0
