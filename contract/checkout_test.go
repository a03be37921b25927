package contract

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// needsImport uses a class of the project, and a picture that the engine has to import first.
const needsImport = "extends Node\nconst RED: Texture2D = preload(\"res://scenes_fixture/assets/red.png\")\n" +
	"var mover: FixtureMover = FixtureMover.new()\n"

// testCheckout is BR-152: a project fresh from version control, whose classes and pictures no editor has read yet. From
// the first answer on, a text that is right is called right, or is not judged; never is it blamed for what is missing.
func testCheckout(ctx context.Context, t *testing.T, kit *harness.Kit) {
	project, err := kit.NewProject(ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(project.Path("res://.godot")))
	r := &rig{ctx: ctx, kit: kit, project: project}
	r.learnTools(t)
	r.startBoth(t)
	calls := map[string]args{
		"scripts_validate": {"script_path": "res://made.gd", "content": needsImport},
		"scripts_create":   {"script_path": "res://made.gd", "content": needsImport, "dry_run": true},
	}
	judged := 0
	require.Eventually(t, func() bool {
		for tool, call := range calls {
			reply, err := r.daemon.Call(r.ctx, tool, call)
			require.NoError(t, err)
			switch {
			case reply.OK:
				assert.Equal(t, true, reply.Data["parse_ok"], "%s", reply.Raw)
				judged++
			case reply.Error.Code != protocol.BridgeDisconnected: // which it is until the editor is up
				notJudged(t, reply.Error)
			}
		}
		return judged >= 2*len(calls) || t.Failed()
	}, startWait, 5*time.Millisecond, "the editor did not link")
	r.lookOver(t)
}

// notJudged checks the failure of a text of which the editor has not read everything yet.
func notJudged(t *testing.T, failure *protocol.Error) {
	t.Helper()
	assert.Equal(t, protocol.PreconditionFailed, failure.Code, "%s", text(failure))
	assert.Equal(t, "project_imported", failure.Required, "%s", text(failure))
	assert.Equal(t, true, failure.Details["rescan_pending"], "%s", text(failure))
	assert.NotContains(t, failure.Details, "diagnostics")
}

// unread is BR-152's sibling: what came from outside beside the running editor, as a pull brings it, is no fault of the
// text that uses it. The text's own faults, and what the editor never reads, are told as ever.
func (r *rig) unread(t *testing.T) {
	folder := r.freshName(workRes + "/pulled")
	hidden := folder + "/hidden"
	require.NoError(t, os.MkdirAll(r.project.Path(hidden), 0o755))
	r.write(t, folder+"/pulled.gd", "class_name PulledThing\nextends Node\n")
	r.write(t, folder+"/pulled.png", r.file(t, harness.FixtureRes+"/assets/red.png"))
	r.write(t, hidden+"/.gdignore", "")
	r.write(t, hidden+"/hidden.gd", "class_name HiddenThing\nextends Node\n")
	using := map[string]string{
		folder + "/pulled.gd":  "extends Node\nvar thing: PulledThing = PulledThing.new()\n",
		folder + "/pulled.png": "extends Node\nconst P: Texture2D = preload(\"" + folder + "/pulled.png\")\n",
	}
	for file, content := range using {
		call := args{"script_path": workRes + "/using.gd", "content": content}
		failures := []*protocol.Error{r.refused(t, protocol.PreconditionFailed, "scripts_validate", call)}
		for _, dry := range []bool{true, false} {
			create := with(with(call, "confirm", true), "dry_run", dry)
			failures = append(failures, r.refused(t, protocol.PreconditionFailed, "scripts_create", create))
		}
		for _, failure := range failures {
			notJudged(t, failure)
			assert.Equal(t, []any{file}, failure.Details["unread_files"], "%s", text(failure))
			assert.Contains(t, failure.Hint, "rescan_filesystem")
		}
	}
	assert.False(t, r.exists(workRes+"/using.gd"))
	for _, content := range []string{brokenText, "extends Node\nvar thing: HiddenThing = null\n"} {
		reply := r.ok(t, "scripts_validate", args{"script_path": workRes + "/using.gd", "content": content})
		assert.Equal(t, []float64{2}, lines(reply.Data["diagnostics"]), "%s", reply.Raw)
	}
	r.ok(t, "rescan_filesystem", args{})
	for _, content := range using {
		require.Eventually(t, func() bool {
			reply := r.call(t, "scripts_validate", args{"script_path": workRes + "/using.gd", "content": content})
			return reply.OK && reply.Data["parse_ok"] == true
		}, startWait, pollEvery)
	}
}
