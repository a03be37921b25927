package gate

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/lock"
	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// last is the last outcome that was written down.
func (r *rig) last() audit.Entry {
	r.t.Helper()
	require.NotEmpty(r.t, r.written.outcomes)
	return r.written.outcomes[len(r.written.outcomes)-1]
}

func TestEveryCallLeavesOneOutcome(t *testing.T) {
	r := newRig(t)
	for i, row := range []struct{ name, arguments, outcome, code string }{
		{"get_node", readNode, "read", ""},
		{"get_server_info", `{}`, "read", ""},
		{"create_node", makeNode, "applied", ""},
		{"create_node", `{"node_type":"Node","dry_run":true}`, "simulated", ""},
		{"preview_tool", `{"tool":"create_node","arguments":` + makeNode + `}`, "simulated", ""},
		{"delete_node", `{"node_path":"A"}`, "denied", "PRECONDITION_FAILED"},
		{"create_node", `{"surplus":1}`, "denied", "VALIDATION_ERROR"},
		{"no_such_tool", `{}`, "denied", "VALIDATION_ERROR"},
		{"save_scene", `{"scene_path":"res://../x.tscn","confirm":true}`, "denied", "PATH_OUTSIDE_PROJECT"},
		{"run_commands", `{"commands":[{"tool":"create_node","arguments":` + makeNode + `}]}`, "applied", ""},
		{"call_tool", `{"tool":"delete_node","arguments":` + deleteA + `}`, "applied", ""},
	} {
		got := r.call(row.name, row.arguments)
		assert.Equal(t, row.code == "", got.OK, got.text)
		require.Len(t, r.written.outcomes, i+1, row.name)
		e := r.last()
		assert.Equal(t, row.outcome, e.Outcome, row.name)
		assert.Equal(t, row.code, e.Code)
		assert.Equal(t, r.client.ID, e.Client)
		assert.Equal(t, "a client", e.ClientName)
	}
	assert.Equal(t, "delete_node", r.last().Tool, "the tool that ran, not its carrier")
	assert.Equal(t, r.dir, r.last().Project)
	assert.NotEmpty(t, r.last().Targets)
}

func TestAFailureInTheEditorIsNoDenial(t *testing.T) {
	r := newRig(t)
	r.link.answer = func(protocol.Request) (*protocol.Response, error) {
		return &protocol.Response{Error: protocol.Fail(protocol.ResourceNotFound, "no node")}, nil
	}
	r.call("delete_node", deleteA)
	assert.Equal(t, "failed", r.last().Outcome)
	r.link.answer = func(protocol.Request) (*protocol.Response, error) {
		lost := protocol.Fail(protocol.Timeout, "late")
		lost.MayHaveApplied = true
		return nil, lost
	}
	r.call("delete_node", deleteA)
	assert.Equal(t, "unknown", r.last().Outcome)
	assert.True(t, r.last().MayHaveApplied)
}

func TestTheIntentIsWrittenBeforeAnythingHappens(t *testing.T) {
	all := newRig(t).tools
	for _, tl := range writing(all) {
		r := rigOf(t, all)
		r.keepFor(tl)
		r.written.intents = nil
		before := -1
		r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
			if q.Phase == protocol.PhaseApply {
				before = len(r.written.intents)
				assert.Equal(t, q.ID, r.written.intents[0].RequestID, "the frame that the intent is of")
			}
			return good(q), nil
		}
		require.True(t, r.call(tl.Name(), tl.Example().Arguments).OK, tl.Name())
		require.Len(t, r.written.intents, 1, tl.Name())
		assert.Empty(t, r.written.intents[0].Outcome)
		if tl.InEditor() {
			assert.Equal(t, 1, before, tl.Name())
		}
		changes := tl.Class() == safety.Destructive || tl.WritesFiles()
		assert.Equal(t, changes, r.written.intents[0].Durable, tl.Name())
	}
}

func TestWhatCannotBeWrittenDownIsNotDone(t *testing.T) {
	all := newRig(t).tools
	for name, breaks := range map[string]func(r *rig){
		"the log is broken": func(r *rig) { r.written.broken = errors.New("no space left on device") },
		"there is no log":   func(r *rig) { r.gate.places[0].Audit = nil },
	} {
		for _, tl := range writing(all) {
			r := rigOf(t, all)
			r.keepFor(tl)
			breaks(r)
			for way, call := range ways(r, tl, tl.Example().Arguments) {
				if way == "in a previewed batch" {
					continue
				}
				r.link.forget()
				got := r.call(call[0], call[1])
				require.False(t, got.OK, "%s: %s %s", name, tl.Name(), way)
				assert.Equal(t, protocol.AuditUnavailable, got.Error.Code, "%s: %s %s", name, tl.Name(), way)
				r.noApply(tl.Name())
			}
			require.True(t, r.call("get_node", readNode).OK, "reads go on")
		}
	}
}

func TestNoValueIsWrittenDown(t *testing.T) {
	r := newRig(t)
	r.call("set_node_property", `{"node_path":"A","property":"text","value":"a secret of mine"}`)
	r.call("scripts_write", `{"script_path":"res://a.gd","content":"# a secret of mine","overwrite":true,"confirm":true}`)
	written, err := json.Marshal([]any{r.written.intents, r.written.outcomes})
	require.NoError(t, err)
	assert.NotContains(t, string(written), "a secret of mine")
	assert.Len(t, r.last().ArgsDigest, 64)
}

