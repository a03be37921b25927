package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// maxContent is how many characters a reply has at most.
const maxContent = 200_000

// page is an answer of the tools that give rows of nodes.
type page struct {
	Rows       [][]any        `json:"rows"`
	Marks      map[string]any `json:"marks"`
	Total      int            `json:"total"`
	Returned   int            `json:"returned"`
	Truncated  bool           `json:"truncated"`
	NextOffset int            `json:"next_offset"`
}

func (p page) paths() []string {
	var out []string
	for _, row := range p.Rows {
		out = append(out, row[0].(string))
	}
	return out
}

func (r *rig) page(t *testing.T, tool string, with args) page {
	t.Helper()
	var out page
	decodeData(t, r.ok(t, tool, with), &out)
	assert.Equal(t, len(out.Rows), out.Returned, "%s %s: returned", tool, text(with))
	return out
}

// testReading: what reads show is all that is there, in pages that fit together.
func (r *rig) testReading(t *testing.T) {
	t.Run("pages fit together", r.pagesFit)
	t.Run("filters", r.filters)
	t.Run("a node by default shows what differs", r.nodeDefaults)
	t.Run("resources without a file are shown", r.inlineResources)
	t.Run("a refusal helps", r.helpfulRefusals)
	t.Run("long rows make short pages", r.longRows)
	t.Run("a long value is marked", r.longValue)
}

func (r *rig) pagesFit(t *testing.T) {
	path := r.open(t, "deep_subtree")
	scenes, err := r.kit.Read(r.ctx, r.project, path)
	require.NoError(t, err)
	whole := r.page(t, "get_scene_tree", args{})
	assert.Equal(t, scenes[path].Order, whole.paths(), "the tree and a fresh process's walk")
	for _, tool := range []string{"get_scene_tree", "find_nodes"} {
		var got []string
		for offset := 0; ; {
			p := r.page(t, tool, args{"offset": offset, "limit": 3})
			got = append(got, p.paths()...)
			assert.Equal(t, whole.Total, p.Total)
			if !p.Truncated {
				break
			}
			require.Equal(t, offset+3, p.NextOffset)
			offset = p.NextOffset
		}
		assert.Equal(t, whole.paths(), got, "%s: all pages", tool)
	}
	assert.Empty(t, r.page(t, "get_scene_tree", args{"offset": 1000}).Rows)
}

func (r *rig) filters(t *testing.T) {
	r.open(t, "deep_subtree")
	for call, want := range map[string]string{
		`{"max_depth":0}`:                            ".",
		`{"max_depth":1}`:                            ". Before Branch After",
		`{"node_path":"Branch/Twig"}`:                "Branch/Twig Branch/Twig/Leaf",
		`{"node_path":"Branch","max_depth":1}`:       "Branch Branch/Twig Branch/Second Branch/Shell",
		`{"type_filter":"Sprite2D"}`:                 "Branch/Shell/Kid",
		`{"type_filter":"CanvasItem","max_depth":1}`: ". Before Branch After",
	} {
		assert.Equal(t, want, strings.Join(r.page(t, "get_scene_tree", decoded(t, call)).paths(), " "), call)
	}
	// A name filter is a part of the name, or with * or ? a pattern for all of it; case never counts.
	for filter, want := range map[string]string{
		"ond": "Branch/Second", "OND": "Branch/Second", "second": "Branch/Second", "*ond*": "Branch/Second",
		"*OND": "Branch/Second", "s?cond": "Branch/Second", "?econd": "Branch/Second", "ond*": "", "se": "Branch/Second",
		"Branch/Second": "", "[s]econd": "",
		"s*c*n*d": "Branch/Second", "sec*cond": "", "d*d": "", "se?*nd": "Branch/Second", "b**h": "Branch", "twig?": "",
		// The engine's own pattern match would never come back from these.
		strings.Repeat("*", 40) + "q": "", strings.Repeat("*e", 40): "", strings.Repeat("?*", 3000): "", "%ond": "", "*": strings.Join(r.page(t, "find_nodes", args{}).paths(), " "),
	} {
		assert.Equal(t, want, strings.Join(r.page(t, "get_scene_tree", args{"name_filter": filter}).paths(), " "), filter)
		assert.Equal(t, want, strings.Join(r.page(t, "find_nodes", args{"name": filter}).paths(), " "), filter)
	}
	// What is identified is named exactly: a part of it is nothing.
	for tool, filter := range map[string]string{"get_scene_tree": "type_filter", "find_nodes": "type"} {
		failure := r.refused(t, protocol.ValidationError, tool, args{filter: "Sprite2"})
		assert.Contains(t, failure.Details["near"], "Sprite2D", "%s", text(failure))
		r.refused(t, protocol.ValidationError, tool, args{filter: "Sprite*"})
	}
	for call, want := range map[string]string{
		`{"group":"leaves"}`:  "Branch/Twig/Leaf",
		`{"group":"nobody"}`:  "",
		`{"group":"leave"}`:   "",
		`{"type":"Sprite2D"}`: "Branch/Shell/Kid",
		`{"name":"InShell"}`:  "Branch/Shell/Kid/InShell",
		`{"under":"Branch/Shell","type":"CanvasItem"}`: "Branch/Shell Branch/Shell/Kid " +
			"Branch/Shell/Kid/Deep Branch/Shell/Kid/InShell",
		`{"script_path":"res://scenes_fixture/scripts/tool_exports.gd"}`:                  "Branch Branch/Twig/Leaf After",
		`{"script_path":"res://scenes_fixture/scripts/tool_exports.gd","group":"leaves"}`: "Branch/Twig/Leaf",
	} {
		assert.Equal(t, want, strings.Join(r.page(t, "find_nodes", decoded(t, call)).paths(), " "), call)
	}
}

