package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drawbridge/addon"
)

// AddonRes is the addon's folder in its installed layout.
const AddonRes = "res://addons/drawbridge"

// FixtureRes is the folder of the fixture scenes, the same in the repository and in a project of the harness.
const FixtureRes = "res://scenes_fixture"

// prepare makes the template: fixtures, the addon as installed, the helper scripts, the repository's own strict
// project settings, all imported once.
func (k *Kit) prepare(ctx context.Context) (template, error) {
	p := &Project{Dir: filepath.Join(k.dir, "template", "game"), Home: filepath.Join(k.dir, "template", "home")}
	if err := p.makeHome(); err != nil {
		return template{}, err
	}
	parts := []struct{ from, to string }{
		{"scenes_fixture", "scenes_fixture"},
		{filepath.Join("contract", "gd"), "gd"},
		{filepath.Join("protocol", "vectors"), "vectors"},
	}
	for _, part := range parts {
		if err := copyTree(filepath.Join(k.root, part.from), filepath.Join(p.Dir, part.to), wanted); err != nil {
			return template{}, fmt.Errorf("copying %s into the template: %w", part.from, err)
		}
	}
	if err := installAddon(p); err != nil {
		return template{}, err
	}
	if err := k.writeSettings(p); err != nil {
		return template{}, err
	}
	if err := k.importProject(ctx, p); err != nil {
		return template{}, err
	}
	return template{project: p.Dir, home: p.Home}, nil
}

// installAddon copies the embedded files, as drawbridge install does.
func installAddon(p *Project) error {
	if err := os.CopyFS(p.Path(AddonRes), addon.Files()); err != nil {
		return fmt.Errorf("copying the addon into the project: %w", err)
	}
	return nil
}

// wanted leaves out what a user's project does not have: Go files, our own marks, side files of other editors.
func wanted(rel string, d fs.DirEntry) bool {
	name := d.Name()
	if d.IsDir() {
		return name != ".godot"
	}
	switch filepath.Ext(name) {
	case ".go", ".uid", ".import":
		return false
	}
	return name != ".gdignore"
}

// writeSettings takes the repository's project.godot, so that the addon is proven under the same strict warnings,
// and points it at the installed addon.
func (k *Kit) writeSettings(p *Project) error {
	text, err := os.ReadFile(filepath.Join(k.root, "project.godot"))
	if err != nil {
		return fmt.Errorf("reading the repository's project.godot: %w", err)
	}
	here := []byte("res://addon/plugin.cfg")
	if !bytes.Contains(text, here) {
		return fmt.Errorf("the repository's project.godot does not enable %s", here)
	}
	text = bytes.ReplaceAll(text, here, []byte(AddonRes+"/plugin.cfg"))
	text = bytes.ReplaceAll(text, []byte(`config/name="Drawbridge"`), []byte(`config/name="Fixture"`))
	if err := os.WriteFile(filepath.Join(p.Dir, "project.godot"), text, 0o644); err != nil {
		return fmt.Errorf("writing project.godot: %w", err)
	}
	return nil
}

// importProject runs the engine's import; success is judged by the files it makes, because its exit code is 0 also
// when nothing was imported.
func (k *Kit) importProject(ctx context.Context, p *Project) error {
	ctx, cancel := context.WithTimeout(ctx, importLimit)
	defer cancel()
	out, err := k.RunGodot(ctx, p, "--import")
	if err != nil {
		return fmt.Errorf("importing the template: %w\n%s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(p.Dir, ".godot", "imported", "*"))
	if err != nil {
		return fmt.Errorf("looking for imported files: %w", err)
	}
	classes, err := os.ReadFile(filepath.Join(p.Dir, ".godot", "global_script_class_cache.cfg"))
	if err != nil || len(made) == 0 || !strings.Contains(string(classes), "FixtureMover") {
		return fmt.Errorf("importing the template made %d files, class list: %v\n%s", len(made), err, out)
	}
	return nil
}

// RunGodot runs a headless engine to its end in p and gives its output. The engine is killed when ctx ends: a script
// with a runtime error never quits by itself, so give ctx a deadline.
func (k *Kit) RunGodot(ctx context.Context, p *Project, args ...string) (string, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return "", errors.New("running Godot: the context has no deadline")
	}
	var out bytes.Buffer
	cmd := k.engine(p, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	child, err := startProcess(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-child.done:
	case <-ctx.Done():
		child.kill()
		return out.String(), fmt.Errorf("running Godot: %w", ctx.Err())
	}
	if child.err != nil {
		return out.String(), fmt.Errorf("running Godot: %w", child.err)
	}
	return out.String(), nil
}
