package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// testFreed: scripts that free nodes under the addon's hands. No reply claims what is not so, and no undo or redo
// walks over an action whose nodes are gone: the engine would crash.
func (r *rig) testFreed(t *testing.T) {
	for name, run := range map[string]func(*testing.T){
		"a node that frees itself when it is made":        r.freedWhenMade,
		"a setter that queues its node":                   r.freedBySetter("queues", true),
		"a setter that frees its node":                    r.freedBySetter("frees", true),
		"a setter that frees its node later":              r.freedBySetter("defers", false),
		"a node that frees itself on its way out, undone": r.freedOnUndo,
		"a node that frees itself on its way out":         r.freedOnDelete,
		"a node that frees itself when it is moved":       r.freedOnMove,
	} {
		t.Run(name, run)
	}
}

// freeable makes a node that frees itself when told to.
func (r *rig) freeable(t *testing.T, properties args) {
	t.Helper()
	r.ok(t, "create_node", args{
		"node_type": "FixtureSetterFrees", "node_name": "Freeable", "properties": properties,
	})
}

// notWalkable asserts that a walk is refused because its nodes are gone, and that the editor lives and did nothing.
func (r *rig) notWalkable(t *testing.T, tool string) {
	t.Helper()
	before := r.hand.look(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.PreconditionFailed, tool, args{"dry_run": dry})
		assert.Equal(t, "walkable_action", failure.Required)
		assert.Equal(t, true, failure.Details["freed"], "%v", failure.Details)
		assert.Contains(t, failure.Details["action"], "Drawbridge: ")
	}
	assert.Equal(t, before, r.hand.look(t), "a refused %s walked", tool)
}

// goesAway waits until the node is not in the scene.
func (r *rig) goesAway(t *testing.T, node string) {
	t.Helper()
	require.Eventually(t, func() bool {
		reply := r.call(t, "get_node", args{"node_path": node})
		return !reply.OK && reply.Error.Code == protocol.ResourceNotFound
	}, 10*time.Second, 20*time.Millisecond, "%s is still there", node)
}

// removedItself asserts that a call fails because a script removed the node.
func (r *rig) removedItself(t *testing.T, tool string, with args) *protocol.Error {
	t.Helper()
	failure := r.refused(t, protocol.ValueRejected, tool, with)
	assert.Equal(t, "node_removed_itself", failure.Details["reason"], "%v", failure.Details)
	return failure
}

func (r *rig) freedWhenMade(t *testing.T) {
	r.open(t, "own_nodes")
	ours := r.ours(t, 3)
	seen, dump := r.hand.look(t), r.hand.dump(t)
	failure := r.removedItself(t, "create_node", args{"node_type": "FixtureFreesItself"})
	assert.False(t, failure.MayHaveApplied, "the node was taken out again")
	assert.Equal(t, seen, r.hand.look(t), "a failed create_node left an action")
	assert.Equal(t, dump, r.hand.dump(t), "a failed create_node left something")
	r.walked(t, "undo", args{}, ours)
	r.walked(t, "redo", args{}, ours)
}

func (r *rig) freedBySetter(property string, atOnce bool) func(*testing.T) {
	return func(t *testing.T) {
		r.open(t, "own_nodes")
		r.freeable(t, args{})
		set := args{"node_path": "Freeable", "property": property, "value": true}
		if atOnce {
			assert.True(t, r.removedItself(t, "set_node_property", set).MayHaveApplied, "the node is gone")
		} else {
			r.ok(t, "set_node_property", set)
		}
		r.goesAway(t, "Freeable")
		r.notWalkable(t, "undo")
		reply := r.ok(t, "redo", args{})
		assert.Equal(t, true, reply.Data["nothing_to_redo"], "%s", reply.Raw)
		r.ours(t, 4)
	}
}

func (r *rig) freedOnUndo(t *testing.T) {
	r.open(t, "own_nodes")
	r.freeable(t, args{"leaves": true})
	r.ok(t, "undo", args{})
	r.goesAway(t, "Freeable")
	r.notWalkable(t, "redo")
	ours := r.ours(t, 4)
	r.walked(t, "undo", args{}, ours)
}

func (r *rig) freedOnDelete(t *testing.T) {
	r.open(t, "own_nodes")
	r.freeable(t, args{"leaves": true})
	reply := r.ok(t, "delete_node", args{"node_path": "Freeable", "confirm": true})
	assert.Equal(t, false, reply.Data["undoable"], "%s", reply.Raw)
	r.goesAway(t, "Freeable")
	r.notWalkable(t, "undo")
}

func (r *rig) freedOnMove(t *testing.T) {
	r.open(t, "own_nodes")
	r.freeable(t, args{"leaves": true})
	failure := r.removedItself(t, "move_node", args{"node_path": "Freeable", "new_parent_path": "Foo"})
	assert.True(t, failure.MayHaveApplied, "the node is gone")
	r.goesAway(t, "Foo/Freeable")
	r.notWalkable(t, "undo")
}
