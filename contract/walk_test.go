package contract

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

const (
	// walkSeed makes the walks; each fixture has walkSeed and its own number.
	walkSeed = 20261130
	// segment is how many calls are made between two looks at the file.
	segment = 20
	// anew is after how many calls a walk goes on in a fresh copy: else it soon is about nodes that it made itself.
	anew = 5 * segment
	// shortWalk is how many calls are made on each fixture.
	shortWalk = 1000
	// fullWalk is how many calls `make soak` makes on all of them together.
	fullWalk = 100_000
)

// walkCalls is how many random calls are made on each fixture.
func walkCalls() int {
	if soak() {
		return fullWalk / len(walkFixtures())
	}
	return shortWalk
}

// walkFixtures are the scenes that are walked on: nodes of every kind of owner, and all that leads from one to another.
// `make soak` walks on more of each kind.
func walkFixtures() []string {
	fixtures := []string{"own_nodes", "instance_editable", "inherited_with_instance"}
	if soak() {
		fixtures = append(fixtures, "signals", "animated", "deep_subtree", "nested_editable", "signals_derived", "sub_resources")
	}
	return fixtures
}

// TestWalks: every verdict of a random walk is what a fresh process reads, undoing a segment gives back the scene and
// its file byte for byte, redoing it its result, and no error of the engine goes untold.
func TestWalks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ran := map[string]int{}
	for number, fixture := range walkFixtures() {
		t.Run(fixture, func(t *testing.T) {
			seed := rand.NewPCG(walkSeed, uint64(number))
			w := &walker{r: r, random: rand.New(seed), ran: ran}
			judged := map[string]map[string]claim{}
			for done := 0; done < walkCalls(); done += segment {
				if done%anew == 0 {
					w.begin(t, fixture)
				}
				w.about = fmt.Sprintf("%s, seed %d, calls %d to %d", fixture, number, done, done+segment)
				copied := w.segment(t)
				judged[copied] = w.claims
				if t.Failed() {
					break
				}
			}
			kept, lost := r.judgeWalk(t, judged)
			t.Logf("%d claims kept, %d lost", kept, lost)
			assert.Greater(t, kept, walkCalls()/20, "too few claims to prove anything")
		})
	}
	t.Logf("calls that applied: %v", ran)
}

// begin leaves the scene and opens a fresh copy.
func (w *walker) begin(t *testing.T, fixture string) {
	t.Helper()
	if w.scene != "" {
		w.r.closeScene(t, w.scene)
	}
	w.scene = w.r.open(t, fixture)
}

// segment makes its calls, goes back and forth over them, and gives a copy of the file as it is then.
func (w *walker) segment(t *testing.T) string {
	t.Helper()
	w.start()
	before := w.stage(t)
	defer func() {
		if t.Failed() {
			t.Logf("%s:\n%s\n%s", w.about, strings.Join(w.calls, "\n"), lastLines(w.r.editor.Output()))
		}
	}()
	quiet, cursor := len(w.r.editor.Output()), w.r.cursor(t)
	for range segment {
		w.step(t)
	}
	after := w.stage(t)
	if w.walked > 0 {
		w.note(w.r.ok(t, "undo", args{"count": w.walked}).Data["engine_errors"])
		w.same(t, before, "undo")
		w.note(w.r.ok(t, "redo", args{"count": w.walked}).Data["engine_errors"])
		w.same(t, after, "redo")
	}
	output := w.r.editor.Output()[quiet:]
	w.noteBetween(t, cursor)
	w.checkErrors(t, output)
	copied := w.r.freshName(w.scene)
	require.NoError(t, os.WriteFile(w.r.project.Path(copied), withoutUID([]byte(after.file)), 0o600))
	return copied
}

// stage is the scene as it is now. A save may tell of errors: of connections to nodes that were deleted.
func (w *walker) stage(t *testing.T) stage {
	t.Helper()
	// A save gives new resources their places in the file, and no undo takes those away. When the scene of a foreign one
	// is read again, the new one takes its place over.
	place := regexp.MustCompile(`res://[^ ]+\.tscn::\w+`)
	dump := place.ReplaceAllString(w.r.hand.dump(t), "")
	w.save(t)
	return stage{dump: dump, file: w.r.file(t, w.scene)}
}

func (w *walker) save(t *testing.T) {
	t.Helper()
	reply := w.r.ok(t, "save_scene", args{"confirm": true})
	w.note(reply.Data["engine_errors"])
	assert.NotContains(t, reply.Data, "not_kept", "%s: no fixture changes values while it is saved: %s", w.about, reply.Raw)
}

// same checks that the scene is as it was, in memory and in its file.
func (w *walker) same(t *testing.T, was stage, after string) {
	t.Helper()
	now := w.stage(t)
	assert.Equal(t, was.dump, now.dump, "%s: the scene after %s of %d", w.about, after, w.walked)
	assert.Equal(t, byPath(was.file), byPath(now.file), "%s: the file after %s of %d", w.about, after, w.walked)
}

// byPath is a scene file with paths in place of its external resources' ids: the engine thinks up a new id for a
// resource that was not in the file when it was saved last.
func byPath(file string) string {
	head := regexp.MustCompile(`(?m)^\[ext_resource .*path="([^"]+)" id="([^"]+)"\]\n`)
	var paths []string
	for _, found := range head.FindAllStringSubmatch(file, -1) {
		paths = append(paths, found[1])
		file = strings.ReplaceAll(file, `ExtResource("`+found[2]+`")`, `ExtResource("`+found[1]+`")`)
	}
	slices.Sort(paths)
	return strings.Join(paths, "\n") + "\n" + head.ReplaceAllString(file, "")
}

// noteBetween keeps the errors that belong to no call: the editor's docks look at a deleted node frames later.
func (w *walker) noteBetween(t *testing.T, cursor int64) {
	t.Helper()
	for _, entry := range w.r.errorsAfter(t, args{"since_seq": cursor, "limit": 500}).Entries {
		w.told = append(w.told, entry.Message)
	}
}

// checkErrors compares what the engine printed with what replies told.
func (w *walker) checkErrors(t *testing.T, output string) {
	t.Helper()
	lines := strings.Split(output, "\n")
	for i, line := range lines {
		message, isError := strings.CutPrefix(strings.TrimSpace(line), "ERROR: ")
		if !isError || message == `Parameter "t" is null.` { // the thumbnail that no headless editor can draw
			continue
		}
		told := slices.ContainsFunc(w.told, func(one string) bool { return strings.Contains(message, one) })
		assert.True(t, told, "%s: an error of the engine that no reply told: %s", w.about,
			strings.Join(lines[i:min(i+6, len(lines))], "\n"))
	}
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
		more, fewer := judgeSegment(t, path, scenes[path], claims)
		kept, lost = kept+more, lost+fewer
		assert.NoError(t, os.Remove(r.project.Path(path)))
	}
	return kept, lost
}

func judgeSegment(t *testing.T, path string, scene harness.Scene, claims map[string]claim) (kept, lost int) {
	t.Helper()
	require.Empty(t, scene.Error, "%s does not load", path)
	for key, c := range claims {
		there, found := c.kept(scene)
		assert.Equal(t, c.persisted, there, "%s in the file: %s; %s", key, found, c.about)
		if there {
			kept++
		} else {
			lost++
		}
	}
	return kept, lost
}
