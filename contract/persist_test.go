package contract

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// persistRow is one change in one situation. What the file holds afterwards is for a fresh process to say; reason is
// only the second opinion, on why.
type persistRow struct {
	name    string
	fixture string
	// ghost has the hand put a node without an owner below this node first: what a forgetful tool script leaves.
	ghost string
	// first are calls that prepare the situation.
	first []edit
	tool  string
	args  args
	// kept tells whether the change is in what a fresh process reads.
	kept probe
	// reason is empty for a change that is kept.
	reason protocol.Reason
	// unsure rows have the verdict null.
	unsure bool
	// target picks the verdict of a call with several; empty: there is one.
	target string
}

// probe looks for a change in a scene as a fresh process reads it: whether it is there, and what is there instead.
type probe func(harness.Scene) (bool, string)

// persisted is a row after its real run and its save.
type persisted struct {
	row     persistRow
	path    string
	verdict protocol.Verdict
	ran     bool
}

// testPersistence runs every row: the dry run's verdict, the same verdict from the real run, a save. Then one fresh
// process reads all files, and every verdict must be what it finds.
func (r *rig) testPersistence(t *testing.T) {
	rows := slices.Concat(nodeRows(), propertyRows(), valueKindRows(), listRows())
	require.Greater(t, len(rows), 150)
	done := make([]persisted, len(rows))
	paths := fixturesOf(rows)
	for i, row := range rows {
		t.Run("verdict/"+row.name, func(t *testing.T) { done[i] = r.persistRow(t, row) })
		if done[i].ran {
			paths = append(paths, done[i].path)
		}
	}
	t.Run("moves to where a node is", r.testStill)
	scenes, err := r.kit.Read(r.ctx, r.project, paths...)
	require.NoError(t, err)
	kept, lost := 0, 0
	for i, row := range rows {
		t.Run("file/"+row.name, func(t *testing.T) {
			require.True(t, done[i].ran, "the row did not run to its end")
			if judge(t, done[i], scenes) {
				kept++
			} else {
				lost++
			}
		})
	}
	t.Logf("%d rows: %d kept, %d lost", len(rows), kept, lost)
	assert.Greater(t, kept, 40, "rows that a save keeps")
	assert.Greater(t, lost, 40, "rows that a save loses")
}

// fixturesOf lists the fixtures themselves, which say what was there before.
func fixturesOf(rows []persistRow) []string {
	var paths []string
	for _, row := range rows {
		path := harness.FixtureRes + "/" + row.fixture + ".tscn"
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// persistRow runs one row and saves.
func (r *rig) persistRow(t *testing.T, row persistRow) persisted {
	t.Helper()
	path := r.open(t, row.fixture)
	if row.ghost != "" {
		r.hand.act(t, "add_ghost", map[string]any{"parent": row.ghost}, nil)
	}
	for _, call := range row.first {
		r.ok(t, call.tool, call.args)
	}
	dry := r.ok(t, row.tool, with(without(row.args, "confirm"), "dry_run", true))
	real := r.ok(t, row.tool, row.args)
	require.NotEmpty(t, real.Persistence, "no verdict: %s", real.Raw)
	assert.Equal(t, dry.Persistence, real.Persistence, "%s: verdicts of dry and real run", row.name)
	assert.Equal(t, dry.Data["targets"], real.Data["targets"], "%s: targets of dry and real run", row.name)
	verdict := pick(t, row, real)
	assert.Equal(t, row.reason, verdict.Reason, "%s: reason; %s", row.name, real.Raw)
	if row.unsure {
		assert.Nil(t, verdict.Persisted, "%s: %s", row.name, real.Raw)
	} else {
		assert.NotNil(t, verdict.Persisted, "%s: undecided: %s", row.name, real.Raw)
	}
	r.save(t)
	return persisted{row, path, verdict, true}
}

// pick finds the row's verdict in a reply.
func pick(t *testing.T, row persistRow, reply harness.Reply) protocol.Verdict {
	t.Helper()
	if row.target == "" {
		require.Len(t, reply.Persistence, 1, "%s: one verdict: %s", row.name, reply.Raw)
		return reply.Persistence[0]
	}
	for _, verdict := range reply.Persistence {
		if verdict.Target == row.target {
			return verdict
		}
	}
	require.Fail(t, "no verdict", "%s: none for %s: %s", row.name, row.target, reply.Raw)
	return protocol.Verdict{}
}

// judge compares a verdict with what the fresh process read, and gives the latter.
func judge(t *testing.T, p persisted, scenes harness.Scenes) bool {
	t.Helper()
	before := scenes[harness.FixtureRes+"/"+p.row.fixture+".tscn"]
	after := scenes[p.path]
	require.Empty(t, after.Error, "%s does not load after the save", p.path)
	already, _ := p.row.kept(before)
	require.False(t, already, "%s: the fixture looks so already, so the row proves nothing", p.row.name)
	kept, found := p.row.kept(after)
	if p.verdict.Persisted != nil {
		assert.Equal(t, kept, *p.verdict.Persisted, "%s: in the file: %t (%s), but the reply said persisted: %t %s; %s",
			p.row.name, kept, found, *p.verdict.Persisted, p.verdict.Reason, text(p.row.args))
	}
	return kept
}

// has tells whether a node is there.
func has(path string) probe {
	return func(s harness.Scene) (bool, string) {
		_, there := s.Nodes[path]
		return there, strings.Join(s.Order, " ")
	}
}

// gone tells whether a node is not there.
func gone(path string) probe {
	return func(s harness.Scene) (bool, string) {
		there, order := has(path)(s)
		return !there, order
	}
}

// moved tells whether a node is at its new place only.
func moved(from, to string) probe {
	return func(s harness.Scene) (bool, string) {
		old, order := has(from)(s)
		now, _ := has(to)(s)
		return now && !old, order
	}
}

// stores tells whether a stored property of a node has a value, written as plainText writes it. Numbers may differ by
// what their text in the file loses.
func stores(path, property, want string) probe {
	return func(s harness.Scene) (bool, string) {
		raw, there := s.Nodes[path].Properties[property]
		if !there {
			return false, "not stored"
		}
		return nearText(plainOf(raw), want), plainOf(raw)
	}
}

// nearText compares two texts of plainText. Single numbers are compared as such.
func nearText(found, want string) bool {
	a, errA := strconv.ParseFloat(found, 64)
	b, errB := strconv.ParseFloat(want, 64)
	if errA != nil || errB != nil || !strings.Contains(want, ".") {
		return found == want
	}
	return math.Abs(a-b) <= 1e-5*math.Max(1, math.Abs(b))
}

// meta tells whether a node has metadata of a value.
func meta(path, key, want string) probe {
	return func(s harness.Scene) (bool, string) {
		raw, there := s.Nodes[path].Metadata[key]
		return there && plainOf(raw) == want, string(raw)
	}
}

// refers tells whether a stored property names a resource of its own file.
func refers(path, property, file string) probe {
	return func(s harness.Scene) (bool, string) {
		var mark struct {
			Path string `json:"path"`
		}
		raw := s.Nodes[path].Properties[property]
		err := json.Unmarshal(raw, &mark)
		return err == nil && mark.Path == file, string(raw)
	}
}

func plainOf(raw json.RawMessage) string {
	plain, err := harness.Plain(raw)
	if err != nil {
		return fmt.Sprintf("unreadable: %v", err)
	}
	return plainText(plain)
}
