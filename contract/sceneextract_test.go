package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testExtract: a branch becomes a scene of its own, whole, and the scene that it comes from stays whole.
func (r *rig) testExtract(t *testing.T) {
	for _, row := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a file and nothing else", r.extractOnly},
		{"an instance in its place", r.extractReplace},
		{"connections over the border", r.extractConnections},
		{"references over the border", r.extractReferences},
		{"branches that cannot be extracted", r.extractRefused},
		{"files that cannot be written", r.extractTargets},
	} {
		t.Run(row.name, row.run)
	}
}

func (r *rig) extractOnly(t *testing.T) {
	path := r.open(t, "deep_subtree")
	before := r.state(t)
	target := r.freshName(workRes + "/branch.tscn")
	reply := r.foretold(t, "extract_scene", args{"node_path": "Branch", "scene_path": target, "confirm": true})
	assert.Equal(t, false, reply.Data["undoable"], "%s", reply.Raw)
	assert.Equal(t, false, reply.Data["scene_dirty"], "%s", reply.Raw)
	assert.Equal(t, []any{target}, reply.Data["targets"])
	r.checkTold(t, reply, []string{target})
	after := r.state(t)
	assert.Equal(t, before.dump, after.dump, "the scene that it comes from")
	assert.Equal(t, before.look, after.look)
	assert.Equal(t, []string{target}, changedFiles(before.files, after.files))
	scenes := r.read(t, path, target)
	r.sameBranch(t, scenes[path], "Branch", scenes[target], "")
	assert.Equal(t, "Branch", scenes[target].Root)
	assert.Empty(t, scenes[target].Connections, "those that lead out")
	assert.NotContains(t, r.file(t, target), "[connection", "not even as dead text")
	assert.Contains(t, text(reply.Data["lost_connections"]), "_on_hit", "%s", reply.Raw)
}

// sameBranch compares what a fresh process reads of two branches, each given by the path of its root in its scene.
func (r *rig) sameBranch(t *testing.T, a harness.Scene, inA string, b harness.Scene, inB string) {
	t.Helper()
	require.Empty(t, a.Error)
	require.Empty(t, b.Error)
	join := func(root, rest string) string {
		switch {
		case root == "" && rest == "":
			return "."
		case root == "":
			return rest
		case rest == "":
			return root
		}
		return root + "/" + rest
	}
	paths := []string{""}
	for path := range a.Nodes {
		if len(path) > len(inA) && path[:len(inA)+1] == inA+"/" {
			paths = append(paths, path[len(inA)+1:])
		}
	}
	require.Greater(t, len(paths), 1)
	for _, rest := range paths {
		one, there := a.Nodes[join(inA, rest)]
		require.True(t, there, rest)
		other, there := b.Nodes[join(inB, rest)]
		require.True(t, there, "%s is missing in %v", rest, b.Order)
		assert.Equal(t, one.Type, other.Type, rest)
		sameValues(t, rest, one, other, "", "")
		if rest != "" {
			assert.Equal(t, one.UniqueName, other.UniqueName, rest)
			assert.Equal(t, one.Index, other.Index, rest)
		}
	}
}

// sameValues compares two nodes. Resources inside of the file oldFile may be inside of newFile now.
func sameValues(t *testing.T, at string, one, other harness.Node, oldFile, newFile string) {
	t.Helper()
	assert.Equal(t, one.Script, other.Script, at)
	assert.ElementsMatch(t, one.Groups, other.Groups, "groups of %q", at)
	assert.Equal(t, one.Metadata, other.Metadata, at)
	require.Len(t, other.Properties, len(one.Properties), at)
	for name, value := range one.Properties {
		found := string(other.Properties[name])
		if oldFile != "" && found != string(value) {
			found = strings.ReplaceAll(found, text(newFile), text(oldFile))
		}
		assert.Equal(t, string(value), found, "%s:%s", at, name)
	}
}

