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
			outcome := r.ok(t, "command_outcome", args{"idempotency_key": key})
			assert.Equal(t, "applied", outcome.Data["state"], "%s", outcome.Raw)
			r.refused(t, protocol.ValidationError, tool.Name, with(call, "project", r.project.Dir))
			r.same(t, before, tool.Name+" with a used key")
			patient := r.ok(t, tool.Name, with(call, "timeout_seconds", 9))
			assert.Equal(t, true, patient.Data["deduplicated"], "with another deadline: %s", patient.Raw)
		})
	}
	outcome := r.ok(t, "command_outcome", args{"idempotency_key": "contract-none"})
	assert.Equal(t, "unknown", outcome.Data["state"], "%s", outcome.Raw)
}
