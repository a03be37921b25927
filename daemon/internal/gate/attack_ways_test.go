package gate

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// detour is a way in which a client tries to get a change past what it needs: another spelling of a tool's name, a call
// inside of a call, a word beside its place.
type detour struct {
	name, arguments string
	code            protocol.Code
}

// detours all aim at delete_node, which needs confirm, without giving it.
func detours() map[string]detour {
	const bad, lacks = protocol.ValidationError, protocol.PreconditionFailed
	inner := `{"tool":"delete_node","arguments":{"node_path":"A"}}`
	return map[string]detour{
		// Confirmed in every way but the one.
		"confirm as a text":        {"delete_node", `{"node_path":"A","confirm":"true"}`, bad},
		"confirm as a word":        {"delete_node", `{"node_path":"A","confirm":"yes"}`, bad},
		"confirm as a number":      {"delete_node", `{"node_path":"A","confirm":1}`, bad},
		"confirm as a list":        {"delete_node", `{"node_path":"A","confirm":[true]}`, bad},
		"confirm as an object":     {"delete_node", `{"node_path":"A","confirm":{"value":true}}`, bad},
		"confirm as null":          {"delete_node", `{"node_path":"A","confirm":null}`, bad},
		"confirm empty":            {"delete_node", `{"node_path":"A","confirm":""}`, bad},
		"confirm false":            {"delete_node", `{"node_path":"A","confirm":false}`, lacks},
		"confirm in capitals":      {"delete_node", `{"node_path":"A","Confirm":true}`, bad},
		"confirm with a blank":     {"delete_node", `{"node_path":"A","confirm ":true}`, bad},
		"confirm, look-alike":      {"delete_node", `{"node_path":"A","c` + "\u043e" + `nfirm":true}`, bad},
		"confirmed":                {"delete_node", `{"node_path":"A","confirmed":true}`, bad},
		"confirm twice":            {"delete_node", `{"node_path":"A","confirm":false,"confirm":true}`, bad},
		"confirm twice, escaped":   {"delete_node", `{"node_path":"A","confirm":false,"\u0063onfirm":true}`, bad},
		"confirm in the node path": {"delete_node", `{"node_path":"A?confirm=true"}`, lacks},
		"confirm in the scene":     {"delete_node", `{"node_path":"A","scene":"confirm:true"}`, lacks},
		"confirm in a nested one":  {"delete_node", `{"node_path":{"path":"A","confirm":true}}`, bad},
		"arguments in arguments":   {"delete_node", `{"arguments":{"node_path":"A","confirm":true}}`, bad},
		"arguments as a text":      {"delete_node", `"{\"node_path\":\"A\",\"confirm\":true}"`, bad},
		"arguments in a list":      {"delete_node", `[{"node_path":"A","confirm":true}]`, bad},
		"two arguments":            {"delete_node", `{"node_path":"A"}{"node_path":"A","confirm":true}`, bad},
		"arguments behind a BOM":   {"delete_node", "\ufeff" + `{"node_path":"A","confirm":true}`, bad},
		"a frame's own words":      {"delete_node", `{"node_path":"A","phase":"apply"}`, bad},
		"effects of its own":       {"delete_node", `{"node_path":"A","effects":[]}`, bad},
		"a class of its own":       {"delete_node", `{"node_path":"A","class":"read_only"}`, bad},
		"a yes of its own":         {"delete_node", `{"node_path":"A","approve":true}`, bad},
		"an answer of its own":     {"delete_node", `{"node_path":"A","inputResponses":{"x":{"action":"accept"}}}`, bad},
		"meta among the arguments": {"delete_node", `{"node_path":"A","_meta":{"confirm":true}}`, bad},
		"a client of its own":      {"delete_node", `{"node_path":"A","client":"admin"}`, bad},
		"dry run as a text":        {"delete_node", `{"node_path":"A","dry_run":"false","confirm":false}`, bad},
		"a time without an end":    {"delete_node", `{"node_path":"A","timeout_seconds":1000000000}`, bad},
		"a time before the start":  {"delete_node", `{"node_path":"A","timeout_seconds":-1}`, bad},
		"a time with a fraction":   {"delete_node", `{"node_path":"A","timeout_seconds":1.5}`, bad},
		"a time with an exponent":  {"delete_node", `{"node_path":"A","timeout_seconds":1e9}`, bad},
		"a path with a property":   {"delete_node", `{"node_path":"A:script","confirm":true}`, bad},
		"a path with a NUL":        {"delete_node", `{"node_path":"A\u0000B","confirm":true}`, bad},
		"half a character":         {"delete_node", `{"node_path":"\ud800","confirm":true}`, bad},
		"a scene outside":          {"delete_node", `{"node_path":"A","confirm":true,"scene":"res://../x.tscn"}`, protocol.PathOutsideProject},

		// Under another name.
		"in capitals":            {"Delete_node", deleteA, bad},
		"with a blank":           {"delete_node ", deleteA, bad},
		"with a NUL":             {"delete_node\x00", deleteA, bad},
		"with a dash":            {"delete-node", deleteA, bad},
		"with a look-alike":      {"delete_n\u043ede", deleteA, bad},
		"as a command":           {"cmd_delete_node", deleteA, bad},
		"as a path":              {"tools/delete_node", deleteA, bad},
		"under the server":       {"drawbridge.delete_node", deleteA, bad},
		"with a line break":      {"delete_node\n", deleteA, bad},
		"no name":                {"", deleteA, bad},
		"the wire's own command": {"apply", `{"command":"delete_node"}`, bad},
		"the ledger's command":   {"outcome", `{}`, bad},

		// Inside of another call.
		"carried":                        {"call_tool", inner, lacks},
		"carried, confirmed outside":     {"call_tool", `{"tool":"delete_node","arguments":{"node_path":"A"},"confirm":true}`, bad},
		"carried under a read":           {"call_read_tool", inner, bad},
		"carried under an edit":          {"call_edit_tool", inner, bad},
		"carried twice":                  {"call_tool", `{"tool":"call_tool","arguments":` + inner + `}`, bad},
		"carried by a read, by a write":  {"call_read_tool", `{"tool":"call_tool","arguments":` + inner + `}`, bad},
		"previewed, carried":             {"preview_tool", `{"tool":"call_tool","arguments":` + inner + `}`, bad},
		"previewed, previewed":           {"preview_tool", `{"tool":"preview_tool","arguments":` + inner + `}`, bad},
		"carried as a text":              {"call_tool", `{"tool":"delete_node","arguments":"{\"node_path\":\"A\"}"}`, bad},
		"carried with two names":         {"call_tool", `{"tool":"get_node","tool":"delete_node","arguments":{"node_path":"A","confirm":true}}`, bad},
		"carried with two arguments":     {"call_tool", `{"tool":"delete_node","arguments":{"node_path":"A"},"arguments":{"node_path":"A","confirm":true}}`, bad},
		"carried with a name in a list":  {"call_tool", `{"tool":["delete_node"],"arguments":{"node_path":"A","confirm":true}}`, bad},
		"carried, doubled inside":        {"call_tool", `{"tool":"delete_node","arguments":{"node_path":"A","confirm":false,"confirm":true}}`, bad},
		"carried, doubled by an escape":  {"call_tool", `{"tool":"delete_node","arguments":{"node_path":"A","confirm":false,"confir\u006d":true}}`, bad},
		"carried by a name in capitals":  {"call_tool", `{"tool":"DELETE_NODE","arguments":{"node_path":"A","confirm":true}}`, bad},
		"in a batch":                     {"run_commands", `{"commands":[` + inner + `]}`, lacks},
		"in a batch, confirmed outside":  {"run_commands", `{"commands":[` + inner + `],"confirm":true}`, bad},
		"in a batch, confirmed beside":   {"run_commands", `{"commands":[{"tool":"delete_node","arguments":{"node_path":"A"},"confirm":true}]}`, bad},
		"in a batch behind a dry run":    {"run_commands", list("create_node", also(makeNode, "dry_run", "true"), "delete_node", `{"node_path":"A"}`), bad},
		"in a batch as a text":           {"run_commands", `{"commands":"[` + strings.ReplaceAll(inner, `"`, `\"`) + `]"}`, bad},
		"in a batch in a batch":          {"run_commands", `{"commands":[{"tool":"run_commands","arguments":{"commands":[` + inner + `]}}]}`, bad},
		"in a batch in a carrier":        {"call_tool", `{"tool":"run_commands","arguments":{"commands":[` + inner + `]}}`, bad},
		"in a carrier in a batch":        {"run_commands", `{"commands":[{"tool":"call_tool","arguments":` + inner + `}]}`, bad},
		"in an atomic batch":             {"run_commands", `{"commands":[` + inner + `],"atomic":true}`, lacks},
		"in a batch with two lists":      {"run_commands", `{"commands":[],"commands":[` + inner + `]}`, bad},
		"in a batch, doubled inside":     {"run_commands", list("delete_node", `{"node_path":"A","confirm":false,"confirm":true}`), bad},
		"in a batch with another method": {"run_commands", `{"commands":[{"method":"delete_node","params":{"node_path":"A"}}]}`, bad},
		"in a batch with a class":        {"run_commands", `{"commands":[{"tool":"delete_node","class":"read_only","arguments":{"node_path":"A"}}]}`, bad},
	}
}

