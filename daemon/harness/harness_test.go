package harness_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"drawbridge/daemon/harness"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// newKit is one kit for one test; its folder must be gone afterwards.
func newKit(t *testing.T) (context.Context, *harness.Kit) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, kit.Close()) })
	return ctx, kit
}

// fixtures lists the scenes of the fixture folder as res:// paths.
func fixtures(t *testing.T, p *harness.Project) []string {
	t.Helper()
	files, err := filepath.Glob(p.Path(harness.FixtureRes + "/*.tscn"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, file := range files {
		files[i] = harness.FixtureRes + "/" + filepath.Base(file)
	}
	return files
}

// One kit serves all of these, because preparing the template takes seconds.
func TestProjectsAndReader(t *testing.T) {
	ctx, kit := newKit(t)
	p, err := kit.NewProject(ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	files := fixtures(t, p)
	scenes, err := kit.Read(ctx, p, append(files, harness.FixtureRes+"/absent.tscn")...)
	require.NoError(t, err)

	t.Run("each fixture loads, or does not, as the README says", func(t *testing.T) {
		checkFixtures(t, kit, files, scenes)
	})
	t.Run("the reader sees what the files hold", func(t *testing.T) {
		checkReader(t, scenes)
	})
	t.Run("the project is as a user's with the addon installed", func(t *testing.T) {
		checkLayout(t, p)
	})
	t.Run("each project is a copy of its own", func(t *testing.T) {
		other, err := kit.NewProject(ctx, harness.ProjectOptions{})
		require.NoError(t, err)
		assert.NotEqual(t, p.Home, other.Home)
		require.NoError(t, os.Remove(other.Path(harness.FixtureRes+"/mid.tscn")))
		assert.FileExists(t, p.Path(harness.FixtureRes+"/mid.tscn"))
		require.NoError(t, other.Close())
		assert.NoDirExists(t, other.Dir)
	})
	t.Run("a script that never ends is killed at the deadline", func(t *testing.T) {
		script := p.Path("res://gd/endless.gd")
		require.NoError(t, os.WriteFile(script, []byte("extends SceneTree\n"), 0o600))
		short, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		_, err := kit.RunGodot(short, p, "-s", "res://gd/endless.gd")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func checkFixtures(t *testing.T, kit *harness.Kit, files []string, scenes harness.Scenes) {
	refused := map[string]string{
		"absent.tscn":  "no scene at that path",
		"garbage.tscn": "does not load",
	}
	for path, scene := range scenes {
		assert.Equal(t, refused[filepath.Base(path)], scene.Error, path)
		if scene.Error == "" {
			assert.Contains(t, scene.Nodes, ".", path)
			assert.Len(t, scene.Order, len(scene.Nodes), path)
		}
	}
	readme, err := os.ReadFile(filepath.Join(kit.Root(), "scenes_fixture", "README.md"))
	require.NoError(t, err)
	for _, file := range files {
		assert.Equal(t, 1, strings.Count(string(readme), "| `"+filepath.Base(file)+"` |"), "README line of %s", file)
	}
}

func checkReader(t *testing.T, scenes harness.Scenes) {
	scene := func(name string) harness.Scene { return scenes[harness.FixtureRes+"/"+name+".tscn"] }
	value := func(name, node, property string) any {
		t.Helper()
		raw, ok := scene(name).Nodes[node].Properties[property]
		require.True(t, ok, "%s: %s has no %s", name, node, property)
		v, err := harness.Plain(raw)
		require.NoError(t, err)
		return v
	}

	assert.Equal(t, []any{10.0, 20.0}, value("own_nodes", "Player", "position"))
	assert.Equal(t, "keep", value("own_nodes", "Title", "text"))
	assert.Equal(t, int64(9223372036854775807), value("all_types", "Types", "an_int"))
	assert.Equal(t, 0.1, value("all_types", "ToolTypes", "a_float"))
	assert.Equal(t, []any{int64(1), 2.5, "three"}, value("all_types", "ToolTypes", "an_array"))
	assert.Equal(t, map[string]any{"$node": "Hud"}, value("node_exports", "User", "hud"))
	assert.Equal(t, "../Other", value("node_exports", "User", "path"))

	ramp := value("external_resources", "External", "texture").(map[string]any)["properties"].(map[string]any)["gradient"].(map[string]any)
	assert.Equal(t, "res://scenes_fixture/assets/ramp.tres", ramp["path"])
	assert.Equal(t, "ramp", ramp["properties"].(map[string]any)["resource_name"])
	foreign := value("foreign_sub_resource", "Shell/Kid", "texture").(map[string]any)
	assert.Equal(t, "", foreign["path"])
	assert.Equal(t, "res://scenes_fixture/mid.tscn", foreign["inside"])

	nested := scene("nested_editable").Nodes
	assert.True(t, nested["Nest"].Editable && nested["Nest/Open"].Editable)
	assert.False(t, nested["Nest/Closed"].Editable)
	assert.Equal(t, "Nest/Open", nested["Nest/Open/Kid"].Owner)
	assert.Equal(t, "res://scenes_fixture/mid.tscn", nested["Nest/Open"].InstanceOf)

	branch := scene("deep_subtree")
	assert.Len(t, branch.Connections, 3)
	leaf := branch.Nodes["Branch/Twig/Leaf"]
	assert.Equal(t, []string{"leaves", "level_three"}, leaf.Groups)
	assert.True(t, leaf.UniqueName)
	assert.Equal(t, "res://scenes_fixture/scripts/tool_exports.gd", leaf.Script)
	assert.Contains(t, branch.Nodes["Branch"].Metadata, "note")
	assert.Equal(t, int64(33), value("deep_subtree", "Branch/Twig/Leaf", "exported"))
}

func checkLayout(t *testing.T, p *harness.Project) {
	settings, err := os.ReadFile(p.Path("res://project.godot"))
	require.NoError(t, err)
	assert.Contains(t, string(settings), `"res://addons/drawbridge/plugin.cfg"`)
	assert.Contains(t, string(settings), "untyped_declaration=2")
	assert.FileExists(t, p.Path(harness.AddonRes+"/protocol.gd"))
	assert.NoFileExists(t, p.Path(harness.AddonRes+"/embed.go"))
	env := strings.Join(p.Env(), "\n")
	assert.Contains(t, env, "\nHOME="+p.Home)
	assert.Equal(t, 1, strings.Count("\n"+env, "\nXDG_CONFIG_HOME="))
}