func (r *rig) extractReplace(t *testing.T) {
	for _, row := range []struct{ fixture, node string }{
		{"deep_subtree", "Branch"},
		{"deep_subtree", "Branch/Twig"},
		{"own_nodes", "Player"},
		{"own_nodes", "Foo"},
		{"sub_resources", ""},
		{"values", ""},
		{"side_effects", ""},
		{"instance_closed", "Own"},
		{"scripts", "Plain"},
	} {
		t.Run(row.fixture+" "+row.node, func(t *testing.T) {
			path := r.open(t, row.fixture)
			node := row.node
			if node == "" {
				node = r.firstBranch(t)
			}
			before := r.stage(t, path)
			was := r.read(t, path)[path]
			target := r.freshName(workRes + "/branch.tscn")
			reply := r.foretold(t, "extract_scene", args{
				"node_path": node, "scene_path": target, "replace_with_instance": true, "confirm": true,
			})
			require.Equal(t, true, reply.Data["undoable"], "%s", reply.Raw)
			assert.Equal(t, []any{target}, reply.Data["undo_leaves"], "%s", reply.Raw)
			require.Len(t, reply.Persistence, 1)
			require.NotNil(t, reply.Persistence[0].Persisted)
			assert.True(t, *reply.Persistence[0].Persisted)
			after := r.stage(t, path)
			scenes := r.read(t, path, target)
			now := scenes[path]
			require.Empty(t, now.Error)
			assert.Equal(t, target, now.Nodes[node].InstanceOf)
			assert.Equal(t, was.Order, now.Order, "the nodes of the whole scene")
			for at, one := range was.Nodes {
				sameValues(t, at, one, now.Nodes[at], path, target)
			}
			r.checkWalk(t, "undo", reply)
			undone := r.stage(t, path)
			assert.Equal(t, before.dump, undone.dump, "the scene after undo")
			assert.Equal(t, before.file, undone.file, "the file after undo")
			assert.NotEmpty(t, r.file(t, target), "the new file stays")
			r.checkWalk(t, "redo", reply)
			redone := r.stage(t, path)
			assert.Equal(t, after.dump, redone.dump, "the scene after redo")
			assert.Equal(t, after.file, redone.file, "the file after redo")
		})
	}
}

// firstBranch is the first child of the edited scene's root.
func (r *rig) firstBranch(t *testing.T) string {
	t.Helper()
	var tree struct {
		Rows [][]any `json:"rows"`
	}
	decodeData(t, r.ok(t, "get_scene_tree", args{"max_depth": 1}), &tree)
	require.Greater(t, len(tree.Rows), 1)
	name, _ := tree.Rows[1][0].(string)
	return name
}

// extractConnections: into the branch they are made again, out of it only from its root.
func (r *rig) extractConnections(t *testing.T) {
	path := r.open(t, "deep_subtree")
	target := r.freshName(workRes + "/branch.tscn")
	reply := r.ok(t, "extract_scene", args{
		"node_path": "Branch", "scene_path": target, "replace_with_instance": true, "confirm": true,
	})
	assert.Equal(t, []any{map[string]any{
		"source": "Branch/Twig/Leaf", "signal": "hit", "target": ".", "method": "queue_redraw",
	}}, reply.Data["lost_connections"], "%s", reply.Raw)
	r.save(t)
	var found []string
	for _, c := range r.read(t, path)[path].Connections {
		found = append(found, c.Source+" "+c.Signal+" "+c.Target+" "+c.Method)
	}
	assert.ElementsMatch(t, []string{
		"Branch hit After _on_hit", "After visibility_changed Branch/Twig/Leaf _on_hit",
	}, found)
}

