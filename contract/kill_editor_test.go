package contract

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// headUID is the uid in a scene's first line; copies must not have it.
var headUID = regexp.MustCompile(`^(\[gd_scene [^\]]*?) uid="[^"]*"`)

// remains is what an editor that was killed left of the scene, and what it may have left.
type remains struct {
	copy    string
	about   string
	stream  *stream
	nodes   map[string]int // as read from the text
	allowed []map[string][]int
}

// killEditors: its memory is gone, so the truth is the file. A fresh process reads all that was left at the end.
func (b *bed) killEditors(t *testing.T) {
	b.ok(t, "open_scene", args{"scene_path": killScene})
	b.save(t)
	var all []remains
	count, longest, doubts := 100_000, time.Duration(0), 0
	for round := range kills() {
		seed := uint64(killSeed + round)
		saved := b.fileHash(t, killScene)
		s := newStream(b, rand.New(rand.NewPCG(seed, 2)), killScene, count, b.scene(t))
		s.untilKilled(t, b.editor.Kill)
		count = s.count
		about := fmt.Sprintf("round %d, seed %d, %d writes", round, seed, len(s.writes))
		all = append(all, s.remains(t, round, about, saved))
		up := b.startEditor(t, harness.EditorOptions{})
		longest = max(longest, b.linked(t, up, linkWait))
		doubts += s.checkForgotten(t, about)
		b.hand.act(t, "open", map[string]any{"path": killScene}, nil)
		b.ok(t, "get_scene_tree", args{"scene": killScene}) // settles the doubt
		require.Equal(t, all[round].nodes, b.scene(t), "%s: the editor that came back reads the file", about)
	}
	t.Logf("seed %d: %d kills, %d writes, %d in doubt, slowest link %s after the editor's plugins came up",
		killSeed, kills(), count-100_000, doubts, longest)
	b.readRemains(t, all)
}

// checkForgotten: the next editor knows nothing of the last one's calls, and says so. It gives how many were in doubt.
func (s *stream) checkForgotten(t *testing.T, about string) int {
	t.Helper()
	count := 0
	for _, w := range s.writes {
		if w.fate() != doubtful {
			continue
		}
		count++
		call, _ := w.with.(args)
		assert.Equal(t, "unknown", s.b.outcome(t, fmt.Sprint(call["idempotency_key"])), "%s: %s", about, text(call))
	}
	return count
}

// remains takes down the file that is left and works out what it may hold: what the last claimed save wrote, or what
// a save wrote that nobody answered for any more.
func (s *stream) remains(t *testing.T, round int, about, saved string) remains {
	t.Helper()
	text := s.b.file(t, killScene)
	left := remains{copy: fmt.Sprintf("%s/left_%03d.tscn", workRes, round), about: about, stream: s, nodes: nodesIn(t, text)}
	require.NoError(t, os.WriteFile(s.b.project.Path(left.copy), []byte(headUID.ReplaceAllString(text, "$1")), 0o600))
	var claimed, unanswered *write
	for _, w := range s.writes {
		switch {
		case w.kind == "save" && w.fate() == applied:
			claimed = w
		case w.kind == "save" && w.fate() == doubtful:
			unanswered = w
		}
	}
	before := map[string][]int{}
	for name, value := range s.nodes {
		before[name] = []int{value}
	}
	if claimed != nil {
		saved, before = claimedHash(t, claimed), s.statesAt(claimed)
	}
	hash := s.b.fileHash(t, killScene)
	if hash == saved {
		left.allowed = append(left.allowed, before)
	}
	if unanswered != nil {
		left.allowed = append(left.allowed, s.statesAt(unanswered))
	}
	require.NotEmpty(t, left.allowed, "%s: the file has hash %s; claimed was %s, and no other save was under way", about, hash, saved)
	return left
}

// claimedHash is the file's hash as the reply of a save gives it.
func claimedHash(t *testing.T, w *write) string {
	t.Helper()
	var data struct {
		OnDisk []struct {
			Path   string `json:"path"`
			SHA256 string `json:"sha256"`
		} `json:"on_disk"`
	}
	decodeData(t, w.reply, &data)
	for _, file := range data.OnDisk {
		if file.Path == killScene {
			return file.SHA256
		}
	}
	require.Fail(t, "a save does not say what it wrote", "%s", w.reply.Raw)
	return ""
}

// statesAt is what a save may have found in memory: what had ended when it was sent, without what began after its
// answer. What overlapped with it may be in or not.
func (s *stream) statesAt(save *write) map[string][]int {
	return s.states(func(w *write) (bool, bool) {
		before := !w.start.Add(w.took).After(save.start)
		after := save.fate() == applied && w.start.After(save.start.Add(save.took))
		return before && w.fate() == applied, !after && w.fate() != refused
	})
}

// readRemains has a fresh process read every file that was left.
func (b *bed) readRemains(t *testing.T, all []remains) {
	t.Helper()
	var files []string
	for _, left := range all {
		files = append(files, left.copy)
	}
	scenes, err := b.kit.Read(b.ctx, b.project, files...)
	require.NoError(t, err)
	for _, left := range all {
		scene := scenes[left.copy]
		require.Empty(t, scene.Error, "%s: what was left does not load", left.about)
		found := map[string]int{}
		for path, node := range scene.Nodes {
			if path == "." || strings.Contains(path, "/") {
				continue
			}
			z, err := harness.Plain(node.Properties["z_index"])
			require.NoError(t, err, "%s %s", left.copy, path)
			value, _ := z.(int64)
			found[path] = int(value)
		}
		require.Equal(t, left.nodes, found, "%s: what a fresh process reads", left.about)
		if !anyFits(found, left.allowed) {
			left.stream.judge(t, left.about, found, left.allowed[len(left.allowed)-1])
		}
	}
}

// anyFits says whether what was found is one of the states that may be.
func anyFits(found map[string]int, states []map[string][]int) bool {
	for _, allowed := range states {
		if fits(found, allowed) {
			return true
		}
	}
	return false
}

// fits says whether each node is as it may be, and no other is there.
func fits(found map[string]int, allowed map[string][]int) bool {
	for name := range found {
		if _, known := allowed[name]; !known {
			return false
		}
	}
	for name, values := range allowed {
		if !slices.Contains(values, found[name]) {
			return false
		}
	}
	return true
}