func TestNoDetourGetsAChangePastWhatItNeeds(t *testing.T) {
	all := newRig(t).tools
	r := rigOf(t, all)
	for name, d := range detours() {
		t.Run(name, func(t *testing.T) {
			r.t = t
			r.refused(d.code, d.name, d.arguments)
			e := r.last()
			assert.Equal(t, outcomeDenied, e.Outcome, "and it is written down")
			assert.EqualValues(t, d.code, e.Code)
		})
	}
	assert.Empty(t, r.written.intents, "nobody meant to do any of it")
}

// The same in the strictest of settings: what a detour finds there is a refusal too, whichever comes first.
func TestNoDetourIsShorterInAStricterSetting(t *testing.T) {
	all := newRig(t).tools
	rigs := map[string]*rig{
		"read only": inMode(t, all, "read_only"), "suggest": inMode(t, all, "suggest"), "dry run": inMode(t, all, "dry_run"),
		"guarded": guardedRig(t, all), "overseen": overseen(t, all, &human{}),
	}
	for name, d := range detours() {
		for setting, r := range rigs {
			r.t = t
			r.link.forget()
			got := r.call(d.name, d.arguments)
			r.noApply(name + " in " + setting)
			if got.OK { // in a mode that only simulates, what lacks nothing but a confirm is shown
				assert.Contains(t, []string{"suggest", "dry run"}, setting, name)
				assert.Equal(t, protocol.PreconditionFailed, d.code, name)
				assert.False(t, got.Safety.Executed, name)
			}
		}
	}
}

