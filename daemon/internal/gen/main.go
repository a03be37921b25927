// Command gen writes the files that are derived and never edited: the addon's constants, the permission table, the
// docs of tools and errors, the golden of the safety contract, and a snapshot of each tool's public face. Run it from
// the repository: go run ./daemon/internal/gen. A test compares the files with what it would write.
package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/contract"
	"drawbridge/daemon/internal/docs"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run writes every generated file below the repository's root.
func run(dir string) error {
	root, err := findRoot(dir)
	if err != nil {
		return err
	}
	files, err := generate()
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making the folder of %s: %w", name, err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// snapshots is the folder of the tools' public faces.
const snapshots = "daemon/internal/catalog/testdata/tools"

// golden is the safety contract as it is committed.
const golden = "daemon/internal/contract/golden.json"

// generate gives every generated file by its path below the root.
func generate() (map[string][]byte, error) {
	tools, err := catalog.New()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"addon/protocol.gd": ProtocolGD(),
		"addon/commands.gd": CommandsGD(tools.All()),
		golden:              contract.Render(contract.Of(tools.All())),
	}
	maps.Copy(files, docs.All(tools.All()))
	for _, t := range tools.All() {
		text, err := Snapshot(t)
		if err != nil {
			return nil, err
		}
		files[snapshots+"/"+t.Name()+".json"] = text
	}
	return files, nil
}

// findRoot goes up to the folder with the go.mod.
func findRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("there is no go.mod here or above")
		}
		dir = up
	}
}
