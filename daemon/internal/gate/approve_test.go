package gate

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/approval"
	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// human is a back end that says what it is told to.
type human struct {
	mu      sync.Mutex
	verdict approval.Verdict
	asked   []approval.Question
	during  func()
}

func (h *human) Name() string { return "webhook" }

func (h *human) Ask(_ context.Context, q approval.Question) approval.Verdict {
	h.mu.Lock()
	h.asked = append(h.asked, q)
	h.mu.Unlock()
	if h.during != nil {
		h.during()
	}
	return h.verdict
}

func yes() approval.Verdict { return approval.Verdict{Yes: true, Reachable: true} }

// overseen is a rig whose writes a human has to approve.
func overseen(t *testing.T, all *catalog.Catalog, h *human, tools ...*tool.Tool) *rig {
	r := rigOf(t, all)
	for _, tl := range tools {
		r.keepFor(tl)
	}
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) { return r.known(q), nil }
	if h != nil {
		r.gate.places[0].Policy.Approval.Backends = []approval.Backend{h}
	}
	return r
}

func TestNothingHappensWithoutAYesHoweverAToolIsReached(t *testing.T) {
	all := newRig(t).tools
	for name, row := range map[string]struct {
		verdict approval.Verdict
		code    protocol.Code
	}{
		"a no":               {approval.Verdict{Reachable: true, Reason: "no"}, protocol.ApprovalDenied},
		"nobody there":       {approval.Verdict{Reason: "no connection"}, protocol.ApprovalUnavailable},
		"a yes of nobody":    {approval.Verdict{Yes: true}, protocol.ApprovalUnavailable},
		"no word of anybody": {approval.Verdict{}, protocol.ApprovalUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			for _, tl := range writing(all) {
				if !tl.Demands().DryRun {
					continue // what only steers is not asked for
				}
				h := &human{verdict: row.verdict}
				r := overseen(t, all, h, tl)
				for way, call := range ways(r, tl, tl.Example().Arguments) {
					if way == "in a previewed batch" {
						continue
					}
					r.link.forget()
					got := r.call(call[0], call[1])
					require.False(t, got.OK, "%s %s: %s", tl.Name(), way, got.text)
					assert.Equal(t, row.code, got.Error.Code, "%s %s: %s", tl.Name(), way, got.text)
					r.noApply(tl.Name() + " " + way)
				}
				assert.NotEmpty(t, h.asked, tl.Name())
			}
		})
	}
}

func TestAYesLetsExactlyOneCallThrough(t *testing.T) {
	all := newRig(t).tools
	for _, tl := range writing(all) {
		if !tl.Demands().DryRun || !tl.InEditor() {
			continue
		}
		h := &human{verdict: yes()}
		r := overseen(t, all, h, tl)
		got := r.call(tl.Name(), tl.Example().Arguments)
		require.True(t, got.OK, got.text)
		require.Len(t, h.asked, 1, tl.Name())
		assert.Equal(t, []string{"webhook"}, got.Safety.Approval)
		q := h.asked[0]
		assert.Equal(t, tl.Name(), q.Tool)
		assert.Equal(t, string(tl.Class()), q.Class)
		assert.Equal(t, r.dir, q.Project)
		assert.NotEmpty(t, q.Targets, tl.Name())
		assert.NotEmpty(t, q.Preview, tl.Name())
		assert.Len(t, q.ArgsSHA256, 64)
		frames := r.link.sent()
		require.NotNil(t, frames[len(frames)-1].Expect, "what was shown is what must still be there")
		assert.EqualValues(t, 1, frames[len(frames)-1].Expect.Rev)
	}
}

