package contract

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// refs are the references that a reply tells of: "node property from > to", and of the broken ones "node property path
// reason".
func refs(t *testing.T, reply harness.Reply) (updated, broken []string) {
	t.Helper()
	var data struct {
		Updated []struct{ Node, Property, From, To string }     `json:"updated_refs"`
		Broken  []struct{ Node, Property, Path, Reason string } `json:"broken_refs"`
	}
	decodeData(t, reply, &data)
	for _, one := range data.Updated {
		updated = append(updated, fmt.Sprintf("%s %s %s > %s", one.Node, one.Property, one.From, one.To))
	}
	for _, one := range data.Broken {
		broken = append(broken, fmt.Sprintf("%s %s %s %s", one.Node, one.Property, one.Path, one.Reason))
	}
	return updated, broken
}

// repaired runs a call dry and for real, compares what both tell of references, and saves. It gives the saved file.
func (r *rig) repaired(t *testing.T, path, tool string, call args, updated, broken []string) string {
	t.Helper()
	dry := r.ok(t, tool, with(call, "dry_run", true))
	real := r.foretold(t, tool, call)
	for _, reply := range []harness.Reply{dry, real} {
		haveUpdated, haveBroken := refs(t, reply)
		assert.ElementsMatch(t, updated, haveUpdated, "updated_refs: %s", reply.Raw)
		assert.ElementsMatch(t, broken, haveBroken, "broken_refs: %s", reply.Raw)
	}
	moves := r.file(t, fixture("assets/moves.tres"))
	file := r.saved(t, path)
	assert.Equal(t, moves, r.file(t, fixture("assets/moves.tres")), "a file that is not the scene's own was written")
	return file
}

const deepScript = "res://scenes_fixture/scripts/references_deep.gd"

// renameRepairs: whatever the Scene dock would rewrite is rewritten, the rest is told, and a fresh process finds it so.
func (r *rig) renameRepairs(t *testing.T) {
	path := r.open(t, "references_deep")
	r.repaired(t, path, "rename_node", rename("Kid", "Sam"), []string{
		"User paths[0] ../Kid > ../Sam",
		"User paths[1] ../Kid/Deep:position > ../Sam/Deep:position",
		"User map[a] ../Kid > ../Sam",
		"User map[list][0] ../Kid/Deep > ../Sam/Deep",
		"User any:metadata/at ../Kid > ../Sam",
		"User others[0] ../Kid > ../Sam",
		"Player animation move, track 0 Kid:position > Sam:position",
		"Player animation move, track 1 Kid/Deep:rotation > Sam/Deep:rotation",
		"Tree tree_root:nodes/Blend/node:filters[0] Kid:position > Sam:position",
	}, []string{
		"User map ../Kid dictionary_key",
		"User metadata/absolute /root/Main/Kid absolute_path",
		"Player animation far/far, track 0 Kid:rotation external_animation",
		"Away/Inner remote_path ../../Kid instanced_child_not_editable",
		"User " + deepScript + ":13 ../Kid in_script",
		"User " + deepScript + ":13 ../Kid/Deep in_script",
	})
	scenes, err := r.kit.Read(r.ctx, r.project, path)
	require.NoError(t, err)
	user := scenes[path].Nodes["User"].Properties
	assert.Contains(t, string(user["paths"]), "../Sam/Deep:position")
	assert.Contains(t, string(user["others"]), "Sam")
	file := r.file(t, path)
	assert.Contains(t, file, `NodePath("Sam:position")`)
	assert.Contains(t, file, `NodePath("%Deep:skew")`, "a unique name finds its node wherever it is")
	assert.NotContains(t, file, `NodePath("Kid`)
}

// renameUnique: paths by unique name get the new one; plain paths their new end.
func (r *rig) renameUnique(t *testing.T) {
	path := r.open(t, "references_deep")
	file := r.repaired(t, path, "rename_node", rename("Kid/Deep", "Low"), []string{
		"User paths[1] ../Kid/Deep:position > ../Kid/Low:position",
		"User map[list][0] ../Kid/Deep > ../Kid/Low",
		"User metadata/where %Deep > %Low",
		"Player animation move, track 1 Kid/Deep:rotation > Kid/Low:rotation",
		"Player animation move, track 2 %Deep:skew > %Low:skew",
	}, []string{
		"User " + deepScript + ":13 ../Kid/Deep in_script",
		"User " + deepScript + ":13 %Deep in_script",
	})
	assert.Contains(t, file, `metadata/where = NodePath("%Low")`)
}

// renameRoot: paths between nodes of a scene do not name its root.
func (r *rig) renameRoot(t *testing.T) {
	path := r.open(t, "references_deep")
	r.ok(t, "set_node_property", args{"node_path": "User", "property": "metadata/round", "value": args{
		"$type": "NodePath", "value": "../../Main/Kid",
	}})
	before := r.saved(t, path)
	file := r.repaired(t, path, "rename_node", rename(".", "Top"),
		[]string{"User metadata/round ../../Main/Kid > ../../Top/Kid"},
		[]string{"User metadata/absolute /root/Main/Kid absolute_path"})
	assert.Contains(t, file, `[node name="Top" type="Node2D"`)
	r.ok(t, "undo", args{})
	assert.Equal(t, before, r.saved(t, path), "the file after undo")
}

