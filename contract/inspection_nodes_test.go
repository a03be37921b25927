package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

func (r *rig) oneProperty(t *testing.T) {
	for _, row := range []struct {
		fixture, node, property string
		want                    map[string]string // path in the data -> JSON
	}{
		{"values", "Clock", "process_callback", map[string]string{
			"value": `1`, "type": `"enum"`, "enum_name": `"Idle"`, "declared.options": `{"Physics":0,"Idle":1}`,
			"declared.by": `"Timer"`, "declared.default": `1`, "declared.stored": `true`,
		}},
		{"own_nodes", "Player", "position", map[string]string{
			"value": `[10,20]`, "type": `"Vector2"`, "declared.by": `"Node2D"`, "declared.default": `[0,0]`,
		}},
		{"own_nodes", "Player", "position:y", map[string]string{"value": `20`, "type": `"float"`}},
		{"own_nodes", "Player", "global_position", map[string]string{"declared.stored": `false`}},
		{"own_nodes", "Title", "text", map[string]string{"value": `"keep"`, "declared.hint": `"multiline"`}},
		{"deep_subtree", "Branch", "exported", map[string]string{
			"value": `11`, "declared.by": `"script"`, "declared.default": `1`,
		}},
		{"deep_subtree", "Branch", "metadata/note", map[string]string{"value": `{"kept":true}`, "declared.by": `"metadata"`}},
		{"deep_subtree", "Branch", "script", map[string]string{
			"value": `{"$resource":"GDScript","path":"res://scenes_fixture/scripts/tool_exports.gd"}`,
		}},
		// BR-031: an inline resource is shown with what it holds.
		{"sub_resources", "Box", "mesh", map[string]string{"value.$resource": `"BoxMesh"`, "value.properties.size": `[1,1,1]`}},
	} {
		t.Run(row.node+" "+row.property, func(t *testing.T) {
			r.open(t, row.fixture)
			reply := r.ok(t, "get_node_property", args{"node_path": row.node, "property": row.property})
			assert.Equal(t, true, reply.Data["exists"], "%s", reply.Raw)
			for path, want := range row.want {
				assert.JSONEq(t, want, text(at(reply.Data, path)), "%s: %s", path, reply.Raw)
			}
		})
	}
}

// at finds a value in nested objects by its dotted path.
func at(data any, path string) any {
	for _, key := range strings.Split(path, ".") {
		object, _ := data.(map[string]any)
		data = object[key]
	}
	return data
}

// propertiesAgree: get_node_property gives each property the value that get_node gives it, whatever its type.
func (r *rig) propertiesAgree(t *testing.T) {
	for fixture, node := range map[string]string{
		"all_types": "Types", "values": "Clock", "node_exports": "User", "lists": "Lists", "own_nodes": "Title",
		"external_resources": ".",
	} {
		r.open(t, fixture)
		shown := shownValues(t, r.ok(t, "get_node", args{"node_path": node, "all": true}).Raw)
		assert.Greater(t, len(shown), 5)
		for name, want := range shown {
			reply := r.ok(t, "get_node_property", args{"node_path": node, "property": name})
			var got struct {
				Exists bool            `json:"exists"`
				Value  json.RawMessage `json:"value"`
			}
			decodeData(t, reply, &got)
			assert.True(t, got.Exists, "%s: %s", name, reply.Raw)
			assert.JSONEq(t, string(want), string(got.Value), "%s of %s", name, fixture)
		}
	}
}

func (r *rig) noSuchProperty(t *testing.T) {
	for _, row := range []struct{ fixture, node, property, reason, near string }{
		{"values", "Camera", "field_of_view", "unknown_property", "fov"}, // BR-032
		{"values", "Camera", "FOV", "unknown_property", "fov"},
		{"values", "Picture", "image", "unknown_property", "texture"},
		{"own_nodes", "Player", "positon", "unknown_property", "position"},
		{"own_nodes", "Player", "position:z", "unknown_component", "x"},
		{"own_nodes", "Player", "position:x:y", "unknown_component", "x"},
		{"own_nodes", "Title", "text:length", "unknown_component", ""},
		{"scripts", "Plain", "plain", "not_exported", ""},
	} {
		t.Run(row.property, func(t *testing.T) {
			r.open(t, row.fixture)
			reply := r.ok(t, "get_node_property", args{"node_path": row.node, "property": row.property})
			assert.Equal(t, false, reply.Data["exists"], "%s", reply.Raw)
			assert.Equal(t, row.reason, reply.Data["reason"], "%s", reply.Raw)
			assert.NotContains(t, reply.Data, "value", "%s", reply.Raw)
			if row.near != "" {
				assert.Contains(t, reply.Data["near"], row.near, "%s", reply.Raw)
			}
			if row.reason == "unknown_property" {
				asked := args{"node_path": row.node, "property": row.property}
				failure := r.refused(t, protocol.ValidationError, "get_persistence", asked)
				assert.Contains(t, failure.Details["suggestions"], row.near)
			}
		})
	}
	for _, tool := range []string{"get_node_property", "get_persistence", "list_signal_connections"} {
		call := args{"node_path": "Plyer"}
		if tool == "get_node_property" {
			call["property"] = "position"
		}
		r.open(t, "own_nodes")
		failure := r.refused(t, protocol.ResourceNotFound, tool, call)
		assert.Contains(t, failure.Details["near"], "Player", tool)
	}
}

