package contract

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// atomically makes a batch one edit.
func atomically(entries ...args) args { return with(batchOf(entries...), "atomic", true) }

// testAtomic: an atomic batch is one undo action, or nothing at all.
func (r *rig) testAtomic(t *testing.T) {
	t.Run("one action", r.atomicAction)
	t.Run("a failure leaves no trace", r.atomicFailure)
	t.Run("only edits", r.atomicRefusals)
	t.Run("sent again", r.atomicSentAgain)
	for _, tool := range r.tools {
		if tool.InEditor && tool.InScene && isPlainEdit(tool) {
			t.Run("with the example of "+tool.Name, func(t *testing.T) { r.atomicExample(t, tool) })
		}
	}
}

// isPlainEdit tells whether a tool edits a scene and nothing else.
func isPlainEdit(tool harness.ToolFacts) bool {
	for _, effect := range tool.Effects {
		if effect != "edits_memory" && effect != "removes" {
			return false
		}
	}
	return slices.Contains(tool.Effects, "edits_memory")
}

// manyEdits build on each other: nodes that earlier calls made are moved, set and removed by later ones.
func manyEdits() []args {
	return []args{
		entry("create_node", args{"node_type": "Node2D", "node_name": "Made"}),
		entry("create_node", args{"node_type": "Sprite2D", "node_name": "Part", "parent_path": "Made"}),
		entry("set_node_property", args{"node_path": "Made/Part", "property": "hframes", "value": 4}),
		entry("set_node_property", args{"node_path": "Made/Part", "property": "frame", "value": 3}),
		entry("set_node_property", args{"node_path": "Made", "property": "position", "value": []any{3, 4}}),
		entry("set_node_property", args{"node_path": "Made", "property": "position", "value": []any{5, 6}}),
		entry("move_node", args{"node_path": "Made", "new_parent_path": "Player"}),
		entry("move_node", args{"node_path": "Player/Made/Part", "new_parent_path": "."}),
		entry("delete_node", args{"node_path": "Enemy", "confirm": true}),
		entry("move_node", args{"node_path": "Part", "new_parent_path": ".", "index": 0}),
		entry("create_node", args{"node_type": "Node", "node_name": "Brief"}),
		entry("delete_node", args{"node_path": "Brief", "confirm": true}),
	}
}

func (r *rig) atomicAction(t *testing.T) {
	path := r.open(t, "own_nodes")
	before := r.stage(t, path)
	reply := r.ok(t, "run_commands", atomically(manyEdits()...))
	var body batchData
	decodeData(t, reply, &body)
	assert.True(t, body.OKAll)
	assert.Len(t, body.Results, len(manyEdits()))
	assert.Equal(t, true, reply.Data["undoable"], "%s", reply.Raw)
	require.NotEmpty(t, reply.Data["undo_action"])
	after := r.stage(t, path)
	for range 2 {
		r.checkWalk(t, "undo", reply)
		undone := r.stage(t, path)
		assert.Equal(t, before.dump, undone.dump)
		assert.Equal(t, before.file, undone.file)
		r.checkWalk(t, "redo", reply)
		redone := r.stage(t, path)
		assert.Equal(t, after.dump, redone.dump)
		assert.Equal(t, after.file, redone.file)
	}
}

// atomicFailure is BR-044: whatever the calls before the failed one did is taken back, and the user's own edit is still
// the last one.
func (r *rig) atomicFailure(t *testing.T) {
	path := r.open(t, "own_nodes")
	for name, failing := range map[string]struct {
		entry args
		code  protocol.Code
	}{
		"no such node": {entry("delete_node", args{"node_path": "Nowhere", "confirm": true}), protocol.ResourceNotFound},
		"a refused value": {
			entry("set_node_property", args{"node_path": "Part", "property": "frame", "value": 50}), protocol.ValueRejected,
		},
		"a taken back name": {entry("set_node_property", args{"node_path": "Brief", "property": "process_priority", "value": 1}), protocol.ResourceNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			user := r.ok(t, "set_node_property", args{"node_path": ".", "property": "editor_description", "value": name})
			before := r.state(t)
			failure := r.refused(t, failing.code, "run_commands", atomically(append(manyEdits(), failing.entry)...))
			assert.EqualValues(t, len(manyEdits()), failure.Details["entry"])
			assert.Equal(t, true, failure.Details["rolled_back"])
			assert.EqualValues(t, len(manyEdits()), failure.Details["undone"])
			assert.False(t, failure.MayHaveApplied)
			r.same(t, before, "an atomic batch that failed")
			r.checkWalk(t, "undo", user)
			r.checkWalk(t, "redo", user)
		})
	}
	r.saved(t, path)
}

