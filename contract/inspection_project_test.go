package contract

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// projectFacts is the answer of get_project_info.
type projectFacts struct {
	Name         string   `json:"name"`
	GodotVersion string   `json:"godot_version"`
	ProjectPath  string   `json:"project_path"`
	MainScene    string   `json:"main_scene"`
	InputActions []string `json:"input_actions"`
	InputSource  string   `json:"input_source"`
	Features     []string `json:"features"`
	InSync       *bool    `json:"settings_in_sync"`
	Changed      []string `json:"changed_keys"`
	Hint         string   `json:"hint"`
	Autoloads    []struct {
		Name      string `json:"name"`
		Path      string `json:"path"`
		Singleton bool   `json:"singleton"`
	} `json:"autoloads"`
}

func (r *rig) projectFacts(t *testing.T) projectFacts {
	t.Helper()
	var out projectFacts
	decodeData(t, r.ok(t, "get_project_info", args{}), &out)
	return out
}

// setting has the hand change a setting in the editor's memory until the test ends.
func (r *rig) setting(t *testing.T, name string, value any) {
	t.Helper()
	r.hand.act(t, "setting", map[string]any{"name": name, "value": value}, nil)
	t.Cleanup(func() { r.hand.act(t, "setting", map[string]any{"name": name, "value": nil}, nil) })
}

func (r *rig) projectInfo(t *testing.T) {
	facts := r.projectFacts(t)
	assert.Equal(t, "Fixture", facts.Name)
	assert.Equal(t, r.project.Dir, facts.ProjectPath)
	assert.Regexp(t, `^4\.\d`, facts.GodotVersion)
	require.NotNil(t, facts.InSync)
	assert.True(t, *facts.InSync, "%v", facts.Changed)
	// BR-134: the project's own actions, never the editor's shortcuts or the engine's own actions.
	for _, name := range facts.InputActions {
		assert.NotRegexp(t, `^(ui_|spatial_editor/|editor)`, name)
	}
	assert.Equal(t, "project", facts.InputSource)
	assert.NotContains(t, facts.InputActions, "inspected_jump")
	r.setting(t, "input/inspected_jump", map[string]any{"deadzone": 0.5, "events": []any{}})
	r.setting(t, "autoload/Inspected", "*"+harness.FixtureRes+"/scripts/lists.gd")
	facts = r.projectFacts(t)
	assert.Contains(t, facts.InputActions, "inspected_jump")
	autoloads := text(facts.Autoloads)
	assert.Contains(t, autoloads, `{"name":"Inspected","path":"`+harness.FixtureRes+`/scripts/lists.gd","singleton":true}`)
}

// settingsOutOfSync: BR-017, and its siblings: a key that is gone from the file, and one with another value.
func (r *rig) settingsOutOfSync(t *testing.T) {
	path := r.project.Path("res://project.godot")
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	t.Cleanup(func() { write(string(before)) })
	section := "\n[autoload]\n\nFromOutside=\"*" + harness.FixtureRes + "/scripts/lists.gd\"\n"
	for _, row := range []struct {
		about, text string
		changed     []string
	}{
		{"a new autoload", string(before) + section, []string{"autoload/FromOutside"}},
		{"as it was", string(before), nil},
		{
			"another name", strings.Replace(string(before), `config/name="Fixture"`, `config/name="Other"`, 1),
			[]string{"application/config/name"},
		},
		{
			"no name", strings.Replace(string(before), `config/name="Fixture"`, "", 1),
			[]string{"application/config/name"},
		},
		{"more blanks", strings.Replace(string(before), `config/name="Fixture"`, "; hm\nconfig/name = \"Fixture\"", 1), nil},
		{
			"an object's text runs nothing", string(before) + "\n[evil]\n\nx=Object(Node,\"script\":Resource(\"res://no.gd\"))\n",
			[]string{"evil/x"},
		},
	} {
		write(row.text)
		facts := r.projectFacts(t)
		require.NotNil(t, facts.InSync, row.about)
		assert.Equal(t, len(row.changed) == 0, *facts.InSync, "%s: %v", row.about, facts.Changed)
		assert.Equal(t, row.changed, facts.Changed, row.about)
		assert.Equal(t, len(row.changed) > 0, facts.Hint != "", row.about)
	}
}

func (r *rig) sceneFiles(t *testing.T) {
	path := r.open(t, "own_nodes")
	hidden := r.copyFixture(t, "empty") // never scanned, and there all the same
	list := func(with args) ([]string, harness.Reply) {
		reply := r.ok(t, "list_scenes", with)
		var out struct {
			Scenes []struct {
				Path     string `json:"path"`
				IsOpen   bool   `json:"is_open"`
				IsActive bool   `json:"is_active"`
				Imported bool   `json:"imported"`
			} `json:"scenes"`
		}
		decodeData(t, reply, &out)
		var paths []string
		for _, scene := range out.Scenes {
			paths = append(paths, scene.Path)
			assert.Equal(t, scene.Path == path, scene.IsActive, scene.Path)
			assert.Equal(t, slices.Contains(r.hand.glance(t).Scenes, scene.Path), scene.IsOpen, scene.Path)
			assert.Equal(t, strings.HasSuffix(scene.Path, ".gltf"), scene.Imported, scene.Path)
		}
		return paths, reply
	}
	all, _ := list(args{})
	var want []string
	for file := range r.files(t) {
		if strings.HasSuffix(file, ".tscn") || strings.HasSuffix(file, ".gltf") {
			want = append(want, file)
		}
	}
	slices.Sort(want)
	assert.Equal(t, want, all)
	assert.Contains(t, all, hidden)
	var paged []string
	for offset := 0; offset < len(all); offset += 7 {
		page, reply := list(args{"offset": offset, "limit": 7})
		paged = append(paged, page...)
		assert.Equal(t, offset+7 < len(all), reply.Data["truncated"], "%s", reply.Raw)
	}
	assert.Equal(t, all, paged, "pages fit together")
	some, _ := list(args{"filter": "*/inherited_*"})
	assert.Contains(t, some, harness.FixtureRes+"/inherited_one.tscn")
	assert.NotContains(t, some, path)
}