// verdictsForetold: get_persistence says what the dry run of the change says, in every situation that there are rows
// for; those verdicts are compared with a fresh process's reading elsewhere.
func (r *rig) verdictsForetold(t *testing.T) {
	asked := 0
	for _, row := range slices.Concat(nodeRows(), propertyRows()) {
		key, call := "verdict", args{}
		switch {
		case row.name == "export a node without owner": // that value loses, not the property
			continue
		case row.tool == "set_node_property" && row.args["property"] != nil:
			call = args{"node_path": row.args["node_path"], "property": row.args["property"]}
		case row.tool == "create_node" && row.args["index"] == nil:
			key, call = "new_child", args{"node_path": row.args["parent_path"]}
		case row.tool == "delete_node":
			key, call = "removal", args{"node_path": row.args["node_path"]}
		default:
			continue
		}
		asked++
		t.Run(row.name, func(t *testing.T) {
			r.open(t, row.fixture)
			if row.ghost != "" {
				r.hand.act(t, "add_ghost", map[string]any{"parent": row.ghost}, nil)
			}
			for _, step := range row.first {
				r.ok(t, step.tool, step.args)
			}
			dry := r.ok(t, row.tool, with(without(row.args, "confirm"), "dry_run", true))
			reply := r.ok(t, "get_persistence", call)
			verdict := verdictIn(t, reply.Data[key])
			want := pick(t, row, dry)
			assert.Equal(t, want.Reason, verdict.Reason, "%s", reply.Raw)
			assert.Equal(t, want.Persisted, verdict.Persisted, "%s", reply.Raw)
			assert.Equal(t, verdict.Reason == "", verdict.Hint == "", "%s", reply.Raw)
			r.checkProse(t, row.name, verdict.Hint)
		})
	}
	assert.Greater(t, asked, 60)
}

func verdictIn(t *testing.T, value any) protocol.Verdict {
	t.Helper()
	var verdict protocol.Verdict
	require.NotNil(t, value)
	require.NoError(t, json.Unmarshal([]byte(text(value)), &verdict))
	return verdict
}

// signalRow is an entry of list_signal_connections.
type signalRow struct {
	Way        string           `json:"way"`
	Source     string           `json:"source"`
	Signal     string           `json:"signal"`
	Target     string           `json:"target"`
	Method     string           `json:"method"`
	Flags      []string         `json:"flags"`
	Persistent bool             `json:"persistent"`
	Missing    bool             `json:"method_missing"`
	Verdict    protocol.Verdict `json:"verdict"`
}

func (r *rig) signalRows(t *testing.T, node string) []signalRow {
	t.Helper()
	var out struct {
		Connections []signalRow `json:"connections"`
	}
	decodeData(t, r.ok(t, "list_signal_connections", args{"node_path": node}), &out)
	return out.Connections
}

// connections: both ends list each connection, and what a save keeps of it is for a fresh process to say.
func (r *rig) connections(t *testing.T) {
	path := r.open(t, "deep_subtree")
	connect := func(source, signal, target, method string, flags int) {
		r.hand.act(t, "connect", map[string]any{
			"source": source, "signal": signal, "target": target, "method": method, "flags": flags,
		}, nil)
	}
	const deferred, persist, oneShot = 1, 2, 4
	connect("Before", "visibility_changed", ".", "queue_redraw", 0)
	connect("Before", "visibility_changed", "Branch/Shell", "queue_redraw", persist)
	connect("Before", "draw", "Branch/Shell/Kid", "queue_redraw", persist|deferred)
	connect("Branch/Shell/Kid", "draw", ".", "queue_redraw", persist|oneShot)
	connect("Branch/Shell/Kid/Deep", "draw", "Before", "queue_redraw", persist)
	seen := map[string]signalRow{}
	for _, node := range r.page(t, "get_scene_tree", args{}).paths() {
		for _, row := range r.signalRows(t, node) {
			assert.Equal(t, row.Way == "out", row.Source == node, "%v", row)
			key := fmt.Sprintf("%s.%s->%s.%s", row.Source, row.Signal, row.Target, row.Method)
			if before, both := seen[key]; both {
				row.Way = before.Way
				assert.Equal(t, before, row, "the two ends agree")
			} else {
				assert.Equal(t, row.Persistent, slices.Contains(row.Flags, "persist"), "%v", row)
			}
			seen[key] = row
		}
	}
	assert.Len(t, seen, 8, "%v", seen)
	r.saved(t, path)
	scenes, err := r.kit.Read(r.ctx, r.project, path)
	require.NoError(t, err)
	kept := map[string]bool{}
	for _, c := range scenes[path].Connections {
		kept[fmt.Sprintf("%s.%s->%s.%s", c.Source, c.Signal, c.Target, c.Method)] = true
	}
	lost := 0
	for key, row := range seen {
		require.NotNil(t, row.Verdict.Persisted, key)
		assert.Equal(t, kept[key], *row.Verdict.Persisted, "%s: %+v", key, row.Verdict)
		if !*row.Verdict.Persisted {
			lost++
			assert.NotEmpty(t, row.Verdict.Reason)
			assert.NotEmpty(t, row.Verdict.Hint)
		}
	}
	assert.Equal(t, 1, lost, "the one without the flag")
	assert.Equal(t, protocol.ReasonConnectionNotPersistent, seen["Before.visibility_changed->..queue_redraw"].Verdict.Reason)
}
