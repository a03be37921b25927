package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// list writes a batch of calls, each as a tool and its arguments.
func list(calls ...string) string {
	var entries []string
	for i := 0; i < len(calls); i += 2 {
		entries = append(entries, fmt.Sprintf(`{"tool":%q,"arguments":%s}`, calls[i], calls[i+1]))
	}
	return `{"commands":[` + strings.Join(entries, ",") + `]}`
}

// also adds an argument to a call.
func also(arguments, name, value string) string {
	return fmt.Sprintf(`{%q:%s,%s`, name, value, arguments[1:])
}

// statuses are the states of a batch's calls, in order.
func statuses(t *testing.T, got reply) []string {
	t.Helper()
	require.True(t, got.OK, got.text)
	var out []string
	for _, one := range got.Data["results"].([]any) {
		out = append(out, one.(map[string]any)["status"].(string))
	}
	return out
}

// fails makes the editor refuse the commands.
func (r *rig) fails(commands ...string) {
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		if strings.Contains(strings.Join(commands, " "), q.Command) {
			return &protocol.Response{Error: protocol.Fail(protocol.ResourceNotFound, "none").With("node_path", "A/B")}, nil
		}
		return good(q), nil
	}
}

func TestABatchSendsWhatItsCallsWouldSendAlone(t *testing.T) {
	r := newRig(t)
	calls := []string{
		"create_node", makeNode, "get_node", readNode, "delete_node", `{"node_path":"Enemy","confirm":true}`,
		"save_scene", save, "open_scene", `{"scene_path":"res://other.tscn"}`, "create_node", makeNode,
	}
	for i := 0; i < len(calls); i += 2 {
		require.True(t, r.call(calls[i], calls[i+1]).OK)
	}
	alone := strip(r.link.sent())
	r = newRig(t)
	got := r.call("run_commands", list(calls...))
	assert.Equal(t, alone, strip(r.link.sent()))
	assert.Equal(t, []string{"success", "success", "success", "success", "success", "success"}, statuses(t, got))
	assert.Equal(t, true, got.Data["ok_all"])
	assert.Equal(t, 0.0, got.Data["skipped_count"])
	assert.NotContains(t, got.Data, "aborted_at")
	assert.Equal(t, safety.Destructive, got.Safety.Class)
	assert.Equal(t, outcomeApplied, got.Safety.Outcome)
	assert.Equal(t, "res://other.tscn", r.link.sent()[6].Scene, "a write goes to the scene that the batch has opened")
}

