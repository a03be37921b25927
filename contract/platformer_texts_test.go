package contract

// The scripts of the platformer, as an agent would write them.
const (
	gameStateText = `extends Node
## What outlives a scene: coins and lives.

signal coins_changed(total: int)

var coins: int = 0
var lives: int = 3


func add_coins(count: int) -> void:
	coins += count
	coins_changed.emit(coins)


func lose_life() -> void:
	lives -= 1
`

	playerText = `class_name Player
extends CharacterBody2D
## Runs and jumps; after a death it falls in where it began.

signal died(cause: StringName)

@export var speed: float = 150.0
@export var jump_speed: float = 350.0
@export var lowest: float = 500.0

var _start: Vector2
var _falls_in: bool = true


func _ready() -> void:
	_start = position


func _physics_process(delta: float) -> void:
	if not is_on_floor():
		velocity += get_gravity() * delta
	elif Input.is_action_just_pressed("jump"):
		velocity.y = -jump_speed
	velocity.x = 0.0 if _falls_in else Input.get_axis("move_left", "move_right") * speed
	var _collided: bool = move_and_slide()
	_falls_in = _falls_in and not is_on_floor()
	if position.y > lowest:
		die(&"fall")


func die(cause: StringName) -> void:
	position = _start
	velocity = Vector2.ZERO
	_falls_in = true
	died.emit(cause)
`

	coinText = `extends Area2D
## A coin for the player.

signal coin_taken(value: int)

@export var value: int = 5


func _on_body_entered(body: Node2D) -> void:
	if body.is_in_group("player"):
		coin_taken.emit(value)
		queue_free()
`

	enemyText = `extends Area2D
## Walks from where it stands to its turning point and back.

@export var speed: float = 60.0

var _home: float
var _direction: float = 1.0

@onready var _turn: Marker2D = $Turn


func _ready() -> void:
	_home = position.x


func _physics_process(delta: float) -> void:
	position.x += _direction * speed * delta
	if position.x >= _home + _turn.position.x:
		_direction = -1.0
	elif position.x <= _home:
		_direction = 1.0


func _on_body_entered(body: Node2D) -> void:
	var player: Player = body as Player
	if player != null:
		player.die(&"enemy")
`

	hudText = `extends CanvasLayer
## Coins and lives.

@onready var _coins: Label = %Coins
@onready var _lives: Label = %Lives


func _ready() -> void:
	var _error: int = GameState.coins_changed.connect(_show_coins)
	_show_coins(GameState.coins)
	show_lives(GameState.lives)


func show_lives(lives: int) -> void:
	_lives.text = "Lives: %d" % lives


func _show_coins(total: int) -> void:
	_coins.text = "Coins: %d" % total
`

	levelText = `extends Node2D
## One level: what happens in it goes to the game's state.

signal lives_changed(lives: int)


func _on_coin_taken(value: int) -> void:
	GameState.add_coins(value)


func _on_player_died(_cause: StringName) -> void:
	GameState.lose_life()
	lives_changed.emit(GameState.lives)
`
)
