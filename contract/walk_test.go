package contract

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const (
	// walkSeed makes the walks; each fixture has walkSeed and its own number.
	walkSeed = 20261130
	// segment is how many calls are made between two looks at the file.
	segment = 20
	// fullWalk is how many calls `make soak` makes on each of the five fixtures: 100,000 in all.
	fullWalk = 20_000
)

// walkCalls is how many random calls are made on each fixture.
func walkCalls() int {
	if soak() {
		return fullWalk
	}
	return 1000
}

// walkFixtures are the scenes that are walked on: nodes of every kind of owner.
func walkFixtures() []string {
	return []string{"own_nodes", "deep_subtree", "instance_editable", "nested_half", "inherited_with_instance"}
}

// claim is what one reply says that the file will hold: a verdict, and how to look.
type claim struct {
	about     string
	persisted bool
	kept      probe
}

// walker makes random valid calls on one scene. What later calls may undo of an earlier one's claim takes the claim
// away, so that those left are all true of the file at the end of the segment.
type walker struct {
	r      *rig
	random *rand.Rand
	about  string
	scene  string
	rows   [][2]string // path and type of each node
	claims map[string]claim
	walked int      // actions on the history
	told   []string // errors of the engine that replies have told
	calls  []string // the segment's calls, for a row of its own when it fails
	ran    map[string]int
}

// TestWalks: every verdict of a random walk is what a fresh process reads, undoing a segment gives back the scene and
// its file byte for byte, redoing it its result, and no error of the engine goes untold.
func TestWalks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for number, fixture := range walkFixtures() {
		t.Run(fixture, func(t *testing.T) {
			seed := rand.NewPCG(walkSeed, uint64(number))
			w := &walker{r: r, random: rand.New(seed), scene: r.open(t, fixture), ran: map[string]int{}}
			judged := map[string]map[string]claim{}
			for done := 0; done < walkCalls(); done += segment {
				w.about = fmt.Sprintf("%s, seed %d, calls %d to %d", fixture, number, done, done+segment)
				copied := w.segment(t)
				judged[copied] = w.claims
				if t.Failed() {
					break
				}
			}
			kept, lost := r.judgeWalk(t, judged)
			t.Logf("%d claims kept, %d lost; calls that applied: %v", kept, lost, w.ran)
			assert.Greater(t, kept, walkCalls()/20, "too few claims to prove anything")
		})
	}
}

// segment makes its calls, goes back and forth over them, and gives a copy of the file as it is then.
func (w *walker) segment(t *testing.T) string {
	t.Helper()
	before := w.r.stage(t, w.scene)
	w.claims, w.walked, w.told, w.calls = map[string]claim{}, 0, nil, nil
	defer func() {
		if t.Failed() {
			t.Logf("%s:\n%s\n%s", w.about, strings.Join(w.calls, "\n"), lastLines(w.r.editor.Output()))
		}
	}()
	quiet := len(w.r.editor.Output())
	for range segment {
		w.step(t)
	}
	w.checkErrors(t, w.r.editor.Output()[quiet:])
	after := w.r.stage(t, w.scene)
	if w.walked > 0 {
		w.r.ok(t, "undo", args{"count": w.walked})
		w.same(t, before, "undo")
		w.r.ok(t, "redo", args{"count": w.walked})
		w.same(t, after, "redo")
	}
	copied := w.r.freshName(w.scene)
	require.NoError(t, os.WriteFile(w.r.project.Path(copied), []byte(after.file), 0o600))
	return copied
}

// same checks that the scene is as it was, in memory and in its file.
func (w *walker) same(t *testing.T, was stage, after string) {
	t.Helper()
	now := w.r.stage(t, w.scene)
	assert.Equal(t, was.dump, now.dump, "%s: the scene after %s of %d", w.about, after, w.walked)
	assert.Equal(t, was.file, now.file, "%s: the file after %s of %d", w.about, after, w.walked)
}

// checkErrors compares what the engine printed with what replies told.
func (w *walker) checkErrors(t *testing.T, output string) {
	t.Helper()
	for line := range strings.Lines(output) {
		message, isError := strings.CutPrefix(strings.TrimSpace(line), "ERROR: ")
		if !isError || message == `Parameter "t" is null.` { // the thumbnail that no headless editor can draw
			continue
		}
		told := slices.ContainsFunc(w.told, func(one string) bool { return strings.Contains(message, one) })
		assert.True(t, told, "%s: an error of the engine that no reply told: %s", w.about, message)
	}
}

