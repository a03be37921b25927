package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

const (
	playerScene = "res://player/player.tscn"
	coinScene   = "res://coin.tscn" // moved later
	hudScene    = "res://hud/hud.tscn"
	levelScene  = "res://level/level.tscn"
	enemyScene  = "res://enemy/enemy.tscn"

	bodyShape = "res://shapes/body.tres"
	slabShape = "res://shapes/slab.tres"
	coinShape = "res://shapes/coin.tres"
)

// doing is one call.
type doing struct {
	tool string
	args args
}

// all makes calls in order.
func (b *builder) all(t *testing.T, calls ...doing) {
	t.Helper()
	for _, call := range calls {
		b.do(t, call.tool, call.args)
	}
}

// box is the outline of a rectangle around the origin.
func box(width, height float64) []any {
	x, y := width/2, height/2
	return []any{[]any{-x, -y}, []any{x, -y}, []any{x, y}, []any{-x, y}}
}

func child(parent, kind, name string, properties args) args {
	return args{"parent_path": parent, "node_type": kind, "node_name": name, "properties": properties}
}

func set(node, property string, value any) args {
	return args{"node_path": node, "property": property, "value": value}
}

func placed(x, y float64) args { return args{"position": []any{x, y}} }

func (b *builder) looksAround(t *testing.T) {
	info := b.do(t, "get_server_info", args{})
	assert.NotEmpty(t, info.Data["editor"], "%s", info.Raw)
	b.all(t,
		doing{"health_check", args{}},
		doing{"list_tools_by_safety_class", args{}},
		doing{"get_project_info", args{}},
		doing{"get_filesystem_tree", args{}},
	)
	assert.Equal(t, false, b.do(t, "get_active_scene", args{}).Data["is_open"])
	assert.EqualValues(t, 0, b.do(t, "list_scenes", args{}).Data["total"])
	found := b.do(t, "find_tools", args{"query": "input action key"})
	assert.Contains(t, string(found.Raw), `"add_input_event"`)
	failure := b.refused(t, protocol.PreconditionFailed, "create_node", args{"node_type": "Node2D"})
	assert.Contains(t, failure.Hint, "create_scene")
}

func (b *builder) setsUp(t *testing.T) {
	const gravity = "physics/2d/default_gravity"
	assert.EqualValues(t, 980, b.do(t, "get_setting", args{"name": gravity}).Data["value"])
	failure := b.refused(t, protocol.ValidationError, "set_setting",
		args{"name": "physics/2d/defualt_gravity", "value": 1000, "confirm": true})
	near, _ := failure.Details["near"].([]any)
	require.NotEmpty(t, near)
	require.Equal(t, gravity, near[0])
	b.all(t,
		doing{"set_setting", args{"name": gravity, "value": 1000}},
		doing{"set_setting", args{"name": "application/config/name", "value": "Coin Run"}},
	)
	for _, key := range []struct{ action, key string }{{"move_left", "A"}, {"move_right", "D"}, {"jmup", "Space"}} {
		b.all(t,
			doing{"add_input_action", args{"name": key.action}},
			doing{"add_input_event", args{"action": key.action, "event": args{"type": "key", "key": key.key, "physical": true}}},
		)
	}
	space := args{"action": "jump", "event": args{"type": "key", "key": "Space", "physical": true}}
	b.refused(t, protocol.ResourceNotFound, "add_input_event", with(space, "confirm", true))
	b.all(t,
		doing{"remove_input_action", args{"name": "jmup"}},
		doing{"add_input_action", args{"name": "jump"}},
		doing{"add_input_event", space},
	)
	actions := b.do(t, "get_input_actions", args{})
	assert.EqualValues(t, 3, actions.Data["total"], "%s", actions.Raw)
}

func (b *builder) makesState(t *testing.T) {
	const path = "res://game_state.gd"
	check := args{"script_path": "res://hud/hud.gd", "content": hudText}
	missing := b.do(t, "scripts_validate", check)
	assert.Equal(t, false, missing.Data["parse_ok"], "%s", missing.Raw)
	assert.Contains(t, text(missing.Data["diagnostics"]), "GameState")
	b.all(t,
		doing{"scripts_create", args{"script_path": path, "content": gameStateText}},
		doing{"register_autoload", args{"name": "Gamestate", "path": path}},
	)
	assert.Equal(t, false, b.do(t, "scripts_validate", check).Data["parse_ok"], "the name is another")
	b.all(t,
		doing{"unregister_autoload", args{"name": "Gamestate"}},
		doing{"register_autoload", args{"name": "GameState", "path": path}},
	)
	found := b.do(t, "scripts_validate", check)
	assert.Equal(t, true, found.Data["parse_ok"], "%s", found.Raw)
}

