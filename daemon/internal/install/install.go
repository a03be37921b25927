// Package install puts the addon into a project and enables it. It changes two things in the project, the folder
// addons/drawbridge and one line of project.godot, and never follows a link out of it.
package install

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

const (
	folder      = "addons/drawbridge"
	projectFile = "project.godot"
	plugin      = "res://" + folder + "/plugin.cfg"
	// stagePrefix begins with a dot, so that an open editor does not scan what is not complete yet.
	stagePrefix = ".drawbridge-"
)

// Report says what was done.
type Report struct {
	Project string
	// Copied is true when the addon's files were written; otherwise they were there already.
	Copied bool
	// Enabled is true when project.godot was changed; otherwise the addon was enabled already.
	Enabled bool
}

// String tells a person what was done and what is left to do.
func (r Report) String() string {
	if !r.Copied && !r.Enabled {
		return fmt.Sprintf("Drawbridge is installed in %s already; nothing was changed.\n", r.Project)
	}
	var b strings.Builder
	if r.Copied {
		fmt.Fprintf(&b, "Copied the addon to %s/%s.\n", r.Project, folder)
	}
	if r.Enabled {
		fmt.Fprintf(&b, "Enabled it in %s.\n", projectFile)
	}
	b.WriteString("If the project is open in the editor, restart the editor now.\n")
	return b.String()
}

// Install puts the files into the project, a folder with a project.godot, and enables the addon. The files appear all
// at once or not at all. Doing it twice changes nothing.
func Install(project string, files fs.FS) (Report, error) {
	report := Report{Project: project}
	root, err := os.OpenRoot(project)
	if err != nil {
		return report, fmt.Errorf("opening the project: %w", err)
	}
	err = install(root, files, &report)
	return report, errors.Join(err, root.Close())
}

func install(root *os.Root, files fs.FS, report *Report) error {
	// Settings first, in memory: a project.godot that cannot be changed must not leave half an installation.
	old, err := readSettings(root)
	if err != nil {
		return err
	}
	text, changed, err := Enable(old, plugin)
	if err != nil {
		return err
	}
	if report.Copied, err = place(root, files); err != nil {
		return err
	}
	if !changed {
		return nil
	}
	if err := replaceSettings(root, old, text); err != nil {
		return err
	}
	report.Enabled = true
	return nil
}

func readSettings(root *os.Root) ([]byte, error) {
	info, err := root.Lstat(projectFile)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", projectFile, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a link or not a file; it is not changed", projectFile)
	}
	text, err := root.ReadFile(projectFile)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", projectFile, err)
	}
	return text, nil
}

// replaceSettings writes a new file and renames it over the old one, unless somebody changed that in between.
func replaceSettings(root *os.Root, old, text []byte) error {
	info, err := root.Stat(projectFile)
	if err != nil {
		return fmt.Errorf("looking at %s: %w", projectFile, err)
	}
	stage := stagePrefix + rand.Text() + ".godot"
	if err := writeFile(root, stage, text, info.Mode().Perm()); err != nil {
		return errors.Join(err, ignoreMissing(root.Remove(stage)))
	}
	now, err := root.ReadFile(projectFile)
	if err == nil && !bytes.Equal(now, old) {
		err = errors.New("it changed in the meantime; run install again")
	}
	if err == nil {
		err = root.Rename(stage, projectFile)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("enabling the addon in %s: %w", projectFile, err), root.Remove(stage))
	}
	return nil
}

// place brings the addon's folder to the given files. It tells whether anything had to be written.
func place(root *os.Root, files fs.FS) (bool, error) {
	there, err := look(root)
	if err != nil {
		return false, err
	}
	if there {
		same, err := equal(root, files)
		if err != nil || same {
			return false, err
		}
	}
	if err := root.MkdirAll("addons", 0o755); err != nil {
		return false, fmt.Errorf("making the addons folder: %w", err)
	}
	if err := sweep(root); err != nil {
		return false, err
	}
	stage := path.Join("addons", stagePrefix+"new-"+rand.Text())
	if err := copyAll(root, files, stage, there); err != nil {
		return false, errors.Join(err, root.RemoveAll(stage))
	}
	return true, swap(root, stage, there)
}

// look tells whether the addon's folder is there, and refuses one that is not ours to replace.
func look(root *os.Root) (bool, error) {
	info, err := root.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking at %s: %w", folder, err)
	}
	if !info.IsDir() {
		return false, fmt.Errorf("%s is a link or a file; remove it first", folder)
	}
	entries, err := fs.ReadDir(root.FS(), folder)
	if err != nil {
		return false, fmt.Errorf("looking at %s: %w", folder, err)
	}
	text, err := root.ReadFile(folder + "/plugin.cfg")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("looking at %s: %w", folder, err)
	}
	if len(entries) > 0 && !bytes.Contains(text, []byte(`"Drawbridge"`)) {
		return false, fmt.Errorf("%s holds something that is not Drawbridge's addon; move it away first", folder)
	}
	return true, nil
}

// swap puts the stage in the place of the old folder. If that fails the old one is back.
func swap(root *os.Root, stage string, there bool) error {
	old := path.Join("addons", stagePrefix+"old-"+rand.Text())
	if there {
		if err := root.Rename(folder, old); err != nil {
			return errors.Join(fmt.Errorf("moving the old addon away: %w", err), root.RemoveAll(stage))
		}
	}
	if err := root.Rename(stage, folder); err != nil {
		err = errors.Join(fmt.Errorf("putting the addon in place: %w", err), root.RemoveAll(stage))
		if there {
			err = errors.Join(err, root.Rename(old, folder))
		}
		return err
	}
	if !there {
		return nil
	}
	if err := root.RemoveAll(old); err != nil {
		return fmt.Errorf("removing the old addon: %w", err)
	}
	return nil
}

// sweep removes what an interrupted installation left behind. If the old addon was moved away and the new one never
// came, that is all there is of it, but the new one is about to come.
func sweep(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), "addons")
	if err != nil {
		return fmt.Errorf("looking at the addons folder: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stagePrefix) && e.IsDir() {
			if err := root.RemoveAll(path.Join("addons", e.Name())); err != nil {
				return fmt.Errorf("removing the rest of an earlier installation: %w", err)
			}
		}
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
