package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"drawbridge/protocol"
)

// testKeys: a call that is sent again with its idempotency_key applies once, for every tool that has the parameter;
// the same key with other arguments is refused; command_outcome knows what became of it.
func (r *rig) testKeys(t *testing.T) {
	for _, tool := range r.tools {
		if tool.Class == "read_only" || !hasParam(tool, "idempotency_key") || tool.Batches { // see batch_test.go
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			r.openExample(t, tool)
			key := "contract-" + tool.Name
			call := with(r.exampleHere(t, tool), "idempotency_key", key)
			first := r.ok(t, tool.Name, call)
			assert.NotContains(t, first.Data, "deduplicated")
			before := r.state(t)
			again := r.ok(t, tool.Name, call)
			assert.Equal(t, true, again.Data["deduplicated"], "%s", again.Raw)
			r.same(t, before, tool.Name+" sent again")
			assert.NotContains(t, again.Data, "undoable", "%s: who knows by now: %s", tool.Name, again.Raw)
			assert.NotContains(t, again.Data, "undo_action", "%s: %s", tool.Name, again.Raw)
			outcome := r.ok(t, "command_outcome", args{"idempotency_key": key})
			assert.Equal(t, "applied", outcome.Data["state"], "%s", outcome.Raw)
			r.refused(t, protocol.ValidationError, tool.Name, with(call, "project", r.project.Dir))
			r.same(t, before, tool.Name+" with a used key")
			patient := r.ok(t, tool.Name, with(call, "timeout_seconds", 9))
			assert.Equal(t, true, patient.Data["deduplicated"], "with another deadline: %s", patient.Raw)
		})
	}
	t.Run("the state is of now", r.keysNow)
	outcome := r.ok(t, "command_outcome", args{"idempotency_key": "contract-none"})
	assert.Equal(t, "unknown", outcome.Data["state"], "%s", outcome.Raw)
}

// keysNow: the reply to a call that is sent again says whether its scene is unsaved now, not then.
func (r *rig) keysNow(t *testing.T) {
	path := r.open(t, "own_nodes")
	call := args{"node_path": "Player", "property": "z_index", "value": 7, "idempotency_key": "contract now", "scene": path}
	assert.Equal(t, true, r.ok(t, "set_node_property", call).Data["scene_dirty"])
	r.ok(t, "save_scene", args{"confirm": true})
	again := r.ok(t, "set_node_property", call)
	assert.Equal(t, false, again.Data["scene_dirty"], "it was saved in between: %s", again.Raw)
	assert.Contains(t, again.Data["hint"], "first run", "%s", again.Raw)
	outcome := r.ok(t, "command_outcome", args{"idempotency_key": "contract now"})
	assert.Contains(t, string(outcome.Raw), `"scene_dirty":false`, "what became of it is told with the state of now")
	assert.NotContains(t, string(outcome.Raw), `"scene_dirty":true`)
	r.ok(t, "set_node_property", with(without(call, "idempotency_key"), "value", 8))
	assert.Equal(t, true, r.ok(t, "set_node_property", call).Data["scene_dirty"], "another edit is unsaved")
	moved := r.freshName(workRes + "/saved_as.tscn")
	r.ok(t, "save_scene", args{"scene_path": moved, "confirm": true})
	assert.Equal(t, false, r.ok(t, "set_node_property", call).Data["scene_dirty"], "it is saved under another path")
	r.ok(t, "set_node_property", args{"node_path": "Player", "property": "z_index", "value": 9, "scene": moved})
	again = r.ok(t, "set_node_property", call)
	assert.Equal(t, true, again.Data["scene_dirty"], "and unsaved under that one: %s", again.Raw)
	r.closeScene(t, moved)
	again = r.ok(t, "set_node_property", call)
	assert.Equal(t, false, again.Data["scene_dirty"], "a closed scene has nothing unsaved: %s", again.Raw)
}
