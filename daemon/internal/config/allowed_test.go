package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/config"
	"drawbridge/protocol"
)

// allowing is a policy file that allows these projects, each "path" or "path|name".
func allowing(entries ...string) string {
	var list []string
	for _, entry := range entries {
		path, name, hasName := strings.Cut(entry, "|")
		if hasName {
			list = append(list, fmt.Sprintf(`{"path":%q,"name":%q}`, path, name))
		} else {
			list = append(list, fmt.Sprintf(`{"path":%q}`, path))
		}
	}
	return `{"allowed_projects":[` + strings.Join(list, ",") + `]}`
}

func TestAllowedProjects(t *testing.T) {
	a, b, c := project(t, "A"), project(t, "B"), project(t, "C")
	link := filepath.Join(realDir(t), "link")
	require.NoError(t, os.Symlink(a, link))
	gone := filepath.Join(realDir(t), "gone")
	list := func(name string) func(entries ...string) env {
		return func(entries ...string) env { return env{name: strings.Join(entries, ";")} }
	}("ALLOWED_PROJECTS")
	checkRows(t, "allowed_projects", []settingRow{
		{"", nil, "all", dflt, 0},
		{allowing(), nil, "none", file, 0},
		{allowing(a, b+"|B"), nil, a + ";" + b + "|B", file, 0},
		{allowing(link), nil, a, file, 0},
		{allowing(a + "/x/.."), nil, a + "/x/..", file, 1}, // the folder x is not there, so nothing can be resolved
		{allowing(gone), nil, gone, file, 1},
		{"", list(a, b+"|B"), a + ";" + b + "|B", envi, 0},
		{"", list(" "+a+" | A ", "", b+";"), a + "|A;" + b, envi, 0},
		{"", list(link, a), a, envi, 0},
		{"", list(gone), gone, envi, 1},
		// Together they only narrow.
		{allowing(a, b), list(b, c), b, envi, 1},
		{allowing(a), list(b), "none", envi, 2},
		{allowing(), list(a), "none", envi, 2},
		{allowing(a + "|A"), list(a), a + "|A", envi, 0},
		{allowing(a), list(a + "|A"), a + "|A", envi, 0},
		{allowing(a + "|A"), list(a + "|A"), a + "|A", envi, 0},
		{allowing(a + "|A"), list(a + "|B"), "none", envi, 2},
		{"", list(a+"|A", a+"|B"), "none", envi, 2},
		{"", list(a+"|A", a+"|B", a+"|A", b), b, envi, 1},
		{"", list(a, a+"|A"), a + "|A", envi, 0},
		// What cannot be read allows nothing.
		{"", env{"ALLOWED_PROJECTS": ";"}, "none", envi, 1},
		{"", env{"ALLOWED_PROJECTS": " "}, "none", envi, 1},
		{"", list("relative", a), a, envi, 1},
		{"", list("~/game"), "none", envi, 2},
		{"", list(a+"|", b), b, envi, 1},
		{"", list(a + "\n"), a, envi, 0},
		{"", list(a + "\x1b[1m"), "none", envi, 2},
		{"", list("*"), "none", envi, 2},
	})
}

// reason is why a project is refused; empty when it is not.
func reason(p config.Policy, project string) string {
	refusal := p.Allows(project)
	if refusal == nil {
		return ""
	}
	if refusal.Code != protocol.PeerRejected {
		return string(refusal.Code)
	}
	return fmt.Sprint(refusal.Details["reason"])
}

func TestWhichEditorsAreTaken(t *testing.T) {
	u, a, b := newUser(t), project(t, "A"), project(t, "B")
	s := u.loads(nil, a, b)
	assert.Equal(t, []string{a, b}, s.Projects(), "all are allowed when nobody says anything")
	u.says(allowing(a + "|A"))
	s = u.loads(nil, a, b)
	assert.Equal(t, []string{a}, s.Projects())
	assert.Len(t, s.Warnings, 1)
	assert.Contains(t, s.Warnings[0], "project_not_allowed")
	assert.Empty(t, reason(s.Policy, a))
	for _, other := range []string{b, filepath.Dir(a), filepath.Join(a, "sub"), a + "/", strings.ToUpper(a), "", "."} {
		assert.Equal(t, "project_not_allowed", reason(s.Policy, other), other)
	}
}

func TestAPinIsLookedAtEachTime(t *testing.T) {
	u, a := newUser(t), project(t, "A")
	u.says(allowing(a + "|A"))
	s := u.loads(nil, a)
	assert.Equal(t, []string{a}, s.Projects())
	writeProject(t, a, "[application]\nconfig/name=\"B\"\n")
	assert.Empty(t, s.Projects())
	assert.Equal(t, "project_name", reason(s.Policy, a))
	assert.Equal(t, "B", s.Policy.Allows(a).Details["found"])
	require.NoError(t, os.Remove(filepath.Join(a, config.ProjectFile)))
	assert.Equal(t, "project_name", reason(s.Policy, a))
	writeProject(t, a, "[application]\nconfig/name=\"A\"\n")
	assert.Equal(t, []string{a}, s.Projects())
	assert.Contains(t, u.loads(env{"ALLOWED_PROJECTS": a + "|B"}, a).Warnings, "GODOT_MCP_ALLOWED_PROJECTS leaves no project allowed")
}

func TestGuardedDemandsAPin(t *testing.T) {
	u, a, b := newUser(t), project(t, "A"), project(t, "B")
	s := u.loads(env{"PROFILE": "guarded", "ALLOWED_PROJECTS": a + "|A;" + b}, a, b)
	assert.True(t, s.Policy.Pinned(a))
	assert.False(t, s.Policy.Pinned(b))
	assert.False(t, s.Policy.Pinned(""))
	assert.False(t, config.Policy{}.Pinned(a))
	require.Len(t, s.Warnings, 1)
	assert.Contains(t, s.Warnings[0], "nothing is written to")
	assert.Contains(t, s.Warnings[0], b)
}
