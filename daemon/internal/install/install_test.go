package install_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/install"
)

func files() fstest.MapFS {
	return fstest.MapFS{
		"plugin.cfg":      {Data: []byte("[plugin]\nname=\"Drawbridge\"\n")},
		"plugin.gd":       {Data: []byte("extends EditorPlugin\n")},
		"handlers/one.gd": {Data: []byte("extends RefCounted\n")},
	}
}

const settings = "config_version=5\n\n[application]\n\nconfig/name=\"x\"\n"

func project(t *testing.T, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project.godot"), []byte(text), 0o640))
	return dir
}

// tree reads all files below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if d.Type()&fs.ModeSymlink != 0 {
			target, lerr := os.Readlink(path)
			text, err = []byte("-> "+target), lerr
		}
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	require.NoError(t, err)
	return out
}

func TestInstallCopiesAndEnables(t *testing.T) {
	dir := project(t, settings)
	report, err := install.Install(dir, files())
	require.NoError(t, err)
	assert.True(t, report.Copied)
	assert.True(t, report.Enabled)
	assert.Contains(t, report.String(), "restart the editor")
	assert.Equal(t, map[string]string{
		"project.godot":                     settings + "\n[editor_plugins]\n\nenabled=PackedStringArray(\"res://addons/drawbridge/plugin.cfg\")\n",
		"addons/drawbridge/plugin.cfg":      "[plugin]\nname=\"Drawbridge\"\n",
		"addons/drawbridge/plugin.gd":       "extends EditorPlugin\n",
		"addons/drawbridge/handlers/one.gd": "extends RefCounted\n",
	}, tree(t, dir))
	info, err := os.Stat(filepath.Join(dir, "project.godot"))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o640), info.Mode().Perm())
}

func TestInstallingTwiceChangesNothing(t *testing.T) {
	dir := project(t, settings)
	_, err := install.Install(dir, files())
	require.NoError(t, err)
	// The editor has put its side files beside the scripts meanwhile.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "addons/drawbridge/plugin.gd.uid"), []byte("uid://x\n"), 0o600))
	before := tree(t, dir)
	report, err := install.Install(dir, files())
	require.NoError(t, err)
	assert.False(t, report.Copied)
	assert.False(t, report.Enabled)
	assert.Equal(t, before, tree(t, dir))
}

func TestAnotherVersionReplacesTheWholeSetAndKeepsTheSideFilesOfWhatStays(t *testing.T) {
	dir := project(t, settings)
	_, err := install.Install(dir, files())
	require.NoError(t, err)
	for _, name := range []string{"plugin.gd.uid", "handlers/one.gd.uid"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "addons/drawbridge", name), []byte("uid://x\n"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "addons", ".drawbridge-old-X"), 0o700))
	newer := files()
	delete(newer, "handlers/one.gd")
	newer["link.gd"] = &fstest.MapFile{Data: []byte("extends Node\n")}
	_, err = install.Install(dir, newer)
	require.NoError(t, err)
	var names []string
	for name := range tree(t, dir) {
		names = append(names, name)
	}
	assert.ElementsMatch(t, []string{
		"project.godot", "addons/drawbridge/plugin.cfg", "addons/drawbridge/plugin.gd",
		"addons/drawbridge/plugin.gd.uid", "addons/drawbridge/link.gd",
	}, names)
	entries, err := os.ReadDir(filepath.Join(dir, "addons"))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left lying about")
}

func TestInstallRefuses(t *testing.T) {
	outside := t.TempDir()
	cases := map[string]struct {
		text    string
		prepare func(dir string) error
		want    string
	}{
		"a link in the addon's place": {settings, func(dir string) error {
			if err := os.Mkdir(filepath.Join(dir, "addons"), 0o700); err != nil {
				return err
			}
			return os.Symlink(outside, filepath.Join(dir, "addons", "drawbridge"))
		}, "is a link"},
		"an addons folder that leads out": {settings, func(dir string) error {
			return os.Symlink(outside, filepath.Join(dir, "addons"))
		}, "escapes"},
		"somebody else's folder": {settings, func(dir string) error {
			if err := os.MkdirAll(filepath.Join(dir, "addons", "drawbridge"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "addons", "drawbridge", "mine.gd"), nil, 0o600)
		}, "not Drawbridge's"},
		"a linked project.godot": {settings, func(dir string) error {
			if err := os.Rename(filepath.Join(dir, "project.godot"), filepath.Join(outside, "p")); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(outside, "p"), filepath.Join(dir, "project.godot"))
		}, "is a link"},
		"Godot 3":            {"config_version=4\n", nil, "Godot 4"},
		"an unknown list":    {"[editor_plugins]\nenabled=PoolStringArray(  )\n", nil, "by hand"},
		"a broken file":      {"config_version=5\nx=\"open\n", nil, "ends inside"},
		"a line of nonsense": {"config_version=5\nnonsense\nx=1\n", nil, "neither"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := project(t, c.text)
			if c.prepare != nil {
				require.NoError(t, c.prepare(dir))
			}
			before, outsideBefore := tree(t, dir), tree(t, outside)
			_, err := install.Install(dir, files())
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, before, tree(t, dir))
			assert.Equal(t, outsideBefore, tree(t, outside))
		})
	}
}

