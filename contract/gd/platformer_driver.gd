extends Node
## Plays the platformer that the scenario test builds, with keys, over fixed physics frames, and
## writes down what became of it.
##
## It is an autoload of the run alone: `godot --headless --fixed-fps 60 -- ANSWER`, ANSWER the JSON
## file to write. It looks at the game and decides nothing; the test knows what should be there.

const PATIENCE: int = 600

var _seen: Array[Dictionary] = []
var _deaths: Array[String] = []
var _player: CharacterBody2D
var _enemy: Node2D
var _highest: float
var _enemy_from: float = INF
var _enemy_to: float = -INF


func _ready() -> void:
	# Before the game's own nodes: a key is down from the frame on in which it is pressed.
	process_physics_priority = -100
	_play.call_deferred()


func _physics_process(_delta: float) -> void:
	if _player == null:
		return
	_highest = minf(_highest, _player.position.y)
	_enemy_from = minf(_enemy_from, _enemy.position.x)
	_enemy_to = maxf(_enemy_to, _enemy.position.x)


func _play() -> void:
	await get_tree().physics_frame
	_player = get_tree().current_scene.get_node("Player")
	_enemy = get_tree().current_scene.get_node("Enemy")
	var _error: int = _player.connect(&"died", _on_died)
	_highest = _player.position.y
	_note("begins")
	await _until_floor()
	_note("falls and lands")
	await _hold(KEY_D, 60)
	_note("walks right over a coin")
	await _hold(KEY_SPACE, 3)
	await _until_floor()
	_note("jumps at a coin and lands")
	_key(KEY_SPACE, true)
	await _hold(KEY_D, 60)
	_key(KEY_SPACE, false)
	_note("jumps onto the ledge")
	await _hold_until_death(KEY_D)
	await _until_floor()
	_note("meets the enemy")
	await _hold_until_death(KEY_A)
	await _until_floor()
	_note("falls out of the world")
	_finish()


func _on_died(cause: StringName) -> void:
	_deaths.append(str(cause))


func _hold(key: Key, frames: int) -> void:
	_key(key, true)
	for _frame: int in frames:
		await get_tree().physics_frame
	_key(key, false)


func _hold_until_death(key: Key) -> void:
	var before: int = _deaths.size()
	_key(key, true)
	for _frame: int in PATIENCE:
		await get_tree().physics_frame
		if _deaths.size() > before:
			break
	_key(key, false)


# The frame after next is the first in which the floor is not that of an earlier place.
func _until_floor() -> void:
	await get_tree().physics_frame
	for _frame: int in PATIENCE:
		await get_tree().physics_frame
		if _player.is_on_floor():
			return


func _key(key: Key, pressed: bool) -> void:
	var event: InputEventKey = InputEventKey.new()
	event.keycode = key
	event.physical_keycode = key
	event.pressed = pressed
	Input.parse_input_event(event)
	Input.flush_buffered_events()


func _note(what: String) -> void:
	var state: Node = get_node("/root/GameState")
	var coins: Label = get_tree().current_scene.get_node("HUD/Coins")
	var lives: Label = get_tree().current_scene.get_node("HUD/Lives")
	_seen.append({
		"what": what,
		"x": roundi(_player.position.x),
		"y": roundi(_player.position.y),
		"on_floor": _player.is_on_floor(),
		"highest": roundi(_highest),
		"coins": state.get(&"coins"),
		"coins_left": get_tree().get_nodes_in_group(&"coins").size(),
		"lives": state.get(&"lives"),
		"hud": "%s, %s" % [coins.text, lives.text],
		"deaths": _deaths.duplicate(),
	})
	_highest = _player.position.y


func _finish() -> void:
	var answer: FileAccess = FileAccess.open(OS.get_cmdline_user_args()[0], FileAccess.WRITE)
	var walked: Array[int] = [roundi(_enemy_from), roundi(_enemy_to)]
	var report: Dictionary = {
		"seen": _seen, "enemy": walked, "scene": get_tree().current_scene.scene_file_path,
	}
	var written: bool = answer.store_string(JSON.stringify(report))
	answer.close()
	get_tree().quit(0 if written else 1)