func TestADaemonThatDiedInTheMiddleLeavesTheProjectInDoubt(t *testing.T) {
	died := &journal{dangling: []audit.Entry{{Tool: "delete_node", RequestID: "old-7", IdempotencyKey: "k", Editor: "first run"}}}
	r := newRig(t, func(o *Options) { o.Projects[0].Audit = died })
	failure := r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
	assert.Equal(t, "old-7", failure.Details["request_id"])
	info := r.call("get_server_info", `{}`)
	assert.NotEmpty(t, info.Data["quarantine"])
	require.True(t, r.call("get_node", readNode).OK)
	require.True(t, r.call("create_node", makeNode).OK, "a read has shown the state")
}

func TestTheSameWriteSentAgainSettlesIt(t *testing.T) {
	died := &journal{dangling: []audit.Entry{{Tool: "create_node", RequestID: "old-7", IdempotencyKey: "k", Editor: "first run"}}}
	r := newRig(t, func(o *Options) { o.Projects[0].Audit = died })
	require.True(t, r.call("create_node", `{"node_type":"Node","idempotency_key":"k"}`).OK)
	require.True(t, r.call("create_node", makeNode).OK)
}

// taken is a lock that another daemon has.
type taken struct{ err error }

func (l taken) Lease(context.Context, string, lock.Holder) (*lock.Lease, error) { return nil, l.err }

func TestWhileAnotherDaemonHoldsTheProjectNothingIsWritten(t *testing.T) {
	all := newRig(t).tools
	for name, locks := range map[string]Locks{
		"held":    taken{&lock.Held{Holder: lock.Holder{PID: 7, Client: "other", Tool: "save_scene"}}},
		"unknown": taken{errors.New("the folder is gone")},
		"none":    nil,
	} {
		for _, tl := range writing(all) {
			r := rigOf(t, all)
			r.keepFor(tl)
			r.gate.opts.Locks = locks
			got := r.call(tl.Name(), tl.Example().Arguments)
			require.False(t, got.OK, "%s: %s", name, tl.Name())
			assert.Equal(t, protocol.ProjectWriteLocked, got.Error.Code, "%s: %s", name, tl.Name())
			if name == "held" {
				assert.Equal(t, "save_scene", got.Error.Details["holder"])
				assert.EqualValues(t, 7, got.Error.Details["holder_pid"])
			}
			r.noApply(tl.Name())
			assert.Equal(t, "denied", r.last().Outcome)
		}
	}
}

func TestTheLockIsLetGoHoweverACallEnds(t *testing.T) {
	r := newRig(t)
	locks, err := lock.New(filepath.Join(t.TempDir(), "locks"))
	require.NoError(t, err)
	t.Cleanup(locks.Close)
	r.gate.opts.Locks = locks
	free := func(after string) {
		t.Helper()
		soon, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		lease, err := locks.Lease(soon, r.dir, lock.Holder{})
		require.NoError(t, err, after)
		lease.Release()
	}
	for _, call := range [][2]string{
		{"create_node", makeNode},
		{"delete_node", deleteA},
		{"save_scene", `{"confirm":true}`},
		{"delete_node", `{"node_path":"A"}`},
		{"run_commands", `{"commands":[{"tool":"create_node","arguments":` + makeNode + `}]}`},
		{"create_checkpoint", `{"name":"x"}`},
	} {
		r.call(call[0], call[1])
		free(call[0])
	}
	r.link.answer = func(protocol.Request) (*protocol.Response, error) { panic("the link breaks") }
	got := r.call("create_node", makeNode)
	assert.Equal(t, protocol.InternalError, got.Error.Code)
	free("a fault of ours")
}

// bereaved is a lock whose last holder died with it.
type bereaved struct{}

func (bereaved) Lease(context.Context, string, lock.Holder) (*lock.Lease, error) {
	return &lock.Lease{Died: &lock.Holder{PID: 7}}, nil
}

func TestADaemonThatDiedWithTheLockLeavesTheProjectInDoubt(t *testing.T) {
	r := newRig(t)
	r.gate.opts.Locks = bereaved{}
	require.True(t, r.call("create_node", makeNode).OK, "it had written nothing")
	r.written.dangling = []audit.Entry{{Tool: "save_scene", RequestID: "its-3", Project: r.dir}}
	failure := r.refusedLate(protocol.ProjectQuarantined, "create_node", makeNode)
	assert.Equal(t, "its-3", failure.Details["request_id"])
}

// refusedLate is refused, for what is known only once the project is held.
func (r *rig) refusedLate(code protocol.Code, name, arguments string) *protocol.Error {
	r.t.Helper()
	r.link.forget()
	got := r.call(name, arguments)
	require.False(r.t, got.OK, got.text)
	require.Equal(r.t, code, got.Error.Code, got.text)
	r.noApply(name)
	return got.Error
}

func TestADoubtThatIsSettledIsWrittenDown(t *testing.T) {
	old := audit.Entry{Seq: 4, Tool: "delete_node", RequestID: "old-7", Editor: "first run"}
	r := newRig(t)
	r.written.dangling = []audit.Entry{old}
	r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
	require.True(t, r.call("get_node", readNode).OK)
	found := false
	for _, e := range r.written.outcomes {
		found = found || e.RequestID == "old-7" && !e.MayHaveApplied
	}
	assert.True(t, found, "the next daemon need not doubt it again")
}
