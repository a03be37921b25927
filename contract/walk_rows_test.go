package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testFoundByWalks holds what random walks have found, each in its smallest form.
func (r *rig) testFoundByWalks(t *testing.T) {
	t.Run("the description of a node that the Scene dock does not show any more", r.hiddenDescription)
	t.Run("a copy does not take over what another scene holds", r.copyLeavesOthers)
	t.Run("what no file ever had", r.neverSaved)
	t.Run("what another file gives again", r.givenAgain)
	t.Run("a connection that could not be made again", r.irrevocable)
	t.Run("a place at which another file has a node", r.placeTaken)
}

// hiddenDescription: the editor died. Two more edits have the dock free the rows of the nodes inside.
func (r *rig) hiddenDescription(t *testing.T) {
	path := r.open(t, "instance_editable")
	before := r.stage(t, path)
	describe := func(text string) {
		t.Helper()
		r.ok(t, "set_node_property", args{"node_path": "Shell/Kid", "property": "editor_description", "value": text})
	}
	describe("shown")
	r.ok(t, "set_editable_children", editable("Shell", false))
	for range 3 {
		r.ok(t, "create_node", args{"node_type": "Node"})
		r.hand.look(t)
	}
	describe("hidden")
	r.ok(t, "undo", args{"count": 1})
	r.ok(t, "redo", args{"count": 1})
	r.ok(t, "undo", args{"count": 6})
	assert.Equal(t, before, r.stage(t, path))
}

// irrevocable: undo failed, because the engine connects bound values only to a method that is there.
func (r *rig) irrevocable(t *testing.T) {
	r.open(t, "signals")
	r.ok(t, "detach_script", args{"node_path": ".", "confirm": true})
	failure := r.refused(t, protocol.PreconditionFailed, "disconnect_signal", cut("Timer", "timeout", ".", "_on_many"))
	assert.Equal(t, "method", failure.Required)
	r.ok(t, "undo", args{})
	r.ok(t, "disconnect_signal", cut("Timer", "timeout", ".", "_on_many"))
	r.ok(t, "undo", args{})
	assert.Contains(t, string(r.ok(t, "list_signal_connections", args{"node_path": "Timer"}).Raw), "_on_many")
}

// copyLeavesOthers: the copy of a texture shared its gradient with the other scene, and the save took that over.
func (r *rig) copyLeavesOthers(t *testing.T) {
	r.open(t, "foreign_sub_resource")
	before := r.hand.dump(t)
	r.ok(t, "set_resource_property", args{
		"node_path": "Shell/Kid", "node_property": "texture", "property": "width", "value": 25, "make_unique": true,
	})
	r.save(t)
	r.ok(t, "undo", args{})
	assert.Equal(t, before, r.hand.dump(t), "the resources of the other scene")
}

// neverSaved: taking away what was never in a file is no change of one.
func (r *rig) neverSaved(t *testing.T) {
	r.open(t, "instance_closed")
	inner := args{"scene_path": fixture("signals_inner.tscn"), "parent_path": "Shell/Kid", "node_name": "In"}
	assert.Equal(t, false, *r.verdict(t, "instance_scene", inner).Persisted)
	r.ok(t, "attach_script", attach("Shell/Kid", plainScript))
	for tool, call := range map[string]args{
		"detach_script":     detach("Shell/Kid"),
		"set_unique_name":   {"node_path": "Shell/Kid", "unique": false},
		"delete_node":       {"node_path": "Shell/Kid/In/Other", "confirm": true},
		"disconnect_signal": cut("Shell/Kid/In/Kid", "visibility_changed", "Shell/Kid/In/Other", "queue_redraw"),
	} {
		verdict := r.verdict(t, tool, with(without(call, "confirm"), "dry_run", true))
		assert.Nil(t, verdict.Persisted, "%s: %+v", tool, verdict)
		assert.NotEmpty(t, verdict.Reason, tool)
	}
}

// givenAgain: a node of a closed instance gets back what its own scene gives it anyhow.
func (r *rig) givenAgain(t *testing.T) {
	path := r.open(t, "signals")
	for _, unique := range []bool{false, true} {
		verdict := r.verdict(t, "set_unique_name", args{"node_path": "Shell/Kid", "unique": unique})
		assert.Equal(t, unique, *verdict.Persisted, "%+v", verdict)
		r.save(t)
		scenes, err := r.kit.Read(r.ctx, r.project, path)
		require.NoError(t, err)
		there, found := trait("Shell/Kid", func(n harness.Node) bool { return n.UniqueName })(scenes[path])
		assert.True(t, there, found)
	}
}

// verdict is the one verdict of a call.
// placeTaken: a node that no save keeps is moved to where the base scene has one of that name. The file then has a node
// there, and so neither yes nor no is true.
func (r *rig) placeTaken(t *testing.T) {
	path := r.open(t, "signals_derived")
	r.ok(t, "move_node", args{"node_path": "Open/Kid/Below", "new_parent_path": "Own"})
	r.hand.act(t, "add_ghost", map[string]any{"parent": "Added", "name": "Below"}, nil)
	away := r.verdict(t, "move_node", args{"node_path": "Added/Below", "new_parent_path": "Open/Other", "dry_run": true})
	require.NotNil(t, away.Persisted, "%+v", away)
	assert.False(t, *away.Persisted, "%+v", away)
	back := r.verdict(t, "move_node", args{"node_path": "Added/Below", "new_parent_path": "Open/Kid"})
	assert.Nil(t, back.Persisted, "%+v", back)
	assert.Equal(t, protocol.ReasonNodeNotOwned, back.Reason)
	r.save(t)
	scenes, err := r.kit.Read(r.ctx, r.project, path)
	require.NoError(t, err)
	assert.Contains(t, scenes[path].Nodes, "Open/Kid/Below", "the base scene's own")
}

func (r *rig) verdict(t *testing.T, tool string, with args) protocol.Verdict {
	t.Helper()
	reply := r.ok(t, tool, with)
	require.Len(t, reply.Persistence, 1, "%s", reply.Raw)
	return reply.Persistence[0]
}
