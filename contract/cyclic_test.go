package contract

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// refer gives a scene that refers to another file in a root's metadata.
func (r *rig) refer(t *testing.T, name, to string) string {
	t.Helper()
	r.copies++
	path := fmt.Sprintf("%s/%s_%d.tscn", workRes, name, r.copies)
	r.write(t, path, "[gd_scene format=3]\n\n[ext_resource type=\"PackedScene\" path=\""+to+"\" id=\"1\"]\n\n"+
		"[node name=\"A\" type=\"Node\"]\nmetadata/any = ExtResource(\"1\")\n")
	return path
}

func (r *rig) write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(text), 0o600))
}

// openReferring: the engine drops one reference of such a cycle, and a save would lose it.
func (r *rig) openReferring(t *testing.T) {
	first := r.refer(t, "refers", "res://none.tscn")
	second := r.refer(t, "refers", first)
	for _, to := range []string{first, second} {
		r.write(t, first, r.file(t, r.refer(t, "refers", to)))
		before := r.state(t)
		failure := r.refused(t, protocol.ValidationError, "open_scene", args{"scene_path": first})
		assert.Equal(t, "cyclic_reference", failure.Details["reason"], "%s", text(failure))
		assert.Contains(t, failure.Details["chain"], to)
		r.same(t, before, "opening a scene that refers to itself")
	}
}

// setCyclic: the scene itself, and files that instance it, inherit it or hold it in a resource.
func (r *rig) setCyclic(t *testing.T) {
	path := r.copyFixture(t, "own_nodes")
	head := "[ext_resource type=\"PackedScene\" path=\"" + path + "\" id=\"1\"]\n\n"
	files := map[string]string{
		"instances.tscn": "[gd_scene format=3]\n\n" + head + "[node name=\"A\" type=\"Node\"]\n\n" +
			"[node name=\"B\" parent=\".\" instance=ExtResource(\"1\")]\n",
		"inherits.tscn": "[gd_scene format=3]\n\n" + head + "[node name=\"A\" instance=ExtResource(\"1\")]\n",
		"holds.tres":    "[gd_resource type=\"Resource\" format=3]\n\n" + head + "[resource]\nmetadata/a = ExtResource(\"1\")\n",
	}
	targets := []string{path}
	for name, text := range files {
		r.write(t, workRes+"/cyclic_"+name, text)
		targets = append(targets, workRes+"/cyclic_"+name)
	}
	targets = append(targets, r.refer(t, "refers", workRes+"/cyclic_instances.tscn"))
	r.openPath(t, path)
	before := r.state(t)
	for _, target := range targets {
		for _, value := range []any{
			args{"$resource": target}, []any{args{"$resource": target}}, args{"a": args{"$resource": target}},
		} {
			call := args{"node_path": "Enemy", "property": "metadata/any", "value": value}
			failure := r.refused(t, protocol.ValidationError, "set_node_property", call)
			assert.Equal(t, "cyclic_reference", failure.Details["reason"], "%s", text(failure))
			assert.Contains(t, failure.Details["chain"], target)
			r.refused(t, protocol.ValidationError, "create_node",
				args{"node_type": "Node", "properties": args{"metadata/any": value}})
		}
	}
	r.same(t, before, "values that refer back")
	other := args{"$resource": harness.FixtureRes + "/nest.tscn"}
	r.ok(t, "set_node_property", args{"node_path": "Enemy", "property": "metadata/any", "value": other})
}
