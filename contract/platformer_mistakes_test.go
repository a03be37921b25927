package contract

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// breaksScript: a patch that does not parse is refused, and one that was forced is brought back.
func (b *builder) breaksScript(t *testing.T) {
	const script = "res://player/player.gd"
	good := b.file(t, script)
	read := b.do(t, "scripts_read", args{"script_path": script})
	broken := args{
		"script_path": script, "find": "move_and_slide()", "replace": "move_and_slide(",
		"expected_sha256": read.Data["sha256"],
	}
	failure := b.refused(t, protocol.ValidationError, "scripts_patch", with(broken, "confirm", true))
	assert.NotEmpty(t, lines(failure.Details["diagnostics"]), "%s", text(failure))
	assert.Contains(t, failure.Hint, "allow_errors")
	require.Equal(t, good, b.file(t, script))
	forced := b.do(t, "scripts_patch", with(broken, "allow_errors", true))
	assert.Equal(t, false, forced.Data["parse_ok"], "%s", forced.Raw)
	checked := b.do(t, "scripts_validate", args{"script_path": script})
	assert.Equal(t, lines(failure.Details["diagnostics"]), lines(checked.Data["diagnostics"]), "%s", checked.Raw)
	kept := b.do(t, "list_recoverable", args{"filter": script})
	assert.Contains(t, string(kept.Raw), read.Data["sha256"])
	b.do(t, "restore_file", args{"path": script})
	require.Equal(t, good, b.file(t, script))
	assert.Equal(t, true, b.do(t, "scripts_validate", args{"script_path": script}).Data["parse_ok"])
	patched := b.do(t, "scripts_patch", args{
		"script_path": script, "find": "lowest: float = 500.0", "replace": "lowest: float = 450.0",
	})
	assert.Equal(t, true, patched.Data["parse_ok"], "%s", patched.Raw)
	speed := b.do(t, "get_node_property", args{"node_path": "Player", "property": "speed"})
	assert.EqualValues(t, 200, speed.Data["value"], "the instance has its value again: %s", speed.Raw)
}

// deletesBranch: the dry run would have shown it, and undo brings it back.
func (b *builder) deletesBranch(t *testing.T) {
	shown := b.do(t, "preview_tool", args{"tool": "delete_node", "arguments": node("Coins")})
	assert.Contains(t, string(shown.Raw), `"Coins"`)
	b.do(t, "delete_node", node("Coins"))
	assert.EqualValues(t, 0, b.do(t, "find_nodes", args{"group": "coins"}).Data["total"])
	b.all(t, doing{"undo", args{}}, doing{"redo", args{}}, doing{"undo", args{}})
	assert.EqualValues(t, 3, b.do(t, "find_nodes", args{"group": "coins"}).Data["total"])
	ways := b.do(t, "list_signal_connections", node("Coins/Coin2"))
	assert.Contains(t, string(ways.Raw), `"_on_coin_taken"`)
	next := b.do(t, "list_history", args{})
	assert.Contains(t, text(next.Data["redo"]), "Coins", "%s", next.Raw)

	once := with(set(".", "editor_description", "Run, jump, take the coins."), "idempotency_key", "described")
	b.do(t, "set_node_property", once)
	again := b.ok(t, "set_node_property", once)
	assert.Equal(t, true, again.Data["deduplicated"], "%s", again.Raw)
	outcome := b.do(t, "command_outcome", args{"idempotency_key": "described"})
	assert.Equal(t, "applied", outcome.Data["state"], "%s", outcome.Raw)
	b.do(t, "save_scene", args{})

	b.do(t, "set_node_property", set("Player", "visible", false))
	reload := args{"scene_path": levelScene}
	failure := b.refused(t, protocol.PreconditionFailed, "reload_scene", with(reload, "confirm", true))
	b.do(t, "reload_scene", with(reload, failure.Required, true))
	visible := b.do(t, "get_node_property", args{"node_path": "Player", "property": "visible"})
	assert.Equal(t, true, visible.Data["value"], "%s", visible.Raw)
}

