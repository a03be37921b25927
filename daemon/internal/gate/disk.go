package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"drawbridge/daemon/internal/safety"
)

// disk is the project's folder as package safety asks about it. It reads and never writes.
type disk struct {
	dir string // links resolved
}

// Resolve follows links with the semantics of os.Root: one that leads out of the project is an error, also when what
// it leads to does not exist yet.
func (d disk) Resolve(rel string) (string, error) {
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return "", fmt.Errorf("opening the project: %w", err)
	}
	defer func() { _ = root.Close() }() // opened for reading; nothing can be lost
	return d.follow(root, rel)
}

// Exists takes a folder that cannot be read as one that is not there: what is asked about new names is asked then.
func (d disk) Exists(rel string) bool {
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }() // opened for reading; nothing can be lost
	_, err = root.Lstat(filepath.FromSlash(rel))
	return err == nil
}

func (d disk) follow(root *os.Root, rel string) (string, error) {
	native := filepath.FromSlash(rel)
	_, err := root.Stat(native)
	if err == nil {
		return d.real(native)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", d.outside(native)
	}
	if _, err := root.Lstat(native); err == nil {
		return "", d.outside(native) // a link to nothing: where it leads cannot be told for sure
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", d.outside(native)
	}
	parent := path.Dir(rel)
	if parent == rel {
		return "", errors.New("the project's folder is gone")
	}
	above, err := d.follow(root, parent)
	if err != nil {
		return "", err
	}
	return path.Join(above, path.Base(rel)), nil
}

// real gives the path below the project that an existing file really has.
func (d disk) real(native string) (string, error) {
	resolved, err := filepath.EvalSymlinks(filepath.Join(d.dir, native))
	if err != nil {
		return "", fmt.Errorf("following links: %w", err)
	}
	rel, err := filepath.Rel(d.dir, resolved)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", &safety.Outside{Target: resolved}
	}
	return filepath.ToSlash(rel), nil
}

// outside names the target of a path that os.Root refused, as far as it can be found.
func (d disk) outside(native string) error {
	full := filepath.Join(d.dir, native)
	if resolved, err := filepath.EvalSymlinks(full); err == nil {
		if rel, err := filepath.Rel(d.dir, resolved); err == nil && filepath.IsLocal(rel) {
			return errors.New("it goes over an absolute link, which is not followed")
		}
		return &safety.Outside{Target: resolved}
	}
	for at := full; len(at) > len(d.dir); at = filepath.Dir(at) {
		if target, err := os.Readlink(at); err == nil {
			return &safety.Outside{Target: target}
		}
	}
	return errors.New("where it leads cannot be told")
}
