package contract

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// handAction is the name of an action that a person did.
const handAction = "Hand: nudge"

// ours makes one edit through the tool and gives its action's name. Each call makes another one.
func (r *rig) ours(t *testing.T, value int) string {
	t.Helper()
	reply := r.ok(t, "set_node_property", args{"node_path": "Enemy", "property": "z_index", "value": value})
	name, _ := reply.Data["undo_action"].(string)
	assert.True(t, strings.HasPrefix(name, "Drawbridge: "), "the action's name: %q", name)
	return name
}

// theirs has the hand make an edit, as a person would.
func (r *rig) theirs(t *testing.T) {
	t.Helper()
	r.hand.set(t, "Foo", "z_index", "i:5", handAction)
}

// theirsGlobal has the hand edit a resource of its own file, which lands in the global history.
func (r *rig) theirsGlobal(t *testing.T, name string) {
	t.Helper()
	r.hand.act(t, "set_global", map[string]any{
		"path": harness.FixtureRes + "/assets/thing.tres", "value": name, "action": "Hand: " + name,
	}, nil)
}

// notOnTop asserts that a walk is refused because of what is on top, and that nothing moved.
func (r *rig) notOnTop(t *testing.T, tool, top string, with args) {
	t.Helper()
	before := r.hand.look(t)
	failure := r.refused(t, protocol.PreconditionFailed, tool, with)
	assert.Equal(t, "top_action", failure.Required)
	assert.Equal(t, top, failure.Details["top"], "details.top of %s %s", tool, text(with))
	assert.Equal(t, before, r.hand.look(t), "a refused %s walked", tool)
}

// walked asserts what a walk went over.
func (r *rig) walked(t *testing.T, tool string, with args, names ...string) {
	t.Helper()
	reply := r.ok(t, tool, with)
	var want []any
	for _, name := range names {
		want = append(want, name)
	}
	key := map[string]string{"undo": "undone", "redo": "redone"}[tool]
	assert.Equal(t, want, reply.Data["actions"], "%s %s: %s", tool, text(with), reply.Raw)
	assert.EqualValues(t, len(names), reply.Data[key], "%s: %s", key, reply.Raw)
}

// testUndoOrder: undo and redo walk over Drawbridge's own actions only, newest first; a person's must be named.
func (r *rig) testUndoOrder(t *testing.T) {
	for name, run := range map[string]func(*testing.T){
		"an empty history is no error":                         r.undoNothing,
		"a person's newer edit is not undone unasked":          r.undoTheirs,
		"a person's undone edit is not redone unasked":         r.redoTheirs,
		"several steps at once":                                r.undoSeveral,
		"several steps stop before a person's edit":            r.undoSeveralOverTheirs,
		"a person's edit of a resource counts too":             r.undoGlobal,
		"global and scene edits are told apart by their order": r.undoInterleaved,
		"an edit elsewhere ends what could be redone here":     r.undoAfterElsewhere,
		"another scene's edits are out of reach":               r.undoElsewhere,
		"a new edit ends what could be redone":                 r.redoAfterEdit,
		"counts out of bounds":                                 r.undoCounts,
		"undo to the saved state leaves a clean scene":         r.undoToSaved,
		"new edits that take the saved one's place are dirty":  r.undoPastSaved,
	} {
		t.Run(name, run)
	}
}

func (r *rig) undoNothing(t *testing.T) {
	r.open(t, "own_nodes")
	r.hand.act(t, "clear_global", nil, nil)
	reply := r.ok(t, "undo", args{})
	assert.Equal(t, true, reply.Data["nothing_to_undo"], "%s", reply.Raw)
	reply = r.ok(t, "redo", args{})
	assert.Equal(t, true, reply.Data["nothing_to_redo"], "%s", reply.Raw)
	r.notOnTop(t, "undo", "", args{"expect_action": "Drawbridge: anything"})
}

