// Package config finds out what the daemon is to serve: from flags, and from the folder it is started in. Nothing
// here decides what a call may do.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"drawbridge/protocol"
)

// ProjectFile marks the folder of a Godot project.
const ProjectFile = "project.godot"

// debugEnv is the SDK's switch for old, laxer behaviour.
const debugEnv = "MCPGODEBUG"

// Serve are the settings of drawbridge serve.
type Serve struct {
	// Project is the folder that is served, links resolved; empty when there is none.
	Project string
	// Asked is the folder as the user spelled it.
	Asked string
	// UserDir is the user's configuration folder, in which editors look for daemons.
	UserDir string
	// StateDir is the user's folder for what the daemon remembers between its runs.
	StateDir string
	// MaxAffected is how many targets or files one file-writing call may have.
	MaxAffected int
	// Warnings tell of settings that were not understood and what is used instead.
	Warnings []string
}

// Load finds the settings. project may be empty: then the nearest folder upwards from dir is served, if there is
// one.
func Load(project, dir string, env func(string) string) (Serve, error) {
	if env(debugEnv) != "" {
		return Serve{}, protocol.Fail(protocol.ConfigInvalid, "%s is set; it brings back behaviour that is not safe", debugEnv).
			With("setting", debugEnv).WithHint("unset %s", debugEnv)
	}
	userDir, err := os.UserConfigDir()
	if err != nil {
		return Serve{}, protocol.Fail(protocol.ConfigInvalid, "there is no user configuration folder: %v", err)
	}
	state, err := stateDir(env)
	if err != nil {
		return Serve{}, protocol.Fail(protocol.ConfigInvalid, "there is no user state folder: %v", err)
	}
	s := Serve{UserDir: userDir, StateDir: state, Asked: project}
	s.readLimits(env)
	if project == "" {
		if s.Asked, err = nearest(dir); err != nil {
			return Serve{}, err
		}
	}
	if s.Asked == "" {
		return s, nil
	}
	s.Project, err = Canonical(s.Asked)
	return s, err
}

// Canonical resolves a project's folder: absolute, without links, and holding a project.godot.
func Canonical(project string) (string, error) {
	abs, err := filepath.Abs(project)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", project, err)
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", protocol.Fail(protocol.ConfigInvalid, "there is no folder %s", project).With("setting", "project")
	}
	info, err := os.Stat(filepath.Join(resolved, ProjectFile))
	if err != nil || !info.Mode().IsRegular() {
		return "", protocol.Fail(protocol.ConfigInvalid, "%s is no Godot project: it has no %s", project, ProjectFile).
			With("setting", "project")
	}
	return resolved, nil
}

// nearest looks for a project from dir upwards; "" when there is none.
func nearest(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the current folder: %w", err)
	}
	for {
		info, err := os.Stat(filepath.Join(dir, ProjectFile))
		if err == nil && info.Mode().IsRegular() {
			return dir, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return "", fmt.Errorf("looking for a project: %w", err)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", nil
		}
		dir = up
	}
}

// Projects lists the folders whose editors are taken.
func (s Serve) Projects() []string {
	if s.Project == "" {
		return nil
	}
	return []string{s.Project}
}
