package contract

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// nearRows are values that are easily taken for one another: keeps is there, and value is set. Both are client forms
// as they read back.
func nearRows() []valueRow {
	near := func(fixture, node, property, there, then string) valueRow {
		return valueRow{fixture: fixture, node: node, property: property, keeps: there, value: then}
	}
	anything := [][2]string{
		{`1`, `{"$float":1}`},
		{`"x"`, `{"$type":"StringName","value":"x"}`},
		{`{"$type":"NodePath","value":"x"}`, `"x"`},
		{`[1]`, `{"$type":"Array","elem":"int","value":[1]}`},
		{`[]`, `{"$type":"Array","elem":"int","value":[]}`},
		{`{"$type":"PackedInt32Array","value":[]}`, `{"$type":"PackedFloat32Array","value":[]}`},
		{`{"$type":"PackedStringArray","value":[]}`, `[]`},
		{`{"a":[1]}`, `{"a":[{"$float":1}]}`},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`},
		{`{"$type":"Vector2","value":[1.0,2.0]}`, `{"$type":"Vector2i","value":[1,2]}`},
		{`0.5`, `0.5000001`},
		{`{"$float":0}`, `0`},
		{`false`, `null`},
	}
	var rows []valueRow
	for _, pair := range anything {
		rows = append(rows,
			near("all_types", "Types", "anything", pair[0], pair[1]),
			near("all_types", "ToolTypes", "anything", pair[1], pair[0]),
			near("own_nodes", "Enemy", "metadata/any", pair[0], pair[1]))
	}
	node, red := `{"$node":"../ToolTypes"}`, `{"$resource":"res://scenes_fixture/assets/red.png"}`
	for _, plain := range []string{`"x"`, `[1]`, `{"a":1}`, `5`, `{"$type":"Vector2","value":[1.0,2.0]}`} {
		rows = append(rows,
			near("all_types", "Types", "anything", plain, node),
			near("all_types", "Types", "anything", plain, red),
			near("all_types", "Types", "anything", node, plain),
			near("all_types", "Types", "anything", `[`+plain+`]`, `[`+red+`]`),
			near("all_types", "Types", "anything", `{"a":`+node+`}`, `{"a":`+plain+`}`),
			near("own_nodes", "Enemy", "metadata/any", plain, red))
	}
	return slices.Concat(rows, []valueRow{
		near("lists", "Lists", "loose", `[1,[2]]`, `[1,[{"$float":2}]]`),
		near("lists", "Lists", "loose", `["x"]`, `[{"$type":"StringName","value":"x"}]`),
		near("lists", "Lists", "loose_map", `{"a":1}`, `{"a":{"$float":1}}`),
		near("all_types", "Types", "a_float", `0.5`, `0.5000001`),
		near("all_types", "ToolTypes", "some_float64", `[0.5]`, `[0.5000001]`),
		near("values", "Place", "position", `[1000.0,0.5,0.0]`, `[1000.0,0.50025,0.0]`),
		near("own_nodes", "Player", "position", `[100000.0,0.0]`, `[100000.03125,0.0]`),
	})
}

// checkNear sets one value after the other: nothing to do is only said of the very value that is there.
func (r *rig) checkNear(t *testing.T, row valueRow) {
	t.Helper()
	r.open(t, row.fixture)
	set := func(value string) map[string]any {
		t.Helper()
		call := args{"node_path": row.node, "property": row.property, "value": raw(value)}
		return r.ok(t, "set_node_property", call).Data
	}
	there, then := row.keeps.(string), row.value.(string)
	set(there)
	assert.Equal(t, false, set(there)["changed"], "%s is there already", there)
	dumped := r.hand.dump(t)
	assert.Equal(t, true, set(then)["changed"], "%s is there, not %s", there, then)
	if then != "null" || row.property != "metadata/any" { // metadata that is null is gone
		assert.NotEqual(t, dumped, r.hand.dump(t), "the scene is as it was")
		assert.Equal(t, false, set(then)["changed"], "%s is there now", then)
	}
	r.ok(t, "undo", args{})
	assert.Equal(t, dumped, r.hand.dump(t), "after undo")
}

// ownClasses are classes with choices that their parents, their state or their defaults have a say in.
func ownClasses() []string {
	return []string{
		"TextEdit", "PopupMenu", "Button", "Label", "RichTextLabel", "Window", "HBoxContainer", "SubViewport", "Tree",
		"GPUParticles2D", "CPUParticles3D", "CSGPolygon3D", "DirectionalLight3D", "Sprite3D", "Camera3D", "TileMapLayer",
	}
}

// checkOwnChoices writes every enum and every set of flags of a new node back as it reads, below several parents.
func (r *rig) checkOwnChoices(t *testing.T, class string) {
	t.Helper()
	r.open(t, "empty")
	r.ok(t, "create_node", args{"node_type": "VBoxContainer", "node_name": "Box"})
	for _, parent := range []string{".", "Box"} {
		made := r.ok(t, "create_node", args{"parent_path": parent, "node_type": class})
		reply := r.ok(t, "get_node", args{"node_path": made.Data["path"], "all": true})
		var body struct {
			Properties map[string]struct {
				Type  string `json:"type"`
				Value raw    `json:"value"`
				Name  string `json:"enum_name"`
			} `json:"properties"`
		}
		decodeData(t, reply, &body)
		for name, entry := range body.Properties {
			if entry.Type != "enum" && entry.Type != "flags" {
				continue
			}
			values := []any{entry.Value}
			if entry.Name != "" {
				values = append(values, entry.Name)
			}
			for _, value := range values {
				call := args{"node_path": made.Data["path"], "property": name, "value": value}
				reply := r.call(t, "set_node_property", call)
				if !reply.OK && reply.Error.Details["reason"] == "read_only_property" {
					continue
				}
				if assert.True(t, reply.OK, "%s %s: its own value is refused: %s", name, text(value), reply.Raw) {
					assert.Equal(t, false, reply.Data["changed"], "%s %s is there already: %s", name, text(value), reply.Raw)
				}
			}
		}
	}
}