// step makes one call of a random kind.
func (w *walker) step(t *testing.T) {
	t.Helper()
	w.look(t)
	kinds := []func(*testing.T){w.set, w.set, w.set, w.create, w.create, w.move, w.remove}
	kinds[w.random.IntN(len(kinds))](t)
}

// look reads which nodes there are.
func (w *walker) look(t *testing.T) {
	t.Helper()
	var tree struct {
		Rows [][]any `json:"rows"`
	}
	decodeData(t, w.r.ok(t, "get_scene_tree", args{"limit": 5000}), &tree)
	w.rows = w.rows[:0]
	for _, row := range tree.Rows {
		w.rows = append(w.rows, [2]string{fmt.Sprint(row[0]), fmt.Sprint(row[1])})
	}
}

// pick chooses a node; with below, never the root.
func (w *walker) pick(below bool) string {
	if below && len(w.rows) > 1 {
		return w.rows[1+w.random.IntN(len(w.rows)-1)][0]
	}
	return w.rows[w.random.IntN(len(w.rows))][0]
}

// call makes a call and keeps the books. It is false when the call was refused, which a valid one may be for what it
// meets: then nothing has changed, as the walk back shows.
func (w *walker) call(t *testing.T, tool string, with args) (harness.Reply, bool) {
	t.Helper()
	w.calls = append(w.calls, tool+" "+text(with))
	reply := w.r.call(t, tool, with)
	if !reply.OK {
		w.calls = append(w.calls, "  refused: "+string(reply.Error.Code))
		allowed := []protocol.Code{protocol.ValidationError, protocol.ProtectedTarget, protocol.ValueRejected}
		require.Contains(t, allowed, reply.Error.Code, "%s: %s %s: %s", w.about, tool, text(with), reply.Raw)
		require.False(t, reply.Safety.MayHaveApplied, "%s: %s %s: %s", w.about, tool, text(with), reply.Raw)
		w.note(reply.Error.Details["engine_errors"])
		return reply, false
	}
	w.note(reply.Data["engine_errors"])
	if reply.Data["undo_action"] != nil {
		w.walked++
	}
	w.ran[tool]++
	return reply, true
}

// note keeps the engine's errors that a reply tells.
func (w *walker) note(told any) {
	list, _ := told.([]any)
	for _, item := range list {
		if one, ok := item.(map[string]any); ok {
			w.told = append(w.told, fmt.Sprint(one["message"]))
		}
	}
}

// forget drops the claims about a node and all below it.
func (w *walker) forget(path string) {
	for key := range w.claims {
		node, _, _ := strings.Cut(key, ":")
		if node == path || strings.HasPrefix(node, path+"/") {
			delete(w.claims, key)
		}
	}
}

// claim keeps what a reply with one verdict says.
func (w *walker) claim(key string, reply harness.Reply, kept probe) {
	if len(reply.Persistence) != 1 || reply.Persistence[0].Persisted == nil {
		delete(w.claims, key)
		return
	}
	about := fmt.Sprintf("%s: %s", w.about, reply.Raw)
	w.claims[key] = claim{about, *reply.Persistence[0].Persisted, kept}
}

// judgeWalk has a fresh process read the files, and compares.
func (r *rig) judgeWalk(t *testing.T, judged map[string]map[string]claim) (kept, lost int) {
	t.Helper()
	var paths []string
	for path := range judged {
		paths = append(paths, path)
	}
	scenes, err := r.kit.Read(r.ctx, r.project, paths...)
	require.NoError(t, err)
	for path, claims := range judged {
		require.Empty(t, scenes[path].Error, "%s does not load", path)
		for key, c := range claims {
			there, found := c.kept(scenes[path])
			assert.Equal(t, c.persisted, there, "%s in the file: %s; %s", key, found, c.about)
			if there {
				kept++
			} else {
				lost++
			}
		}
		assert.NoError(t, os.Remove(r.project.Path(path)))
	}
	return kept, lost
}
