package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

const (
	// inFlight is how many writes of a stream are under way at once.
	inFlight = 6
	// manyNodes is when a stream begins to prefer deleting.
	manyNodes = 40
)

// write is one write of a stream: create, set or delete of a node, or a save.
type write struct {
	*flight
	kind  string
	node  string
	value int // the z_index that the node has afterwards; 0: the node is gone
}

// fate is what is known of a write.
type fate int

const (
	applied  fate = iota // the reply says so
	refused              // the reply says that nothing happened
	doubtful             // no reply, or one that says that nobody knows
)

// fate reads a finished write's reply.
func (w *write) fate() fate {
	switch {
	case w.err != nil:
		return doubtful
	case w.reply.OK:
		return applied
	case w.reply.Error.MayHaveApplied:
		return doubtful
	}
	return refused
}

// stream makes random writes on one scene, several at a time. Two writes on one node never overlap, and two saves
// never do, so that what must be there afterwards can be told from the replies.
type stream struct {
	b      *bed
	random *rand.Rand
	scene  string
	count  int
	nodes  map[string]int // what was there at the start: z_index by name
	writes []*write
}

// newStream continues on the scene as it is now.
func newStream(b *bed, random *rand.Rand, scene string, count int, nodes map[string]int) *stream {
	return &stream{b: b, random: random, scene: scene, count: count, nodes: nodes}
}

// running are the writes under way.
func (s *stream) running() []*write {
	var open []*write
	for _, w := range s.writes {
		if w.flight.open() {
			open = append(open, w)
		}
	}
	return open
}

// next starts one more write, after waiting for a place. It is false when the daemon is gone.
func (s *stream) next(t *testing.T) bool {
	open := s.running()
	if len(open) >= inFlight {
		require.True(t, open[0].within(protocol.FileDeadline), "%s %s outlives its deadline", open[0].tool, text(open[0].with))
		open = s.running()
	}
	s.count++
	w := s.choose(open)
	tool, call := w.call(s)
	start := time.Now()
	pending, err := s.b.daemon.Start(tool, call)
	if err != nil {
		return false
	}
	w.flight = track(s.b.ctx, tool, call, start, pending)
	s.writes = append(s.writes, w)
	return true
}

// choose picks a write that does not touch what is under way.
func (s *stream) choose(open []*write) *write {
	var free []string
	for name := range s.certain() {
		if !slices.ContainsFunc(open, func(w *write) bool { return w.node == name }) {
			free = append(free, name)
		}
	}
	slices.Sort(free) // the random numbers alone decide
	saving := slices.ContainsFunc(open, func(w *write) bool { return w.kind == "save" })
	pick := s.random.IntN(100)
	switch {
	case pick < 12 && !saving:
		return &write{kind: "save"}
	case len(free) > 0 && (pick < 30 || len(free) > manyNodes && pick < 80):
		return &write{kind: "delete", node: free[s.random.IntN(len(free))]}
	case len(free) > 0 && pick < 60:
		return &write{kind: "set", node: free[s.random.IntN(len(free))], value: s.fresh()}
	}
	return &write{kind: "create", node: fmt.Sprintf("N%d", s.count), value: s.fresh()}
}

// fresh is a z_index that no other write of late has.
func (s *stream) fresh() int { return s.count%4000 + 1 }

// call is the tool call of a write. All have a key, so that they can be sent again.
func (w *write) call(s *stream) (string, args) {
	call := args{"scene": s.scene, "idempotency_key": fmt.Sprintf("w%d", s.count)}
	switch w.kind {
	case "save":
		call["confirm"] = true
		return "save_scene", call
	case "delete":
		call["node_path"], call["confirm"] = w.node, true
		return "delete_node", call
	case "set":
		call["node_path"], call["property"], call["value"] = w.node, "z_index", w.value
		return "set_node_property", call
	}
	call["node_type"], call["node_name"], call["properties"] = "Node2D", w.node, args{"z_index": w.value}
	return "create_node", call
}

// certain are the nodes that exist for all that the replies say, with writes under way not counted.
func (s *stream) certain() map[string]int {
	nodes := map[string]int{}
	for name, value := range s.nodes {
		nodes[name] = value
	}
	for _, w := range s.writes {
		if w.node == "" || w.flight.open() || w.fate() != applied {
			continue
		}
		if nodes[w.node] = w.value; w.value == 0 {
			delete(nodes, w.node)
		}
	}
	return nodes
}

// untilKilled streams writes and kills at a random moment: some time after a random number of writes. It gives the
// moment of the kill, when every write has ended.
func (s *stream) untilKilled(t *testing.T, kill func()) time.Time {
	t.Helper()
	after := 3 + s.random.IntN(40)
	pause := time.Duration(s.random.IntN(8000)) * time.Microsecond
	killing, killed := make(chan struct{}), make(chan struct{})
	var at time.Time
	for i := 0; !ended(killing); i++ {
		if i == after {
			time.AfterFunc(pause, func() {
				at = time.Now()
				close(killing)
				kill()
				close(killed)
			})
		}
		if !s.next(t) {
			require.GreaterOrEqual(t, i, after, "the daemon ended by itself: %s", lastLines(s.b.daemon.Log()))
			break
		}
	}
	<-killed
	for _, w := range s.writes {
		require.True(t, w.within(protocol.MaxDeadline), "%s %s was never answered", w.tool, text(w.with))
		s.checkTime(t, w, at)
	}
	return at
}

// checkTime: no call outlives its deadline, and one that was under way at the kill ends within a second of it.
func (s *stream) checkTime(t *testing.T, w *write, killed time.Time) {
	t.Helper()
	limit := protocol.DefaultDeadline
	if w.kind == "save" {
		limit = protocol.FileDeadline
	}
	assert.LessOrEqual(t, w.took, limit, "%s %s outlives its deadline", w.tool, text(w.with))
	if end := w.start.Add(w.took); end.After(killed) && w.fate() == doubtful {
		assert.LessOrEqual(t, end.Sub(killed), soon, "%s %s ends that long after the kill", w.tool, text(w.with))
	}
	if w.err == nil && !w.reply.OK {
		allowed := []protocol.Code{protocol.BridgeDisconnected, protocol.ProjectQuarantined}
		assert.Contains(t, allowed, w.reply.Error.Code, "%s %s: %s", w.tool, text(w.with), w.reply.Raw)
	}
}