// misplaced are ways to give a good token that are not the way. None of them runs the call.
func misplaced() map[string]func(token string) (name, arguments string) {
	call := func(name, before, after string) func(string) (string, string) {
		return func(token string) (string, string) { return name, before + token + after }
	}
	return map[string]func(token string) (name, arguments string){
		"as the key":              call("delete_node", `{"node_path":"A","confirm":true,"idempotency_key":"`, `"}`),
		"as confirm":              call("delete_node", `{"node_path":"A","confirm":"`, `"}`),
		"as the scene":            call("delete_node", `{"node_path":"A","confirm":true,"scene":"`, `"}`),
		"as the node":             call("delete_node", `{"confirm":true,"node_path":"`, `"}`),
		"under another name":      call("delete_node", `{"node_path":"A","confirm":true,"token":"`, `"}`),
		"in capitals":             call("delete_node", `{"node_path":"A","confirm":true,"CONFIRM_TOKEN":"`, `"}`),
		"in a list":               call("delete_node", `{"node_path":"A","confirm":true,"confirm_token":["`, `"]}`),
		"in an object":            call("delete_node", `{"node_path":"A","confirm":true,"confirm_token":{"id":"`, `"}}`),
		"twice":                   call("delete_node", `{"node_path":"A","confirm":true,"confirm_token":"","confirm_token":"`, `"}`),
		"behind a blank":          call("delete_node", `{"node_path":"A","confirm":true,"confirm_token":" `, `"}`),
		"before a line break":     call("delete_node", `{"node_path":"A","confirm":true,"confirm_token":"`, `\n"}`),
		"before a NUL":            call("delete_node", `{"node_path":"A","confirm":true,"confirm_token":"`, `\u0000"}`),
		"before itself":           call("delete_node", `{"node_path":"A","confirm":true,"confirm_token":"`, `,x"}`),
		"as a bearer":             call("delete_node", `{"node_path":"A","confirm":true,"confirm_token":"Bearer `, `"}`),
		"without confirm":         call("delete_node", `{"node_path":"A","confirm_token":"`, `"}`),
		"with confirm false":      call("delete_node", `{"node_path":"A","confirm":false,"confirm_token":"`, `"}`),
		"on a dry run":            call("delete_node", `{"node_path":"A","dry_run":true,"confirm_token":"`, `"}`),
		"on a dry run, confirmed": call("delete_node", `{"node_path":"A","confirm":true,"dry_run":true,"confirm_token":"`, `"}`),
		"for the parent":          call("delete_node", `{"node_path":".","confirm":true,"confirm_token":"`, `"}`),
		"for a child":             call("delete_node", `{"node_path":"A/B","confirm":true,"confirm_token":"`, `"}`),
		"for another case":        call("delete_node", `{"node_path":"a","confirm":true,"confirm_token":"`, `"}`),
		"for a scene named":       call("delete_node", `{"node_path":"A","confirm":true,"scene":"res://b.tscn","confirm_token":"`, `"}`),
		"for another tool":        call("detach_script", `{"node_path":"A","confirm":true,"confirm_token":"`, `"}`),
		"for a reading tool":      call("get_node", `{"node_path":"A","confirm_token":"`, `"}`),
		"for a preview":           call("preview_tool", `{"tool":"delete_node","arguments":{"node_path":"A","confirm":true,"confirm_token":"`, `"}}`),
		"beside a carried call":   call("call_tool", `{"tool":"delete_node","arguments":{"node_path":"A","confirm":true},"confirm_token":"`, `"}`),
		"in a batch's entry":      call("run_commands", `{"commands":[{"tool":"delete_node","arguments":{"node_path":"A","confirm":true,"confirm_token":"`, `"}}]}`),
		"beside a batch":          call("run_commands", `{"commands":[{"tool":"delete_node","arguments":{"node_path":"A","confirm":true}}],"confirm_token":"`, `"}`),
	}
}

