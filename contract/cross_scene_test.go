package contract

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const crossTool = "cross_scene_set_property"

// crossRow is one change of one file. What the file holds afterwards, and that all else is as it was, is for a fresh
// process to say.
type crossRow struct {
	name    string
	fixture string
	args    args
	// applied and skipped are the nodes that get the value, and those of closed instances that do not.
	applied, skipped []string
	// want are stored properties of nodes as a fresh process reads them, "node:property"; nothing else may change.
	want map[string]string
}

// crossed is a row after its real run.
type crossed struct {
	row  crossRow
	path string
	ran  bool
}

// crossData is what a reply says.
type crossData struct {
	Changed      bool `json:"changed"`
	FilesChanged int  `json:"files_changed"`
	Scenes       []struct {
		ScenePath string `json:"scene_path"`
		Applied   []struct {
			NodePath string `json:"node_path"`
		} `json:"applied"`
		Unchanged []string `json:"unchanged"`
		Skipped   []struct {
			NodePath string          `json:"node_path"`
			Reason   protocol.Reason `json:"reason"`
		} `json:"skipped"`
	} `json:"scenes"`
	OpenScenes []struct {
		Scene     string   `json:"scene"`
		Uses      []string `json:"uses"`
		Shows     *bool    `json:"shows_change"`
		OwnValues []string `json:"own_values"`
	} `json:"open_scenes"`
}

// testCrossScene: a property in many files at once changes in these files and nothing else does.
func (r *rig) testCrossScene(t *testing.T) {
	r.open(t, "own_nodes")
	t.Run("rows", r.crossRows)
	t.Run("kept as the editor saved it", r.crossSaved)
	t.Run("many files", r.crossMany)
	t.Run("refused", r.crossRefused)
	t.Run("a value that is not kept", r.crossRejected)
	t.Run("a file that does not read back", r.crossPutBack)
	t.Run("a scene that is open", r.crossOpen)
	t.Run("open scenes that use it", r.crossUsed)
	t.Run("a limit", r.crossLimit)
	t.Run("a file that cannot be written", r.crossProtected)
	t.Run("a script that does not parse", r.crossBrokenScript)
	t.Run("other forms of scenes", r.crossForms)
	t.Run("a dry run makes nothing", r.crossInit)
}

func on(pattern, property string, value any) args {
	return args{"node_pattern": pattern, "property": property, "value": value}
}

