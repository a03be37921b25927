package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// each runs f for every tool of the catalog, on a rig of its own.
func each(t *testing.T, f func(t *testing.T, r *rig, tl *tool.Tool)) {
	tools := newRig(t).tools
	for _, tl := range tools.All() {
		t.Run(tl.Name(), func(t *testing.T) {
			r := rigOf(t, tools)
			r.keepFor(tl)
			f(t, r, tl)
		})
	}
}

func TestEveryExampleIsAccepted(t *testing.T) {
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		got := r.call(tl.Name(), tl.Example().Arguments)
		require.True(t, got.OK, got.text)
	})
}

func TestEveryToolRefusesUnknownAndDuplicateAndMissingArguments(t *testing.T) {
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		failure := r.refused(protocol.ValidationError, tl.Name(), with(t, tl, map[string]any{"surplus": 1}))
		assert.Equal(t, []any{"surplus"}, failure.Details["unknown"])
		example := tl.Example().Arguments
		r.refused(protocol.ValidationError, tl.Name(), strings.Replace(example, "{", `{"a":1,"a":2,`, 1))
		r.refused(protocol.ValidationError, tl.Name(), `[]`)
		r.refused(protocol.ValidationError, tl.Name(), `{`)
		for _, p := range tl.Params() {
			if p.Required {
				r.refused(protocol.ValidationError, tl.Name(), with(t, tl, map[string]any{p.Name: nil}))
			}
		}
	})
}

func TestEveryToolRefusesWrongTypes(t *testing.T) {
	bad := map[string]any{"integer": "1", "boolean": "true", "array": "a", "object": "a", "string": 1}
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		var schema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		}
		require.NoError(t, json.Unmarshal(tl.Schema(), &schema))
		for name, p := range schema.Properties {
			if p.Type != "" {
				r.refused(protocol.ValidationError, tl.Name(), with(t, tl, map[string]any{name: bad[p.Type]}))
			}
		}
	})
}

func TestEveryPathOfEveryToolIsContained(t *testing.T) {
	hostile := map[string]protocol.Code{
		"res://../x.tscn": protocol.PathOutsideProject, "res://a/../../x.tscn": protocol.PathOutsideProject,
		`res://..\x.tscn`: protocol.PathOutsideProject, "/etc/passwd": protocol.InvalidPath,
		"user://x.tscn": protocol.InvalidPath, "res://a\x00.tscn": protocol.InvalidPath,
		"res://a\nb.tscn": protocol.InvalidPath, "C:/x.tscn": protocol.InvalidPath, "x.tscn": protocol.InvalidPath,
	}
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		for _, p := range tl.Params() {
			if p.Kind != tool.ResPath && p.Kind != tool.ScenePath {
				continue
			}
			for path, code := range hostile {
				r.refused(code, tl.Name(), with(t, tl, map[string]any{p.Name: path}))
			}
			if tl.WritesFiles() && !p.ReadsOnly {
				for _, path := range []string{"res://.git/x.tscn", "res://.godot/x.tscn", "res://addons/drawbridge/x.tscn"} {
					r.refused(protocol.ProtectedTarget, tl.Name(), with(t, tl, map[string]any{p.Name: path}))
				}
			}
		}
	})
}

func TestNoDestructiveToolRunsUnconfirmed(t *testing.T) {
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		if tl.Demands().Confirm != safety.ConfirmDemanded || tl.Carries() {
			return
		}
		for _, confirm := range []any{nil, false} {
			arguments := with(t, tl, map[string]any{"confirm": confirm})
			failure := r.refused(protocol.PreconditionFailed, tl.Name(), arguments)
			assert.Equal(t, "confirm", failure.Required)
			assert.Equal(t,
				"PRECONDITION_FAILED: This call discards "+tl.Discards()+". Set confirm=true to proceed. [required=confirm]",
				failure.Error())
			// Through the carrier the same is asked.
			r.refused(protocol.PreconditionFailed, "call_tool", `{"tool":"`+tl.Name()+`","arguments":`+arguments+`}`)
		}
	})
}

func TestADryRunNeverApplies(t *testing.T) {
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		if !tl.Demands().DryRun || !tl.InEditor() {
			return
		}
		for _, got := range []reply{
			r.call(tl.Name(), with(t, tl, map[string]any{"dry_run": true, "confirm": nil})),
			r.call("preview_tool", `{"tool":"`+tl.Name()+`","arguments":`+with(t, tl, map[string]any{"confirm": nil})+`}`),
		} {
			require.True(t, got.OK, got.text)
			assert.False(t, got.Safety.Executed)
			assert.True(t, got.Safety.DryRun)
			assert.Equal(t, outcomeSimulated, got.Safety.Outcome)
			assert.Equal(t, tl.Class(), got.Safety.Class)
			assert.Equal(t, []any{"A"}, got.Data["targets"])
		}
		frames := r.link.sent()
		require.Len(t, frames, 2)
		for _, f := range frames {
			assert.Equal(t, protocol.PhasePlan, f.Phase)
			assert.False(t, f.Confirmed)
		}
	})
}

