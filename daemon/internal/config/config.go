// Package config finds out what the daemon is to serve and under which policy: from flags, from the operator's policy
// file, from the environment, and from the folder it is started in. It is read once; nothing here decides on a call,
// and nothing changes it later.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"drawbridge/protocol"
)

// ProjectFile marks the folder of a Godot project.
const ProjectFile = "project.godot"

// MostProjects is how many projects one daemon serves, and how many sections the policy file may have for them.
const MostProjects = 50

// debugEnv is the SDK's switch for old, laxer behaviour.
const debugEnv = "MCPGODEBUG"

// Options say what Load goes by.
type Options struct {
	// Projects are the folders asked for. None: the nearest folder upwards from Dir that is a project, if there is one.
	Projects []string
	// Dir is the folder in which the daemon is started.
	Dir string
	// Env looks an environment variable up; "" stands for one that is not set.
	Env func(string) string
	// Names are the names of all environment variables, so that a misspelt setting does not go unseen. Nil: not looked at.
	Names []string
	// Toolsets are the toolsets that there are, so that a misspelt one does not go unseen. Nil: any name is taken.
	Toolsets []string
}

// Place is a project that is served.
type Place struct {
	// Dir is the project's folder: absolute, links resolved.
	Dir string
	// Asked is the folder as the user spelled it.
	Asked string
}

// Serve are the settings of drawbridge serve.
type Serve struct {
	// Served are the projects, each once, in the order in which they were asked for.
	Served []Place
	// Project is the first folder that is served, links resolved; empty when there is none.
	Project string
	// Asked is that folder as the user spelled it.
	Asked string
	// UserDir is the user's configuration folder, in which editors look for daemons.
	UserDir string
	// StateDir is the user's folder for what the daemon remembers between its runs.
	StateDir string
	// Policy is what the operator allows where the policy file has no section for a project. See PolicyFor.
	Policy Policy
	// Sources tell where each value of Policy came from.
	Sources []Source
	// MaxAffected is Policy.MaxAffected.
	MaxAffected int
	// Warnings tell of settings that were not understood or not followed, and what is used instead.
	Warnings []string

	sections map[string]ruled
}

// ruled is the policy of one project that the policy file has a section for.
type ruled struct {
	policy  Policy
	sources []Source
}

// Load finds the settings. A policy file that is not exactly right, or a setting that asks for oversight which cannot
// be given, is CONFIG_INVALID: the daemon then does not start.
func Load(o Options) (Serve, error) {
	if o.Env(debugEnv) != "" {
		return Serve{}, protocol.Fail(protocol.ConfigInvalid, "%s is set; it brings back behaviour that is not safe", debugEnv).
			With("setting", debugEnv).WithHint("unset %s", debugEnv)
	}
	userDir, err := os.UserConfigDir()
	if err != nil {
		return Serve{}, protocol.Fail(protocol.ConfigInvalid, "there is no user configuration folder: %v", err)
	}
	state, err := stateDir(o.Env)
	if err != nil {
		return Serve{}, protocol.Fail(protocol.ConfigInvalid, "there is no user state folder: %v", err)
	}
	s := Serve{UserDir: userDir, StateDir: state}
	if s.Served, err = served(o.Projects, o.Dir); err != nil {
		return Serve{}, err
	}
	if len(s.Served) > 0 {
		s.Project, s.Asked = s.Served[0].Dir, s.Served[0].Asked
	}
	if err := s.loadPolicy(o); err != nil {
		return Serve{}, err
	}
	return s, nil
}

// served finds the folders to serve.
func served(asked []string, dir string) ([]Place, error) {
	if len(asked) == 0 {
		near, err := nearest(dir)
		if err != nil || near == "" {
			return nil, err
		}
		asked = []string{near}
	}
	if len(asked) > MostProjects {
		return nil, protocol.Fail(protocol.ConfigInvalid, "%d projects are too many for one daemon; it serves %d", len(asked), MostProjects).
			With("setting", "project")
	}
	var places []Place
	var infos []fs.FileInfo
	for _, project := range asked {
		if project == "" {
			return nil, protocol.Fail(protocol.ConfigInvalid, "a project has no name").With("setting", "project")
		}
		resolved, err := Canonical(project)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(resolved)
		if err != nil {
			return nil, fmt.Errorf("finding %s: %w", project, err)
		}
		// One folder can have two names, where case does not count in names.
		if i := slices.IndexFunc(infos, func(other fs.FileInfo) bool { return os.SameFile(info, other) }); i >= 0 {
			return nil, protocol.Fail(protocol.ConfigInvalid, "%s and %s are the same project", places[i].Asked, project).
				With("setting", "project").WithHint("name each project once")
		}
		places, infos = append(places, Place{Dir: resolved, Asked: project}), append(infos, info)
	}
	return places, nil
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

// Dirs lists the folders that are served, allowed or not.
func (s Serve) Dirs() []string {
	var dirs []string
	for _, place := range s.Served {
		dirs = append(dirs, place.Dir)
	}
	return dirs
}

// Refuses says why the operator does not allow the editor of a project to be taken; "" when he does.
func (s Serve) Refuses(project string) string {
	if failure := s.PolicyFor(project).Allows(project); failure != nil {
		return failure.Error()
	}
	return ""
}

// Projects lists the folders whose editors are taken: what is served and allowed now. The name pin is read from the
// project each time, so a project that is renamed drops out.
func (s Serve) Projects() []string {
	var dirs []string
	for _, place := range s.Served {
		if s.PolicyFor(place.Dir).Allows(place.Dir) == nil {
			dirs = append(dirs, place.Dir)
		}
	}
	return dirs
}

// PolicyFor is the policy of a project, given by its canonical folder: its own section of the policy file, or what
// holds for all.
func (s Serve) PolicyFor(project string) Policy {
	if own, ok := s.sections[project]; ok {
		return own.policy.clone()
	}
	return s.Policy.clone()
}

// SourcesFor tells where each value of PolicyFor(project) came from.
func (s Serve) SourcesFor(project string) []Source {
	if own, ok := s.sections[project]; ok {
		return slices.Clone(own.sources)
	}
	return slices.Clone(s.Sources)
}

// Sections lists the folders that the policy file has sections for, sorted.
func (s Serve) Sections() []string { return slices.Sorted(maps.Keys(s.sections)) }
