package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Project is a temporary Godot project with a HOME of its own. Engine and daemon share that HOME, because the
// user's configuration folder is where they find each other.
type Project struct {
	// Dir is the project's folder (res://), free of symbolic links.
	Dir string
	// Home is the value of HOME; the XDG folders are below it.
	Home string

	base string
	once sync.Once
	err  error
}

// ProjectOptions choose what a project holds.
type ProjectOptions struct {
	// Bare leaves out addon, fixtures and helper scripts: only a project.godot, nothing imported.
	Bare bool
	// Addon puts the addon into a bare project, enabled: what a user has right after the installation.
	Addon bool
}

// importLimit bounds the template's first import, which takes 4 s on an idle machine.
const importLimit = 3 * time.Minute

// template is an imported project and the HOME that the import left.
type template struct {
	project string
	home    string
}

// NewProject makes a project of its own for the caller, by copying the template, which is prepared at the first call.
// Close it, or leave that to the kit's Close.
func (k *Kit) NewProject(ctx context.Context, o ProjectOptions) (*Project, error) {
	base, err := k.TempDir("project")
	if err != nil {
		return nil, err
	}
	p := &Project{Dir: filepath.Join(base, "game"), Home: filepath.Join(base, "home"), base: base}
	if o.Bare {
		return p, k.fillBare(p, o.Addon)
	}
	made, err := k.template.do(func() (template, error) { return k.prepare(ctx) })
	if err != nil {
		return nil, err
	}
	if err := copyTree(made.project, p.Dir, nil); err != nil {
		return nil, fmt.Errorf("copying the template project: %w", err)
	}
	if err := copyTree(made.home, p.Home, nil); err != nil {
		return nil, fmt.Errorf("copying the template's HOME: %w", err)
	}
	return p, nil
}

// Close removes the project and its HOME.
func (p *Project) Close() error {
	p.once.Do(func() {
		if err := removeAll(p.base); err != nil {
			p.err = fmt.Errorf("cleaning the project: %w", err)
		}
	})
	return p.err
}

// Path turns a res:// path into a path of the file system.
func (p *Project) Path(res string) string {
	return filepath.Join(p.Dir, filepath.FromSlash(strings.TrimPrefix(res, "res://")))
}

// Env is the environment of engine and daemon: the caller's, but HOME and the XDG folders are the project's own and
// no setting of the operator's (GODOT_MCP_*) gets in.
func (p *Project) Env() []string {
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if name == "HOME" || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "GODOT_MCP_") {
			continue
		}
		env = append(env, pair)
	}
	return append(env,
		"HOME="+p.Home,
		"XDG_CONFIG_HOME="+filepath.Join(p.Home, ".config"),
		"XDG_DATA_HOME="+filepath.Join(p.Home, ".local", "share"),
		"XDG_CACHE_HOME="+filepath.Join(p.Home, ".cache"),
		"XDG_STATE_HOME="+filepath.Join(p.Home, ".local", "state"),
	)
}

// makeHome makes the folders that Env names.
func (p *Project) makeHome() error {
	for _, dir := range []string{".config", ".local/share", ".local/state", ".cache"} {
		if err := os.MkdirAll(filepath.Join(p.Home, filepath.FromSlash(dir)), 0o700); err != nil {
			return fmt.Errorf("making HOME: %w", err)
		}
	}
	return nil
}

// fillBare writes nothing but a minimal project.godot, and the addon if it is wanted.
func (k *Kit) fillBare(p *Project, withAddon bool) error {
	if err := p.makeHome(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return fmt.Errorf("making the project: %w", err)
	}
	text := "config_version=5\n\n[application]\n\nconfig/name=\"Bare\"\n"
	if withAddon {
		if err := installAddon(p); err != nil {
			return err
		}
		text += "\n[editor_plugins]\n\nenabled=PackedStringArray(\"" + AddonRes + "/plugin.cfg\")\n"
	}
	return os.WriteFile(filepath.Join(p.Dir, "project.godot"), []byte(text), 0o644)
}
