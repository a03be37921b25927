package gate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// fleet is a rig that serves a second project, which is read only, with an audit of its own.
func fleet(t *testing.T) (r *rig, other string, written *journal) {
	other, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(other, "project.godot"), nil, 0o600))
	written = &journal{}
	r = newRig(t, func(o *Options) {
		o.Projects = append(o.Projects, Project{
			Dir: other, Asked: other, Audit: written, Policy: Policy{Mode: safety.ModeReadOnly, Profile: safety.Standard},
		})
	})
	return r, other, written
}

// in adds the project to a tool's example.
func (r *rig) in(name, project string) string {
	tl, ok := r.tools.Lookup(name)
	require.True(r.t, ok)
	return with(r.t.(*testing.T), tl, map[string]any{"project": project})
}

func TestWithSeveralProjectsACallSaysWhichOne(t *testing.T) {
	r, other, _ := fleet(t)
	for _, tl := range r.tools.All() {
		if tl.Carries() || (tl.Local() != nil && tl.Toolset() != "recovery") {
			continue
		}
		failure := r.refused(protocol.SessionAmbiguous, tl.Name(), tl.Example().Arguments)
		assert.Equal(t, []any{r.dir, other}, failure.Details["projects"], tl.Name())
		r.refused(protocol.PathOutsideProject, tl.Name(), with(t, tl, map[string]any{"project": t.TempDir()}))
	}
	for _, spelled := range []string{r.dir, filepath.Base(r.dir), r.dir + "/."} {
		require.True(t, r.call("get_node", r.in("get_node", spelled)).OK, spelled)
	}
}

func TestEachProjectHasItsOwnPolicyAuditLockAndDoubt(t *testing.T) {
	r, other, written := fleet(t)
	require.True(t, r.call("create_node", r.in("create_node", r.dir)).OK)
	assert.Empty(t, written.outcomes)
	r.refused(protocol.ReadOnlyMode, "create_node", r.in("create_node", other))
	require.Len(t, written.outcomes, 1)
	assert.Equal(t, other, written.outcomes[0].Project)
	r.gate.places[1].Policy.Mode = safety.ModeExecute
	r.gate.places[0].line.distrust(doubt{tool: "save_scene"})
	r.refused(protocol.ProjectQuarantined, "create_node", r.in("create_node", r.dir))
	require.True(t, r.call("create_node", r.in("create_node", other)).OK, "the other project is not in doubt")
	require.True(t, r.call("get_node", r.in("get_node", other)).OK)
	r.refused(protocol.ProjectQuarantined, "create_node", r.in("create_node", r.dir))
}

func TestATokenOfOneProjectIsNothingInAnother(t *testing.T) {
	r, other, _ := fleet(t)
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) { return r.known(q), nil }
	for _, p := range r.gate.places {
		p.Policy.Mode, p.Policy.Profile, p.Policy.Pinned = safety.ModeExecute, safety.Guarded, true
	}
	there := func(project string) string { return `{"node_path":"A","confirm":true,"project":"` + project + `"}` }
	token := r.token("delete_node", there(r.dir))
	r.link.forget()
	got := r.call("delete_node", withToken(there(other), token))
	require.False(t, got.OK)
	assert.Contains(t, []protocol.Code{protocol.ConfirmTokenInvalid, protocol.ConfirmTokenArgs, protocol.ConfirmTokenContext}, got.Error.Code)
	r.noApply("another project")
}

func TestABatchIsForOneProject(t *testing.T) {
	r, other, _ := fleet(t)
	r.gate.places[1].Policy.Mode = safety.ModeExecute
	entry := func(project string) string {
		return `{"tool":"create_node","arguments":` + r.in("create_node", project) + `}`
	}
	require.True(t, r.call("run_commands", `{"commands":[`+entry(r.dir)+`,`+entry(r.dir)+`]}`).OK)
	r.refused(protocol.ValidationError, "run_commands", `{"commands":[`+entry(r.dir)+`,`+entry(other)+`]}`)
	r.refused(protocol.SessionAmbiguous, "run_commands", `{"commands":[{"tool":"create_node","arguments":`+makeNode+`}]}`)
}

func TestTheServerTellsOfAllProjects(t *testing.T) {
	r, other, _ := fleet(t)
	info := r.call("get_server_info", `{}`)
	projects, _ := info.Data["projects"].([]any)
	require.Len(t, projects, 2)
	second, _ := projects[1].(map[string]any)
	assert.Equal(t, other, second["project"])
	policy, _ := second["policy"].(map[string]any)
	assert.Equal(t, "read_only", policy["mode"])
	health := r.call("health_check", `{}`)
	editors, _ := health.Data["editors"].([]any)
	assert.Len(t, editors, 2)
}

func TestAProjectIsServedOnce(t *testing.T) {
	_, err := newPlaces([]Project{{Dir: "/a"}, {Dir: "/a"}})
	require.Error(t, err)
	places, err := newPlaces([]Project{{Dir: "/a"}})
	require.NoError(t, err)
	assert.Equal(t, safety.ModeReadOnly, places[0].Policy.Mode, "what nobody said is the strictest")
	assert.Equal(t, safety.Guarded, places[0].Policy.Profile)
}
