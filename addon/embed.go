// Package addon holds the editor's half: the files as they are installed into a project, embedded in the binary.
package addon

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

//go:embed plugin.cfg *.gd */*.gd
var files embed.FS

// Files gives the addon's files, with paths relative to the addon's folder.
func Files() fs.FS { return files }

// Hash is the hash of the embedded files, in the form of protocol.Hello.AddonHash.
func Hash() (string, error) { return HashOf(files) }

// HashOf is the hash of an addon folder: for each plugin.cfg and .gd file, in the order of their slash-separated
// names, the name, a NUL, the bytes, a NUL. Other files, such as the .uid files that the editor makes, do not count.
// addon/link/identity.gd does the same over the installed files.
func HashOf(folder fs.FS) (string, error) {
	var names []string
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (name == "plugin.cfg" || path.Ext(name) == ".gd") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("listing the addon's files: %w", err)
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return "", fmt.Errorf("reading the addon's %s: %w", name, err)
		}
		sum.Write([]byte(name + "\x00"))
		sum.Write(text)
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