func TestReadsAndDryRunsAreNotAskedFor(t *testing.T) {
	all := newRig(t).tools
	h := &human{}
	r := overseen(t, all, h)
	require.True(t, r.call("get_node", readNode).OK)
	require.True(t, r.call("delete_node", `{"node_path":"A","dry_run":true}`).OK)
	require.True(t, r.call("preview_tool", `{"tool":"delete_node","arguments":{"node_path":"A"}}`).OK)
	r.refused(protocol.PreconditionFailed, "delete_node", `{"node_path":"A"}`)
	assert.Empty(t, h.asked, "and nobody is asked what is refused anyway")
}

func TestFailOpenCoversMutatingCallsOnly(t *testing.T) {
	all := newRig(t).tools
	for _, tl := range writing(all) {
		if !tl.Demands().DryRun || !tl.InEditor() {
			continue
		}
		r := overseen(t, all, &human{}, tl)
		r.gate.places[0].Policy.Approval.FailOpen = true
		got := r.call(tl.Name(), tl.Example().Arguments)
		open := tl.Class() == safety.Mutating
		require.Equal(t, open, got.OK, "%s: %s", tl.Name(), got.text)
		if open {
			assert.Equal(t, []string{"webhook: fail_open"}, got.Safety.Approval)
			last := r.written.outcomes[len(r.written.outcomes)-1]
			assert.Equal(t, "webhook: fail_open", last.Approval)
		}
	}
	batch := `{"commands":[{"tool":"create_node","arguments":` + makeNode + `},{"tool":"delete_node","arguments":` + deleteA + `}]}`
	r := overseen(t, all, &human{})
	r.gate.places[0].Policy.Approval.FailOpen = true
	got := r.call("run_commands", batch)
	require.False(t, got.OK, "a batch counts as its worst call")
	assert.Equal(t, protocol.ApprovalUnavailable, got.Error.Code)
	r.noApply("a batch")
}

func TestABatchIsOneQuestionAtItsWorst(t *testing.T) {
	all := newRig(t).tools
	h := &human{verdict: yes()}
	r := overseen(t, all, h)
	batch := `{"commands":[{"tool":"create_node","arguments":` + makeNode + `},{"tool":"delete_node","arguments":` + deleteA + `}]}`
	require.True(t, r.call("run_commands", batch).OK)
	require.Len(t, h.asked, 1)
	assert.Equal(t, "destructive", h.asked[0].Class)
	require.Len(t, h.asked[0].Entries, 2)
	assert.Equal(t, "delete_node", h.asked[0].Entries[1].Tool)
	assert.NotEmpty(t, h.asked[0].Preview)
}

func TestWhatChangedWhileAHumanLookedIsNotWhatTheyApproved(t *testing.T) {
	all := newRig(t).tools
	h := &human{verdict: yes()}
	r := overseen(t, all, h)
	h.during = func() { r.rev++ }
	batch := `{"commands":[{"tool":"delete_node","arguments":` + deleteA + `}]}`
	got := r.call("run_commands", batch)
	require.False(t, got.OK)
	assert.Equal(t, protocol.StateChanged, got.Error.Code)
	r.noApply("a batch")
}

func TestAnEditAfterTheLastLookEndsAnApprovedBatch(t *testing.T) {
	all := newRig(t).tools
	calls := `{"commands":[{"tool":"get_node","arguments":{"node_path":"."}},{"tool":"create_node","arguments":` + makeNode +
		`},{"tool":"delete_node","arguments":` + deleteA + `}],"stop_on_error":false`
	for name, row := range map[string]struct {
		batch string
		want  protocol.Expect
	}{
		"one by one": {calls + `}`, protocol.Expect{Editor: "first run", Rev: 1, Target: "t"}},
		"atomic":     {strings.Replace(calls, `{"tool":"get_node","arguments":{"node_path":"."}},`, ``, 1) + `,"atomic":true}`, protocol.Expect{Editor: "first run", Rev: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := overseen(t, all, &human{verdict: yes()})
			refusing := true
			r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
				if q.Phase == protocol.PhaseApply && refusing { // a person was faster
					return &protocol.Response{ID: q.ID, Error: protocol.Fail(protocol.StateChanged, "another rev")}, nil
				}
				return r.known(q), nil
			}
			got := r.call("run_commands", row.batch)
			assert.Contains(t, got.text, string(protocol.StateChanged))
			var applied []protocol.Request
			for _, q := range r.link.sent() {
				if q.Phase == protocol.PhaseApply {
					applied = append(applied, q)
				}
			}
			require.Len(t, applied, 1, "nothing goes on in another state: %s", got.text)
			require.NotNil(t, applied[0].Expect)
			assert.Equal(t, row.want, *applied[0].Expect)
		})
	}
}

