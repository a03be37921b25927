package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/config"
)

func TestTheNearestProjectUpwardsIsServed(t *testing.T) {
	u, dir := newUser(t), project(t, "Game")
	u.at = filepath.Join(dir, "a", "b")
	require.NoError(t, os.MkdirAll(u.at, 0o700))
	s := u.loads(nil)
	assert.Equal(t, dir, s.Project)
	assert.Equal(t, []config.Place{{Dir: dir, Asked: dir}}, s.Served)
}

func TestWithoutAProjectTheDaemonStillStarts(t *testing.T) {
	s := newUser(t).loads(nil)
	assert.Empty(t, s.Project)
	assert.Empty(t, s.Served)
	assert.Empty(t, s.Projects())
	assert.Empty(t, s.Warnings)
}

func TestAProjectReachedThroughALinkIsServedUnderItsRealName(t *testing.T) {
	u, dir := newUser(t), project(t, "Game")
	link := filepath.Join(realDir(t), "link")
	require.NoError(t, os.Symlink(dir, link))
	s := u.loads(nil, link)
	assert.Equal(t, dir, s.Project)
	assert.Equal(t, link, s.Asked)
}

func TestSeveralProjectsAreServedInTheOrderAsked(t *testing.T) {
	u, a, b := newUser(t), project(t, "A"), project(t, "B")
	s := u.loads(nil, b, a)
	assert.Equal(t, []config.Place{{Dir: b, Asked: b}, {Dir: a, Asked: a}}, s.Served)
	assert.Equal(t, b, s.Project)
	assert.Equal(t, []string{b, a}, s.Projects())
}

func TestAFolderThatCannotBeServedIsRefused(t *testing.T) {
	u, dir := newUser(t), project(t, "Game")
	link := filepath.Join(realDir(t), "link")
	require.NoError(t, os.Symlink(dir, link))
	isFolder := realDir(t)
	require.NoError(t, os.Mkdir(filepath.Join(isFolder, config.ProjectFile), 0o700))
	many := make([]string, config.MostProjects+1)
	for i := range many {
		many[i] = dir
	}
	for name, projects := range map[string][]string{
		"no project.godot":       {realDir(t)},
		"project.godot a folder": {isFolder},
		"missing":                {filepath.Join(realDir(t), "x")},
		"second is missing":      {dir, filepath.Join(realDir(t), "x")},
		"empty":                  {""},
		"twice":                  {dir, dir},
		"twice, once by a link":  {dir, link},
		"twice, once spelled so": {dir, dir + "/./"},
		"too many":               many,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, "project", u.refuses(nil, projects...).Details["setting"])
		})
	}
}

func TestAsManyProjectsAsPromisedAreServed(t *testing.T) {
	u := newUser(t)
	var dirs []string
	for i := range config.MostProjects {
		dirs = append(dirs, project(t, fmt.Sprint(i)))
	}
	assert.Len(t, u.loads(nil, dirs...).Served, config.MostProjects)
}

func TestTheSDKsDebugSwitchIsRefused(t *testing.T) {
	assert.Contains(t, newUser(t).refuses(env{"MCPGODEBUG": "hintomitempty=1"}).Message, "MCPGODEBUG")
}
