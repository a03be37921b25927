package contract

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// manyTools is how many different tools the story uses at least.
const manyTools = 75

// gameLimit bounds one run of the engine on the finished game; each takes a few seconds.
const gameLimit = 2 * time.Minute

// TestPlatformer has an agent build a small platformer from nothing but the addon, through MCP alone and with the
// mistakes that agents make. Then a fresh engine imports what the files hold and plays it, key by key.
func TestPlatformer(t *testing.T) {
	t.Parallel()
	b := newBuilder(t)
	began := time.Now()
	for _, chapter := range []part{
		{"the agent looks around", b.looksAround},
		{"settings and keys", b.setsUp},
		{"the game's state", b.makesState},
		{"shapes", b.makesShapes},
		{"the player", b.makesPlayer},
		{"a coin", b.makesCoin},
		{"the display", b.makesDisplay},
		{"the level's ground", b.makesGround},
		{"the level's cast", b.makesCast},
		{"the enemy", b.makesEnemy},
		{"a broken script", b.breaksScript},
		{"a deleted branch", b.deletesBranch},
		{"a spoiled level", b.spoilsLevel},
		{"files find their places", b.movesFiles},
		{"everything is saved", b.savesAll},
	} {
		require.True(t, t.Run(chapter.name, chapter.run), "the story ends here")
	}
	t.Logf("built with %d calls of %d tools in %s", b.calls, len(b.used), time.Since(began))
	assert.GreaterOrEqual(t, len(b.used), manyTools, "different tools: %v", slices.Sorted(maps.Keys(b.used)))
	require.NoError(t, b.daemon.Stop(10*time.Second))
	require.NoError(t, b.editor.Stop(10*time.Second))
	b.lookOver(t)
	game := b.takeAway(t)
	t.Run("a fresh process reads it", func(t *testing.T) { b.isRead(t, game) })
	t.Run("a fresh process plays it", func(t *testing.T) { b.isPlayed(t, game) })
}

// builder makes a game as an agent does: by tool calls alone. What each reply claims is held against what can be seen.
type builder struct {
	*rig
	used  map[string]bool
	calls int
}

// newBuilder starts an editor on a project that has the addon and nothing else.
func newBuilder(t *testing.T) *builder {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	t.Cleanup(cancel)
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, kit.Close()) })
	project, err := kit.NewProject(ctx, harness.ProjectOptions{Bare: true, Addon: true})
	require.NoError(t, err)
	b := &builder{rig: &rig{ctx: ctx, kit: kit, project: project}, used: map[string]bool{}}
	b.learnTools(t)
	b.startBoth(t)
	b.waitLinked(t)
	return b
}

// glimpse is what a call could change, as far as other tools and the disk tell.
type glimpse struct {
	files  map[string]string
	scenes []openTab
	active string
	top    string
}

// openTab is one of list_open_scenes.
type openTab struct {
	ID     string `json:"id"`
	Dirty  bool   `json:"dirty"`
	Active bool   `json:"is_active"`
}

// glimpse takes it down.
func (b *builder) glimpse(t *testing.T) glimpse {
	t.Helper()
	var open struct {
		Scenes []openTab `json:"scenes"`
	}
	decodeData(t, b.ok(t, "list_open_scenes", args{}), &open)
	var history struct {
		Undo struct {
			Actions []struct {
				Name string `json:"name"`
			} `json:"actions"`
		} `json:"undo"`
	}
	decodeData(t, b.ok(t, "list_history", args{}), &history)
	seen := glimpse{files: b.files(t), scenes: open.Scenes}
	for _, scene := range open.Scenes {
		if scene.Active {
			seen.active = scene.ID
		}
	}
	if len(history.Undo.Actions) > 0 {
		seen.top = history.Undo.Actions[0].Name
	}
	return seen
}

// unchanged checks that nothing is different now.
func (b *builder) unchanged(t *testing.T, before glimpse, about string) {
	t.Helper()
	now := b.glimpse(t)
	require.Empty(t, changedFiles(before.files, now.files), "%s: files changed", about)
	now.files = before.files // but for uid files, which a scan gives at its own time
	require.Equal(t, before, now, "%s: the editor shows something else, or a history moved", about)
}

// do makes one call that a save keeps.
func (b *builder) do(t *testing.T, tool string, call args) harness.Reply {
	t.Helper()
	reply := b.run(t, tool, call)
	for _, verdict := range reply.Persistence {
		require.NotNil(t, verdict.Persisted, "%s: %s", tool, reply.Raw)
		require.True(t, *verdict.Persisted, "%s %s: %s", tool, text(call), reply.Raw)
	}
	return reply
}

// lost makes one call of which the reply says that a save loses it, and gives the hint.
func (b *builder) lost(t *testing.T, reason protocol.Reason, tool string, call args) string {
	t.Helper()
	reply := b.run(t, tool, call)
	require.Len(t, reply.Persistence, 1, "%s", reply.Raw)
	verdict := reply.Persistence[0]
	require.NotNil(t, verdict.Persisted, "%s", reply.Raw)
	require.False(t, *verdict.Persisted, "%s", reply.Raw)
	require.Equal(t, reason, verdict.Reason, "%s", reply.Raw)
	return verdict.Hint
}