func (b *builder) makesShapes(t *testing.T) {
	size := b.do(t, "describe_class", args{"class_name": "RectangleShape2D", "kind": "properties", "filter": "size"})
	assert.Contains(t, string(size.Raw), `"size"`)
	b.all(t,
		doing{"create_resource", args{
			"resource_type": "RectangleShape2D", "resource_path": bodyShape, "properties": args{"size": []any{20, 40}},
		}},
		doing{"create_resource", args{
			"resource_type": "CircleShape2D", "resource_path": coinShape, "properties": args{"radius": 8},
		}},
		doing{"duplicate_file", args{"path": bodyShape, "new_path": slabShape}},
	)
}

func (b *builder) makesPlayer(t *testing.T) {
	const script = "res://player/player.gd"
	b.all(t,
		doing{"create_scene", args{"root_type": "CharacterBody2D", "root_name": "Player", "scene_path": playerScene}},
		doing{"create_node", child(".", "CollisionShape2D", "Shape", args{"shape": bodyShape})},
		doing{"create_node", child(".", "Polygon2D", "Look", args{"polygon": box(20, 40), "color": "#4080ff"})},
		doing{"create_node", child(".", "Camera2D", "Camera", args{})},
		doing{"scripts_create", args{"script_path": script, "base_type": "CharacterBody2D"}},
	)
	read := b.do(t, "scripts_read", args{"script_path": script})
	written := b.do(t, "scripts_write", args{
		"script_path": script, "content": playerText, "expected_sha256": read.Data["sha256"],
	})
	assert.Equal(t, true, written.Data["parse_ok"], "%s", written.Raw)
	b.do(t, "rescan_filesystem", args{})
	assert.Contains(t, string(b.do(t, "scripts_list", args{}).Raw), `"Player"`)
	failure := b.refused(t, protocol.ValidationError, "attach_script", attach("Camera", script))
	assert.Contains(t, text(failure), "CharacterBody2D")
	b.all(t,
		doing{"attach_script", attach(".", script)},
		doing{"set_node_property", args{"node_path": ".", "properties": args{"speed": 200, "jump_speed": 400}}},
		doing{"add_to_group", args{"node_path": ".", "group": "playr"}},
		doing{"remove_from_group", args{"node_path": ".", "group": "playr"}},
		doing{"add_to_group", args{"node_path": ".", "group": "player"}},
		doing{"save_scene", args{}},
	)
	speed := b.do(t, "get_node_property", args{"node_path": ".", "property": "speed"})
	assert.EqualValues(t, 200, speed.Data["value"], "%s", speed.Raw)
}

func (b *builder) makesCoin(t *testing.T) {
	const script = "res://coin.gd"
	b.all(t,
		doing{"create_scene", args{"root_type": "Area2D", "root_name": "Coin", "scene_path": coinScene}},
		doing{"run_commands", atomically(
			entry("create_node", child(".", "CollisionShape2D", "Shape", args{"shape": coinShape})),
			entry("create_node", child(".", "Polygon2D", "Look", args{"polygon": box(10, 10), "color": "#ffd040"})),
			entry("add_to_group", args{"node_path": ".", "group": "coins"}),
		)},
		doing{"scripts_create", args{"script_path": script, "content": coinText}},
		doing{"attach_script", attach(".", script)},
		doing{"connect_signal", way(".", "body_entered", ".", "_on_body_entered")},
		doing{"set_node_property", set(".", "value", 1)},
		doing{"save_scene", args{}},
	)
	ways := b.do(t, "list_signal_connections", node("."))
	assert.Contains(t, string(ways.Raw), `"_on_body_entered"`)
}

func (b *builder) makesDisplay(t *testing.T) {
	const script = "res://hud/hud.gd"
	b.all(t,
		doing{"create_scene", args{"root_type": "CanvasLayer", "root_name": "HUD", "scene_path": hudScene}},
		doing{"create_node", child(".", "Label", "Coins", args{"text": "-"})},
		doing{"duplicate_node", args{"node_path": "Coins", "node_name": "Lives"}},
		doing{"set_node_property", set("Lives", "position", []any{0, 30})},
		doing{"batch_set_property", args{"node_type": "Label", "property": "uppercase", "value": true}},
		doing{"undo", args{}},
		doing{"set_unique_name", node("Coins")},
		doing{"set_unique_name", node("Lives")},
		doing{"scripts_create", args{"script_path": script, "content": hudText}},
		doing{"attach_script", attach(".", script)},
		doing{"select_nodes", args{"node_paths": []any{"Coins", "Lives"}}},
		doing{"save_scene", args{}},
	)
	assert.EqualValues(t, 2, b.do(t, "get_selected_nodes", args{}).Data["total"])
	upper := b.do(t, "get_node_property", args{"node_path": "Lives", "property": "uppercase"})
	assert.Equal(t, false, upper.Data["value"], "undone: %s", upper.Raw)
}

