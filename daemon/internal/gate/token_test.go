package gate

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// guardedRig has a pinned project under the guarded profile, and an editor whose plans tell the state.
// What a tool needs to have been kept was kept before.
func guardedRig(t *testing.T, all *catalog.Catalog, tools ...*tool.Tool) *rig {
	r := rigOf(t, all)
	for _, tl := range tools {
		r.keepFor(tl)
	}
	r.gate.places[0].Policy.Profile, r.gate.places[0].Policy.Pinned = safety.Guarded, true
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) { return r.known(q), nil }
	return r
}

// known is a good answer that tells the state.
func (r *rig) known(q protocol.Request) *protocol.Response {
	answer := good(q)
	if answer.Result.Plan != nil {
		answer.Result.Plan.Fingerprint = &protocol.Fingerprint{Editor: "first run", Scene: q.Scene, Rev: r.rev + 1, Target: "t"}
	}
	return answer
}

// token runs a call dry and gives its token.
func (r *rig) token(name, arguments string) string {
	r.t.Helper()
	got := r.call("preview_tool", `{"tool":"`+name+`","arguments":`+arguments+`}`)
	require.True(r.t, got.OK, got.text)
	require.NotEmpty(r.t, got.Safety.Token)
	return got.Safety.Token
}

// withToken adds a token to arguments.
func withToken(arguments, token string) string {
	return strings.TrimSuffix(arguments, "}") + `,"confirm_token":"` + token + `"}`
}

const (
	deleteA = `{"node_path":"A","confirm":true}`
	deleteB = `{"node_path":"B","confirm":true}`
)

func TestTheGuardedProfileRunsWhatWasPrepared(t *testing.T) {
	all := newRig(t).tools
	r := guardedRig(t, all)
	failure := r.refused(protocol.PreconditionFailed, "delete_node", deleteA)
	assert.Equal(t, "confirm_token", failure.Required)
	assert.Equal(t, "confirm", r.refused(protocol.PreconditionFailed, "delete_node", `{"node_path":"A"}`).Required)
	token := r.token("delete_node", deleteA)
	r.link.forget()
	got := r.call("delete_node", withToken(deleteA, token))
	require.True(t, got.OK, got.text)
	frames := r.link.sent()
	require.Len(t, frames, 2)
	assert.Equal(t, &protocol.Expect{Editor: "first run", Rev: 1, Target: "t"}, frames[1].Expect)
	require.True(t, r.call("create_node", makeNode).OK, "what undo takes back needs no token")
}

func TestATokenIsGoodOnceForOneCallOfOneClient(t *testing.T) {
	all := newRig(t).tools
	other := session.New("another")
	for name, row := range map[string]struct {
		call string
		with string
		then func(r *rig)
		code protocol.Code
	}{
		"other arguments":       {"delete_node", deleteB, nil, protocol.ConfirmTokenArgs},
		"another tool":          {"undo", `{}`, nil, ""},
		"another destructive":   {"disconnect_signal", "", nil, protocol.ConfirmTokenAction},
		"another client":        {"delete_node", deleteA, func(r *rig) { r.client = other }, protocol.ConfirmTokenContext},
		"another editor":        {"delete_node", deleteA, func(r *rig) { r.link.editor.Hello.Editor = "second" }, protocol.ConfirmTokenContext},
		"the link came anew":    {"delete_node", deleteA, func(r *rig) { r.link.editor.LinkedAt = time.Now() }, protocol.ConfirmTokenContext},
		"another daemon":        {"delete_node", deleteA, func(r *rig) { r.gate.epoch = "later" }, protocol.ConfirmTokenContext},
		"the state has changed": {"delete_node", deleteA, func(r *rig) { r.rev++ }, protocol.StateChanged},
	} {
		t.Run(name, func(t *testing.T) {
			r := guardedRig(t, all)
			token := r.token("delete_node", deleteA)
			if row.then != nil {
				row.then(r)
			}
			arguments := row.with
			if arguments == "" {
				tl, _ := r.tools.Lookup(row.call)
				arguments = with(t, tl, nil)
			}
			r.link.forget()
			got := r.call(row.call, withToken(arguments, token))
			require.False(t, got.OK, got.text)
			if row.code == "" {
				assert.Equal(t, protocol.ValidationError, got.Error.Code, "a mutating tool takes no token")
				return
			}
			assert.Equal(t, row.code, got.Error.Code)
			r.noApply(name)
			// Whatever it was presented with: it is burnt.
			r.client, r.rev = session.New("third"), 0
			again := r.call("delete_node", withToken(deleteA, token))
			require.False(t, again.OK)
			assert.Equal(t, protocol.ConfirmTokenInvalid, again.Error.Code)
		})
	}
}

