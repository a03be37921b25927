extends Node2D
## References to other nodes, in each form that a scene file can hold.

@export var hud: Label
@export var other: Node2D
@export var others: Array[Node2D] = []
@export var path: NodePath
