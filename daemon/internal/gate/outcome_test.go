package gate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/protocol"
)

const (
	makeNode = `{"node_type":"Node"}`
	readNode = `{"node_path":"."}`
)

// loses makes the editor's answer to every apply get lost.
func loses(code protocol.Code, mayHaveApplied bool) func(protocol.Request) (*protocol.Response, error) {
	return func(r protocol.Request) (*protocol.Response, error) {
		if r.Phase != protocol.PhaseApply {
			return good(r), nil
		}
		e := protocol.Fail(code, "lost")
		e.MayHaveApplied = mayHaveApplied
		return nil, e
	}
}

func TestALostAnswerIsSettledByTheLedger(t *testing.T) {
	applied := good(protocol.Request{Phase: protocol.PhaseApply, Action: "Drawbridge: x"}).Result
	failed := protocol.Fail(protocol.ValueRejected, "clamped")
	cases := map[string]struct {
		code    protocol.Code
		outcome bridge.Outcome
		want    protocol.Code // empty: success
		may     bool
		asked   int
	}{
		"applied":       {protocol.Timeout, bridge.Outcome{State: protocol.OutcomeApplied, Result: applied}, "", false, 1},
		"failed":        {protocol.Timeout, bridge.Outcome{State: protocol.OutcomeFailed, Error: failed}, protocol.ValueRejected, false, 1},
		"never started": {protocol.Timeout, bridge.Outcome{State: protocol.OutcomeNeverStarted}, protocol.Timeout, false, 1},
		"unknown":       {protocol.Timeout, bridge.Outcome{State: protocol.OutcomeUnknown}, protocol.Timeout, true, 1},
		"running":       {protocol.Timeout, bridge.Outcome{State: protocol.OutcomeRunning}, protocol.Timeout, true, 1},
		"queued":        {protocol.Timeout, bridge.Outcome{State: protocol.OutcomeQueued}, protocol.Timeout, true, 1},
		"odd state":     {protocol.Timeout, bridge.Outcome{State: "gone"}, protocol.Timeout, true, 1},
		"no result":     {protocol.Timeout, bridge.Outcome{State: protocol.OutcomeApplied}, protocol.Timeout, true, 1},
		"too large":     {protocol.ResponseTooLarge, bridge.Outcome{State: protocol.OutcomeApplied, Result: applied}, "", false, 1},
		"disconnected":  {protocol.BridgeDisconnected, bridge.Outcome{}, protocol.BridgeDisconnected, true, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.link.answer = loses(c.code, true)
			r.link.outcome = func(bridge.OutcomeKey) (bridge.Outcome, error) { return c.outcome, nil }
			got := r.call("create_node", makeNode)
			assert.Len(t, r.link.asked, c.asked)
			if c.want == "" {
				require.True(t, got.OK, got.text)
				assert.Equal(t, outcomeApplied, got.Safety.Outcome)
				assert.Equal(t, true, got.Data["undoable"])
			} else {
				require.False(t, got.OK)
				assert.Equal(t, c.want, got.Error.Code)
				assert.Equal(t, c.may, got.Error.MayHaveApplied)
				assert.Equal(t, c.may, got.Safety.MayHaveApplied)
			}
			r.link.answer = nil
			next := r.call("create_node", makeNode)
			assert.Equal(t, !c.may, next.OK, "writes are held up only by a doubt: %s", next.text)
		})
	}
}

// doubtful is a rig in which an earlier create_node with the key k1 may have been applied.
func doubtful(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.link.answer = loses(protocol.BridgeDisconnected, true)
	require.False(t, r.call("create_node", `{"node_type":"Node","idempotency_key":"k1"}`).OK)
	r.link.answer = nil
	failure := r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
	require.NotEmpty(t, failure.Details["request_id"])
	info := r.call("get_server_info", `{}`)
	require.Equal(t, "create_node", info.Data["quarantine"].(map[string]any)["tool"])
	return r
}

// ledger answers every question for an outcome with the state.
func ledger(s protocol.OutcomeState) func(protocol.Request) (*protocol.Response, error) {
	return func(r protocol.Request) (*protocol.Response, error) {
		out := good(r)
		if r.Command == "command_outcome" {
			out.Result.Data = json.RawMessage(`{"state":"` + string(s) + `"}`)
		}
		return out, nil
	}
}