// spoilsLevel: what was saved over is brought back from a checkpoint, as its refusal says.
func (b *builder) spoilsLevel(t *testing.T) {
	const name = "the level works"
	good := b.file(t, levelScene)
	b.all(t,
		doing{"create_checkpoint", args{"name": name}},
		doing{"run_commands", atomically(
			entry("delete_node", args{"node_path": "Platforms", "confirm": true}),
			entry("delete_node", args{"node_path": "Enemy", "confirm": true}),
		)},
		doing{"save_scene", args{}},
	)
	require.NotEqual(t, good, b.file(t, levelScene))
	assert.Contains(t, string(b.do(t, "list_checkpoints", args{}).Raw), name)
	restore := args{"name": name, "filter": levelScene}
	failure := b.refused(t, protocol.PreconditionFailed, "restore_checkpoint", with(restore, "confirm", true))
	require.Equal(t, "scene_not_open", failure.Required)
	assert.Contains(t, failure.Hint, "close_scene")
	b.all(t,
		doing{"close_scene", args{"scene_path": levelScene}},
		doing{"restore_checkpoint", restore},
		doing{"open_scene", args{"scene_path": levelScene}},
	)
	require.Equal(t, good, b.file(t, levelScene))
	turn := b.do(t, "get_node_property", args{"node_path": "Enemy/Turn", "property": "position"})
	assert.Equal(t, []any{120.0, 0.0}, turn.Data["value"], "%s", turn.Raw)
}

// movesFiles: what refers to a moved file follows.
func (b *builder) movesFiles(t *testing.T) {
	const spare = "res://shapes/spare.tres"
	b.all(t,
		doing{"close_scene", args{"scene_path": coinScene}},
		doing{"move_file", args{"path": coinScene, "new_path": "res://coin/coin.tscn"}},
		doing{"move_file", args{"path": "res://coin.gd", "new_path": "res://coin/coin.gd"}},
	)
	assert.EqualValues(t, 0, b.do(t, "search_files", args{"content": coinScene}).Data["total"])
	needs := b.do(t, "get_dependencies", args{"path": levelScene})
	assert.Contains(t, string(needs.Raw), "res://coin/coin.tscn")
	assert.NotContains(t, string(needs.Raw), `"exists":false`)
	users := b.do(t, "find_references", args{"path": "res://coin/coin.gd"})
	assert.Contains(t, string(users.Raw), "res://coin/coin.tscn")
	uid := b.do(t, "resolve_uid", args{"value": "res://coin/coin.tscn"})
	assert.Contains(t, string(uid.Raw), "uid://")
	b.do(t, "get_import_status", args{"path": "res://coin/coin.gd"})

	b.do(t, "duplicate_file", args{"path": bodyShape, "new_path": spare})
	b.refused(t, protocol.PreconditionFailed, "delete_resource_file", args{"path": bodyShape, "confirm": true})
	assert.EqualValues(t, 0, b.do(t, "find_references", args{"path": spare}).Data["total"])
	b.do(t, "delete_resource_file", args{"path": spare})
}

// savesAll: the last touches, in two scenes, and nothing is left unsaved.
func (b *builder) savesAll(t *testing.T) {
	b.all(t,
		doing{"set_setting", args{"name": "application/run/main_scene", "value": levelScene}},
		doing{"set_node_property", set("Platforms", "z_index", -1)},
		doing{"open_scene", args{"scene_path": hudScene}},
		doing{"set_node_property", set(".", "layer", 2)},
		doing{"save_scene", args{}},
	)
	// The editor makes the level anew, because a scene inside it was saved: its undo history is gone, what is unsaved
	// is not.
	back := b.do(t, "open_scene", args{"scene_path": levelScene})
	assert.Contains(t, back.Data["undo_history"], "cleared", "%s", back.Raw)
	assert.Equal(t, true, back.Data["scene_dirty"], "%s", back.Raw)
	b.all(t,
		doing{"open_scene", args{"scene_path": hudScene}},
		doing{"set_node_property", set("Lives", "position", []any{0, 24})},
		doing{"open_scene", args{"scene_path": levelScene}},
	)
	assert.EqualValues(t, 2, b.do(t, "list_open_scenes", args{}).Data["dirty"])
	saved := b.do(t, "save_all_scenes", args{})
	assert.ElementsMatch(t, []any{hudScene, levelScene}, saved.Data["saved"], "%s", saved.Raw)
	b.refused(t, protocol.NothingToSave, "save_all_scenes", args{"confirm": true})
	var scenes struct {
		Scenes []struct {
			Path string `json:"path"`
			Main bool   `json:"is_main"`
		} `json:"scenes"`
	}
	decodeData(t, b.do(t, "list_scenes", args{}), &scenes)
	assert.Len(t, scenes.Scenes, 5)
	for _, scene := range scenes.Scenes {
		assert.Equal(t, scene.Path == levelScene, scene.Main, "%s", scene.Path)
	}
	for _, open := range b.glimpse(t).scenes {
		b.do(t, "close_scene", args{"scene_path": open.ID})
	}
	assert.Equal(t, false, b.do(t, "get_active_scene", args{}).Data["is_open"])
	var told struct {
		Entries []struct {
			Message string `json:"message"`
		} `json:"entries"`
	}
	decodeData(t, b.do(t, "get_editor_errors", args{}), &told)
	for _, entry := range told.Entries {
		assert.Contains(t, entry.Message, "Parse Error: ", "nothing but the texts that did not parse")
	}
}

