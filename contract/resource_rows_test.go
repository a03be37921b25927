package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// resourceKept is one change of a resource, and where a fresh process finds it: in a scene, or in a file.
type resourceKept struct {
	name    string
	fixture string
	first   []edit
	args    args
	reason  protocol.Reason
	// in is the file to look in; empty: the scene. There, kept looks; in a file, property has the value as text.
	in       string
	property string
	want     string
	kept     probe
}

// inside looks for a value of a resource that a node holds.
func inside(node, property string, way []string, want string) probe {
	return func(s harness.Scene) (bool, string) {
		plain, err := harness.Plain(s.Nodes[node].Properties[property])
		for _, step := range way {
			resource, _ := plain.(map[string]any)
			values, _ := resource["properties"].(map[string]any)
			plain = values[step]
		}
		return err == nil && plainText(plain) == want, plainText(plain)
	}
}

func (r *rig) resourceKeptRows(t *testing.T) []resourceKept {
	t.Helper()
	held := func(node, where, property string, value any) args {
		return args{"node_path": node, "node_property": where, "property": property, "value": value}
	}
	unique := func(a args) args { return with(a, "make_unique", true) }
	put := func(node string, path string) []edit {
		return []edit{{tool: "set_node_property", args: args{"node_path": node, "property": "texture", "value": path}}}
	}
	files := make([]string, 4)
	for i := range files {
		files[i] = r.copyFile(t, nestedRes)
	}
	thing := r.copyFile(t, thingRes)
	name := []string{"resource_name"}
	deep := []string{"gradient", "resource_name"}
	return []resourceKept{
		{
			name: "the scene's own", fixture: "sub_resources", args: held("Picture", "texture", "width", 32),
			kept: inside("Picture", "texture", []string{"width"}, "32"),
		},
		{
			name: "one inside the scene's own", fixture: "sub_resources", args: held("Picture", "texture:gradient", "resource_name", "x"),
			kept: inside("Same", "texture", deep, `"x"`),
		},
		{
			name: "a mesh", fixture: "sub_resources", args: held("Box", "mesh", "size", []int{1, 2, 3}),
			kept: inside("Box", "mesh", []string{"size"}, "[1.0,2.0,3.0]"),
		},
		{
			name: "a component", fixture: "sub_resources", args: held("Box", "mesh", "size:y", 7),
			kept: inside("Box", "mesh", []string{"size"}, "[1.0,7.0,1.0]"),
		},
		{
			name: "a copy for one of two", fixture: "sub_resources", args: unique(held("Same", "texture", "width", 16)),
			kept: inside("Same", "texture", []string{"width"}, "16"),
		},
		{
			name: "a copy of one inside", fixture: "sub_resources", args: unique(held("Same", "texture:gradient", "resource_name", "y")),
			kept: inside("Same", "texture", deep, `"y"`),
		},
		{
			name: "a file, through a node", fixture: "values", first: put("Picture", files[0]),
			args: held("Picture", "texture", "width", 20), in: files[0], property: "width", want: "20",
		},
		{
			name: "one inside a file, through a node", fixture: "values", first: put("Picture", files[1]),
			args: held("Picture", "texture:gradient", "resource_name", "z"), in: files[1], property: "gradient:resource_name", want: `"z"`,
		},
		{
			name: "a file, through a node that is not saved", fixture: "instance_closed", first: put("Shell/Kid", files[2]),
			args: held("Shell/Kid", "texture", "width", 21), in: files[2], property: "width", want: "21",
		},
		{
			name: "a file by its path", fixture: "empty", args: args{"resource_path": files[3], "property": "width", "value": 22},
			in: files[3], property: "width", want: "22",
		},
		{
			name: "a file of a project class", fixture: "empty", args: args{"resource_path": thing, "property": "label", "value": "q"},
			in: thing, property: "label", want: `"q"`,
		},
		{
			name: "a copy of a file", fixture: "external_resources", args: unique(held("Nested", "texture", "width", 23)),
			kept: inside("Nested", "texture", []string{"width"}, "23"),
		},
		{
			name: "another scene's, on an editable node", fixture: "foreign_sub_resource", args: held("Shell/Kid", "texture", "width", 24),
			reason: protocol.ReasonForeignResource, kept: inside("Shell/Kid", "texture", []string{"width"}, "24"),
		},
		{
			name: "another scene's, further in", fixture: "foreign_sub_resource",
			args: held("Shell/Kid", "texture:gradient", "resource_name", "w"), reason: protocol.ReasonForeignResource,
			kept: inside("Shell/Kid", "texture", deep, `"w"`),
		},
		{
			name: "a copy of another scene's, on an editable node", fixture: "foreign_sub_resource",
			args: unique(held("Shell/Kid", "texture", "width", 25)), kept: inside("Shell/Kid", "texture", []string{"width"}, "25"),
		},
		{
			name: "a copy of another scene's, on a closed node", fixture: "instance_closed",
			args: unique(held("Shell/Kid", "texture", "width", 26)), reason: protocol.ReasonInstanceNotEditable,
			kept: inside("Shell/Kid", "texture", []string{"width"}, "26"),
		},
		{
			name: "an imported one", fixture: "imported", args: held("Picture", "texture", "resource_name", "v"),
			reason: protocol.ReasonImported, kept: inside("Picture", "texture", name, `"v"`),
		},
	}
}

// resourcesKept: the verdict of every row is what a fresh process finds after a save of the scene.
func (r *rig) resourcesKept(t *testing.T) {
	rows := r.resourceKeptRows(t)
	paths := make([]string, len(rows))
	verdicts := make([]protocol.Verdict, len(rows))
	var scenes, files []string
	for i, row := range rows {
		t.Run("verdict/"+row.name, func(t *testing.T) {
			paths[i] = r.open(t, row.fixture)
			for _, call := range row.first {
				r.ok(t, call.tool, call.args)
			}
			real := r.foretold(t, "set_resource_property", row.args)
			require.Len(t, real.Persistence, 1, "%s", real.Raw)
			verdicts[i] = real.Persistence[0]
			assert.Equal(t, row.reason, verdicts[i].Reason, "%s", real.Raw)
			assert.Equal(t, true, real.Data["undoable"], "%s", real.Raw)
			r.save(t)
		})
		scenes = append(scenes, paths[i])
		if row.in != "" {
			files = append(files, row.in)
		}
	}
	read, err := r.kit.Read(r.ctx, r.project, scenes...)
	require.NoError(t, err)
	found := r.readFresh(t, files...)
	for i, row := range rows {
		t.Run("file/"+row.name, func(t *testing.T) {
			require.NotNil(t, verdicts[i].Persisted)
			kept, what := false, ""
			if row.in != "" {
				what = found[row.in].Properties[row.property]
				kept = what == row.want
			} else {
				require.Empty(t, read[paths[i]].Error)
				kept, what = row.kept(read[paths[i]])
			}
			assert.Equal(t, kept, *verdicts[i].Persisted, "in the file: %s; verdict: %+v", what, verdicts[i])
			assert.Equal(t, row.reason == "", *verdicts[i].Persisted)
		})
	}
}