func crossRowList() []crossRow {
	red, ramp := harness.FixtureRes+"/assets/red.png", harness.FixtureRes+"/assets/ramp.tres"
	one := func(name, fixture, node, property string, value any, want string) crossRow {
		return crossRow{
			name: name, fixture: fixture, args: on(node, property, value), applied: []string{node},
			want: map[string]string{node + ":" + property: want},
		}
	}
	also := func(row crossRow, at, want string) crossRow {
		row.want[at] = want
		return row
	}
	// The engine writes the entries of a dictionary in an order of its own.
	sorted := func(row crossRow) crossRow { return also(row, "Lists:loose_map", `[[5,"five"],["a",1]]`) }
	becomes := func(row crossRow, property, want string) crossRow {
		row.want = map[string]string{row.applied[0] + ":" + property: want}
		return row
	}
	at := func(row crossRow, node string) crossRow {
		for was, want := range row.want {
			row.want = map[string]string{node + was[strings.Index(was, ":"):]: want}
		}
		row.applied = []string{node}
		return row
	}
	kid := on("Kid", "position", []int{7, 8})
	byType := crossRow{
		name: "every node of a class, but not inside a closed instance", fixture: "instance_closed",
		args:    args{"node_type": "Node2D", "property": "visible", "value": false},
		applied: []string{".", "Shell", "Own", "Below"}, skipped: []string{"Shell/Kid", "Shell/Kid/Deep"},
		want: map[string]string{".:visible": "false", "Shell:visible": "false", "Own:visible": "false", "Shell/Below:visible": "false"},
	}
	byType.applied[3] = "Shell/Below"
	return []crossRow{
		one("an own node", "own_nodes", "Enemy", "position", []int{5, 6}, "[5.0,6.0]"),
		one("a value that was there", "own_nodes", "Player", "position", []int{5, 6}, "[5.0,6.0]"),
		at(one("a path pattern", "own_nodes", "player/b*", "visible", false, "false"), "Player/Body"),
		one("the root", "own_nodes", ".", "position", []int{5, 6}, "[5.0,6.0]"),
		one("a text", "own_nodes", "Title", "text", "two\nlines \"quoted\"", `"two\nlines \"quoted\""`),
		one("a colour", "own_nodes", "Title", "modulate", raw("[0.5,0.25,0.75,1]"), "[0.5,0.25,0.75,1.0]"),
		one("a theme override", "own_nodes", "Title", "theme_override_font_sizes/font_size", 40, "40"),
		one("a default again", "own_nodes", "Player", "position", []int{0, 0}, "[0.0,0.0]"),
		byType,
		one("the root of an instance", "instance_closed", "Shell", "position", []int{5, 6}, "[5.0,6.0]"),
		{
			name: "an editable child", fixture: "foreign_sub_resource", args: kid, applied: []string{"Shell/Kid"},
			want: map[string]string{"Shell/Kid:position": "[7.0,8.0]"},
		},
		{
			name: "an editable child with a value of its own", fixture: "instance_editable", args: kid,
			applied: []string{"Shell/Kid"}, want: map[string]string{"Shell/Kid:position": "[7.0,8.0]"},
		},
		{
			name: "what an editable child had", fixture: "instance_editable", args: on("Kid", "position", []int{0, 0}),
			applied: []string{"Shell/Kid"}, want: map[string]string{"Shell/Kid:position": "[0.0,0.0]"},
		},
		{
			name: "editable and closed", fixture: "nest", args: kid, applied: []string{"Open/Kid"}, skipped: []string{"Closed/Kid"},
			want: map[string]string{"Open/Kid:position": "[7.0,8.0]"},
		},
		{
			name: "an instance in an instance", fixture: "nested_half", args: kid, applied: []string{"Nest/Open/Kid"},
			skipped: []string{"Nest/Closed/Kid"}, want: map[string]string{"Nest/Open/Kid:position": "[7.0,8.0]"},
		},
		one("an inherited node", "inherited_one", "Kid", "position", []int{5, 6}, "[5.0,6.0]"),
		at(one("a node inherited twice", "inherited_two", "Deep", "position", []int{5, 6}, "[5.0,6.0]"), "Kid/Deep"),
		one("an inherited root", "inherited_two", ".", "position", []int{5, 6}, "[5.0,6.0]"),
		one("beside connections, groups and bound values", "signals", "Own", "position", []int{5, 6}, "[5.0,6.0]"),
		{
			name: "an inherited editable child", fixture: "signals_derived", args: on("*open/kid", "z_index", 3),
			applied: []string{"Open/Kid"}, want: map[string]string{"Open/Kid:z_index": "3"},
		},
		one("beside node paths of nodes", "node_exports", "User", "position", []int{5, 6}, "[5.0,6.0]"),
		one("a node path", "references", "Follow", "remote_path", "../Box", `"../Box"`),
		one("an exported node path", "node_exports", "User", "path", "../Hud", `"../Hud"`),
		one("an imported resource", "values", "Picture", "texture", red, red),
		one("a resource for a shared sub-resource", "sub_resources", "Same", "texture", red, red),
		one("an external resource", "external_resources", "Custom", "a_resource", ramp, ramp),
		one("no resource", "sub_resources", "Picture", "texture", nil, "null"),
		sorted(one("a typed array", "lists", "Lists", "numbers", []int{3, 4}, "[3,4]")),
		sorted(one("a typed dictionary", "lists", "Lists", "scores", map[string]any{"b": 2}, `[["b",2]]`)),
		sorted(one("a loose array", "lists", "Lists", "loose", raw(`[true,"x"]`), `[true,"x"]`)),
		one("an export behind a placeholder", "scripts", "Plain", "exported", 5, "5"),
		one("an export of a tool script", "scripts", "Tool", "exported", 5, "5"),
		{
			name: "an export of a project class", fixture: "scripts", applied: []string{"Mover"},
			args: args{"node_type": "FixtureMover", "property": "speed", "value": 9}, want: map[string]string{"Mover:speed": "9.0"},
		},
		one("the default of an export", "scripts", "Mover", "speed", 100, "100.0"),
		also(one("what a setter sets beside it", "scripts", "Setters", "leader", 4, "4"), "Setters:follower", "8"),
		also(one("what a range clamps", "side_effects", "Slider", "max_value", 10, "10.0"), "Slider:value", "10.0"),
		one("a value that counts on another", "side_effects", "Frames", "vframes", 2, "2"),
		becomes(one("a 3D position", "values", "Place", "position", []int{1, 2, 3}, ""), "transform",
			"[1.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0,1.0,2.0,3.0]"),
		becomes(one("degrees", "own_nodes", "Enemy", "rotation_degrees", 90, ""), "rotation", "1.5707963705062866"),
	}
}

