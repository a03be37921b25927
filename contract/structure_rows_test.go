package contract

import (
	"fmt"
	"path"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// batchUndo: one undo step takes back any number of nodes, and a fresh read agrees.
func (r *rig) batchUndo(t *testing.T) {
	for _, count := range []int{25, 300} {
		file := r.open(t, "empty")
		names := make([]string, count)
		for i := range names {
			names[i] = fmt.Sprintf("N%d", i)
			r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": names[i]})
		}
		before := r.saved(t, file)
		call := args{"node_paths": names, "properties": args{"position": []int{3, 4}, "z_index": 2}}
		reply := r.foretold(t, "batch_set_property", call)
		assert.InEpsilon(t, count, reply.Data["applied_total"], 0, "%s", reply.Raw)
		assert.Len(t, reply.Persistence, count)
		assert.Len(t, reply.Data["targets"], count)
		require.Equal(t, true, reply.Data["undoable"], "%s", reply.Raw)
		last := names[count-1]
		assert.JSONEq(t, `[3.0, 4.0]`, string(r.readValue(t, last, "position")))
		again := r.ok(t, "batch_set_property", call)
		assert.Equal(t, false, again.Data["changed"], "%s", again.Raw)
		assert.InEpsilon(t, count, again.Data["unchanged_total"], 0, "%s", again.Raw)
		r.checkWalk(t, "undo", reply)
		assert.Equal(t, before, r.saved(t, file), "the file after one undo")
	}
}

// batchNamed: a value that one of the named nodes refuses is set on none.
func (r *rig) batchNamed(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	for _, row := range []struct {
		call args
		code protocol.Code
		node any
	}{
		{args{"node_paths": []string{"Player", "Title"}, "property": "position", "value": "x"}, protocol.ValidationError, "Player"},
		{args{"node_paths": []string{"Player", "Title"}, "property": "text", "value": "x"}, protocol.ValidationError, "Player"},
		{args{"node_paths": []string{"Title", "Enemy"}, "property": "text", "value": "x"}, protocol.ValidationError, "Enemy"},
		{args{"node_paths": []string{"Title", "Nobody"}, "property": "text", "value": "x"}, protocol.ResourceNotFound, nil},
		{args{"node_paths": []string{"Enemy"}, "property": "name", "value": "x"}, protocol.ProtectedTarget, "Enemy"},
		{args{"node_paths": []string{}, "property": "visible", "value": true}, protocol.ValidationError, nil},
		{args{"property": "visible", "value": true}, protocol.ValidationError, nil},
		{args{"node_paths": []string{"Enemy"}, "node_type": "Node2D", "property": "visible", "value": false}, protocol.ValidationError, nil},
		{args{"node_type": "Node2D", "properties": args{}}, protocol.ValidationError, nil},
		{args{"node_type": "Nodule", "property": "visible", "value": false}, protocol.ValidationError, nil},
		{args{"node_type": "Camera3D", "property": "visible", "value": false}, protocol.ResourceNotFound, nil},
		{args{"node_type": "Node2D", "under": "Nobody", "property": "visible", "value": false}, protocol.ResourceNotFound, nil},
	} {
		failure := r.refused(t, row.code, "batch_set_property", row.call)
		if row.node != nil {
			assert.Equal(t, row.node, failure.Details["node_path"], "%s", text(failure))
		}
	}
	r.same(t, before, "refused batches")
}

// batchOfClass: nodes found by their class are taken or skipped one by one, with the reason.
func (r *rig) batchOfClass(t *testing.T) {
	r.open(t, "own_nodes")
	reply := r.foretold(t, "batch_set_property", args{"node_type": "CanvasItem", "property": "text", "value": "new"})
	assert.Equal(t, []any{"Title"}, reply.Data["targets"], "%s", reply.Raw)
	assert.InEpsilon(t, 6, reply.Data["skipped_total"], 0, "%s", reply.Raw)
	assert.Contains(t, text(reply.Data["skipped"]), `"reason":"unknown_property"`)
	assert.JSONEq(t, `"new"`, string(r.readValue(t, "Title", "text")))
	reply = r.ok(t, "batch_set_property", args{
		"node_type": "Node2D", "under": "Player", "property": "z_index", "value": 3,
	})
	assert.Equal(t, []any{"Player", "Player/Body", "Player/Shape"}, reply.Data["targets"], "%s", reply.Raw)

	r.open(t, "instance_closed")
	reply = r.foretold(t, "batch_set_property", args{"node_type": "Sprite2D", "property": "z_index", "value": 3})
	require.Len(t, reply.Persistence, 1, "%s", reply.Raw)
	assert.Equal(t, protocol.ReasonInstanceNotEditable, reply.Persistence[0].Reason, "%s", reply.Raw)
}

// structureVerdicts: what a fresh process reads is what the reply said.
func (r *rig) structureVerdicts(t *testing.T) {
	rows := structureRows()
	done := make([]persisted, len(rows))
	paths := fixturesOf(rows)
	for i, row := range rows {
		t.Run("verdict/"+row.name, func(t *testing.T) { done[i] = r.persistRow(t, row) })
		if done[i].ran {
			paths = append(paths, done[i].path)
		}
	}
	scenes, err := r.kit.Read(r.ctx, r.project, paths...)
	require.NoError(t, err)
	for i, row := range rows {
		t.Run("file/"+row.name, func(t *testing.T) {
			require.True(t, done[i].ran, "the row did not run to its end")
			judge(t, done[i], scenes)
		})
	}
}

// structureRows make copies, instances, names and batches in every situation.
func structureRows() []persistRow {
	var rows []persistRow
	for _, s := range situations() {
		rows = append(rows, copyRow(s), instanceRow(s), batchRow(s))
		if s.away == kept {
			rows = append(rows, renameRow(s))
		}
	}
	lost := protocol.ReasonNodeNotOwned
	return append(rows,
		persistRow{
			name: "rename an owned node below a ghost", fixture: "own_nodes", ghost: ".", tool: "rename_node",
			args: rename("Ghost/OwnedBelow", "New"), kept: has("Ghost/New"), reason: lost,
		},
		persistRow{
			name: "copy a ghost", fixture: "own_nodes", ghost: ".", tool: "duplicate_node",
			args: args{"node_path": "Ghost", "node_name": "Copy"}, kept: has("Copy"),
		},
		persistRow{
			name: "instance below a ghost", fixture: "own_nodes", ghost: ".", tool: "instance_scene",
			args: with(instanceOf("mid.tscn", "Ghost"), "node_name", "New"), kept: has("Ghost/New/Kid"), reason: lost,
		},
	)
}

// copyRow copies the node; the copy's verdict is that of its parent.
func copyRow(s situation) persistRow {
	row := persistRow{
		name: "copy " + s.what, fixture: s.fixture, tool: "duplicate_node",
		args: args{"node_path": s.node, "node_name": "Copy"},
	}
	if s.node == "." { // which cannot be copied
		row.args = args{"node_path": "Box", "node_name": "Copy"}
		row.first = []edit{{tool: "create_node", args: args{"node_type": "Node2D", "node_name": "Box"}}}
		row.kept = has("Copy")
		return row
	}
	parent := path.Dir(s.node)
	row.kept = has(below(parent, "Copy"))
	if slices.Contains([]string{"Nest/Open", "Model/ModelRoot"}, parent) {
		row.reason = s.own
	}
	for _, above := range situations() {
		if above.fixture == s.fixture && above.node == parent {
			row.reason = above.own
		}
	}
	return row
}

func instanceRow(s situation) persistRow {
	return persistRow{
		name: "instance below " + s.what, fixture: s.fixture, tool: "instance_scene", reason: s.own,
		args: with(instanceOf("mid.tscn", s.node), "node_name", "New"), kept: has(below(s.node, "New") + "/Kid"),
	}
}

func batchRow(s situation) persistRow {
	return persistRow{
		name: "batch on " + s.what, fixture: s.fixture, tool: "batch_set_property", reason: s.own,
		args: args{"node_paths": []string{s.node}, "property": "process_priority", "value": 7},
		kept: stores(s.node, "process_priority", "7"),
	}
}

func renameRow(s situation) persistRow {
	row := persistRow{
		name: "rename " + s.what, fixture: s.fixture, tool: "rename_node", args: rename(s.node, "New"),
		kept: moved(s.node, below(path.Dir(s.node), "New")),
	}
	if s.node == "." {
		row.kept = func(s harness.Scene) (bool, string) { return s.Root == "New", s.Root }
	}
	return row
}
