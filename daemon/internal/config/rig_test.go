package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/config"
	"drawbridge/protocol"
)

// user is a user with folders of their own.
type user struct {
	t   require.TestingT
	dir string // the user's configuration folder
	at  string // where the daemon is started
}

// newUser makes a user without a policy file.
func newUser(t testing.TB) *user {
	t.Helper()
	home := realDir(t)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("AppData", filepath.Join(home, "config"))
	t.Setenv("LocalAppData", filepath.Join(home, "state"))
	dir, err := os.UserConfigDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "drawbridge"), 0o700))
	return &user{t: t, dir: dir, at: realDir(t)}
}

// realDir is a temporary folder by its canonical name.
func realDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// file is the policy file.
func (u *user) file() string { return filepath.Join(u.dir, "drawbridge", "policy.json") }

// says writes the policy file; an empty text removes it.
func (u *user) says(text string) {
	if text == "" {
		require.NoError(u.t, os.RemoveAll(u.file()))
		return
	}
	require.NoError(u.t, os.WriteFile(u.file(), []byte(text), 0o600))
}

// env is the environment of the daemon.
type env map[string]string

// get looks up a variable; a setting may be given without GODOT_MCP_.
func (e env) get(name string) string {
	const prefix = "GODOT_MCP_"
	if len(name) > len(prefix) && e[name[len(prefix):]] != "" {
		return e[name[len(prefix):]]
	}
	return e[name]
}

// load starts a daemon that serves the projects.
func (u *user) load(e env, projects ...string) (config.Serve, error) {
	return config.Load(config.Options{
		Projects: projects, Dir: u.at, Env: e.get, Toolsets: []string{"scene", "node", "debug"},
	})
}

// loads starts a daemon that has to start.
func (u *user) loads(e env, projects ...string) config.Serve {
	s, err := u.load(e, projects...)
	require.NoError(u.t, err)
	return s
}

// refuses starts a daemon that must not start, and gives the reason.
func (u *user) refuses(e env, projects ...string) *protocol.Error {
	_, err := u.load(e, projects...)
	var failure *protocol.Error
	require.ErrorAs(u.t, err, &failure)
	require.Equal(u.t, protocol.ConfigInvalid, failure.Code)
	return failure
}

// project makes a Godot project of that name.
func project(t testing.TB, name string) string {
	t.Helper()
	dir := realDir(t)
	writeProject(t, dir, "config_version=5\n\n[application]\n\nconfig/name=\""+name+"\"\n")
	return dir
}

func writeProject(t testing.TB, dir, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.ProjectFile), []byte(text), 0o600))
}

// valueOf finds a setting among the sources.
func valueOf(t require.TestingT, sources []config.Source, setting string) (value, from string) {
	for _, s := range sources {
		if s.Setting == setting {
			return s.Value, s.From
		}
	}
	require.Fail(t, "no source tells of "+setting)
	return "", ""
}
