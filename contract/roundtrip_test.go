package contract

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// changedTypes has, for each property of the all_types fixture, another value than its default, in client form, and
// what a fresh process reads of it (harness.Plain).
func changedTypes() map[string][2]string {
	same := func(text string) [2]string { return [2]string{text, text} }
	return map[string][2]string{
		"a_bool":        same(`false`),
		"an_int":        {`{"$int":"-9007199254740993"}`, `-9007199254740993`},
		"a_float":       same(`0.7`),
		"a_string":      same(`"other \"text\"\nwith lines"`),
		"a_string_name": same(`"other"`),
		"a_node_path":   same(`"../C:scale:y"`),
		"a_vector2":     same(`[1.0,7.5]`),
		"a_vector2i":    same(`[1,7]`),
		"a_rect2":       same(`[1.0,2.0,3.0,7.5]`),
		"a_rect2i":      same(`[1,2,3,7]`),
		"a_vector3":     same(`[1.0,2.0,7.5]`),
		"a_vector3i":    same(`[1,2,7]`),
		"a_transform2d": same(`[1.0,0.5,0.0,1.0,5.0,7.5]`),
		"a_vector4":     same(`[1.0,2.0,3.0,7.5]`),
		"a_vector4i":    same(`[1,2,3,7]`),
		"a_plane":       same(`[0.0,1.0,0.0,7.5]`),
		"a_quaternion":  same(`[0.0,1.0,0.0,0.0]`),
		"an_aabb":       same(`[1.0,2.0,3.0,4.0,5.0,7.5]`),
		"a_basis":       same(`[2.0,0.0,0.0,0.0,3.0,0.25,0.0,0.0,4.0]`),
		"a_transform3d": same(`[2.0,0.0,0.0,0.0,3.0,0.25,0.0,0.0,4.0,7.0,8.0,9.5]`),
		"a_projection":  same(`[1.0,0.5,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,7.5]`),
		"a_color":       same(`[0.25,0.5,1.0,0.5]`),
		"a_dictionary":  {`{"key":2,"other":[1]}`, `[["key",2],["other",[1]]]`},
		"an_array":      {`[2,{"$float":3},"four",null]`, `[2,3.0,"four",null]`},
		"some_bytes":    {`{"$bytes":"AP8="}`, `[0,255]`},
		"some_int32":    same(`[-2147483648,7]`),
		"some_int64":    {`[{"$int":"-9223372036854775808"},7]`, `[-9223372036854775808,7]`},
		"some_float32":  same(`[1.5,7.5]`),
		"some_float64":  same(`[0.1,0.7]`),
		"some_strings":  same(`["a","with \"quotes\""]`),
		"some_vector2":  {`[[1.0,2.0],[3.0,4.0]]`, `[1.0,2.0,3.0,4.0]`},
		"some_vector3":  {`[[1.0,2.0,7.5]]`, `[1.0,2.0,7.5]`},
		"some_colors":   {`[[1.0,0.5,0.0,1.0]]`, `[1.0,0.5,0.0,1.0]`},
		"some_vector4":  {`[[1.0,2.0,3.0,7.5]]`, `[1.0,2.0,3.0,7.5]`},
		"a_resource":    {`{"$resource":"res://scenes_fixture/assets/thing.tres"}`, ``},
		"anything":      {`{"$type":"Vector2","value":[1.0,2.0]}`, `[1.0,2.0]`},
	}
}

// testRoundTrips: for every type that a scene file can hold, what is read can be written and reads the same, and a
// changed value is in the file, behind a placeholder and behind a tool script alike.
func (r *rig) testRoundTrips(t *testing.T) {
	path := r.open(t, "all_types")
	written := map[string]map[string]json.RawMessage{}
	for _, node := range []string{"Types", "ToolTypes"} {
		t.Run(node, func(t *testing.T) { written[node] = r.roundTrips(t, node) })
	}
	r.save(t)
	scenes, err := r.kit.Read(r.ctx, r.project, path)
	require.NoError(t, err)
	require.Empty(t, scenes[path].Error)
	for node, values := range written {
		for property := range values {
			t.Run(node+"/"+property+" in the file", func(t *testing.T) {
				r.checkInFile(t, scenes[path].Nodes[node], property)
			})
		}
	}
}

// roundTrips writes each property's own value back, then another one, and gives what reads afterwards.
func (r *rig) roundTrips(t *testing.T, node string) map[string]json.RawMessage {
	t.Helper()
	reply := r.ok(t, "get_node", args{"node_path": node, "all": true})
	own := shownValues(t, reply.Raw)
	written := map[string]json.RawMessage{}
	for property, other := range changedTypes() {
		value, there := own[property]
		if !assert.True(t, there, "%s is not shown: %s", property, reply.Raw) {
			continue
		}
		// A placeholder does not know what an initialiser gives that the parser cannot work out: the engine says null.
		if string(value) != "null" {
			r.writeBack(t, node, property, value)
		}
		change := args{"node_path": node, "property": property, "value": raw(other[0])}
		if reply := r.call(t, "set_node_property", change); !assert.True(t, reply.OK, "%s", reply.Raw) {
			continue
		}
		now := r.readValue(t, node, property)
		if other[1] != "" {
			assert.JSONEq(t, other[0], string(now), "%s: what was written reads as such", property)
		}
		r.writeBack(t, node, property, now)
		written[property] = now
	}
	return written
}

// writeBack writes a property's value as it was read: nothing changes.
func (r *rig) writeBack(t *testing.T, node, property string, value json.RawMessage) {
	t.Helper()
	reply := r.call(t, "set_node_property", args{"node_path": node, "property": property, "value": value})
	if assert.True(t, reply.OK, "%s: its own value is refused: %s", property, reply.Raw) {
		assert.Equal(t, false, reply.Data["changed"], "%s: its own value, %s, is another one", property, value)
		assert.Equal(t, string(value), string(r.readValue(t, node, property)), "%s: read(write(read))", property)
	}
}

func (r *rig) checkInFile(t *testing.T, node harness.Node, property string) {
	t.Helper()
	raw, there := node.Properties[property]
	require.True(t, there, "%s is not stored: %v", property, node.Properties)
	if want := changedTypes()[property][1]; want != "" {
		plain, err := harness.Plain(raw)
		require.NoError(t, err)
		// The numbers of vectors and packed arrays are exact only as they stand in the answer.
		var packed struct {
			Args json.RawMessage `json:"args"`
		}
		_ = json.Unmarshal(raw, &packed) // a plain text has none
		assert.Contains(t, []string{plainText(plain), string(packed.Args)}, want, "as the fresh process reads it: %s", raw)
		return
	}
	assert.Contains(t, string(raw), "res://scenes_fixture/assets/thing.tres")
}

// plainText writes a plain value as JSON in which floats can be told from ints.
func plainText(v any) string {
	switch v := v.(type) {
	case float64:
		out := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(out, ".eIN") {
			out += ".0"
		}
		return out
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = plainText(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return text(v)
}
