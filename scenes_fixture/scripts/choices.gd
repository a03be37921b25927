extends Node
## Properties with a closed set of values.

enum Mood { CALM = 3, ANGRY = 7 }

@export var mood: Mood = Mood.CALM
@export_enum("Slow:30", "Fast:60") var speed: int = 30
@export_enum("north", "south") var heading: String = "north"
@export_flags("Fire", "Water", "Earth") var elements: int = 0
@export_flags_2d_physics var layers: int = 1
@export_range(0.0, 10.0, 0.5) var ranged: float = 1.0
@export_enum("north", "south") var headings: Array[String] = []
@export_enum("north", "south") var packed_headings: PackedStringArray = []
@export_enum("Slow:30", "Fast:60") var speeds: PackedInt32Array = []
@export var moods: Array[Mood] = []