func TestABatchIsRefusedAsAWholeBeforeAnythingIsSent(t *testing.T) {
	confirmed := `{"node_path":"A","confirm":true}`
	for name, c := range map[string]struct {
		tool, arguments string
		code            protocol.Code
		required        string
	}{
		"an unknown tool":       {"cmd_delete_node", confirmed, protocol.ValidationError, ""},
		"a batch":               {"run_commands", list("get_node", readNode), protocol.ValidationError, ""},
		"a carrier":             {"call_tool", `{"tool":"delete_node","arguments":` + confirmed + `}`, protocol.ValidationError, ""},
		"a preview":             {"preview_tool", `{"tool":"undo","arguments":{}}`, protocol.ValidationError, ""},
		"a tool of the daemon":  {"get_server_info", `{}`, protocol.ValidationError, ""},
		"a checkpoint":          {"create_checkpoint", `{"name":"a"}`, protocol.ValidationError, ""},
		"an outcome":            {"command_outcome", `{"request_id":"a"}`, protocol.ValidationError, ""},
		"no confirm":            {"delete_node", `{"node_path":"A"}`, protocol.PreconditionFailed, "confirm"},
		"confirm false":         {"delete_node", `{"node_path":"A","confirm":false}`, protocol.PreconditionFailed, "confirm"},
		"an unknown argument":   {"get_node", `{"node_path":".","odd":1}`, protocol.ValidationError, ""},
		"a missing argument":    {"create_node", `{}`, protocol.ValidationError, ""},
		"a wrong type":          {"create_node", `{"node_type":1}`, protocol.ValidationError, ""},
		"a path that leaves":    {"open_scene", `{"scene_path":"res://../a.tscn"}`, protocol.PathOutsideProject, ""},
		"a protected path":      {"save_scene", `{"scene_path":"res://.git/a.tscn","confirm":true}`, protocol.ProtectedTarget, ""},
		"a value that leaves":   {"set_node_property", `{"node_path":".","property":"a","value":"res://../a"}`, protocol.PathOutsideProject, ""},
		"another project":       {"get_node", `{"node_path":".","project":"/elsewhere"}`, protocol.PathOutsideProject, ""},
		"a dry run inside":      {"create_node", also(makeNode, "dry_run", "true"), protocol.ValidationError, ""},
		"a key inside":          {"create_node", also(makeNode, "idempotency_key", `"k"`), protocol.ValidationError, ""},
		"confirm of the batch":  {"create_node", also(makeNode, "confirm", "true"), protocol.ValidationError, ""},
		"arguments of no tool":  {"", `{}`, protocol.ValidationError, ""},
		"a deep path that ends": {"open_scene", `{"scene_path":"res://a/b/../../../c.tscn"}`, protocol.PathOutsideProject, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			failure := r.refused(c.code, "run_commands", list("create_node", makeNode, c.tool, c.arguments, "get_node", readNode))
			assert.Equal(t, c.required, failure.Required)
			assert.EqualValues(t, 1, failure.Details["entry"])
		})
	}
	r := newRig(t)
	r.link.editor.Hello.Commands = []string{"create_node"}
	failure := r.refused(protocol.AddonVersionMismatch, "run_commands", list("create_node", makeNode, "get_node", readNode))
	assert.EqualValues(t, 1, failure.Details["entry"])
	for _, commands := range []string{
		`[]`, `{}`, `"a"`, `[1]`, `[null]`, `[{"arguments":{}}]`, `[{"tool":1}]`, `[{"tool":"undo","more":1}]`,
		`[{"tool":"undo","tool":"redo"}]`, `[{"tool":"undo","arguments":[]}]`, `[{"tool":"undo","arguments":"{}"}]`,
		`[` + strings.Repeat(`{"tool":"undo"},`, 100) + `{"tool":"undo"}]`,
	} {
		r.refused(protocol.ValidationError, "run_commands", `{"commands":`+commands+`}`)
	}
}

func TestABatchStopsAtAFailureAndSaysWhatDidNotRun(t *testing.T) {
	batch := list("create_node", makeNode, "get_node", readNode, "save_scene", save)
	r := newRig(t)
	r.fails("get_node")
	got := r.call("run_commands", batch)
	assert.Equal(t, []string{"success", "failed", "skipped"}, statuses(t, got))
	assert.Equal(t, false, got.Data["ok_all"])
	assert.Equal(t, 1.0, got.Data["aborted_at"])
	assert.Equal(t, 1.0, got.Data["skipped_count"])
	assert.Equal(t, true, got.Data["scene_dirty"])
	assert.Contains(t, got.Data["hint"], "unsaved")

	got = r.call("run_commands", also(batch, "stop_on_error", "false"))
	assert.Equal(t, []string{"success", "failed", "success"}, statuses(t, got))
	assert.NotContains(t, got.Data, "aborted_at")
	assert.Equal(t, false, got.Data["ok_all"])

	r.fails("create_node")
	got = r.call("run_commands", batch)
	assert.Equal(t, []string{"failed", "skipped", "skipped"}, statuses(t, got))
	assert.Equal(t, outcomeFailed, got.Safety.Outcome)
}

