package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// claim is what one reply says that the file will hold: a verdict, how to look, and the nodes that it is about.
type claim struct {
	about     string
	nodes     []string
	persisted bool
	kept      probe
}

// walkNode is one node as get_scene_tree shows it.
type walkNode struct {
	path, class, instance, script string
}

// walkCall is one call that a walk may make. Its reply is for after: the data, and what says whether its claims are kept.
type walkCall struct {
	tool  string
	args  args
	after func(heard)
	// leaves is the node whose path ends with the call; made is one that it is sure to bring, when it has a class.
	leaves string
	made   walkNode
}

// heard is what a reply, or the answer for one call of a batch, says.
type heard struct {
	data     map[string]any
	verdicts []protocol.Verdict
	about    string
}

// walker makes random valid calls on one scene. What later calls may undo of an earlier one's claim takes the claim
// away, so that those left are all true of the file at the end of the segment.
type walker struct {
	r      *rig
	random *rand.Rand
	about  string
	scene  string
	rows   []walkNode
	stale  bool // rows are of another time
	claims map[string]claim
	states []map[string]claim // the claims after each number of actions
	walked int                // actions on the history that are done
	told   []string           // errors of the engine that replies have told
	calls  []string           // the segment's calls, for a row of its own when it fails
	ways   []args             // connections that were made
	ran    map[string]int
}

// start begins the books of a segment.
func (w *walker) start() {
	w.claims, w.walked, w.told, w.calls, w.ways, w.stale = map[string]claim{}, 0, nil, nil, nil, true
	w.states = []map[string]claim{{}}
}

// look reads which nodes there are.
func (w *walker) look(t *testing.T) {
	t.Helper()
	if !w.stale {
		return
	}
	var tree struct {
		Rows  [][]any `json:"rows"`
		Marks map[string]struct {
			Instance string `json:"instance_of"`
			Script   string `json:"script"`
		} `json:"marks"`
	}
	decodeData(t, w.r.ok(t, "get_scene_tree", args{"limit": 5000}), &tree)
	w.rows, w.stale = w.rows[:0], false
	for _, row := range tree.Rows {
		path := fmt.Sprint(row[0])
		mark := tree.Marks[path]
		w.rows = append(w.rows, walkNode{path, fmt.Sprint(row[1]), mark.Instance, mark.Script})
	}
}

// refusals are what a valid call may meet: then nothing has changed, as the walk back shows.
func refusals() []protocol.Code {
	return []protocol.Code{
		protocol.ValidationError, protocol.ProtectedTarget, protocol.ValueRejected, protocol.AlreadyExists,
		protocol.PreconditionFailed, // a connection that undo could not make again
	}
}

// call makes a call and keeps the books. It is false when the call was refused.
func (w *walker) call(t *testing.T, c walkCall) bool {
	t.Helper()
	allowed := refusals()
	if c.tool == "set_resource_property" || c.tool == "batch_set_property" {
		allowed = append(allowed, protocol.ResourceNotFound) // the node holds none, or there is none of the class
	}
	reply, ok := w.send(t, c.tool, c.args, allowed)
	if ok {
		w.heed(c, heard{reply.Data, reply.Persistence, fmt.Sprintf("%s: %s", w.about, reply.Raw)})
		w.acted(reply.Data)
	}
	return ok
}

// send makes a call that may be refused with these codes.
func (w *walker) send(t *testing.T, tool string, with args, allowed []protocol.Code) (harness.Reply, bool) {
	t.Helper()
	w.calls = append(w.calls, tool+" "+text(with))
	reply := w.r.call(t, tool, with)
	if !reply.OK {
		w.calls = append(w.calls, "  refused: "+string(reply.Error.Code)+" "+reply.Error.Message)
		require.Contains(t, allowed, reply.Error.Code, "%s: %s %s: %s", w.about, tool, text(with), reply.Raw)
		require.False(t, reply.Safety.MayHaveApplied, "%s: %s %s: %s", w.about, tool, text(with), reply.Raw)
		w.note(reply.Error.Details["engine_errors"])
		return reply, false
	}
	w.note(reply.Data["engine_errors"])
	return reply, true
}

// heed writes down what a call that went well says.
func (w *walker) heed(c walkCall, h heard) {
	if c.after != nil {
		c.after(h)
	}
	w.ran[c.tool]++
}

// acted counts the action that a reply tells of. What it could not be undone to keeps the claims of its time.
func (w *walker) acted(data map[string]any) {
	if data["undo_action"] != nil {
		w.walked++
		w.states = append(w.states[:w.walked], nil)
		w.stale = true
	}
	w.states[w.walked] = maps.Clone(w.claims)
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
	maps.DeleteFunc(w.claims, func(_ string, c claim) bool {
		return slices.ContainsFunc(c.nodes, func(node string) bool { return isBelow(node, path) })
	})
}

// isBelow tells whether a node is another one or below it; all are below the root.
func isBelow(path, above string) bool {
	return path == above || above == "." || strings.HasPrefix(path, above+"/")
}

// claim keeps what a reply with one verdict says.
func (w *walker) claim(h heard, key string, kept probe, nodes ...string) {
	if len(h.verdicts) == 1 {
		w.claimOne(h, h.verdicts[0], key, kept, nodes...)
	} else {
		delete(w.claims, key)
	}
}

func (w *walker) claimOne(h heard, verdict protocol.Verdict, key string, kept probe, nodes ...string) {
	if verdict.Persisted == nil {
		delete(w.claims, key)
		return
	}
	w.claims[key] = claim{h.about, nodes, *verdict.Persisted, kept}
}

// verdictsOf reads the persistence of one call of a batch: one verdict, or a list.
func verdictsOf(t *testing.T, given any) []protocol.Verdict {
	t.Helper()
	if given == nil {
		return nil
	}
	if _, one := given.(map[string]any); one {
		given = []any{given}
	}
	raw, err := json.Marshal(given)
	require.NoError(t, err)
	var list []protocol.Verdict
	require.NoError(t, json.Unmarshal(raw, &list))
	return list
}
