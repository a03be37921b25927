package contract

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// answerRow is what a person, or a client in a person's name, may send back, and how the call then ends.
type answerRow struct {
	name   string
	answer string // as it goes onto the wire; empty: the question stays open
	reason string
}

const yes = `{"action":"accept","content":{"approve":true}}`

// notYes are all that is no yes.
func notYes() []answerRow {
	return []answerRow{
		{"no", `{"action":"decline"}`, "decline"},
		{"a no that is ticked", `{"action":"decline","content":{"approve":true}}`, "decline"},
		{"closed", `{"action":"cancel"}`, "cancel"},
		{"not ticked", `{"action":"accept","content":{"approve":false}}`, "accept"},
		{"an empty form", `{"action":"accept","content":{}}`, "malformed"},
		{"no form", `{"action":"accept"}`, "malformed"},
		{"a text for a tick", `{"action":"accept","content":{"approve":"true"}}`, "malformed"},
		{"a number for a tick", `{"action":"accept","content":{"approve":1}}`, "malformed"},
		{"another word", `{"action":"approve","content":{"approve":true}}`, "malformed"},
		{"another field", `{"action":"accept","content":{"approved":true}}`, "malformed"},
		{"a list", `[true]`, "malformed"},
		{"a text", `"accept"`, "malformed"},
	}
}

// unapproved checks that a call was refused because nobody said yes.
func unapproved(t *testing.T, row answerRow, reply harness.Reply) {
	t.Helper()
	require.False(t, reply.OK, "%s: %s", row.name, reply.Raw)
	require.NotNil(t, reply.Error, "%s: %s", row.name, reply.Raw)
	assert.Contains(t, []protocol.Code{protocol.ApprovalDenied, protocol.ApprovalUnavailable}, reply.Error.Code, "%s: %s", row.name, reply.Raw)
	assert.False(t, reply.Safety.Executed, row.name)
	assert.False(t, reply.Safety.MayHaveApplied, row.name)
	if row.reason != "" {
		assert.Equal(t, protocol.ApprovalDenied, reply.Error.Code, "%s: %s", row.name, reply.Raw)
		told := reply.Error.Details["reason"]
		if row.reason == "malformed" && told == "failed" { // the SDK threw it out
			told = row.reason
		}
		assert.Equal(t, row.reason, told, "%s: %s", row.name, reply.Raw)
	}
}

// testAsked: a person is asked while the call is open, as in all revisions but the newest. Only a ticked form lets the
// call through, and once.
func (b *bed) testAsked(t *testing.T) {
	b.governed(t, args{"approval": args{"require": true}})
	var asked []string
	seat := func(answer string) {
		asked = nil
		b.daemon.Seat(func(question json.RawMessage) json.RawMessage {
			asked = append(asked, string(question)) // read once the call has ended
			if answer == "" {
				return nil
			}
			return json.RawMessage(answer)
		})
	}
	seat(yes)
	b.opened(t, b.daemon)
	b.linkedHere(t)
	create := makeChild("Elicited", "", 0)
	b.ok(t, "get_scene_tree", args{})
	require.True(t, b.raw(t, "create_node", with(create, "dry_run", true)).OK)
	assert.Empty(t, asked, "for reads and dry runs nobody is asked")

	same := b.untouched(t)
	for _, row := range append(notYes(), answerRow{"no answer", "", "state_invalid"}) {
		seat(row.answer)
		call := create
		if row.answer == "" {
			call = with(create, "timeout_seconds", 1)
		}
		unapproved(t, row, b.raw(t, "create_node", call))
		assert.Len(t, asked, 1, row.name)
	}
	seat(`{"action":"decline"}`)
	batch := args{"commands": []any{entry("create_node", create), entry("create_node", makeChild("More", "", 0))}}
	unapproved(t, answerRow{"a batch", "", "decline"}, b.raw(t, "run_commands", batch))
	unapproved(t, answerRow{"through a carrier", "", "decline"}, b.raw(t, "call_edit_tool", args{"tool": "create_node", "arguments": create}))
	same("without a yes")

	seat(yes)
	reply := b.raw(t, "create_node", create)
	require.True(t, reply.OK, "%s", reply.Raw)
	require.Len(t, asked, 1)
	assert.Contains(t, asked[0], "create_node")
	assert.Contains(t, b.children(t), "Elicited")
	seat(yes)
	reply = b.raw(t, "run_commands", batch)
	require.True(t, reply.OK, "%s", reply.Raw)
	assert.Len(t, asked, 1, "a batch is one question")
	assert.Contains(t, b.children(t), "More")
	seat(yes)
	reply = b.raw(t, "run_commands", atomically(entry("create_node", makeChild("One", "", 0)), entry("create_node", makeChild("Other", "", 0))))
	require.True(t, reply.OK, "%s", reply.Raw)
	assert.Contains(t, b.children(t), "Other")
}

// testAskedNew: in the newest revision the question is the call's result, and the answer comes with the call sent again.
func (b *bed) testAskedNew(t *testing.T) {
	b.governed(t, args{"approval": args{"require": true}})
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	create := makeChild("Answered", "", 0)
	ask := func() *harness.Question {
		t.Helper()
		reply, question, err := b.daemon.CallNew(ctx, "create_node", create)
		require.NoError(t, err)
		require.NotNil(t, question, "%s", reply.Raw)
		return question
	}
	eventually(t, 20*time.Second, func() bool {
		reply, _, err := b.daemon.CallNew(ctx, "get_scene_tree", args{})
		return err == nil && reply.OK
	}, func() string { return lastLines(b.daemon.Log()) })
	same := b.untouched(t)
	for _, row := range notYes() {
		question := ask()
		assert.Contains(t, string(question.Params), "create_node")
		reply, err := question.Answer(ctx, question.State, json.RawMessage(row.answer))
		var wrong *harness.RPCError
		if errors.As(err, &wrong) { // what is no answer at all is no request either
			assert.Equal(t, -32602, wrong.Code, "%s: %v", row.name, err)
			assert.Contains(t, []string{"a list", "a text"}, row.name)
			continue
		}
		require.NoError(t, err, row.name)
		unapproved(t, row, reply)
	}
	open := ask() // and never answered
	for name, state := range map[string]string{"forged": "x", "cut": open.State[:len(open.State)-2], "longer": open.State + "A"} {
		reply, err := ask().Answer(ctx, state, json.RawMessage(yes))
		require.NoError(t, err, name)
		unapproved(t, answerRow{name: name}, reply)
	}
	same("without a yes")

	question := ask()
	reply, err := question.Answer(ctx, question.State, json.RawMessage(yes))
	require.NoError(t, err)
	require.True(t, reply.OK, "%s", reply.Raw)
	same = b.untouched(t)
	reply, err = question.Answer(ctx, question.State, json.RawMessage(yes))
	require.NoError(t, err)
	unapproved(t, answerRow{name: "the same yes again"}, reply)
	same("a yes that was used")
}