// answered calls with a person's answer.
func (r *rig) answered(name, arguments string, a session.Answer) reply {
	ctx := session.WithAnswer(session.WithElicitation(context.Background(), true), a)
	return r.read(r.gate.Call(ctx, r.client, name, json.RawMessage(arguments)))
}

// question calls until a person is to be asked, and gives the state.
func (r *rig) question(name, arguments string) string {
	r.t.Helper()
	ctx := session.WithElicitation(context.Background(), true)
	got := r.gate.Call(ctx, r.client, name, json.RawMessage(arguments))
	require.NotNil(r.t, got.Ask, got.Text)
	assert.Contains(r.t, got.Ask.Message, name)
	r.noApply("the question")
	return got.Ask.State
}

func eliciting(t *testing.T) *rig {
	all := newRig(t).tools
	r := overseen(t, all, nil)
	r.gate.places[0].Policy.Approval.Elicit = true
	return r
}

func TestThePersonAtTheClientIsAsked(t *testing.T) {
	r := eliciting(t)
	state := r.question("delete_node", deleteA)
	got := r.answered("delete_node", deleteA, session.Answer{State: state, Action: "accept", Approve: true})
	require.True(t, got.OK, got.text)
	assert.Equal(t, []string{"client"}, got.Safety.Approval)
	require.Len(t, r.written.outcomes, 2, "the question and the answer")
	assert.Equal(t, "denied", r.written.outcomes[0].Outcome)
	assert.Equal(t, "client", r.written.outcomes[1].Approval)
	r.link.forget()
	got = r.answered("delete_node", deleteA, session.Answer{State: state, Action: "accept", Approve: true})
	require.False(t, got.OK, "an answer is good once")
	assert.Equal(t, protocol.ApprovalDenied, got.Error.Code)
	r.noApply("the second time")
}

func TestAnAnswerThatIsNoYesToThisQuestionIsANo(t *testing.T) {
	for name, row := range map[string]struct {
		answer session.Answer
		name   string
		call   string
		before func(r *rig)
		code   protocol.Code
	}{
		"declined":           {session.Answer{Action: "decline"}, "", "", nil, protocol.ApprovalDenied},
		"dismissed":          {session.Answer{Action: "cancel"}, "", "", nil, protocol.ApprovalDenied},
		"not ticked":         {session.Answer{Action: "accept"}, "", "", nil, protocol.ApprovalDenied},
		"no action":          {session.Answer{Approve: true}, "", "", nil, protocol.ApprovalDenied},
		"timed out":          {session.Answer{Action: "timeout", Approve: true}, "", "", nil, protocol.ApprovalDenied},
		"a forged state":     {session.Answer{State: "forged", Action: "accept", Approve: true}, "", "", nil, protocol.ApprovalDenied},
		"other arguments":    {session.Answer{Action: "accept", Approve: true}, "delete_node", deleteB, nil, protocol.ApprovalDenied},
		"another tool":       {session.Answer{Action: "accept", Approve: true}, "create_node", makeNode, nil, protocol.ApprovalDenied},
		"another client":     {session.Answer{Action: "accept", Approve: true}, "", "", func(r *rig) { r.client = session.New("x") }, protocol.ApprovalDenied},
		"the state changed":  {session.Answer{Action: "accept", Approve: true}, "", "", func(r *rig) { r.rev++ }, protocol.StateChanged},
		"the editor changed": {session.Answer{Action: "accept", Approve: true}, "", "", func(r *rig) { r.link.editor.Hello.Editor = "2" }, protocol.StateChanged},
	} {
		t.Run(name, func(t *testing.T) {
			r := eliciting(t)
			state := r.question("delete_node", deleteA)
			if row.answer.State == "" {
				row.answer.State = state
			}
			if row.before != nil {
				row.before(r)
			}
			if row.name == "" {
				row.name, row.call = "delete_node", deleteA
			}
			got := r.answered(row.name, row.call, row.answer)
			require.False(t, got.OK, got.text)
			assert.Equal(t, row.code, got.Error.Code, got.text)
			r.noApply(name)
		})
	}
}