func (r *rig) undoTheirs(t *testing.T) {
	r.open(t, "own_nodes")
	ours := r.ours(t, 3)
	r.theirs(t)
	r.notOnTop(t, "undo", handAction, args{})
	r.notOnTop(t, "undo", handAction, args{"expect_action": ours})
	r.notOnTop(t, "undo", handAction, args{"expect_action": "Hand: another"})
	r.walked(t, "undo", args{"expect_action": handAction}, handAction)
	r.walked(t, "undo", args{"expect_action": ours}, ours)
}

func (r *rig) redoTheirs(t *testing.T) {
	r.open(t, "own_nodes")
	ours := r.ours(t, 3)
	r.theirs(t)
	r.walked(t, "undo", args{"expect_action": handAction}, handAction)
	r.walked(t, "undo", args{}, ours)
	r.notOnTop(t, "redo", ours, args{"expect_action": handAction})
	r.walked(t, "redo", args{}, ours)
	r.notOnTop(t, "redo", handAction, args{})
	r.walked(t, "redo", args{"expect_action": handAction}, handAction)
}

func (r *rig) undoSeveral(t *testing.T) {
	r.open(t, "own_nodes")
	r.hand.act(t, "clear_global", nil, nil)
	var names []string
	for value := range 4 {
		names = append([]string{r.ours(t, value+1)}, names...)
	}
	r.walked(t, "undo", args{"count": 3}, names[:3]...)
	r.walked(t, "redo", args{"count": 2}, names[2], names[1])
	r.walked(t, "undo", args{"count": 100}, names[1:]...)
	reply := r.ok(t, "get_node", args{"node_path": "Enemy", "properties": []string{"z_index"}})
	assert.Contains(t, string(reply.Raw), `"z_index":{"type":"int","value":0`, "all four are undone")
}

func (r *rig) undoSeveralOverTheirs(t *testing.T) {
	r.open(t, "own_nodes")
	first := r.ours(t, 1)
	r.theirs(t)
	r.ours(t, 2)
	before := r.hand.look(t)
	failure := r.refused(t, protocol.PreconditionFailed, "undo", args{"count": 2})
	assert.Equal(t, "top_action", failure.Required)
	assert.Equal(t, before, r.hand.look(t), "a refused undo walked")
	r.ok(t, "undo", args{})
	r.notOnTop(t, "undo", handAction, args{})
	r.walked(t, "undo", args{"expect_action": handAction, "count": 2}, handAction, first)
}

func (r *rig) undoGlobal(t *testing.T) {
	r.open(t, "own_nodes")
	ours := r.ours(t, 3)
	r.theirsGlobal(t, "global")
	r.notOnTop(t, "undo", "Hand: global", args{})
	r.notOnTop(t, "undo", "Hand: global", args{"expect_action": ours})
	r.walked(t, "undo", args{"expect_action": "Hand: global"}, "Hand: global")
	r.walked(t, "undo", args{}, ours)
}

func (r *rig) undoInterleaved(t *testing.T) {
	r.open(t, "own_nodes")
	r.theirsGlobal(t, "first")
	one := r.ours(t, 1)
	r.theirsGlobal(t, "second")
	two := r.ours(t, 2)
	r.walked(t, "undo", args{}, two)
	r.notOnTop(t, "undo", "Hand: second", args{})
	r.walked(t, "undo", args{"expect_action": "Hand: second"}, "Hand: second")
	r.walked(t, "undo", args{}, one)
	r.notOnTop(t, "undo", "Hand: first", args{})
	r.walked(t, "redo", args{}, one)
	r.notOnTop(t, "redo", "Hand: second", args{})
	r.walked(t, "redo", args{"expect_action": "Hand: second"}, "Hand: second")
	r.walked(t, "redo", args{}, two)
}

