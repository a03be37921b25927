package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// entry is one call of a batch.
func entry(tool string, with args) args { return args{"tool": tool, "arguments": with} }

// batchOf is a list of calls as run_commands takes it.
func batchOf(entries ...args) args { return args{"commands": entries} }

// batchData is what a batch's reply says.
type batchData struct {
	OKAll     bool   `json:"ok_all"`
	Skipped   int    `json:"skipped_count"`
	AbortedAt *int   `json:"aborted_at"`
	Dirty     *bool  `json:"scene_dirty"`
	Hint      string `json:"hint"`
	Results   []struct {
		Tool      string          `json:"tool"`
		Status    string          `json:"status"`
		Data      map[string]any  `json:"data"`
		Error     *protocol.Error `json:"error"`
		DependsOn *int            `json:"depends_on_entry"`
	} `json:"results"`
}

func (r *rig) batch(t *testing.T, with args) (batchData, harness.Reply) {
	t.Helper()
	var body batchData
	reply := r.ok(t, "run_commands", with)
	decodeData(t, reply, &body)
	return body, reply
}

func (b batchData) statuses() []string {
	var out []string
	for _, one := range b.Results {
		out = append(out, one.Status)
	}
	return out
}

// testBatch: a batch gives its calls nothing that they would not get alone.
func (r *rig) testBatch(t *testing.T) {
	t.Run("in order", r.batchInOrder)
	t.Run("an early end", r.batchEndsEarly)
	t.Run("refused as a whole", r.batchRefused)
	t.Run("dry run", r.batchDryRun)
	t.Run("sent again", r.batchSentAgain)
	t.Run("order-dependent values", r.batchValues)
}

func node(path string) args { return args{"node_path": path} }

func (r *rig) batchInOrder(t *testing.T) {
	path := r.open(t, "own_nodes")
	before := r.stage(t, path)
	body, reply := r.batch(t, batchOf(
		entry("create_node", args{"node_type": "Node2D", "node_name": "Made"}),
		entry("set_node_property", args{"node_path": "Made", "property": "position", "value": []any{3, 4}}),
		entry("get_node", node("Made")),
		entry("delete_node", args{"node_path": "Enemy", "confirm": true}),
	))
	assert.True(t, body.OKAll, "%s", reply.Raw)
	assert.Equal(t, []string{"success", "success", "success", "success"}, body.statuses())
	assert.Equal(t, "destructive", reply.Safety.Class, "the class of the farthest-reaching call")
	assert.Len(t, reply.Persistence, 3)
	require.NotNil(t, body.Dirty)
	assert.True(t, *body.Dirty)
	walked := r.ok(t, "undo", args{"count": 3})
	assert.Len(t, walked.Data["actions"], 3, "each call has an action of its own: %s", walked.Raw)
	assert.Equal(t, before.dump, r.hand.dump(t))
	saved, _ := r.batch(t, batchOf(
		entry("set_node_property", args{"node_path": ".", "property": "editor_description", "value": "x"}),
		entry("save_scene", args{"confirm": true}),
	))
	assert.True(t, saved.OKAll)
	assert.False(t, *saved.Dirty)
	assert.Contains(t, r.file(t, path), `editor_description = "x"`)
}

// batchEndsEarly is BR-046.
func (r *rig) batchEndsEarly(t *testing.T) {
	path := r.open(t, "own_nodes")
	before := r.file(t, path)
	body, reply := r.batch(t, batchOf(
		entry("create_node", args{"node_type": "Node", "node_name": "Made"}),
		entry("get_node", node("Nowhere")),
		entry("save_scene", args{"confirm": true}),
	))
	assert.Equal(t, []string{"success", "failed", "skipped"}, body.statuses(), "%s", reply.Raw)
	assert.False(t, body.OKAll)
	require.NotNil(t, body.AbortedAt)
	assert.Equal(t, 1, *body.AbortedAt)
	assert.Equal(t, 1, body.Skipped)
	assert.True(t, *body.Dirty)
	assert.Contains(t, body.Hint, "unsaved")
	assert.Equal(t, protocol.ResourceNotFound, body.Results[1].Error.Code)
	assert.Equal(t, before, r.file(t, path), "nothing was saved")
	r.ok(t, "get_node", node("Made"))
	body, _ = r.batch(t, with(batchOf(
		entry("get_node", node("Nowhere")), entry("save_scene", args{"confirm": true}),
	), "stop_on_error", false))
	assert.Equal(t, []string{"failed", "success"}, body.statuses())
}

