package contract

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// locked takes away everybody's right to make files in the project's folder, as the engine does for each save. From root
// only some file systems can take it: then it is false.
func (r *rig) locked(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		require.NoError(t, os.Chmod(r.project.Dir, 0o555))
		t.Cleanup(func() { require.NoError(t, os.Chmod(r.project.Dir, 0o755)) })
		return true
	}
	if exec.CommandContext(r.ctx, "chattr", "+i", r.project.Dir).Run() != nil {
		return false
	}
	t.Cleanup(func() { require.NoError(t, exec.CommandContext(r.ctx, "chattr", "-i", r.project.Dir).Run()) })
	return true
}

// settingsNotSaved: when the engine cannot save the file, every tool that writes it says so, and what the editor holds is
// as before: nothing is left that a later save would write along.
func (r *rig) settingsNotSaved(t *testing.T) {
	const width = "display/window/size/viewport_width"
	before := r.file(t, settingsRes)
	t.Run("not writable", func(t *testing.T) {
		locked := r.locked(t)
		for _, call := range []edit{
			{tool: "set_setting", args: args{"name": "mine/made", "value": 1}},
			{tool: "set_setting", args: args{"name": width, "value": 777}},
			{tool: "register_autoload", args: args{"name": "NotSaved", "path": autoloadRes}},
			{tool: "add_input_action", args: args{"name": "not_saved"}},
		} {
			if !locked { // root may write everywhere
				r.ok(t, call.tool, with(with(call.args, "confirm", true), "dry_run", true))
				continue
			}
			failure := r.refused(t, protocol.PreconditionFailed, call.tool, with(call.args, "confirm", true))
			assert.Equal(t, "writable_file", failure.Required, "%s: %s", call.tool, text(failure))
			assert.Equal(t, true, failure.Details["restored"], "%s: %s", call.tool, text(failure))
			assert.False(t, failure.MayHaveApplied, "%s: %s", call.tool, text(failure))
			assert.Equal(t, before, r.file(t, settingsRes), "the file after %s", call.tool)
		}
	})
	for _, name := range []string{"mine/made", "autoload/NotSaved", "input/not_saved"} {
		assert.Equal(t, false, r.ok(t, "get_setting", args{"name": name}).Data["exists"], name)
	}
	assert.EqualValues(t, 1152, r.ok(t, "get_setting", args{"name": width}).Data["value"])
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": 1}) // refused while anything is unsaved
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": nil})
	left, err := filepath.Glob(r.project.Path(settingsRes) + "?*")
	require.NoError(t, err)
	assert.Empty(t, left, "files of a save that failed")
}

// validates checks that scripts_validate knows the autoload that the text names in its fifth line, or knows none.
func (r *rig) validates(t *testing.T, content string, known bool) {
	t.Helper()
	reply := r.ok(t, "scripts_validate", args{"script_path": workRes + "/nowhere.gd", "content": content})
	assert.Equal(t, known, reply.Data["parse_ok"], "%s", reply.Raw)
	if !known {
		assert.Contains(t, lines(reply.Data["diagnostics"]), 5.0, "%s", reply.Raw)
	}
}
