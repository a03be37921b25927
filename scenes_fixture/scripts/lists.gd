extends Node
## Containers, typed and loose.

@export var loose: Array = []
@export var loose_map: Dictionary = {}
@export var numbers: Array[int] = []
@export var points: Array[Vector2] = []
@export var names: Array[StringName] = []
@export var textures: Array[Texture2D] = []
@export var scores: Dictionary[String, int] = {}
@export var places: Dictionary[int, Vector3] = {}
