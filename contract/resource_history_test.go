package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// externalHistory: a resource with a file is undone from the global history; the scene's is not touched (BR-049).
func (r *rig) externalHistory(t *testing.T) {
	path := r.copyFile(t, nestedRes)
	r.open(t, "own_nodes")
	before := r.hand.look(t)
	width := func() any {
		read := r.ok(t, "read_resource_file", args{"resource_path": path, "all": true})
		values, _ := read.Data["properties"].(map[string]any)
		return values["width"].(map[string]any)["value"]
	}
	old := width()
	reply := r.ok(t, "set_resource_property", args{"resource_path": path, "property": "width", "value": 33})
	assert.Equal(t, "global", reply.Data["history"])
	assert.Equal(t, false, reply.Data["scene_dirty"], "%s", reply.Raw)
	after := r.hand.look(t)
	assert.Equal(t, before.SceneVersion, after.SceneVersion, "the scene's history")
	assert.NotEqual(t, before.GlobalVersion, after.GlobalVersion, "the global history")
	assert.Equal(t, before.Starred, after.Starred)
	assert.Equal(t, 33.0, width())
	r.checkWalk(t, "undo", reply)
	assert.Equal(t, old, width())
	r.checkWalk(t, "redo", reply)
	assert.Equal(t, 33.0, width())
	again := r.ok(t, "set_resource_property", args{"resource_path": path, "property": "width", "value": 33})
	assert.Equal(t, false, again.Data["changed"])
	assert.Equal(t, false, again.Data["undoable"])
	inner := r.ok(t, "set_resource_property",
		args{"resource_path": path, "sub_resource": "Gradient_in", "property": "resource_name", "value": "k"})
	assert.Equal(t, "global", inner.Data["history"])
	assert.Equal(t, false, inner.Data["scene_dirty"])
	r.checkWalk(t, "undo", inner)
}

func (r *rig) sceneHistory(t *testing.T) {
	for name, call := range map[string]args{
		"one inside":      {"node_path": "Picture", "node_property": "texture:gradient", "property": "resource_name", "value": "x"},
		"a mesh":          {"node_path": "Box", "node_property": "mesh", "properties": args{"size": []int{1, 2, 3}, "subdivide_width": 2}},
		"setters go on":   {"node_path": "Picture", "node_property": "texture:gradient", "property": "offsets", "value": []any{0, 0.5, 1}},
		"a null resource": {"node_path": "Picture", "node_property": "texture", "property": "gradient", "value": nil},
	} {
		t.Run(name, func(t *testing.T) {
			r.checkUndo(t, edit{name, "sub_resources", "set_resource_property", call})
		})
	}
}

// madeUnique: a save gives a copy its id, so undo and redo are judged by the files.
func (r *rig) madeUnique(t *testing.T) {
	path := r.open(t, "sub_resources")
	before := r.saved(t, path)
	reply := r.ok(t, "set_resource_property", args{
		"node_path": "Same", "node_property": "texture:gradient",
		"property": "resource_name", "value": "own", "make_unique": true,
	})
	assert.Equal(t, true, reply.Data["made_unique"])
	assert.Equal(t, "scene", reply.Data["history"])
	after := r.saved(t, path)
	r.checkWalk(t, "undo", reply)
	assert.Equal(t, before, r.saved(t, path), "the file after undo")
	r.checkWalk(t, "redo", reply)
	assert.Equal(t, after, r.saved(t, path), "the file after redo")
	read, err := r.kit.Read(r.ctx, r.project, path)
	require.NoError(t, err)
	deep := []string{"gradient", "resource_name"}
	for node, want := range map[string]string{"Same": `"own"`, "Picture": ""} {
		kept, what := inside(node, "texture", deep, want)(read[path])
		assert.Equal(t, node == "Same", kept, "%s: %s", node, what)
	}
}

func (r *rig) sharedBy(t *testing.T) {
	path := r.open(t, "sub_resources")
	users := func(call args) []any {
		reply := r.ok(t, "set_resource_property", with(call, "dry_run", true))
		list, _ := reply.Data["used_by"].([]any)
		assert.EqualValues(t, len(list), reply.Data["used_by_total"])
		assert.Equal(t, len(list) > 1, reply.Data["shared"])
		return list
	}
	shared := users(args{"node_path": "Picture", "node_property": "texture", "property": "width", "value": 8})
	assert.Equal(t, []any{
		map[string]any{"scene": path, "node_path": "Picture", "property": "texture"},
		map[string]any{"scene": path, "node_path": "Same", "property": "texture"},
	}, shared)
	assert.Len(t, users(args{"node_path": "Box", "node_property": "mesh", "property": "size:x", "value": 8}), 1)
	inner := users(args{"node_path": "Same", "node_property": "texture:gradient", "property": "resource_name", "value": "n"})
	assert.Len(t, inner, 2, "held by what both hold")
	assert.Empty(t, users(args{"resource_path": r.copyFile(t, nestedRes), "property": "width", "value": 8}))
}