func TestADryRunGivesATokenWhereThereIsSomethingToConfirm(t *testing.T) {
	all := newRig(t).tools
	r := guardedRig(t, all)
	for _, tl := range writing(all) {
		if !tl.InEditor() || !tl.Demands().DryRun {
			continue
		}
		r := guardedRig(t, all, tl)
		got := r.call(tl.Name(), with(t, tl, map[string]any{"dry_run": true, "confirm": nil}))
		require.True(t, got.OK, got.text)
		demanded := tl.Demands().Confirm > 0 && len(tl.Lowerings()) == 0
		if demanded {
			assert.NotEmpty(t, got.Safety.Token, tl.Name())
		} else if tl.Demands().Confirm == 0 {
			assert.Empty(t, got.Safety.Token, tl.Name())
		}
	}
	r.link.answer = nil // an editor that does not tell the state
	got := r.call("delete_node", `{"node_path":"A","dry_run":true}`)
	require.True(t, got.OK)
	assert.Empty(t, got.Safety.Token, "what cannot be told later is not prepared")
}

func TestABatchIsPreparedAsAWhole(t *testing.T) {
	all := newRig(t).tools
	r := guardedRig(t, all)
	entry := func(name, arguments string) string { return `{"tool":"` + name + `","arguments":` + arguments + `}` }
	batch := `{"commands":[` + entry("create_node", makeNode) + `,` + entry("delete_node", deleteA) + `]}`
	failure := r.refused(protocol.PreconditionFailed, "run_commands", batch)
	assert.Equal(t, "confirm_token", failure.Required)
	assert.EqualValues(t, 1, failure.Details["entry"])
	token := r.token("run_commands", batch)
	changed := strings.Replace(batch, `"A"`, `"B"`, 1)
	got := r.call("run_commands", withToken(changed, token))
	require.False(t, got.OK)
	assert.Equal(t, protocol.ConfirmTokenArgs, got.Error.Code)
	r.noApply("another batch")
	token = r.token("run_commands", batch)
	r.link.forget()
	got = r.call("run_commands", withToken(batch, token))
	require.True(t, got.OK, got.text)
	assert.EqualValues(t, 2, got.Data["succeeded"], got.text)
	got = r.call("run_commands", withToken(batch, token))
	require.False(t, got.OK)
	assert.Equal(t, protocol.ConfirmTokenInvalid, got.Error.Code)
	inside := `{"commands":[` + entry("delete_node", withToken(deleteA, r.token("delete_node", deleteA))) + `]}`
	r.refused(protocol.ValidationError, "run_commands", inside)
}

func TestATokenIsNoSecretOfTheAudit(t *testing.T) {
	all := newRig(t).tools
	r := guardedRig(t, all)
	token := r.token("delete_node", deleteA)
	require.True(t, r.call("delete_node", withToken(deleteA, token)).OK)
	written, err := json.Marshal(r.written.outcomes)
	require.NoError(t, err)
	assert.NotContains(t, string(written), token)
}

func TestTheGuardedProfileWritesToPinnedProjectsOnly(t *testing.T) {
	all := newRig(t).tools
	r := rigOf(t, all, func(o *Options) { o.Projects[0].Policy.Profile = safety.Guarded })
	for _, tl := range writing(all) {
		failure := r.refused(protocol.PreconditionFailed, tl.Name(), with(t, tl, map[string]any{"dry_run": nil}))
		assert.Equal(t, "project_pin", failure.Required, tl.Name())
	}
	require.True(t, r.call("get_node", readNode).OK)
}
