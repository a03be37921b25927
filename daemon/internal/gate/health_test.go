package gate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/bridge"
)

func TestHealthIsToldWithoutAskingTheEditor(t *testing.T) {
	for name, row := range map[string]struct {
		prepare func(r *rig)
		link    string
		healthy bool
		hint    string
	}{
		"linked": {func(*rig) {}, "linked", true, ""},
		"blocked": {
			func(r *rig) { r.link.editor.State = bridge.StateBlocked }, "blocked", false, "dialog",
		},
		"no editor":  {func(r *rig) { r.link.linked = false }, "waiting", false, "open the project in Godot"},
		"no project": {func(r *rig) { r.gate.places = nil }, "no_project", false, "project folder"},
		"in doubt": {
			func(r *rig) { r.gate.places[0].line.distrust(doubt{tool: "create_node"}) },
			"linked", false, "command_outcome",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.link.editor.State = bridge.StateLinked
			r.link.editor.LastFrame = time.Now().Add(-700 * time.Millisecond)
			row.prepare(r)
			got := r.call("health_check", `{}`)
			require.True(t, got.OK, got.text)
			assert.Equal(t, row.link, got.Data["link"])
			assert.Equal(t, row.healthy, got.Data["healthy"])
			if row.hint == "" {
				assert.NotContains(t, got.Data, "hint")
			} else {
				assert.Contains(t, got.Data["hint"], row.hint)
			}
			editors, _ := got.Data["editors"].([]any)
			if row.link == "linked" || row.link == "blocked" {
				require.Len(t, editors, 1)
				editor, _ := editors[0].(map[string]any)
				assert.GreaterOrEqual(t, editor["beat_age_ms"], 700.0)
			} else {
				assert.Empty(t, editors)
			}
			assert.Empty(t, r.link.sent(), "nothing goes to the editor")
		})
	}
}