func TestABatchEndsWithADoubtWhateverItIsTold(t *testing.T) {
	r := newRig(t)
	r.link.answer = loses(protocol.BridgeDisconnected, true)
	batch := also(also(list("get_node", readNode, "create_node", makeNode, "create_node", makeNode), "stop_on_error", "false"),
		"idempotency_key", `"k"`)
	got := r.call("run_commands", batch)
	assert.Equal(t, []string{"success", "failed", "skipped"}, statuses(t, got))
	assert.True(t, got.Safety.MayHaveApplied)
	assert.Equal(t, outcomeUnknown, got.Safety.Outcome)
	r.link.answer = nil
	r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
	r.link.forget()
	assert.Equal(t, []string{"success", "success", "success"}, statuses(t, r.call("run_commands", batch)), "sent again")
	frames := r.link.sent()
	assert.Equal(t, []string{"", "k#1", "k#2"}, []string{frames[0].IdempotencyKey, frames[1].IdempotencyKey, frames[2].IdempotencyKey})
	assert.NotEmpty(t, frames[1].Digest)
	assert.True(t, r.call("create_node", makeNode).OK, "the doubt is settled")
}

func TestABatchSentAgainIsNoRepetitionWhenPartOfItMayHaveBeenDoneNow(t *testing.T) {
	for name, lost := range map[string]bool{"all of it was done before": false, "the second call may be done now": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			writes := 0
			r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
				if q.Phase == protocol.PhaseApply {
					if writes++; writes == 2 && lost {
						return loses(protocol.BridgeDisconnected, true)(q)
					}
				}
				out := good(q)
				if q.Phase == protocol.PhaseApply {
					out.Result.Done.Deduplicated = true
				}
				return out, nil
			}
			got := r.call("run_commands", also(list("create_node", makeNode, "create_node", makeNode), "idempotency_key", `"k"`))
			assert.Equal(t, lost, got.Safety.MayHaveApplied, got.text)
			assert.Equal(t, !lost, got.Data["deduplicated"] == true, got.text)
			hint, _ := got.Data["hint"].(string)
			assert.Equal(t, !lost, strings.Contains(hint, "nothing was done now"), hint)
		})
	}
}

func TestADryRunOfABatchForetellsWhatItCan(t *testing.T) {
	r := newRig(t)
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		require.NotEqual(t, protocol.PhaseApply, q.Phase)
		var params struct {
			Node string `json:"node_path"`
		}
		require.NoError(t, json.Unmarshal(q.Params, &params))
		if params.Node != "" {
			return &protocol.Response{Error: protocol.Fail(protocol.ResourceNotFound, "none").With("node_path", params.Node)}, nil
		}
		return good(q), nil // it would make A
	}
	set := func(path string) string { return `{"node_path":"` + path + `","property":"a","value":1}` }
	batch := list("create_node", makeNode, "set_node_property", set("A"), "set_node_property", set("A/B"),
		"set_node_property", set("AB"), "delete_node", `{"node_path":"A"}`)
	arguments := also(batch, "stop_on_error", "false")
	for _, got := range []reply{
		r.call("run_commands", also(arguments, "dry_run", "true")),
		r.call("preview_tool", `{"tool":"run_commands","arguments":`+arguments+`}`),
	} {
		assert.Equal(t, []string{"success", "skipped", "skipped", "failed", "skipped"}, statuses(t, got))
		results := got.Data["results"].([]any)
		for _, i := range []int{1, 2, 4} {
			assert.Equal(t, 0.0, results[i].(map[string]any)["depends_on_entry"])
		}
		assert.Equal(t, outcomeSimulated, got.Safety.Outcome)
		assert.False(t, got.Safety.Executed)
	}
	got := r.call("run_commands", also(list("open_scene", `{"scene_path":"res://b.tscn"}`, "create_node", makeNode), "dry_run", "true"))
	assert.Equal(t, []string{"success", "skipped"}, statuses(t, got), "the scene is another one by then")
}

