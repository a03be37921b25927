class_name FixtureSeeker
extends Node2D
## A project class with exported nodes.

@export var goal: Node2D
@export var other: Node2D
@export var goals: Array[Node2D] = []
