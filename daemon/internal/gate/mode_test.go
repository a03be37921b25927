package gate

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// inMode makes a rig of which the operator's mode is given. What a tool needs to have been kept was kept before.
func inMode(t *testing.T, all *catalog.Catalog, mode safety.Mode, tools ...*tool.Tool) *rig {
	r := rigOf(t, all)
	for _, tl := range tools {
		r.keepFor(tl)
	}
	r.gate.opts.Mode, r.gate.places[0].Policy.Mode = mode, mode
	return r
}

// ways are the ways in which a client can reach a tool with some arguments: by name, through its carrier, in a batch.
func ways(r *rig, tl *tool.Tool, arguments string) map[string][2]string {
	inner := `{"tool":"` + tl.Name() + `","arguments":` + arguments + `}`
	out := map[string][2]string{"by name": {tl.Name(), arguments}}
	for _, carrier := range r.tools.All() {
		switch {
		case carrier.Batches() && tl.InEditor() && !tl.Settles() && slices.Contains(carrier.Calls(), tl.Class()):
			out["in a batch"] = [2]string{carrier.Name(), `{"commands":[` + inner + `]}`}
			out["in a previewed batch"] = [2]string{"preview_tool", `{"tool":"run_commands","arguments":{"commands":[` + inner + `]}}`}
		case carrier.Carries() && !carrier.Previews() && !carrier.Batches() && !tl.Carries():
			if slices.Contains(carrier.Calls(), tl.Class()) {
				out["through "+carrier.Name()] = [2]string{carrier.Name(), inner}
			}
		}
	}
	return out
}

// noApply sees that nothing that changes anything reached the wire.
func (r *rig) noApply(what string) {
	r.t.Helper()
	for _, f := range r.link.sent() {
		require.NotEqual(r.t, protocol.PhaseApply, f.Phase, "%s sent %s", what, f.Command)
	}
}

// writing lists the tools that have an effect.
func writing(all *catalog.Catalog) []*tool.Tool {
	var out []*tool.Tool
	for _, tl := range all.All() {
		if tl.Writes() && !tl.Carries() {
			out = append(out, tl)
		}
	}
	return out
}

func TestInReadOnlyModeNoToolChangesAnythingHoweverItIsReached(t *testing.T) {
	all := newRig(t).tools
	for _, tl := range writing(all) {
		t.Run(tl.Name(), func(t *testing.T) {
			r := inMode(t, all, safety.ModeReadOnly, tl)
			for way, call := range ways(r, tl, tl.Example().Arguments) {
				failure := r.refused(protocol.ReadOnlyMode, call[0], call[1])
				assert.EqualValues(t, "read_only", failure.Details["mode"], way)
			}
			if !tl.Demands().DryRun {
				return
			}
			r.refused(protocol.ReadOnlyMode, "preview_tool", `{"tool":"`+tl.Name()+`","arguments":`+tl.Example().Arguments+`}`)
		})
	}
	r := inMode(t, all, safety.ModeReadOnly)
	for _, tl := range r.gate.Tools() {
		assert.Equal(t, safety.ReadOnly, tl.Class(), "%s is shown", tl.Name())
	}
	require.True(t, r.call("get_node", readNode).OK)
}

func TestInTheModesThatOnlySimulateEveryChangeEndsAsItsDryRun(t *testing.T) {
	all := newRig(t).tools
	for _, mode := range []safety.Mode{safety.ModeSuggest, safety.ModeDryRun} {
		for _, tl := range writing(all) {
			t.Run(string(mode)+"/"+tl.Name(), func(t *testing.T) {
				r := inMode(t, all, mode, tl)
				if !tl.Demands().DryRun {
					r.refused(protocol.ModeForbids, tl.Name(), tl.Example().Arguments)
					return
				}
				for way, call := range ways(r, tl, with(t, tl, map[string]any{"confirm": nil})) {
					r.link.forget()
					got := r.call(call[0], call[1])
					require.True(t, got.OK, "%s: %s", way, got.text)
					r.noApply(way)
					assert.False(t, got.Safety.Executed, way)
					assert.Equal(t, outcomeSimulated, got.Safety.Outcome, way)
					assert.Equal(t, mode, got.Safety.Mode, way)
					assert.Empty(t, got.Safety.Token, "%s gave a token", way)
				}
				if mode == safety.ModeSuggest && tl.Demands().Confirm > 0 {
					for way, call := range ways(r, tl, with(t, tl, map[string]any{"confirm": true})) {
						r.link.forget()
						got := r.call(call[0], call[1])
						require.False(t, got.OK, way)
						assert.Equal(t, protocol.ModeForbids, got.Error.Code, way)
						r.noApply(way)
					}
				}
			})
		}
	}
}

func TestAToolsetThatIsOffIsOffHoweverItIsReached(t *testing.T) {
	for _, tl := range newRig(t).tools.All() {
		if tl.Carries() || tl.Toolset() == "core" {
			continue
		}
		t.Run(tl.Name(), func(t *testing.T) {
			r := newRig(t, func(o *Options) {
				o.Off = []string{tl.Toolset()}
				o.Projects[0].Policy.Off = o.Off
			})
			for way, call := range ways(r, tl, tl.Example().Arguments) {
				failure := r.refused(protocol.ToolsetDisabled, call[0], call[1])
				assert.Equal(t, tl.Toolset(), failure.Details["toolset"], way)
			}
			for _, shown := range r.gate.Tools() {
				assert.NotEqual(t, tl.Toolset(), shown.Toolset())
			}
		})
	}
}

func TestNoArgumentAndNoClientChangesTheMode(t *testing.T) {
	all := newRig(t).tools
	r := inMode(t, all, safety.ModeReadOnly)
	for _, extra := range []string{`"mode":"execute"`, `"read_only":false`, `"GODOT_MCP_MODE":"execute"`, `"_meta":{"mode":"execute"}`} {
		r.refused(protocol.ValidationError, "create_node", `{"node_type":"Node",`+extra+`}`)
	}
	r.refused(protocol.ReadOnlyMode, "create_node", makeNode)
	info := r.call("get_server_info", `{}`)
	policy, err := json.Marshal(info.Data["policy"])
	require.NoError(t, err)
	assert.Contains(t, string(policy), `"mode":"read_only"`)
}

func TestTooManyCallsAreRefused(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Rate = 2 })
	codes := map[bool]int{}
	for range 20 {
		got := r.call("get_node", readNode)
		codes[got.OK]++
		if !got.OK {
			assert.Equal(t, protocol.RateLimited, got.Error.Code)
		}
	}
	assert.GreaterOrEqual(t, codes[true], 4, "twice the rate at once")
	assert.Positive(t, codes[false])
}