// run makes one call, as a dry run first, and checks what the reply claims.
func (b *builder) run(t *testing.T, tool string, call args) harness.Reply {
	t.Helper()
	facts := b.byName[tool]
	b.used[tool] = true
	b.calls++
	before := b.glimpse(t)
	confirmed := facts.MustConfirm && call["editable"] != true
	if confirmed {
		failure := b.refused(t, protocol.PreconditionFailed, tool, call)
		require.Equal(t, "confirm", failure.Required, "%s", tool)
	}
	var dry harness.Reply
	if facts.HasDryRun {
		dry = b.ok(t, tool, with(call, "dry_run", true))
		assert.False(t, dry.Safety.Executed, "%s", dry.Raw)
	}
	if confirmed || facts.HasDryRun {
		b.unchanged(t, before, tool+" "+text(call)+": a dry run or a refusal")
	}
	if confirmed {
		call = with(call, "confirm", true)
	}
	reply := b.ok(t, tool, call)
	if facts.HasDryRun {
		assert.True(t, reply.Safety.Executed, "%s", reply.Raw)
		assert.Equal(t, dry.Data["targets"], reply.Data["targets"], "%s: targets of dry and real run", tool)
		assert.Equal(t, dry.Persistence, reply.Persistence, "%s: verdicts of dry and real run", tool)
		assert.Equal(t, dry.Data["undoable"], reply.Data["undoable"], "%s: undoable in dry and real run", tool)
	}
	b.checkClaims(t, facts, before, reply)
	return reply
}

// checkClaims holds a reply against what is seen after it.
func (b *builder) checkClaims(t *testing.T, facts harness.ToolFacts, before glimpse, reply harness.Reply) {
	t.Helper()
	if facts.Class == "read_only" {
		b.unchanged(t, before, facts.Name)
		return
	}
	now := b.glimpse(t)
	assert.Empty(t, engineErrors(t, reply), "%s", reply.Raw)
	changed := changedFiles(before.files, now.files)
	if len(changed) > 0 && !facts.Batches {
		assert.Contains(t, facts.Effects, "touches_disk", "%s wrote %v", facts.Name, changed)
	}
	b.checkTold(t, reply, changed)
	walks := slices.Contains(facts.Effects, "walks_history")
	switch {
	case reply.Data["undoable"] == true:
		assert.Equal(t, reply.Data["undo_action"], now.top, "%s: %s", facts.Name, reply.Raw)
		if reply.Data["history"] != "global" {
			assert.Equal(t, true, reply.Data["scene_dirty"], "%s: %s", facts.Name, reply.Raw)
		}
	case before.active == now.active && !walks && reply.Data["undo_history"] == nil:
		assert.Equal(t, before.top, now.top, "%s says that undo does not cover it: %s", facts.Name, reply.Raw)
	}
	for _, scene := range now.scenes {
		if dirty, told := reply.Data["scene_dirty"]; told && reply.Data["scene"] == scene.ID {
			assert.Equal(t, scene.Dirty, dirty, "%s: scene_dirty: %s", facts.Name, reply.Raw)
		}
	}
}

// takeAway copies the finished project without the editor's own cache, as a version control system has it, and imports
// it.
func (b *builder) takeAway(t *testing.T) *harness.Project {
	t.Helper()
	game, err := b.kit.NewProject(b.ctx, harness.ProjectOptions{Bare: true})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(game.Dir))
	require.NoError(t, os.CopyFS(game.Dir, os.DirFS(b.project.Dir)))
	require.NoError(t, os.RemoveAll(game.Path("res://.godot")))
	noTrouble(t, b.engine(t, game, "--import"))
	return game
}

// engine runs a headless engine on the finished game and gives its output.
func (b *builder) engine(t *testing.T, game *harness.Project, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, gameLimit)
	defer cancel()
	out, err := b.kit.RunGodot(ctx, game, args...)
	require.NoError(t, err, out)
	return out
}

// noTrouble checks that an engine printed no error and no warning.
func noTrouble(t *testing.T, out string) {
	t.Helper()
	assert.NotRegexp(t, `(?im)^.*\b(errors?|warnings?|leaked|failed|invalid)\b.*$`, out)
}

// played is what the driver saw of the game.
type played struct {
	Scene string `json:"scene"`
	Enemy []int  `json:"enemy"`
	Seen  []seen `json:"seen"`
}

// seen is one moment of it.
type seen struct {
	What      string   `json:"what"`
	X         int      `json:"x"`
	Y         int      `json:"y"`
	OnFloor   bool     `json:"on_floor"`
	Highest   int      `json:"highest"`
	Coins     int      `json:"coins"`
	CoinsLeft int      `json:"coins_left"`
	Lives     int      `json:"lives"`
	HUD       string   `json:"hud"`
	Deaths    []string `json:"deaths"`
}

// isPlayed has the driver press the keys in a run of the main scene.
func (b *builder) isPlayed(t *testing.T, game *harness.Project) {
	driver := "platformer_driver.gd"
	text, err := os.ReadFile(filepath.Join(b.kit.Root(), "contract", "gd", driver))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(game.Path("res://"+driver), text, 0o600))
	// The engine reads this file over project.godot, which stays as the agent made it.
	override := "[autoload]\n\nPlatformerDriver=\"*res://" + driver + "\"\n"
	require.NoError(t, os.WriteFile(game.Path("res://override.cfg"), []byte(override), 0o600))
	answer := filepath.Join(game.Home, "answer.json")
	noTrouble(t, b.engine(t, game, "--fixed-fps", "60", "--", answer))
	raw, err := os.ReadFile(answer)
	require.NoError(t, err)
	var got played
	require.NoError(t, json.Unmarshal(raw, &got))
	assert.Equal(t, wantedPlay(), got)
}