// undoAfterElsewhere: the engine takes away what could be redone in the scene when a global action comes, and the other
// way round; the actions that are done keep their order.
func (r *rig) undoAfterElsewhere(t *testing.T) {
	r.open(t, "own_nodes")
	r.hand.act(t, "clear_global", nil, nil)
	one := r.ours(t, 1)
	r.ours(t, 2)
	r.ok(t, "undo", args{})
	r.theirsGlobal(t, "later")
	r.notOnTop(t, "undo", "Hand: later", args{})
	r.walked(t, "undo", args{"expect_action": "Hand: later"}, "Hand: later")
	r.walked(t, "undo", args{}, one)
	r.walked(t, "redo", args{}, one)
	next := r.ours(t, 3)
	reply := r.ok(t, "redo", args{})
	assert.Equal(t, true, reply.Data["nothing_to_redo"], "%s", reply.Raw)
	r.walked(t, "undo", args{}, next)
	r.walked(t, "undo", args{}, one)
}

func (r *rig) undoElsewhere(t *testing.T) {
	first := r.open(t, "own_nodes")
	r.hand.act(t, "clear_global", nil, nil)
	ours := r.ours(t, 3)
	r.open(t, "second_player")
	reply := r.ok(t, "undo", args{})
	assert.Equal(t, true, reply.Data["nothing_to_undo"], "the edit is another scene's: %s", reply.Raw)
	r.refused(t, protocol.SceneMismatch, "undo", args{"scene": first})
	r.ok(t, "open_scene", args{"scene_path": first})
	r.walked(t, "undo", args{}, ours)
}

func (r *rig) redoAfterEdit(t *testing.T) {
	r.open(t, "own_nodes")
	r.hand.act(t, "clear_global", nil, nil)
	r.ours(t, 3)
	r.ok(t, "undo", args{})
	next := r.ours(t, 4)
	reply := r.ok(t, "redo", args{})
	assert.Equal(t, true, reply.Data["nothing_to_redo"], "%s", reply.Raw)
	r.walked(t, "undo", args{}, next)
}

func (r *rig) undoCounts(t *testing.T) {
	r.open(t, "own_nodes")
	ours := r.ours(t, 3)
	for _, count := range []any{0, -1, 101, 1.5, "1"} {
		for _, tool := range []string{"undo", "redo"} {
			r.refused(t, protocol.ValidationError, tool, args{"count": count})
		}
	}
	r.walked(t, "undo", args{}, ours)
}

func (r *rig) undoToSaved(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.save(t)
	r.ours(t, 3)
	reply := r.ok(t, "undo", args{})
	assert.Equal(t, false, reply.Data["scene_dirty"], "after undo to the saved state: %s", reply.Raw)
	reply = r.ok(t, "redo", args{})
	assert.Equal(t, true, reply.Data["scene_dirty"], "after redo: %s", reply.Raw)
	assert.Equal(t, path, reply.Data["scene"], "%s", reply.Raw)
}

// undoPastSaved: the history's version is the saved one's again, and the scene is another.
func (r *rig) undoPastSaved(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.ours(t, 3)
	r.ours(t, 4)
	r.save(t)
	r.ok(t, "undo", args{"count": 2})
	for value := 5; value < 8; value++ {
		reply := r.ok(t, "set_node_property", args{"node_path": "Enemy", "property": "z_index", "value": value})
		assert.Equal(t, true, reply.Data["scene_dirty"], "z_index %d: %s", value, reply.Raw)
	}
	r.ok(t, "undo", args{})
	starred := r.hand.look(t).Starred
	for late := time.Now().Add(5 * time.Second); len(starred) == 0 && time.Now().Before(late); { // some frames
		starred = r.hand.look(t).Starred
	}
	assert.Len(t, starred, 1, "the scene has the mark")
	reply := r.ok(t, "get_node", args{"node_path": "Enemy"})
	assert.Contains(t, r.file(t, path), "z_index = 4")
	assert.NotEqual(t, false, reply.Data["scene_dirty"], "%s", reply.Raw)
}