// isRead: the saved scenes hold the nodes that were made, and no others.
func (b *builder) isRead(t *testing.T, game *harness.Project) {
	reader, err := os.ReadFile(filepath.Join(b.kit.Root(), "contract", "gd", "reader.gd"))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(game.Path("res://gd"), 0o755))
	require.NoError(t, os.WriteFile(game.Path("res://gd/reader.gd"), reader, 0o600))
	wanted := map[string][]string{
		playerScene:            {".", "Shape", "Look", "Camera"},
		"res://coin/coin.tscn": {".", "Shape", "Look"},
		enemyScene:             {".", "Shape", "Look", "Turn"},
		hudScene:               {".", "Coins", "Lives"},
		levelScene: {
			".", "Platforms", "Platforms/Ledge", "Platforms/Ledge/Shape", "Platforms/Ground", "Platforms/Ground/Shape",
			"Player", "Player/Shape", "Player/Look", "Player/Camera", "HUD", "HUD/Coins", "HUD/Lives",
			"Coins", "Coins/Coin", "Coins/Coin/Shape", "Coins/Coin/Look", "Coins/Coin3", "Coins/Coin3/Shape", "Coins/Coin3/Look",
			"Coins/Coin2", "Coins/Coin2/Shape", "Coins/Coin2/Look", // a copy comes right behind its original
			"Enemy", "Enemy/Shape", "Enemy/Look", "Enemy/Turn",
		},
	}
	read, err := b.kit.Read(b.ctx, game, slices.Collect(maps.Keys(wanted))...)
	require.NoError(t, err)
	for path, order := range wanted {
		require.Empty(t, read[path].Error, path)
		assert.Equal(t, order, read[path].Order, path)
	}
	kept, found := stores("Platforms", "z_index", "-1")(read[levelScene])
	assert.True(t, kept, "%s", found)
}

// wantedPlay is what the game was specified to do. Gravity 1000, speed 200 and jump speed 400 give the places; keys are
// held for 60 frames of 60 a second.
func wantedPlay() played {
	none, enemy := []string{}, []string{"enemy"}
	return played{
		Scene: levelScene,
		Enemy: []int{600, 720},
		Seen: []seen{
			{"begins", 100, 200, false, 200, 0, 3, 3, "Coins: 0, Lives: 3", none},
			{"falls and lands", 100, 280, true, 200, 0, 3, 3, "Coins: 0, Lives: 3", none},
			{"walks right over a coin", 300, 280, true, 280, 1, 2, 3, "Coins: 1, Lives: 3", none},
			{"jumps at a coin and lands", 300, 280, true, 197, 2, 1, 3, "Coins: 2, Lives: 3", none},
			{"jumps onto the ledge", 500, 220, true, 197, 3, 0, 3, "Coins: 3, Lives: 3", none},
			{"meets the enemy", 100, 280, true, 200, 3, 0, 2, "Coins: 3, Lives: 2", enemy},
			{"falls out of the world", 100, 280, true, 200, 3, 0, 1, "Coins: 3, Lives: 1", append(enemy, "fall")},
		},
	}
}