func (r *rig) atomicRefusals(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	first := entry("create_node", args{"node_type": "Node"})
	for name, bad := range map[string]args{
		"a save":        entry("save_scene", args{"confirm": true}),
		"an undo":       entry("undo", args{}),
		"a read":        entry("get_node", node(".")),
		"another scene": entry("open_scene", args{"scene_path": harness.FixtureRes + "/empty.tscn"}),
		"in another":    entry("create_node", args{"node_type": "Node", "scene": harness.FixtureRes + "/empty.tscn"}),
	} {
		r.silent(t, name, func() {
			failure := r.refused(t, protocol.ValidationError, "run_commands", atomically(first, bad))
			assert.EqualValues(t, 1, failure.Details["entry"], name)
		})
	}
	r.silent(t, "no confirm", func() {
		failure := r.refused(t, protocol.PreconditionFailed, "run_commands", atomically(first, entry("delete_node", node("Enemy"))))
		assert.Equal(t, "confirm", failure.Required)
	})
	dry := r.ok(t, "run_commands", with(atomically(manyEdits()...), "dry_run", true))
	assert.True(t, dry.Safety.DryRun)
	r.same(t, before, "refused and dry atomic batches")
	nothing := r.ok(t, "run_commands", atomically(entry("move_node", args{"node_path": "Player", "new_parent_path": ".", "index": 0})))
	assert.Equal(t, false, nothing.Data["undoable"], "%s", nothing.Raw)
	r.same(t, before, "an atomic batch that changes nothing")
}

func (r *rig) atomicSentAgain(t *testing.T) {
	r.open(t, "own_nodes")
	call := with(atomically(manyEdits()...), "idempotency_key", "atomic batch")
	r.ok(t, "run_commands", call)
	before := r.state(t)
	again := r.ok(t, "run_commands", call)
	assert.Equal(t, true, again.Data["deduplicated"], "%s", again.Raw)
	assert.NotContains(t, again.Data, "undoable", "%s", again.Raw)
	r.same(t, before, "an atomic batch sent again")
	outcome := r.ok(t, "command_outcome", args{"idempotency_key": "atomic batch"})
	assert.Equal(t, "applied", outcome.Data["state"], "%s", outcome.Raw)
	other := with(atomically(manyEdits()[0]), "idempotency_key", "atomic batch")
	r.refused(t, protocol.ValidationError, "run_commands", other)
}

// atomicExample: as part of an atomic batch a tool's edit is taken back without a trace when a later call fails, and by
// one undo when none does.
func (r *rig) atomicExample(t *testing.T, tool harness.ToolFacts) {
	path := r.openExample(t, tool)
	example := entry(tool.Name, r.exampleHere(t, tool))
	made := entry("create_node", args{"node_type": "Node", "node_name": "Beside"})
	before := r.state(t)
	r.refused(t, protocol.ResourceNotFound, "run_commands",
		atomically(made, example, entry("delete_node", args{"node_path": "Nowhere", "confirm": true})))
	r.same(t, before, "a failed atomic batch with "+tool.Name)
	stage := r.stage(t, path)
	reply := r.ok(t, "run_commands", atomically(made, example))
	after := r.stage(t, path)
	r.checkWalk(t, "undo", reply)
	assert.Equal(t, stage, r.stage(t, path), "after undo")
	r.checkWalk(t, "redo", reply)
	assert.Equal(t, after, r.stage(t, path), "after redo")
}