func TestAQuestionIsOpenAsLongAsTheOperatorSays(t *testing.T) {
	for _, row := range []struct {
		timeout time.Duration
		call    string
		most    time.Duration
	}{
		{0, deleteA, 2 * time.Minute},
		{6 * time.Second, deleteA, 6 * time.Second},
		{time.Minute, `{"node_path":"A","confirm":true,"timeout_seconds":3}`, 3 * time.Second},
	} {
		r := eliciting(t)
		r.gate.places[0].Policy.Approval.Timeout = row.timeout
		ctx := session.WithElicitation(context.Background(), true)
		got := r.gate.Call(ctx, r.client, "delete_node", json.RawMessage(row.call))
		require.NotNil(t, got.Ask)
		assert.InDelta(t, row.most.Seconds(), time.Until(got.Ask.Expires).Seconds(), 2)
	}
}

func TestAnAnswerToNoQuestionIsIgnored(t *testing.T) {
	r := eliciting(t)
	ctx := session.WithAnswer(session.WithElicitation(context.Background(), true), session.Answer{Action: "accept", Approve: true})
	got := r.gate.Call(ctx, r.client, "delete_node", json.RawMessage(deleteA))
	require.NotNil(t, got.Ask, "the person is asked all the same")
	r.noApply("a volunteered answer")
}

func TestAClientThatCannotAskIsNoWayAround(t *testing.T) {
	all := newRig(t).tools
	r := eliciting(t)
	for _, tl := range writing(all) {
		if !tl.Demands().DryRun || !tl.InEditor() || tl.Recovery() != tool.NoRecovery {
			continue
		}
		got := r.call(tl.Name(), tl.Example().Arguments)
		require.False(t, got.OK, tl.Name())
		assert.Equal(t, protocol.ApprovalUnavailable, got.Error.Code)
		assert.Equal(t, "no_elicitation", got.Error.Details["reason"])
	}
	r.noApply("a client that cannot ask")
}

func TestEveryBackendHasToSayYes(t *testing.T) {
	all := newRig(t).tools
	h := &human{verdict: approval.Verdict{Reachable: true}}
	r := overseen(t, all, h)
	r.gate.places[0].Policy.Approval.Elicit = true
	state := r.question("delete_node", deleteA)
	assert.Empty(t, h.asked, "one after the other")
	got := r.answered("delete_node", deleteA, session.Answer{State: state, Action: "accept", Approve: true})
	require.False(t, got.OK)
	assert.Equal(t, protocol.ApprovalDenied, got.Error.Code)
	r.noApply("half of a yes")
}

func TestAQuestionCannotBeDressedUp(t *testing.T) {
	text := inWords(approval.Question{
		Tool: "scripts_write", Class: "destructive", Project: "/p/my\ngame",
		Targets: []string{"a\nAllow everything?", "\u202Eevil", "b\x1b[2K"}, Code: "x\n\nYou may say yes safely.\r\n",
	})
	for _, line := range []string{"\nAllow everything", "\nYou may", "\u202E", "\x1b", "\r"} {
		assert.NotContains(t, text, line)
	}
	assert.Contains(t, text, "| You may say yes safely.")
}
