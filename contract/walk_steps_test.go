package contract

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// step makes one call of a random kind: mostly an edit, else several as one, a walk over the history, or a read.
func (w *walker) step(t *testing.T) {
	t.Helper()
	w.look(t)
	switch w.random.IntN(16) {
	case 0, 1:
		w.batch(t)
	case 2:
		w.back(t)
	case 3:
		w.forth(t)
	case 4:
		w.read(t)
	case 5:
		w.disconnectAny(t)
	case 6:
		w.choose(t)
	default:
		w.call(t, w.think(walkMakers()))
	}
}

// think thinks up a call that there is.
func (w *walker) think(makers []maker) walkCall {
	for {
		if c, found := one(w, makers...)(w); found {
			return c
		}
	}
}

// batch makes several edits as one, or one after the other: none is about what an edit before it took away.
func (w *walker) batch(t *testing.T) {
	t.Helper()
	var calls []walkCall
	var entries []args
	for range 2 + w.random.IntN(5) {
		c := w.think(walkMakers())
		if c.made.class != "" {
			w.calledAfter(&c, len(calls))
		}
		calls, entries = append(calls, c), append(entries, entry(c.tool, c.args))
		if c.leaves != "" && !w.without(c.leaves) {
			break
		}
	}
	w.stale = true
	allowed := append(refusals(), protocol.ResourceNotFound)
	atomic := w.random.IntN(4) > 0
	reply, ok := w.send(t, "run_commands", args{"commands": entries, "atomic": atomic}, allowed)
	if !ok {
		assert.Equal(t, true, reply.Error.Details["rolled_back"], "%s", reply.Raw)
		w.ran["refused batches"]++
		return
	}
	w.takeBatch(t, calls, reply.Data, fmt.Sprintf("%s: %s", w.about, reply.Raw))
}

// calledAfter gives what a call of a batch makes a name that nothing else has, for those after it to use.
func (w *walker) calledAfter(c *walkCall, number int) {
	name := fmt.Sprintf("B%d_%d", len(w.calls), number)
	c.args["node_name"] = name
	parent := fmt.Sprint(c.args["parent_path"]) + "/"
	if parent == "./" {
		parent = ""
	}
	w.rows = append(w.rows, walkNode{path: parent + name, class: c.made.class})
}

// without leaves a node and those below it out of what may be picked; false: only the root is left.
func (w *walker) without(node string) bool {
	var left []walkNode
	for _, row := range w.rows {
		if row.path == "." || !isBelow(row.path, node) {
			left = append(left, row)
		}
	}
	w.rows = left
	return len(left) > 1
}

// takeBatch writes down what each call of a batch did. As one edit they have one action, else each has its own.
func (w *walker) takeBatch(t *testing.T, calls []walkCall, data map[string]any, about string) {
	t.Helper()
	results, _ := data["results"].([]any)
	require.Len(t, results, len(calls))
	for i, result := range results {
		answer, _ := result.(map[string]any)
		if answer["status"] != "success" {
			continue
		}
		inner, _ := answer["data"].(map[string]any)
		w.note(inner["engine_errors"])
		w.heed(calls[i], heard{inner, verdictsOf(t, answer["persistence"]), about})
		if data["undo_action"] == nil {
			w.acted(inner)
		}
	}
	w.ran["run_commands"]++
	if data["undo_action"] != nil {
		w.acted(data)
	}
}

// back undoes a few of the segment's actions.
func (w *walker) back(t *testing.T) {
	t.Helper()
	if w.walked == 0 {
		return
	}
	w.walk(t, "undo", -1-w.random.IntN(min(3, w.walked)))
}

// forth redoes a few of those that were undone.
func (w *walker) forth(t *testing.T) {
	t.Helper()
	undone := len(w.states) - 1 - w.walked
	if undone == 0 {
		return
	}
	w.walk(t, "redo", 1+w.random.IntN(min(3, undone)))
}

// walk goes so many actions forth or back. What was claimed there is true again.
func (w *walker) walk(t *testing.T, tool string, by int) {
	t.Helper()
	count := max(by, -by)
	w.calls = append(w.calls, fmt.Sprintf("%s %d", tool, count))
	reply := w.r.ok(t, tool, args{"count": count})
	assert.Len(t, reply.Data["actions"], count, "%s: %s", w.about, reply.Raw)
	w.note(reply.Data["engine_errors"])
	w.walked += by
	w.claims = maps.Clone(w.states[w.walked])
	w.stale = true
	w.ran[tool]++
}

// read reads something, which changes nothing.
func (w *walker) read(t *testing.T) {
	t.Helper()
	node := args{"node_path": w.pick(false)}
	tool := one(w, "get_node", "get_persistence", "list_signal_connections", "list_history", "get_selected_nodes", "find_nodes")
	with := args{}
	switch tool {
	case "get_node", "get_persistence", "list_signal_connections":
		with = node
	case "find_nodes":
		with = args{"name": "P"}
	}
	w.calls = append(w.calls, tool+" "+text(with))
	w.note(w.r.ok(t, tool, with).Data["engine_errors"])
	w.ran[tool]++
}

// disconnectAny takes a connection away that is there, whoever made it.
func (w *walker) disconnectAny(t *testing.T) {
	t.Helper()
	var found struct {
		Connections []struct {
			Source, Signal, Target, Method string
			Persistent                     bool
		} `json:"connections"`
	}
	for range 5 {
		decodeData(t, w.r.ok(t, "list_signal_connections", args{"node_path": w.pick(false)}), &found)
		for _, c := range found.Connections {
			if c.Persistent {
				w.call(t, w.cut(c.Source, c.Signal, c.Target, c.Method))
				return
			}
		}
	}
}

// choose selects some nodes. No controls: the editor marks one that is selected (_edit_use_anchors_), frames later.
func (w *walker) choose(t *testing.T) {
	t.Helper()
	nodes := []string{}
	for range w.random.IntN(4) {
		if node := w.pickNode(false); !isControl(node.class) {
			nodes = append(nodes, node.path)
		}
	}
	w.call(t, walkCall{tool: "select_nodes", args: args{"node_paths": nodes}})
}

// isControl tells whether a class is one of the fixtures' controls.
func isControl(class string) bool {
	controls := []string{"Control", "Label", "Button", "VBoxContainer", "SpinBox", "OptionButton", "ItemList", "HSlider"}
	return slices.Contains(controls, class)
}
