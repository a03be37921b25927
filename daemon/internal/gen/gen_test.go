package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	root, err := findRoot(".")
	require.NoError(t, err)
	files, err := generate()
	require.NoError(t, err)
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if assert.NoError(t, err, "run go run ./daemon/internal/gen") {
			assert.Equal(t, string(want), string(got), "%s is stale: run go run ./daemon/internal/gen", name)
		}
	}
}

func TestNoSnapshotOutlivesItsTool(t *testing.T) {
	root, err := findRoot(".")
	require.NoError(t, err)
	files, err := generate()
	require.NoError(t, err)
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(snapshots)))
	require.NoError(t, err)
	for _, e := range entries {
		assert.Contains(t, files, snapshots+"/"+e.Name())
	}
}

func TestTheAddonsConstantsFitGDScriptsStyle(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(string(ProtocolGD()), "\n"), "\n")
	assert.Less(t, len(lines), 300)
	for _, line := range lines {
		assert.LessOrEqual(t, len(strings.ReplaceAll(line, "\t", "    ")), 100, line)
		if strings.HasPrefix(line, "const ") {
			assert.Regexp(t, `^const [A-Z][A-Z0-9_]*: (int|String|Dictionary\[String, String\]) = `, line)
		}
	}
}

func TestGeneratorsAreDeterministic(t *testing.T) {
	first, err := generate()
	require.NoError(t, err)
	second, err := generate()
	require.NoError(t, err)
	assert.Equal(t, first, second)
}