func (r *rig) nodeDefaults(t *testing.T) {
	r.open(t, "deep_subtree")
	reply := r.ok(t, "get_node", args{"node_path": "Branch"})
	shown := shownValues(t, reply.Raw)
	assert.Contains(t, shown, "exported")
	assert.NotContains(t, shown, "position", "a default: %s", reply.Raw)
	assert.Contains(t, r.allProperties(t, "Branch"), "position")
	assert.Equal(t, []any{"level_one"}, reply.Data["groups"])
	assert.Equal(t, "res://scenes_fixture/scripts/tool_exports.gd", reply.Data["script"])
	assert.EqualValues(t, 3, reply.Data["children"])
	assert.EqualValues(t, 1, reply.Data["index"])
}

// allProperties names every property that get_node shows when asked for all.
func (r *rig) allProperties(t *testing.T, node string) []string {
	t.Helper()
	var names []string
	for name := range shownValues(t, r.ok(t, "get_node", args{"node_path": node, "all": true}).Raw) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (r *rig) inlineResources(t *testing.T) {
	r.open(t, "sub_resources")
	var mesh struct {
		Resource   string         `json:"$resource"`
		Properties map[string]any `json:"properties"`
	}
	value := r.readValue(t, "Box", "mesh")
	require.NoError(t, json.Unmarshal(value, &mesh))
	assert.Equal(t, "BoxMesh", mesh.Resource)
	assert.Equal(t, []any{1.0, 1.0, 1.0}, mesh.Properties["size"], "%s", value)
}

func (r *rig) helpfulRefusals(t *testing.T) {
	r.open(t, "values")
	set := func(node, property string, value any) map[string]any {
		t.Helper()
		reply := r.call(t, "set_node_property", args{"node_path": node, "property": property, "value": value})
		require.NotNil(t, reply.Error, "%s", reply.Raw)
		return reply.Error.Details
	}
	assert.Contains(t, set("Camera", "field_of_view", 70)["suggestions"], "fov")
	assert.Equal(t, []any{"Physics", "Idle"}, set("Clock", "process_callback", "Nope")["allowed"])
	assert.Contains(t, text(set("Picture", "frame", 50)["engine_errors"]), "out of bounds")
	reply := r.ok(t, "set_node_property", args{"node_path": "Clock", "property": "process_callback", "value": "Physics"})
	assert.Contains(t, string(reply.Raw), `"enum_name":"Physics"`)
	reply = r.ok(t, "get_node", args{"node_path": "Clock", "properties": []string{"process_callback"}})
	assert.Contains(t, string(reply.Raw), `"enum_name":"Physics"`, "a read says as much as a write")
	reply = r.ok(t, "get_node", args{"node_path": "Clock"})
	assert.Contains(t, string(reply.Raw), `"enum_name":"Physics"`, "%s", reply.Raw)
}

// longRows: a page ends where a reply would get too long, and the next one goes on there.
func (r *rig) longRows(t *testing.T) {
	var scene strings.Builder
	scene.WriteString("[gd_scene format=3]\n\n[node name=\"Long\" type=\"Node\"]\n")
	for i := range 3000 {
		fmt.Fprintf(&scene, "\n[node name=\"%0120dé\" type=\"Node\" parent=\".\"]\n", i)
	}
	path := workRes + "/long_rows.tscn"
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(scene.String()), 0o600))
	r.openPath(t, path)
	for _, tool := range []string{"get_scene_tree", "find_nodes"} {
		seen := map[string]bool{}
		pages := 0
		for offset, more := 0, true; more; pages++ {
			reply := r.ok(t, tool, args{"limit": 5000, "offset": offset})
			require.LessOrEqual(t, len([]rune(string(reply.Raw))), maxContent)
			var p page
			decodeData(t, reply, &p)
			require.NotEmpty(t, p.Rows, "%s at %d", tool, offset)
			for _, path := range p.paths() {
				seen[path] = true
			}
			assert.Equal(t, 3001, p.Total)
			offset, more = p.NextOffset, p.Truncated
		}
		assert.Len(t, seen, 3001, tool)
		assert.Equal(t, 3, pages, "%s: pages are as long as they can be", tool)
	}
}

// longValue: a value that a reply cannot show is marked, and setting one goes well all the same.
func (r *rig) longValue(t *testing.T) {
	path := r.open(t, "own_nodes")
	long := strings.Repeat("lang und länger, ", 20_000)
	reply := r.ok(t, "set_node_property", args{"node_path": "Title", "property": "text", "value": long})
	assert.LessOrEqual(t, len([]rune(string(reply.Raw))), maxContent)
	assert.Contains(t, string(reply.Raw), `"$truncated":"String"`)
	assert.Equal(t, true, reply.Data["undoable"], "what was done is told")
	require.NotEmpty(t, reply.Persistence)
	assert.Contains(t, r.saved(t, path), long)
	for _, call := range []args{{"properties": []string{"text", "z_index"}}, {}, {"all": true}} {
		reply = r.ok(t, "get_node", with(call, "node_path", "Title"))
		assert.LessOrEqual(t, len([]rune(string(reply.Raw))), maxContent)
		shown := shownValues(t, reply.Raw)
		assert.Contains(t, string(shown["text"]), `"$truncated":"String"`, "%.300s", reply.Raw)
		assert.Contains(t, string(reply.Raw), `"cut":["data.properties.text.value"]`)
	}
	assert.JSONEq(t, "0", string(shownValues(t, r.ok(t, "get_node", args{"node_path": "Title", "all": true}).Raw)["z_index"]))
}