// extractReferences: an exported node of the rest follows to the instance; one that leads out of the branch is told.
func (r *rig) extractReferences(t *testing.T) {
	path := r.open(t, "references")
	target := r.freshName(workRes + "/branch.tscn")
	was := r.readValue(t, "User", "other")
	reply := r.ok(t, "extract_scene", args{
		"node_path": "Kid", "scene_path": target, "replace_with_instance": true, "confirm": true,
	})
	assert.JSONEq(t, string(was), string(r.readValue(t, "User", "other")), "%s", reply.Raw)
	r.save(t)
	scenes := r.read(t, path, harness.FixtureRes+"/references.tscn")
	assert.Equal(t, scenes[harness.FixtureRes+"/references.tscn"].Nodes["User"].Properties,
		scenes[path].Nodes["User"].Properties)
	r.open(t, "references")
	reply = r.ok(t, "extract_scene", args{"node_path": "User", "scene_path": r.freshName(target), "confirm": true})
	assert.Equal(t, []any{map[string]any{"node": "User", "property": "other"}}, reply.Data["lost_references"], "%s", reply.Raw)
}

func (r *rig) extractRefused(t *testing.T) {
	target := r.freshName(workRes + "/branch.tscn")
	for _, row := range []struct {
		fixture, node string
		code          protocol.Code
		reason        string
	}{
		{"own_nodes", ".", protocol.ProtectedTarget, "scene_root"},
		{"own_nodes", "Nobody", protocol.ResourceNotFound, ""},
		{"instance_closed", "Shell", protocol.ValidationError, "is_instance"},
		{"instance_closed", "Shell/Kid", protocol.ValidationError, "node_from_instance"},
		{"instance_editable", "Shell/Kid", protocol.ValidationError, "node_from_instance"},
		{"inherited_one", "Kid", protocol.ValidationError, "inherited_node"},
		{"own_nodes", "Enemy/Ghost", protocol.ValidationError, "node_not_owned"},
		{"own_nodes", "Enemy", protocol.ValidationError, "node_not_owned"},
	} {
		t.Run(row.fixture+" "+row.node, func(t *testing.T) {
			r.open(t, row.fixture)
			if row.reason == "node_not_owned" {
				r.hand.act(t, "add_ghost", map[string]any{"parent": "Enemy"}, nil)
			}
			before := r.state(t)
			for _, replace := range []bool{true, false} {
				call := args{"node_path": row.node, "scene_path": target, "replace_with_instance": replace, "confirm": true}
				for _, dry := range []bool{true, false} {
					failure := r.refused(t, row.code, "extract_scene", with(call, "dry_run", dry))
					if row.reason != "" {
						assert.Equal(t, row.reason, failure.Details["reason"], "%s", text(failure))
					}
					r.same(t, before, "a branch that cannot be a scene")
				}
			}
		})
	}
}

// extractTargets: an existing file, an open scene, a file that the branch uses (BR-126).
func (r *rig) extractTargets(t *testing.T) {
	part := r.copyFixture(t, "mid")
	path := r.copyFixture(t, "deep_subtree")
	r.edit(t, path, harness.FixtureRes+"/mid.tscn", part)
	other := r.open(t, "second_player")
	r.openPath(t, path)
	before := r.state(t)
	call := args{"node_path": "Branch", "confirm": true, "overwrite": true, "replace_with_instance": true}
	failure := r.refused(t, protocol.AlreadyExists, "extract_scene", with(without(call, "overwrite"), "scene_path", part))
	assert.Contains(t, failure.Hint, "overwrite")
	for _, open := range []string{path, other} {
		failure = r.refused(t, protocol.PreconditionFailed, "extract_scene", with(call, "scene_path", open))
		assert.Equal(t, "scene_not_open", failure.Required)
	}
	failure = r.refused(t, protocol.ValidationError, "extract_scene", with(call, "scene_path", part))
	assert.Equal(t, "cyclic_instance", failure.Details["reason"], "%s", text(failure))
	assert.Contains(t, failure.Details["chain"], part)
	r.same(t, before, "targets that cannot be written")
	free := r.copyFixture(t, "second_player")
	reply := r.ok(t, "extract_scene", with(call, "scene_path", free))
	r.checkTold(t, reply, []string{free})
	assert.Equal(t, "Branch", r.read(t, free)[free].Root)
}
