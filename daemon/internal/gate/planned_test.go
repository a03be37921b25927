package gate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

const settingsFile = "res://project.godot"

// planning has the editor plan to write these files, whatever it is asked for.
func (r *rig) planning(files ...string) {
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		out := good(q)
		if q.Phase == protocol.PhasePlan {
			for _, file := range files {
				out.Result.Plan.Files = append(out.Result.Plan.Files, protocol.FileState{Path: file})
			}
		}
		return out, nil
	}
}

// applied tells whether a frame went out that changes something.
func (r *rig) applied() bool {
	for _, f := range r.link.sent() {
		if f.Phase == protocol.PhaseApply {
			return true
		}
	}
	return false
}

func TestOnlySettingsToolsMayPlanToWriteTheProjectsSettings(t *testing.T) {
	settings := 0
	each(t, func(t *testing.T, r *rig, tl *tool.Tool) {
		if !tl.WritesFiles() || tl.Carries() || !tl.InEditor() {
			assert.False(t, tl.Settings())
			return
		}
		for _, name := range []string{settingsFile, "res://Project.GODOT", "res://sub/project.godot"} {
			r.link.forget()
			r.planning(name)
			got := r.call(tl.Name(), tl.Example().Arguments)
			if (tl.Settings() || tl.Repairs()) && name == settingsFile {
				settings++
				assert.True(t, got.OK, got.text)
				assert.True(t, r.applied())
				continue
			}
			require.False(t, got.OK, "%s planned %s", tl.Name(), name)
			assert.Equal(t, protocol.ProtectedTarget, got.Error.Code, got.text)
			assert.False(t, r.applied(), "%s planned %s", tl.Name(), name)
		}
	})
	assert.Positive(t, settings, "no tool can write the settings")
}

func TestASettingsToolPlansNothingElse(t *testing.T) {
	r := newRig(t)
	call := func() reply { return r.call("set_setting", `{"name":"a/b","value":1,"confirm":true}`) }
	for _, other := range []string{"res://a.gd", "res://override.cfg", "res://../project.godot", "res://.godot/x"} {
		r.link.forget()
		r.planning(settingsFile, other)
		got := call()
		require.False(t, got.OK, other)
		assert.Equal(t, protocol.ProtectedTarget, got.Error.Code, other)
		assert.False(t, r.applied(), other)
	}
	// A link does not carry the permission elsewhere.
	r.planning(settingsFile)
	require.True(t, call().OK)
	file := filepath.Join(r.dir, "project.godot")
	outside := filepath.Join(t.TempDir(), "project.godot")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, "override.cfg"), nil, 0o600))
	for target, code := range map[string]protocol.Code{
		"override.cfg": protocol.ProtectedTarget, outside: protocol.PathOutsideProject,
	} {
		require.NoError(t, os.Remove(file))
		require.NoError(t, os.Symlink(target, file))
		r.link.forget()
		got := call()
		require.False(t, got.OK, target)
		assert.Equal(t, code, got.Error.Code, got.text)
		assert.False(t, r.applied(), target)
	}
}
