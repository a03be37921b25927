package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// uidSuffix marks the side files that the editor makes for scripts. They are kept, so that version control sees no
// change where there is none.
const uidSuffix = ".uid"

// equal tells whether the folder holds exactly the given files, side files of the editor aside.
func equal(root *os.Root, files fs.FS) (bool, error) {
	wanted := map[string]bool{}
	same := true
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		wanted[name] = true
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		there, err := root.ReadFile(path.Join(folder, name))
		same = same && err == nil && bytes.Equal(text, there)
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("reading the addon's files: %w", err)
	}
	err = fs.WalkDir(root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name = strings.TrimPrefix(name, folder+"/")
		same = same && (wanted[name] || wanted[strings.TrimSuffix(name, uidSuffix)])
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("looking at %s: %w", folder, err)
	}
	return same, nil
}

// copyAll writes the files into the stage, and the side files of those that stay.
func copyAll(root *os.Root, files fs.FS, stage string, there bool) error {
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := path.Join(stage, name)
		if d.IsDir() {
			return root.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if err := writeFile(root, to, text, 0o644); err != nil {
			return err
		}
		if !there {
			return nil
		}
		side, err := root.ReadFile(path.Join(folder, name+uidSuffix))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return writeFile(root, to+uidSuffix, side, 0o644)
	})
	if err != nil {
		return fmt.Errorf("copying the addon: %w", err)
	}
	return nil
}

// writeFile makes a new file and sees that it is on the disk.
func writeFile(root *os.Root, name string, text []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode) // the umask may have narrowed it
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