func TestAReadIsOneQueryAndAPlainWriteOneApply(t *testing.T) {
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		got := r.call(tl.Name(), tl.Example().Arguments)
		require.True(t, got.OK, got.text)
		frames := r.link.sent()
		switch {
		case tl.Carries():
		case tl.Recovery() == tool.MakesCheckpoint: // it asks how far the undo history is
			require.Len(t, frames, 1)
			assert.Equal(t, protocol.PhaseQuery, frames[0].Phase)
		case !tl.InEditor():
			assert.Empty(t, frames)
		case !tl.Writes():
			require.Len(t, frames, 1)
			assert.Equal(t, protocol.PhaseQuery, frames[0].Phase)
			assert.Equal(t, outcomeRead, got.Safety.Outcome)
		case tl.WritesFiles():
			require.Len(t, frames, 2)
			assert.Equal(t, protocol.PhasePlan, frames[0].Phase)
			assert.Equal(t, protocol.PhaseApply, frames[1].Phase)
		default:
			require.Len(t, frames, 1)
			assert.Equal(t, protocol.PhaseApply, frames[0].Phase)
			assert.Equal(t, safety.Names(tl.Effects()), frames[0].Effects)
			assert.Equal(t, tl.Demands().Confirm == safety.ConfirmDemanded, frames[0].Confirmed)
			assert.Equal(t, outcomeApplied, got.Safety.Outcome)
		}
	})
}

func TestACommandThatTheAddonLacksIsRefused(t *testing.T) {
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		if !tl.InEditor() || tl.Settles() {
			return
		}
		r.link.editor.Hello.Commands = []string{"another"}
		r.refused(protocol.AddonVersionMismatch, tl.Name(), tl.Example().Arguments)
	})
}

func TestWithoutAProjectEveryEditorToolSaysSo(t *testing.T) {
	each(t, func(t *testing.T, with *rig, tl *tool.Tool) {
		r := rigOf(t, with.tools, func(o *Options) { o.Projects = nil })
		if tl.InEditor() {
			assert.Equal(t, "project", r.refused(protocol.PreconditionFailed, tl.Name(), tl.Example().Arguments).Required)
		}
	})
}

func TestEachCarrierCallsItsClassesAndNoOthers(t *testing.T) {
	r := newRig(t)
	for _, carrier := range r.tools.All() {
		if !carrier.Carries() || carrier.Previews() || carrier.Batches() {
			continue
		}
		for _, inner := range r.tools.All() {
			arguments := `{"tool":"` + inner.Name() + `","arguments":` + inner.Example().Arguments + `}`
			fits := false
			for _, class := range carrier.Calls() {
				fits = fits || class == inner.Class()
			}
			if inner.Carries() || !fits {
				r.refused(protocol.ValidationError, carrier.Name(), arguments)
				continue
			}
			r = rigOf(t, r.tools)
			r.keepFor(inner)
			got := r.call(carrier.Name(), arguments)
			carried := r.link.sent()
			r = rigOf(t, r.tools)
			r.keepFor(inner)
			require.True(t, r.call(inner.Name(), inner.Example().Arguments).OK)
			direct := r.link.sent()
			require.True(t, got.OK, got.text)
			assert.Equal(t, inner.Class(), got.Safety.Class)
			assert.Equal(t, strip(direct), strip(carried), "%s through %s", inner.Name(), carrier.Name())
		}
		r.refused(protocol.ValidationError, carrier.Name(), `{"tool":"no_such_tool","arguments":{}}`)
	}
}

// strip takes out what differs from call to call.
func strip(frames []protocol.Request) []protocol.Request {
	for i := range frames {
		frames[i].ID, frames[i].DeadlineUnixMS = "", 0
	}
	return frames
}

func TestWhatHasNoPreviewIsToldByItsClass(t *testing.T) {
	seen := map[safety.Class]int{}
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		if tl.Demands().DryRun || tl.Carries() {
			return
		}
		arguments := with(t, tl, map[string]any{})
		failure := r.refused(protocol.ValidationError, "preview_tool", `{"tool":"`+tl.Name()+`","arguments":`+arguments+`}`)
		assert.Contains(t, failure.Message, "has no dry run")
		assert.Equal(t, tl.Class() == safety.ReadOnly, strings.Contains(failure.Hint, "it changes nothing"), failure.Hint)
		assert.Empty(t, r.link.sent())
		seen[tl.Class()]++
	})
	assert.NotZero(t, seen[safety.ReadOnly])
	assert.NotZero(t, seen[safety.Runtime])
}

func TestAPreviewOfAReadIsRefused(t *testing.T) {
	r := newRig(t)
	r.refused(protocol.ValidationError, "preview_tool", `{"tool":"get_node","arguments":{"node_path":"."}}`)
	r.refused(protocol.ValidationError, "preview_tool", `{"tool":"preview_tool","arguments":{}}`)
	r.refused(protocol.ValidationError, "no_such_tool", `{}`)
}