func TestATokenIsGoodInItsPlaceOnly(t *testing.T) {
	all := newRig(t).tools
	for name, way := range misplaced() {
		t.Run(name, func(t *testing.T) {
			r := guardedRig(t, all)
			token := r.token("delete_node", deleteA)
			r.link.forget()
			tool, arguments := way(token)
			got := r.call(tool, arguments)
			assert.False(t, got.OK && got.Safety.Executed && tool != "get_node", got.text)
			assert.False(t, got.OK, got.text)
			r.noApply(name)
			written, err := json.Marshal([]any{r.written.intents, r.written.outcomes})
			require.NoError(t, err)
			if name != "as the key" && name != "as the node" { // a client's own words about its call are written down
				assert.NotContains(t, string(written), token)
			}
		})
	}
	r := guardedRig(t, all)
	token := r.token("delete_node", deleteA)
	carried := `{"tool":"delete_node","arguments":` + withToken(deleteA, token) + `}`
	require.True(t, r.call("call_tool", carried).OK, "the carrier of its call is a way to give it")
}

// A guess is never right, and a client that guesses gains nothing by what it learns.
func TestTokensCannotBeGuessed(t *testing.T) {
	r := guardedRig(t, newRig(t).tools)
	token := r.token("delete_node", deleteA)
	near := []string{
		token[:len(token)-1], token + "A", strings.ToLower(token), strings.Repeat("A", len(token)), "0", "null", "true",
		"undefined", "*", "%", "' OR 1=1 --", "../" + token, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	}
	for i := range len(token) {
		other := "A"
		if token[i] == 'A' {
			other = "B"
		}
		near = append(near, token[:i]+other+token[i+1:])
	}
	for _, guess := range near {
		r.link.forget()
		got := r.call("delete_node", withToken(deleteA, guess))
		require.False(t, got.OK, guess)
		require.Equal(t, protocol.ConfirmTokenInvalid, got.Error.Code, guess)
		r.noApply(guess)
	}
	require.True(t, r.call("delete_node", withToken(deleteA, token)).OK, "and the true one is still good")
}

// A hidden tool that is called by its name is no more allowed than a listed one, and a call that ends before it began
// leaves nothing.
func TestACallThatIsGoneSendsNothing(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tl := range writing(r.tools) {
		r.link.forget()
		r.keepFor(tl)
		got := r.read(r.gate.Call(ctx, r.client, tl.Name(), json.RawMessage(tl.Example().Arguments)))
		assert.False(t, got.Safety.Executed && tl.InEditor(), tl.Name())
		r.noApply(tl.Name())
	}
}

// No tool takes a program, its arguments or its environment, a script to run beside the editor, or a setting of ours: who
// may say these is the operator alone.
func TestNoToolTakesAProgramOrASettingOfOurs(t *testing.T) {
	operators := []string{
		"godot", "binary", "executable", "program", "command_line", "argv", "args", "env", "shell", "cwd", "script_args", "port", "host",
		"mode", "profile", "policy", "read_only", "approval", "webhook", "secret", "rate", "ttl", "audit", "allowed", "fail_open",
	}
	for _, tl := range newRig(t).tools.All() {
		for _, p := range tl.Params() {
			for _, word := range operators {
				assert.False(t, p.Name == word || strings.HasPrefix(p.Name, word+"_") || strings.HasSuffix(p.Name, "_"+word),
					"%s takes %s", tl.Name(), p.Name)
			}
		}
	}
}