func (r *rig) moveRepairs(t *testing.T) {
	path := r.open(t, "references_deep")
	file := r.repaired(t, path, "move_node", args{"node_path": "Kid", "new_parent_path": "Box"}, []string{
		"Kid/Back remote_path ../../Box > ../..",
		"User paths[0] ../Kid > ../Box/Kid",
		"User paths[1] ../Kid/Deep:position > ../Box/Kid/Deep:position",
		"User map[a] ../Kid > ../Box/Kid",
		"User map[list][0] ../Kid/Deep > ../Box/Kid/Deep",
		"User any:metadata/at ../Kid > ../Box/Kid",
		"User others[0] ../Kid > ../Box/Kid",
		"Player animation move, track 0 Kid:position > Box/Kid:position",
		"Player animation move, track 1 Kid/Deep:rotation > Box/Kid/Deep:rotation",
		"Tree tree_root:nodes/Blend/node:filters[0] Kid:position > Box/Kid:position",
	}, []string{
		"User map ../Kid dictionary_key",
		"User metadata/absolute /root/Main/Kid absolute_path",
		"Player animation far/far, track 0 Kid:rotation external_animation",
		"Away/Inner remote_path ../../Kid instanced_child_not_editable",
		"User " + deepScript + ":13 ../Kid in_script",
		"User " + deepScript + ":13 ../Kid/Deep in_script",
	})
	assert.Contains(t, file, `NodePath("Box/Kid:position")`)
	assert.Contains(t, file, `metadata/where = NodePath("%Deep")`)
}

// movePlayer: a player goes on playing what it played; its tracks stay as they are.
func (r *rig) movePlayer(t *testing.T) {
	path := r.open(t, "references_deep")
	file := r.repaired(t, path, "move_node", args{"node_path": "Player", "new_parent_path": "Box"}, []string{
		"Player root_node .. > ../..",
		"Tree anim_player ../Player > ../Box/Player",
	}, nil)
	assert.Contains(t, file, `NodePath("Kid:position")`)
}

// unsavedMove: a save loses the move of an inherited node, so paths that suit the new place would lead nowhere.
func (r *rig) unsavedMove(t *testing.T) {
	r.open(t, "inherited_one")
	r.ok(t, "create_node", args{"node_type": "RemoteTransform2D", "node_name": "Follow", "properties": args{
		"remote_path": "../Kid/Deep",
	}})
	r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": "Box"})
	updated, broken := refs(t, r.foretold(t, "move_node", args{"node_path": "Kid/Deep", "new_parent_path": "Box"}))
	assert.Empty(t, updated)
	assert.Equal(t, []string{"Follow remote_path ../Kid/Deep inherited_node"}, broken)
	assert.JSONEq(t, `"../Kid/Deep"`, string(r.readValue(t, "Follow", "remote_path")))
}

// sharedAnimation: two players, one animation, two roots: what suits one would break the other.
func (r *rig) sharedAnimation(t *testing.T) {
	path := r.open(t, "references")
	r.ok(t, "create_node", args{"parent_path": "Box", "node_type": "Node2D", "node_name": "Kid"})
	r.ok(t, "duplicate_node", copyOf("Player"))
	r.ok(t, "rename_node", rename("Player2", "Other"))
	updated, broken := refs(t, r.foretold(t, "rename_node", rename("Kid", "Sam")))
	assert.Contains(t, updated, "Player animation move, track 0 Kid:position > Sam:position", "one root: no quarrel")
	assert.Empty(t, broken)
	r.ok(t, "undo", args{})
	r.ok(t, "set_node_property", args{"node_path": "Other", "property": "root_node", "value": "../Box"})
	updated, broken = refs(t, r.foretold(t, "rename_node", rename("Kid", "Sam")))
	assert.NotContains(t, text(updated), "animation")
	assert.Equal(t, []string{"Player animation move, track 0 Kid:position shared_animation"}, broken)
	assert.Contains(t, r.saved(t, path), `NodePath("Kid:position")`)
}

// stubbornReference: a script that keeps its old path makes the whole edit fail, and what took its new path has the old
// one again.
func (r *rig) stubbornReference(t *testing.T) {
	script := r.script(t, "@tool\nextends Node2D\n\n@export var path: NodePath:\n\tset(value):\n\t\tif path.is_empty():\n\t\t\tpath = value\n")
	scene := r.freshName(workRes + "/stubborn.tscn")
	r.write(t, scene, "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\""+script+"\" id=\"1\"]\n\n"+
		"[ext_resource type=\"Script\" path=\"res://scenes_fixture/scripts/node_exports.gd\" id=\"2\"]\n\n"+
		"[node name=\"Main\" type=\"Node2D\"]\n\n[node name=\"Before\" type=\"Node2D\" parent=\".\"]\n"+
		"script = ExtResource(\"2\")\npath = NodePath(\"../Kid\")\n\n[node name=\"Kid\" type=\"Node2D\" parent=\".\"]\n\n"+
		"[node name=\"Box\" type=\"Node2D\" parent=\".\"]\nposition = Vector2(3, 4)\n\n"+
		"[node name=\"Stubborn\" type=\"Node2D\" parent=\".\"]\nscript = ExtResource(\"1\")\npath = NodePath(\"../Kid\")\n\n"+
		"[node name=\"After\" type=\"Node2D\" parent=\".\"]\nscript = ExtResource(\"2\")\npath = NodePath(\"../Kid\")\n")
	r.openPath(t, scene)
	require.JSONEq(t, `"../Kid"`, string(r.readValue(t, "Stubborn", "path")))
	before := r.state(t)
	for tool, call := range map[string]args{
		"rename_node": rename("Kid", "Sam"),
		"move_node":   {"node_path": "Kid", "new_parent_path": "Box", "keep_global_transform": true},
	} {
		failure := r.refused(t, protocol.ValueRejected, tool, call)
		assert.Equal(t, "Stubborn", failure.Details["node_path"], "%s", text(failure))
		assert.Equal(t, "path", failure.Details["property"], "%s", text(failure))
		assert.Equal(t, "../Kid", failure.Details["now"], "%s", text(failure))
		assert.False(t, failure.MayHaveApplied, "%s", text(failure))
		r.same(t, before, tool)
	}
}