func (r *rig) crossRows(t *testing.T) {
	var paths []string
	rows := crossRowList()
	done := make([]crossed, len(rows))
	for i, row := range rows {
		t.Run("call/"+row.name, func(t *testing.T) { done[i] = r.crossRow(t, row) })
		paths = append(paths, harness.FixtureRes+"/"+row.fixture+".tscn")
		if done[i].ran {
			paths = append(paths, done[i].path)
		}
	}
	scenes := r.read(t, paths...)
	for _, one := range done {
		t.Run("file/"+one.row.name, func(t *testing.T) {
			require.True(t, one.ran, "the row did not run to its end")
			onlyThese(t, scenes[harness.FixtureRes+"/"+one.row.fixture+".tscn"], scenes[one.path], one.row, one.path)
		})
	}
}

// crossRow runs one row, and once more: then there is nothing left to do.
func (r *rig) crossRow(t *testing.T, row crossRow) crossed {
	t.Helper()
	path := r.copyFixture(t, row.fixture)
	call := with(with(row.args, "scenes", []string{path}), "confirm", true)
	before := r.files(t)
	reply := r.foretold(t, crossTool, call)
	assert.Equal(t, false, reply.Data["undoable"], "%s", reply.Raw)
	assert.Equal(t, []string{path}, changedFiles(before, r.files(t)))
	r.checkTold(t, reply, []string{path})
	var body crossData
	decodeData(t, reply, &body)
	require.Len(t, body.Scenes, 1)
	var applied, skipped, targets []string
	for _, one := range body.Scenes[0].Applied {
		applied = append(applied, one.NodePath)
		targets = append(targets, path+":"+one.NodePath)
	}
	for _, one := range body.Scenes[0].Skipped {
		skipped = append(skipped, one.NodePath)
		assert.Equal(t, notEditable, one.Reason)
	}
	assert.ElementsMatch(t, row.applied, applied, "%s", reply.Raw)
	assert.ElementsMatch(t, row.skipped, skipped, "%s", reply.Raw)
	require.Len(t, reply.Persistence, len(targets))
	for _, verdict := range reply.Persistence {
		assert.Contains(t, targets, verdict.Target)
		assert.True(t, verdict.Persisted != nil && *verdict.Persisted, "%s", reply.Raw)
	}
	written := r.file(t, path)
	again := r.ok(t, crossTool, call)
	assert.Equal(t, written, r.file(t, path), "the same call again: %s", again.Raw)
	return crossed{row, path, true}
}

// onlyThese checks that the row's values are in the file, and that all else is as in the fixture.
func onlyThese(t *testing.T, was, now harness.Scene, row crossRow, path string) {
	t.Helper()
	require.Empty(t, now.Error)
	assert.Equal(t, named(was.Order), named(now.Order))
	assert.Equal(t, was.Connections, now.Connections)
	for at, want := range row.want {
		node, property, _ := strings.Cut(at, ":")
		kept, found := stores(node, property, want)(now)
		if strings.HasPrefix(want, "res://") {
			kept, found = refers(node, property, want)(now)
		}
		assert.True(t, kept, "%s is %s", at, found)
		already, _ := stores(node, property, want)(was)
		assert.False(t, already, "%s: the fixture looks so already", at)
	}
	fixture := harness.FixtureRes + "/" + row.fixture + ".tscn"
	for _, node := range named(was.Order) {
		one, other := was.Nodes[node], now.Nodes[node]
		for at := range row.want {
			if of, property, _ := strings.Cut(at, ":"); of == node {
				one.Properties, other.Properties = rest(one.Properties, property), rest(other.Properties, property)
			}
		}
		assert.Equal(t, one.Editable, other.Editable, node)
		assert.Equal(t, one.UniqueName, other.UniqueName, node)
		assert.Equal(t, one.InstanceOf == "", other.InstanceOf == "", node)
		sameValues(t, node, one, other, fixture, path)
	}
}

// rest are the properties without one.
func rest(all map[string]json.RawMessage, property string) map[string]json.RawMessage {
	out := maps.Clone(all)
	delete(out, property)
	return out
}

// named leaves out the nodes that engine nodes make for themselves: their names are numbered.
func named(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return strings.Contains(path, "@") })
}
