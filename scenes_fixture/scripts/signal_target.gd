extends Node2D
## Methods to connect signals to, by the number of their arguments.

@warning_ignore("unused_signal")
signal hit(by: Node, strength: int)


func _on_pressed() -> void:
	pass


func _on_timeout() -> void:
	pass


func _on_many(_first: int, _second: String) -> void:
	pass


func _on_hit(_by: Node, _strength: int, _note: String = "") -> void:
	pass


func _on_any(...arguments: Array) -> void:
	print_verbose(arguments)