func TestADoubtIsSettledByAReadOrByTheLedgerOrByTheSameCall(t *testing.T) {
	t.Run("a read", func(t *testing.T) {
		r := doubtful(t)
		require.True(t, r.call("get_node", readNode).OK)
		assert.True(t, r.call("create_node", makeNode).OK)
	})
	t.Run("a failed read settles nothing", func(t *testing.T) {
		r := doubtful(t)
		r.link.answer = func(protocol.Request) (*protocol.Response, error) {
			return &protocol.Response{Error: protocol.Fail(protocol.ResourceNotFound, "no node")}, nil
		}
		require.False(t, r.call("get_node", readNode).OK)
		r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
	})
	t.Run("a dry run settles nothing", func(t *testing.T) {
		r := doubtful(t)
		require.True(t, r.call("create_node", `{"node_type":"Node","dry_run":true}`).OK)
		r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
	})
	t.Run("the ledger", func(t *testing.T) {
		r := doubtful(t)
		r.link.answer = ledger(protocol.OutcomeRunning)
		require.True(t, r.call("command_outcome", `{"idempotency_key":"k1"}`).OK)
		r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
		r.link.answer = ledger(protocol.OutcomeApplied)
		require.True(t, r.call("command_outcome", `{"idempotency_key":"k1"}`).OK)
		assert.True(t, r.call("create_node", makeNode).OK)
	})
	t.Run("the same call again", func(t *testing.T) {
		r := doubtful(t)
		r.refused(protocol.ProjectQuarantined, "create_node", `{"node_type":"Node","idempotency_key":"k2"}`)
		require.True(t, r.call("create_node", `{"node_type":"Node","idempotency_key":"k1"}`).OK)
		assert.True(t, r.call("create_node", makeNode).OK)
	})
}

func TestAReadThatBeganBeforeTheDoubtDoesNotSettleIt(t *testing.T) {
	r := newRig(t)
	line := &r.gate.places[0].line
	mark := line.mark()
	line.distrust(doubt{tool: "create_node"})
	line.trust(mark)
	assert.NotNil(t, line.doubtful(""))
}

func TestAPanicIsAnAnswerAndFreesTheLock(t *testing.T) {
	r := newRig(t)
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		if q.Phase == protocol.PhaseApply {
			panic("boom")
		}
		return good(q), nil
	}
	got := r.call("create_node", makeNode)
	require.False(t, got.OK)
	assert.Equal(t, protocol.InternalError, got.Error.Code)
	assert.NotEmpty(t, got.Error.Details["incident"])
	assert.True(t, got.Error.MayHaveApplied)
	assert.NotContains(t, got.text, "boom")
	r.link.answer = nil
	r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
	require.True(t, r.call("get_node", readNode).OK)
	assert.True(t, r.call("create_node", makeNode).OK)
}

func TestADoubtEndsOnlyByWordOfItsOwnWrite(t *testing.T) {
	t.Run("the ledger's word on another call settles nothing", func(t *testing.T) {
		r := doubtful(t)
		r.link.answer = ledger(protocol.OutcomeApplied)
		for _, other := range []string{`{"request_id":"x"}`, `{"idempotency_key":"k2"}`} {
			require.True(t, r.call("command_outcome", other).OK)
			r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
		}
	})
	t.Run("another run of the editor, whose ledger cannot know", func(t *testing.T) {
		r := doubtful(t)
		r.link.answer = ledger(protocol.OutcomeUnknown)
		require.True(t, r.call("command_outcome", `{"idempotency_key":"k1"}`).OK)
		r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
		r.link.editor.Hello.Editor = "another"
		require.True(t, r.call("command_outcome", `{"idempotency_key":"k1"}`).OK)
		assert.True(t, r.call("create_node", makeNode).OK)
	})
	t.Run("no scene is open any more", func(t *testing.T) {
		r := doubtful(t)
		r.link.answer = func(protocol.Request) (*protocol.Response, error) {
			return &protocol.Response{
				Error: protocol.Fail(protocol.PreconditionFailed, "no scene").Needs("active_scene"),
			}, nil
		}
		require.False(t, r.call("get_node", readNode).OK)
		r.link.answer = nil
		assert.True(t, r.call("create_node", makeNode).OK)
	})
}