// batchRefused is BR-108, and BR-067's way through a batch.
func (r *rig) batchRefused(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	first := entry("create_node", args{"node_type": "Node"})
	for name, c := range map[string]struct {
		entry    args
		code     protocol.Code
		required string
	}{
		"a delete without confirm": {entry("delete_node", node("Enemy")), protocol.PreconditionFailed, "confirm"},
		"a save without confirm":   {entry("save_scene", args{}), protocol.PreconditionFailed, "confirm"},
		"a batch in a batch":       {entry("run_commands", batchOf(first)), protocol.ValidationError, ""},
		"a carrier in a batch":     {entry("call_tool", entry("undo", args{})), protocol.ValidationError, ""},
		"a raw command":            {entry("cmd_delete_node", node("Enemy")), protocol.ValidationError, ""},
		"a tool of the daemon":     {entry("get_server_info", args{}), protocol.ValidationError, ""},
		"a path that leaves":       {entry("open_scene", args{"scene_path": "res://../a.tscn"}), protocol.PathOutsideProject, ""},
		"a protected target": {
			entry("save_scene", args{"scene_path": "res://.git/a.tscn", "confirm": true}), protocol.ProtectedTarget, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r.silent(t, "run_commands", func() {
				failure := r.refused(t, c.code, "run_commands", batchOf(first, c.entry, first))
				assert.Equal(t, c.required, failure.Required)
				assert.EqualValues(t, 1, failure.Details["entry"])
			})
		})
	}
	for _, tool := range r.tools {
		if tool.InEditor && tool.MustConfirm {
			r.silent(t, tool.Name, func() {
				bare := entry(tool.Name, without(example(t, tool), "confirm"))
				r.refused(t, protocol.PreconditionFailed, "run_commands", batchOf(first, bare))
			})
		}
	}
	r.same(t, before, "refused batches")
}

func (r *rig) batchDryRun(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	call := with(batchOf(
		entry("create_node", args{"node_type": "Node2D", "node_name": "Made"}),
		entry("set_node_property", args{"node_path": "Made", "property": "position", "value": []any{3, 4}}),
		entry("delete_node", node("Enemy")),
		entry("delete_node", node("Nowhere")),
	), "stop_on_error", false)
	for _, reply := range []harness.Reply{
		r.ok(t, "run_commands", with(call, "dry_run", true)),
		r.ok(t, "preview_tool", args{"tool": "run_commands", "arguments": call}),
	} {
		var body batchData
		decodeData(t, reply, &body)
		assert.Equal(t, []string{"success", "skipped", "success", "failed"}, body.statuses(), "%s", reply.Raw)
		require.NotNil(t, body.Results[1].DependsOn)
		assert.Equal(t, 0, *body.Results[1].DependsOn)
		assert.True(t, reply.Safety.DryRun)
		assert.False(t, reply.Safety.Executed)
	}
	r.same(t, before, "dry runs of a batch")
}

func (r *rig) batchSentAgain(t *testing.T) {
	r.open(t, "own_nodes")
	call := with(batchOf(
		entry("create_node", args{"node_type": "Node", "node_name": "Made"}),
		entry("get_node", node("Made")),
		entry("create_node", args{"node_type": "Node", "node_name": "More"}),
	), "idempotency_key", "contract batch")
	r.batch(t, call)
	before := r.state(t)
	body, reply := r.batch(t, call)
	assert.Equal(t, true, reply.Data["deduplicated"], "%s", reply.Raw)
	assert.Equal(t, true, body.Results[0].Data["deduplicated"], "%s", reply.Raw)
	assert.Equal(t, true, body.Results[2].Data["deduplicated"], "%s", reply.Raw)
	outcome := r.ok(t, "command_outcome", args{"idempotency_key": "contract batch#2"})
	assert.Equal(t, "applied", outcome.Data["state"], "%s", outcome.Raw)
	other, reply := r.batch(t, with(batchOf(entry("create_node", args{"node_type": "Node"})), "idempotency_key", "contract batch"))
	assert.Equal(t, []string{"failed"}, other.statuses(), "%s", reply.Raw)
	r.same(t, before, "a batch sent again")
}

// batchValues is the last line of BR-040: what one call makes possible, the next one may use.
func (r *rig) batchValues(t *testing.T) {
	r.open(t, "own_nodes")
	set := func(property string, value any) args {
		return entry("set_node_property", args{"node_path": "Sheet", "property": property, "value": value})
	}
	body, reply := r.batch(t, batchOf(
		entry("create_node", args{"node_type": "Sprite2D", "node_name": "Sheet"}), set("hframes", 4), set("frame", 3),
	))
	assert.True(t, body.OKAll, "%s", reply.Raw)
}
