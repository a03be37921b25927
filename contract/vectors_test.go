package contract

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// valueVector is a row of protocol/vectors/*/values.json, as far as this side needs it.
type valueVector struct {
	Name     string          `json:"name"`
	Declared map[string]any  `json:"declared"`
	Client   json.RawMessage `json:"client"`
	Out      json.RawMessage `json:"out"`
	Code     protocol.Code   `json:"code"`
	// Gate is the code with which the gate refuses what the codec alone would take; empty: it passes.
	Gate protocol.Code `json:"gate"`
}

// readVectors reads one file of the protocol's vectors.
func readVectors(t *testing.T, root, file string, out any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "protocol", "vectors", filepath.FromSlash(file)))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, out), file)
}

// invalidPathVectors are the paths that the protocol's vectors refuse, with their codes.
func invalidPathVectors(t *testing.T, root string) map[string]protocol.Code {
	t.Helper()
	var rows []struct {
		Path string        `json:"path"`
		Code protocol.Code `json:"code"`
	}
	readVectors(t, root, "invalid/paths.json", &rows)
	out := map[string]protocol.Code{}
	for _, row := range rows {
		if !strings.HasPrefix(row.Path, "uid://") {
			out[row.Path] = row.Code
		}
	}
	require.NotEmpty(t, out)
	return out
}

// typed maps a declared type to the property of the all_types fixture that has it.
func typed() map[string]string {
	return map[string]string{
		"bool": "a_bool", "int": "an_int", "float": "a_float", "String": "a_string", "StringName": "a_string_name",
		"NodePath": "a_node_path", "Vector2": "a_vector2", "Vector2i": "a_vector2i", "Rect2": "a_rect2",
		"Rect2i": "a_rect2i", "Vector3": "a_vector3", "Vector3i": "a_vector3i", "Transform2D": "a_transform2d",
		"Vector4": "a_vector4", "Vector4i": "a_vector4i", "Plane": "a_plane", "Quaternion": "a_quaternion",
		"AABB": "an_aabb", "Basis": "a_basis", "Transform3D": "a_transform3d", "Projection": "a_projection",
		"Color": "a_color", "Dictionary": "a_dictionary", "Array": "an_array", "PackedByteArray": "some_bytes",
		"PackedInt32Array": "some_int32", "PackedInt64Array": "some_int64", "PackedFloat32Array": "some_float32",
		"PackedFloat64Array": "some_float64", "PackedStringArray": "some_strings", "PackedVector2Array": "some_vector2",
		"PackedVector3Array": "some_vector3", "PackedColorArray": "some_colors", "PackedVector4Array": "some_vector4",
		"Variant": "anything",
	}
}

// vectorRows are the rows whose declared type the all_types fixture has, and that name nothing outside of it.
func vectorRows(t *testing.T, root, file string) []valueVector {
	t.Helper()
	var all, out []valueVector
	readVectors(t, root, file, &all)
	for _, row := range all {
		client := string(row.Client)
		foreign := strings.Contains(client, "vectors_fixture") || strings.Contains(client, `"$node"`)
		if _, here := typed()[row.typeName()]; here && len(row.Declared) == 1 && !foreign {
			out = append(out, row)
		}
	}
	require.Greater(t, len(out), 250, "rows of %s for types of the fixture", file)
	return out
}

// testValueVectors: the protocol's value vectors hold from the client's JSON to the property and back, not only
// inside each half.
func (r *rig) testValueVectors(t *testing.T) {
	r.open(t, "all_types")
	for _, row := range vectorRows(t, r.kit.Root(), "valid/values.json") {
		call := args{"node_path": "ToolTypes", "property": typed()[row.typeName()], "value": row.Client}
		reply := r.call(t, "set_node_property", call)
		if row.Gate != "" {
			if assert.NotNil(t, reply.Error, "%s: %s passed the gate: %s", row.Name, row.Client, reply.Raw) {
				assert.Equal(t, row.Gate, reply.Error.Code, "%s: %s", row.Name, reply.Raw)
			}
			continue
		}
		if assert.True(t, reply.OK, "%s: %s was refused: %s", row.Name, row.Client, reply.Raw) {
			kept := r.readValue(t, "ToolTypes", typed()[row.typeName()])
			assert.JSONEq(t, string(row.Out), string(kept), "%s: %s", row.Name, row.Client)
		}
	}
	before := r.hand.dump(t)
	for _, row := range vectorRows(t, r.kit.Root(), "invalid/values.json") {
		call := args{"node_path": "ToolTypes", "property": typed()[row.typeName()], "value": row.Client}
		reply := r.call(t, "set_node_property", call)
		if assert.NotNil(t, reply.Error, "%s: %s was accepted: %s", row.Name, row.Client, reply.Raw) {
			assert.Equal(t, row.Code, reply.Error.Code, "%s: %s", row.Name, reply.Raw)
		}
	}
	assert.Equal(t, before, r.hand.dump(t), "refused values changed the scene")
}

// TestVectorsHoldInTheEngine runs the value vectors against the addon's own code, in an engine without an editor.
func TestVectorsHoldInTheEngine(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, kit.Close()) })
	project, err := kit.NewProject(ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	vectors := os.DirFS(filepath.Join(kit.Root(), "protocol", "vectors"))
	if _, err := os.Stat(project.Path("res://vectors")); err != nil {
		require.NoError(t, os.CopyFS(project.Path("res://vectors"), vectors))
	}
	out, err := kit.RunGodot(ctx, project, "-s", "res://gd/vectors.gd")
	line := lastJSON(out)
	require.NotEmpty(t, line, "no report: %v\n%s", err, out)
	var report struct {
		OK       bool     `json:"ok"`
		Checks   int      `json:"checks"`
		Failed   int      `json:"failed"`
		Failures []string `json:"failures"`
	}
	require.NoError(t, json.Unmarshal([]byte(line), &report), line)
	assert.True(t, report.OK, "%d of %d checks failed", report.Failed, report.Checks)
	assert.Greater(t, report.Checks, 1000)
	for _, failure := range report.Failures {
		assert.Fail(t, failure)
	}
	assert.NoError(t, err)
}

// lastJSON is the last line of an engine's output that is a JSON object.
func lastJSON(out string) string {
	last := ""
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "{") {
			last = strings.TrimSpace(line)
		}
	}
	return last
}

// typeName is the declared type.
func (v valueVector) typeName() string {
	name, _ := v.Declared["type"].(string)
	return name
}