// failing is a set of files of which one cannot be read.
type failing struct{ fstest.MapFS }

func (f failing) ReadFile(name string) ([]byte, error) {
	if name == "plugin.gd" {
		return nil, fs.ErrPermission
	}
	return f.MapFS.ReadFile(name)
}

func TestAFailedCopyLeavesWhatWasThere(t *testing.T) {
	for name, installed := range map[string]bool{"nothing": false, "an older addon": true} {
		t.Run(name, func(t *testing.T) {
			dir := project(t, settings)
			if installed {
				older := files()
				delete(older, "handlers/one.gd")
				_, err := install.Install(dir, older)
				require.NoError(t, err)
			}
			before := tree(t, dir)
			_, err := install.Install(dir, failing{files()})
			require.ErrorIs(t, err, fs.ErrPermission)
			assert.Equal(t, before, tree(t, dir))
		})
	}
}

func TestEnableKeepsEveryOtherByte(t *testing.T) {
	const plugin = "res://addons/drawbridge/plugin.cfg"
	const mine = `"res://addons/drawbridge/plugin.cfg"`
	cases := map[string]struct{ before, after string }{
		"empty list": {
			"[editor_plugins]\n\nenabled=PackedStringArray()\n\n[rendering]\n",
			"[editor_plugins]\n\nenabled=PackedStringArray(" + mine + ")\n\n[rendering]\n",
		},
		"others": {
			"[editor_plugins]\nenabled=PackedStringArray(\"res://a/plugin.cfg\")\n",
			"[editor_plugins]\nenabled=PackedStringArray(\"res://a/plugin.cfg\", " + mine + ")\n",
		},
		"over several lines": {
			"[editor_plugins]\nenabled=PackedStringArray(\n\"res://a/plugin.cfg\"\n)\nx=1\n",
			"[editor_plugins]\nenabled=PackedStringArray(\n\"res://a/plugin.cfg\", " + mine + "\n)\nx=1\n",
		},
		"section without the key": {
			"[editor_plugins]\n\n[rendering]\nx=1\n",
			"[editor_plugins]\n\nenabled=PackedStringArray(" + mine + ")\n\n[rendering]\nx=1\n",
		},
		"Windows line ends": {
			"config_version=5\r\n\r\n[editor_plugins]\r\n\r\nenabled=PackedStringArray()\r\n",
			"config_version=5\r\n\r\n[editor_plugins]\r\n\r\nenabled=PackedStringArray(" + mine + ")\r\n",
		},
		"no line end": {
			"config_version=5",
			"config_version=5\n\n[editor_plugins]\n\nenabled=PackedStringArray(" + mine + ")\n",
		},
		"a text that looks like the section": {
			"[a]\nx=\"\n[editor_plugins]\nenabled=PackedStringArray()\n\"\ny={\n\"k\": \"}[\\\"\"\n}\n",
			"[a]\nx=\"\n[editor_plugins]\nenabled=PackedStringArray()\n\"\ny={\n\"k\": \"}[\\\"\"\n}\n\n[editor_plugins]\n\nenabled=PackedStringArray(" + mine + ")\n",
		},
		"comments": {
			"; enabled=x [\n[editor_plugins] \n;\nenabled = PackedStringArray() \n",
			"; enabled=x [\n[editor_plugins] \n;\nenabled = PackedStringArray(" + mine + ") \n",
		},
		"the key elsewhere": {
			"[debug]\nenabled=PackedStringArray()\n\n",
			"[debug]\nenabled=PackedStringArray()\n\n[editor_plugins]\n\nenabled=PackedStringArray(" + mine + ")\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, changed, err := install.Enable([]byte(c.before), plugin)
			require.NoError(t, err)
			assert.True(t, changed)
			assert.Equal(t, c.after, string(got))
			again, changed, err := install.Enable(got, plugin)
			require.NoError(t, err)
			assert.False(t, changed)
			assert.Equal(t, c.after, string(again))
		})
	}
}

func FuzzEnable(f *testing.F) {
	f.Add(settings)
	f.Add("[editor_plugins]\nenabled=PackedStringArray(\"a\")\n")
	f.Add("a={\n\"b\": \"\\\"\"\n}\n[editor_plugins]\n")
	f.Fuzz(func(t *testing.T, text string) {
		out, changed, err := install.Enable([]byte(text), "res://p.cfg")
		if err != nil {
			return
		}
		require.Equal(t, changed, string(out) != text)
		require.True(t, len(out) >= len(text) && subsequence(text, string(out)), "bytes were lost")
		_, again, err := install.Enable(out, "res://p.cfg")
		require.NoError(t, err)
		require.False(t, again)
	})
}

// subsequence tells whether short is long with one stretch taken out.
func subsequence(short, long string) bool {
	i := 0
	for i < len(short) && short[i] == long[i] {
		i++
	}
	return strings.HasSuffix(long, short[i:])
}