func TestABatchHoldsTheProjectForItsWholeLength(t *testing.T) {
	r := newRig(t)
	var mu sync.Mutex
	var order []string
	entered, release := make(chan struct{}, 1), make(chan struct{})
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		if q.Phase == protocol.PhaseApply {
			mu.Lock()
			order = append(order, q.Command)
			mu.Unlock()
			if q.Command == "undo" {
				entered <- struct{}{}
				<-release
			}
		}
		return good(q), nil
	}
	var all sync.WaitGroup
	all.Go(func() {
		r.gate.Call(context.Background(), r.client, "run_commands", json.RawMessage(list("undo", `{}`, "redo", `{}`)))
	})
	<-entered
	all.Go(func() { r.gate.Call(context.Background(), r.client, "create_node", json.RawMessage(makeNode)) })
	close(release)
	all.Wait()
	assert.Equal(t, []string{"undo", "redo", "create_node"}, order)
}

func TestAFaultInOneCallEndsTheBatchAndNothingElse(t *testing.T) {
	r := newRig(t)
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		if q.Command == "undo" {
			panic("boom")
		}
		return good(q), nil
	}
	got := r.call("run_commands", list("create_node", makeNode, "undo", `{}`, "redo", `{}`))
	assert.Equal(t, []string{"success", "failed", "skipped"}, statuses(t, got))
	assert.True(t, got.Safety.MayHaveApplied)
	assert.NotContains(t, got.text, "boom")
	r.refused(protocol.ProjectQuarantined, "create_node", makeNode)
	require.True(t, r.call("get_node", readNode).OK)
	assert.True(t, r.call("create_node", makeNode).OK)
}

func TestALongBatchStillTellsWhatEachCallDid(t *testing.T) {
	r := newRig(t)
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		out := good(q)
		out.Result.Data = json.RawMessage(`{"path":"A","text":"` + strings.Repeat("x", 50_000) + `"}`)
		return out, nil
	}
	var calls []string
	for range 20 {
		calls = append(calls, "create_node", makeNode)
	}
	got := r.call("run_commands", list(calls...))
	assert.Len(t, statuses(t, got), 20)
	assert.NotEmpty(t, got.Data["truncated"])
	for _, one := range got.Data["results"].([]any) {
		assert.Equal(t, true, one.(map[string]any)["data"].(map[string]any)["undoable"])
	}
}

// TestNoBatchGetsMoreThanItsCallsWouldAlone draws batches of good and bad calls: it is refused as a whole exactly when
// one of its calls would be refused before a word goes to the editor.
func TestNoBatchGetsMoreThanItsCallsWouldAlone(t *testing.T) {
	pool := []string{
		"create_node", makeNode, "get_node", readNode, "undo", `{}`, "delete_node", `{"node_path":"A","confirm":true}`,
		"delete_node", `{"node_path":"A"}`, "save_scene", `{}`, "open_scene", `{"scene_path":"res://../a.tscn"}`,
		"open_scene", `{"scene_path":"res://a.tscn"}`, "create_node", `{"odd":1}`, "set_node_property", `{"node_path":"."}`,
		"save_scene", `{"scene_path":"res://.godot/a.tscn","confirm":true}`, "no_such_tool", `{}`,
	}
	r := newRig(t)
	draw := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var calls []string
		bad := -1
		for i := range 1 + draw.IntN(6) {
			at := 2 * draw.IntN(len(pool)/2)
			calls = append(calls, pool[at], pool[at+1])
			r.link.forget()
			if got := r.call(pool[at], pool[at+1]); !got.OK && bad < 0 {
				require.Empty(t, r.link.sent())
				bad = i
			}
		}
		r.link.forget()
		got := r.call("run_commands", list(calls...))
		require.Equal(t, bad < 0, got.OK, "%v: %s", calls, got.text)
		if bad >= 0 {
			require.Empty(t, r.link.sent())
			// What is read strictly is read of all calls before anything else is asked.
			require.LessOrEqual(t, float64(bad), got.Error.Details["entry"])
		}
	}
}
