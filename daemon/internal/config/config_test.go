package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/config"
	"drawbridge/protocol"
)

func project(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.ProjectFile), []byte("config_version=5\n"), 0o600))
	return dir
}

func noEnv(string) string { return "" }

func TestTheNearestProjectUpwardsIsServed(t *testing.T) {
	dir := project(t)
	deep := filepath.Join(dir, "a", "b")
	require.NoError(t, os.MkdirAll(deep, 0o700))
	s, err := config.Load("", deep, noEnv)
	require.NoError(t, err)
	assert.Equal(t, dir, s.Project)
}

func TestWithoutAProjectTheDaemonStillStarts(t *testing.T) {
	s, err := config.Load("", t.TempDir(), noEnv)
	require.NoError(t, err)
	assert.Empty(t, s.Project)
}

func TestAProjectReachedThroughALinkIsServedUnderItsRealName(t *testing.T) {
	dir := project(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	s, err := config.Load(link, ".", noEnv)
	require.NoError(t, err)
	assert.Equal(t, dir, s.Project)
	assert.Equal(t, link, s.Asked)
}

func TestAnAskedFolderThatIsNoProjectIsRefused(t *testing.T) {
	for name, path := range map[string]string{"no project.godot": t.TempDir(), "missing": filepath.Join(t.TempDir(), "x")} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(path, ".", noEnv)
			var failure *protocol.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, protocol.ConfigInvalid, failure.Code)
		})
	}
}

func TestTheSDKsDebugSwitchIsRefused(t *testing.T) {
	_, err := config.Load("", ".", func(string) string { return "hintomitempty=1" })
	assert.ErrorContains(t, err, "MCPGODEBUG")
}
