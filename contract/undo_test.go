package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// edit is one call on one fixture.
type edit struct {
	name    string
	fixture string
	tool    string
	args    args
}

// testUndo: one undo brings back the scene byte for byte as this editor saved it just before, and the scene in memory
// as it was; redo brings back the call's result.
func (r *rig) testUndo(t *testing.T) {
	edits := undoEdits()
	for _, tool := range r.tools {
		for _, effect := range tool.Effects {
			if effect == "edits_memory" && !tool.Carries {
				edits = append(edits, edit{"the example of " + tool.Name, tool.ExampleScene, tool.Name, example(t, tool)})
			}
		}
	}
	for _, e := range edits {
		t.Run(e.tool+"/"+e.name, func(t *testing.T) { r.checkUndo(t, e) })
	}
}

// stage is a scene at one moment: in memory, and as its file.
type stage struct{ dump, file string }

func (r *rig) stage(t *testing.T, path string) stage {
	t.Helper()
	return stage{dump: r.hand.dump(t), file: r.saved(t, path)}
}

func (r *rig) checkUndo(t *testing.T, e edit) {
	t.Helper()
	path := r.open(t, e.fixture)
	before := r.stage(t, path)
	reply := r.ok(t, e.tool, e.args)
	require.Equal(t, true, reply.Data["undoable"], "%s", reply.Raw)
	require.Equal(t, true, reply.Data["scene_dirty"], "an edit leaves the scene unsaved: %s", reply.Raw)
	after := r.stage(t, path)
	require.NotEqual(t, before.dump, after.dump, "the call changed nothing: %s", reply.Raw)

	r.checkWalk(t, "undo", reply)
	undone := r.stage(t, path)
	assert.Equal(t, before.dump, undone.dump, "the scene after undo")
	assert.Equal(t, before.file, undone.file, "the file after undo")

	r.checkWalk(t, "redo", reply)
	redone := r.stage(t, path)
	assert.Equal(t, after.dump, redone.dump, "the scene after redo")
	assert.Equal(t, after.file, redone.file, "the file after redo")
}

// checkWalk takes one step, which must be the action of the call.
func (r *rig) checkWalk(t *testing.T, tool string, call harness.Reply) {
	t.Helper()
	walked := r.ok(t, tool, args{})
	name, _ := call.Data["undo_action"].(string)
	require.NotEmpty(t, name, "the call names its action: %s", call.Raw)
	assert.Equal(t, []any{name}, walked.Data["actions"], "%s: %s", tool, walked.Raw)
}
