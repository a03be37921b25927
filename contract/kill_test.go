package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// killSeed makes the streams; round n of each test uses killSeed+n.
const killSeed = 20261130

// killScene is the scene that is written to.
const killScene = workRes + "/kills.tscn"

// testKills kills editor and daemon at random moments of a stream of writes: no call outlives its deadline, none
// claims what the scene or the file contradicts, a call that is sent again applies once, and the link is back in 2 s.
func testKills(t *testing.T) {
	ctx, kit := newKit(t)
	b := newBed(ctx, t, kit)
	scene := "[gd_scene format=3]\n\n[node name=\"Root\" type=\"Node2D\"]\n"
	require.NoError(t, os.WriteFile(b.project.Path(killScene), []byte(scene), 0o600))
	b.startDaemon(t)
	up := b.startEditor(t, harness.EditorOptions{})
	b.linked(t, up, startWait)
	b.ok(t, "open_scene", args{"scene_path": killScene})
	b.save(t)
	t.Run("the daemon is killed", b.killDaemons)
	if b.daemon == nil || ended(b.daemon.Done()) {
		b.startDaemon(t)
	}
	t.Run("the editor is killed", b.killEditors)
}

// killDaemons: the editor stays, so the truth is the scene in its memory.
func (b *bed) killDaemons(t *testing.T) {
	count, longest, resent := 0, time.Duration(0), 0
	for round := range kills() {
		seed := uint64(killSeed + round)
		before := b.hand.look(t).SceneVersion
		s := newStream(b, rand.New(rand.NewPCG(seed, 1)), killScene, count, b.scene(t))
		s.untilKilled(t, b.daemon.Kill)
		count = s.count
		start := time.Now()
		b.startDaemon(t)
		longest = max(longest, b.linked(t, start, linkWait))
		about := fmt.Sprintf("round %d, seed %d, %d writes", round, seed, len(s.writes))
		b.settled(t)
		s.checkMemory(t, about+", after the kill")
		resent += s.sendAgain(t, about)
		s.checkMemory(t, about+", after all was sent again")
		edits := int64(0)
		for _, w := range s.writes {
			if w.kind != "save" && w.fate() == applied {
				edits++
			}
		}
		require.Equal(t, edits, b.hand.look(t).SceneVersion-before, "%s: actions in the history, one for each edit", about)
	}
	t.Logf("seed %d: %d kills, %d writes, %d sent again, slowest link %s after the daemon's start", killSeed, kills(), count, resent, longest)
}

// settled waits until the editor has ended what the dead daemon asked for; the echo of a call in turn shows that.
func (b *bed) settled(t *testing.T) {
	t.Helper()
	b.ok(t, "get_scene_tree", args{})
}

// scene is the edited scene's children with their z_index, as the fault hand sees them.
func (b *bed) scene(t *testing.T) map[string]int {
	t.Helper()
	var out struct {
		Children map[string]int `json:"children"`
	}
	b.fault.act(t, "children", nil, &out)
	return out.Children
}

// checkMemory: what a reply claims is there, what a reply denies is not, and nothing else is.
func (s *stream) checkMemory(t *testing.T, about string) {
	t.Helper()
	s.judge(t, about, s.b.scene(t), s.states(func(w *write) (bool, bool) {
		return w.fate() == applied, w.fate() != refused
	}))
}

// sendAgain sends every write in doubt once more, under its key, and gives how many there were.
func (s *stream) sendAgain(t *testing.T, about string) int {
	t.Helper()
	count := 0
	for _, w := range s.writes {
		if w.fate() != doubtful {
			continue
		}
		count++
		w.flight = s.b.launch(t, w.tool, w.with)
		reply := w.land(t, 10*time.Second)
		require.True(t, reply.OK, "%s: %s %s, sent again: %s", about, w.tool, text(w.with), reply.Raw)
	}
	return count
}

// states gives, for each node that there ever was, the z_index that it may have; 0 means that it is not there. reach
// says of a write whether it certainly, and whether it possibly, took effect.
func (s *stream) states(reach func(*write) (surely, maybe bool)) map[string][]int {
	allowed := map[string][]int{}
	for name, value := range s.nodes {
		allowed[name] = []int{value}
	}
	for _, w := range s.writes {
		if w.node == "" {
			continue
		}
		if allowed[w.node] == nil {
			allowed[w.node] = []int{0}
		}
		switch surely, maybe := reach(w); {
		case surely:
			allowed[w.node] = []int{w.value}
		case maybe:
			allowed[w.node] = append(allowed[w.node], w.value)
		}
	}
	return allowed
}

// judge compares what is there with what may be.
func (s *stream) judge(t *testing.T, about string, found map[string]int, allowed map[string][]int) {
	t.Helper()
	for name, values := range allowed {
		assert.Contains(t, values, found[name], "%s: %s has z_index %d (0: it is not there), allowed are %v\n%s",
			about, name, found[name], values, s.history(name))
	}
	for name := range found {
		assert.Contains(t, allowed, name, "%s: a node that nobody made", about)
	}
	if t.Failed() {
		require.FailNow(t, about)
	}
}

// history tells what was asked of a node.
func (s *stream) history(node string) string {
	var out strings.Builder
	for _, w := range s.writes {
		if w.node == node {
			fmt.Fprintf(&out, "  %s to %d: %s %v\n", w.kind, w.value, clipped(string(w.reply.Raw)), w.err)
		}
	}
	return out.String()
}

// fileHash is the sha256 of a file of the project.
func (b *bed) fileHash(t *testing.T, path string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(b.file(t, path)))
	return hex.EncodeToString(sum[:])
}

var (
	nodeLine = regexp.MustCompile(`(?m)^\[node name="([^"]+)" type="Node2D" parent="\."[^\]]*\]$`)
	zLine    = regexp.MustCompile(`(?m)^z_index = (\d+)$`)
)

// nodesIn reads a saved scene's children from its text: enough to go on with; the fresh process has the last word.
func nodesIn(t *testing.T, scene string) map[string]int {
	t.Helper()
	nodes := map[string]int{}
	starts := nodeLine.FindAllStringSubmatchIndex(scene, -1)
	for i, at := range starts {
		end := len(scene)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		z := zLine.FindStringSubmatch(scene[at[1]:end])
		require.NotNil(t, z, "no z_index for %s", scene[at[2]:at[3]])
		value, err := strconv.Atoi(z[1])
		require.NoError(t, err)
		nodes[scene[at[2]:at[3]]] = value
	}
	return nodes
}