func (b *builder) makesGround(t *testing.T) {
	b.all(t,
		doing{"create_scene", args{"root_type": "Node2D", "root_name": "Level", "scene_path": levelScene}},
		doing{"create_node", child(".", "Node2D", "Platfroms", args{})},
		doing{"rename_node", rename("Platfroms", "Platforms")},
		doing{"create_node", child("Platforms", "StaticBody2D", "Ledge", placed(460, 250))},
		doing{"create_node", child("Platforms/Ledge", "CollisionShape2D", "Shape", args{"shape": slabShape})},
		doing{"duplicate_node", args{"node_path": "Platforms/Ledge", "node_name": "Ground"}},
		doing{"set_node_property", set("Platforms/Ground", "position", []any{400, 310})},
	)
	shape := args{"node_path": "Platforms/Ground/Shape", "node_property": "shape", "property": "size"}
	shared := b.do(t, "set_resource_property", with(shape, "value", []any{120, 20}))
	assert.Contains(t, text(shared.Data), "Platforms/Ledge/Shape", "who else has it: %s", shared.Raw)
	b.all(t,
		doing{"set_resource_property", with(with(shape, "value", []any{800, 20}), "make_unique", true)},
		doing{"save_resource", args{"resource_path": slabShape}},
	)
	ledge := b.do(t, "read_resource_file", args{"resource_path": slabShape})
	assert.Contains(t, string(ledge.Raw), "120")
	tree := b.do(t, "get_scene_tree", args{})
	assert.EqualValues(t, 6, tree.Data["total"], "%s", tree.Raw)
}

func (b *builder) makesCast(t *testing.T) {
	const script = "res://level/level.gd"
	b.all(t,
		doing{"scripts_create", args{"script_path": script, "content": levelText}},
		doing{"attach_script", attach(".", script)},
		doing{"instance_scene", args{"scene_path": playerScene}},
		doing{"set_node_property", set("Player", "position", []any{100, 200})},
		doing{"instance_scene", args{"scene_path": hudScene, "index": 0}},
		doing{"move_node", args{"node_path": "HUD", "new_parent_path": ".", "index": -1}},
		doing{"create_node", child(".", "Node2D", "Coins", args{})},
		doing{"instance_scene", args{"scene_path": coinScene, "parent_path": "Coins"}},
		doing{"connect_signal", way("Coins/Coin", "coin_taken", ".", "_on_coin_taken")},
		doing{"duplicate_node", node("Coins/Coin")},
		doing{"duplicate_node", node("Coins/Coin")},
		doing{"run_commands", batchOf(
			entry("set_node_property", set("Coins/Coin", "position", []any{200, 280})),
			entry("set_node_property", set("Coins/Coin2", "position", []any{300, 210})),
			entry("set_node_property", set("Coins/Coin3", "position", []any{480, 220})),
		)},
		doing{"connect_signal", way("Player", "died", ".", "queue_redraw")},
		doing{"disconnect_signal", way("Player", "died", ".", "queue_redraw")},
		doing{"connect_signal", way("Player", "died", ".", "_on_player_died")},
		doing{"connect_signal", way(".", "lives_changed", "HUD", "show_lives")},
	)
	again := b.do(t, "connect_signal", way("Coins/Coin3", "coin_taken", ".", "_on_coin_taken"))
	assert.Equal(t, true, again.Data["already_connected"], "the copies have it: %s", again.Raw)
	coins := b.do(t, "find_nodes", args{"group": "coins"})
	assert.EqualValues(t, 3, coins.Data["total"], "%s", coins.Raw)
	b.do(t, "save_scene", args{})
	b.refused(t, protocol.ValidationError, "instance_scene", args{"scene_path": levelScene})
}

// makesEnemy builds it in the level and makes it a scene of its own, of which the level then changes a node inside.
func (b *builder) makesEnemy(t *testing.T) {
	const script = "res://enemy/enemy.gd"
	b.all(t,
		doing{"create_node", child(".", "Area2D", "Enemy", placed(600, 280))},
		doing{"create_node", child("Enemy", "CollisionShape2D", "Shape", args{"shape": bodyShape})},
		doing{"create_node", child("Enemy", "Polygon2D", "Look", args{"polygon": box(20, 40), "color": "#ff4040"})},
		doing{"create_node", child("Enemy", "Marker2D", "Turn", placed(40, 0))},
		doing{"scripts_create", args{"script_path": script, "content": enemyText}},
		doing{"attach_script", attach("Enemy", script)},
		doing{"detach_script", node("Enemy")},
		doing{"undo", args{}},
		doing{"connect_signal", way("Enemy", "body_entered", "Enemy", "_on_body_entered")},
		doing{"extract_scene", args{"node_path": "Enemy", "scene_path": enemyScene, "replace_with_instance": true}},
	)
	turn := set("Enemy/Turn", "position", []any{120, 0})
	before := b.do(t, "get_persistence", args{"node_path": "Enemy/Turn", "property": "position"})
	assert.Contains(t, string(before.Raw), "set_editable_children")
	hint := b.lost(t, protocol.ReasonInstanceNotEditable, "set_node_property", turn)
	assert.Contains(t, hint, "set_editable_children")
	b.all(t,
		doing{"undo", args{}},
		doing{"set_editable_children", args{"node_path": "Enemy", "editable": true}},
		doing{"set_node_property", turn},
		doing{"save_scene", args{}},
	)
	enemy := b.do(t, "get_node", node("Enemy"))
	assert.Contains(t, string(enemy.Raw), enemyScene)
}
