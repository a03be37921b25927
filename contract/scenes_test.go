package contract

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testScenes: opening, addressing and seeing scenes.
func (r *rig) testScenes(t *testing.T) {
	for name, run := range map[string]func(*testing.T){
		"a scene that does not open leaves the old one":        r.openRefused,
		"a scene that holds itself is not opened":              r.openCyclic,
		"a scene that refers to itself is not opened":          r.openReferring,
		"values that refer back to the scene are refused":      r.setCyclic,
		"a human's switch of tabs":                             r.humanSwitch,
		"reads of a scene in another tab":                      r.readOtherTab,
		"an edit for one scene never lands in another":         r.neverTheWrongPlayer,
		"unsaved work stays when another scene opens":          r.openKeepsUnsaved,
		"every edit leaves the scene unsaved":                  r.editsAreDirty,
		"instances are marked in the tree":                     r.treeMarks,
		"a dry run makes nothing of project classes":           r.dryRunMakesNothing,
		"node paths in all the forms that people write":        r.nodePathForms,
		"missing nodes are refused with what is there instead": r.missingNodes,
		"references to a moved node are told":                  r.movedReferences,
		"the root is protected":                                r.rootProtected,
	} {
		t.Run(name, run)
	}
}

func (r *rig) openRefused(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	fixture := func(name string) string { return harness.FixtureRes + "/" + name }
	for _, c := range []struct {
		path string
		code protocol.Code
	}{
		{fixture("absent.tscn"), protocol.ResourceNotFound},
		{fixture("garbage.tscn"), protocol.ValidationError},
		{fixture("broken_dependency.tscn"), protocol.PreconditionFailed},
		{fixture("assets/ramp.tres"), protocol.InvalidPath},
		{fixture("assets/triangle.gltf"), protocol.InvalidPath},
		{fixture("assets"), protocol.InvalidPath},
	} {
		for _, dry := range []bool{true, false} {
			failure := r.refused(t, c.code, "open_scene", args{"scene_path": c.path, "dry_run": dry})
			if c.code == protocol.PreconditionFailed {
				assert.Equal(t, "dependencies", failure.Required, c.path)
			}
			r.same(t, before, c.path)
		}
	}
}

// openCyclic: a scene that instances itself, directly and by way of another, which the engine would recurse into.
func (r *rig) openCyclic(t *testing.T) {
	self, other := r.copyFixture(t, "instance_closed"), r.copyFixture(t, "nest")
	r.edit(t, other, harness.FixtureRes+"/mid.tscn", self)
	for _, inside := range []string{self, other} {
		text := strings.ReplaceAll(r.file(t, self), harness.FixtureRes+"/mid.tscn", inside)
		path := strings.TrimSuffix(self, ".tscn") + "_cycle.tscn"
		require.NoError(t, os.WriteFile(r.project.Path(path), []byte(strings.ReplaceAll(text, self, path)), 0o600))
		if inside == other {
			r.edit(t, other, self, path)
		}
		r.open(t, "own_nodes")
		before := r.state(t)
		failure := r.refused(t, protocol.ValidationError, "open_scene", args{"scene_path": path})
		assert.Equal(t, "cyclic_instance", failure.Details["reason"], "%s", text)
		assert.Contains(t, failure.Details["chain"], path)
		r.same(t, before, "opening a scene that holds itself")
	}
}

func (r *rig) humanSwitch(t *testing.T) {
	first := r.open(t, "own_nodes")
	second := r.open(t, "second_player")
	r.ok(t, "open_scene", args{"scene_path": first})
	r.ok(t, "get_node", args{"node_path": "Player"})
	r.hand.act(t, "open", map[string]any{"path": second}, nil)
	before := r.state(t)
	edit := args{"node_path": "Player", "property": "position", "value": []int{1, 1}}
	failure := r.refused(t, protocol.SceneMismatch, "set_node_property", edit)
	assert.Equal(t, second, failure.Details["active"])
	assert.Equal(t, first, failure.Details["asked"])
	assert.Contains(t, failure.Hint, "open_scene "+first, "the very next call")
	r.same(t, before, "an edit for the scene that a human left")
	reply := r.ok(t, "set_node_property", with(edit, "scene", second))
	assert.Equal(t, second, reply.Data["scene"])
}

func (r *rig) readOtherTab(t *testing.T) {
	first := r.open(t, "own_nodes")
	second := r.open(t, "second_player")
	for _, tool := range []string{"get_scene_tree", "find_nodes"} {
		reply := r.ok(t, tool, args{"scene": first})
		assert.Equal(t, first, reply.Data["scene"], "%s: %s", tool, reply.Raw)
		assert.Contains(t, string(reply.Raw), `"Enemy"`, tool)
	}
	reply := r.ok(t, "get_node", args{"scene": first, "node_path": "Title", "properties": []string{"text"}})
	assert.JSONEq(t, `"keep"`, string(shownValues(t, reply.Raw)["text"]))
	assert.Equal(t, second, r.hand.look(t).Edited, "reads switch no tabs")
	failure := r.refused(t, protocol.SceneMismatch, "get_scene_tree", args{"scene": harness.FixtureRes + "/nest.tscn"})
	assert.Contains(t, failure.Hint, "open_scene "+harness.FixtureRes+"/nest.tscn", "a scene that is not open")
	failure = r.refused(t, protocol.SceneMismatch, "get_scene_tree", args{"scene": harness.FixtureRes + "/none.tscn"})
	assert.Contains(t, failure.Hint, "list_open_scenes", "a scene that there is not")
}

func (r *rig) neverTheWrongPlayer(t *testing.T) {
	first := r.open(t, "own_nodes")
	r.open(t, "second_player")
	before := r.state(t)
	failure := r.refused(t, protocol.SceneMismatch, "set_node_property",
		args{"scene": first, "node_path": "Player", "property": "position", "value": []int{1, 1}})
	assert.Equal(t, first, failure.Details["asked"])
	for _, tool := range []string{"create_node", "move_node", "delete_node", "save_scene", "undo", "redo"} {
		failure = r.refused(t, protocol.SceneMismatch, tool, with(example(t, r.byName[tool]), "scene", first))
		assert.Contains(t, failure.Hint, "open_scene "+first, tool)
	}
	r.same(t, before, "calls for a scene in another tab")
}

func (r *rig) openKeepsUnsaved(t *testing.T) {
	first := r.open(t, "own_nodes")
	r.ours(t, 7)
	dump := r.hand.dump(t)
	r.open(t, "second_player")
	r.ok(t, "open_scene", args{"scene_path": first})
	assert.Equal(t, dump, r.hand.dump(t), "unsaved work after a switch there and back")
}

func (r *rig) editsAreDirty(t *testing.T) {
	for _, tool := range r.tools {
		if tool.Carries || len(tool.Effects) == 0 || tool.Effects[0] != "edits_memory" {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			path := r.open(t, tool.ExampleScene)
			assert.Empty(t, r.hand.look(t).Starred)
			reply := r.ok(t, tool.Name, example(t, tool))
			assert.Equal(t, true, reply.Data["scene_dirty"], "%s", reply.Raw)
			require.Eventually(t, func() bool { return len(r.hand.look(t).Starred) == 1 }, handWait, pollEvery,
				"%s: the tab of %s has no star", tool.Name, path)
			reply = r.ok(t, "save_scene", args{"confirm": true})
			assert.Equal(t, false, reply.Data["scene_dirty"], "%s", reply.Raw)
		})
	}
}

func (r *rig) treeMarks(t *testing.T) {
	r.open(t, "instance_editable")
	var tree struct {
		Marks map[string]map[string]any `json:"marks"`
	}
	reply := r.ok(t, "get_scene_tree", args{})
	decodeData(t, reply, &tree)
	require.Contains(t, tree.Marks, "Shell", "%s", reply.Raw)
	assert.Equal(t, harness.FixtureRes+"/mid.tscn", tree.Marks["Shell"]["instance_of"])
	assert.Equal(t, true, tree.Marks["Shell"]["editable_children"])

	r.open(t, "instance_closed")
	reply = r.ok(t, "get_scene_tree", args{})
	tree.Marks = nil
	decodeData(t, reply, &tree)
	assert.NotEqual(t, true, tree.Marks["Shell"]["editable_children"], "%s", reply.Raw)
	assert.NotContains(t, tree.Marks, "Own", "a plain node has no mark: %s", reply.Raw)
}

// dryRunMakesNothing: a project class whose _init leaves a file behind.
func (r *rig) dryRunMakesNothing(t *testing.T) {
	r.open(t, "empty")
	left := r.userFile("fixture_init")
	_ = os.Remove(left)
	call := args{"node_type": "FixtureInit"}
	r.ok(t, "create_node", with(call, "dry_run", true))
	r.ok(t, "preview_tool", args{"tool": "create_node", "arguments": call})
	assert.NoFileExists(t, left, "a dry run made a node of a project class")
	r.ok(t, "create_node", call)
	assert.FileExists(t, left, "the fixture's _init ran in the real run, or this test proves nothing")
}

func (r *rig) nodePathForms(t *testing.T) {
	r.open(t, "deep_subtree")
	for form, want := range map[string]string{
		".": ".", "Branch/Twig": "Branch/Twig", "/root/Main/Branch": "Branch", "/Branch": "Branch", "Main/Branch": "Branch",
		"/root/Main": ".", "Branch/": "Branch", "%Leaf": "Branch/Twig/Leaf", "./Branch": "Branch",
	} {
		reply := r.ok(t, "get_node", args{"node_path": form})
		assert.Equal(t, want, reply.Data["path"], "the node at %q: %s", form, reply.Raw)
	}
	for _, outside := range []string{"..", "../..", "/root", "/root/Nobody", "Branch/../..", "%Nobody", "Branch/.."} {
		reply := r.call(t, "get_node", args{"node_path": outside})
		if reply.OK {
			assert.Equal(t, ".", reply.Data["path"], "%q leads out of the scene: %s", outside, reply.Raw)
		}
	}
}

// movedReferences: paths that lead to a node that moves are rewritten, and those that lead to one that goes are told,
// in a dry run and for real.
func (r *rig) movedReferences(t *testing.T) {
	r.open(t, "references")
	reply := r.foretold(t, "move_node", args{"node_path": "Kid", "new_parent_path": "Box"})
	holders := []string{`"Follow"`, `"User"`, `"Player"`}
	for _, holder := range holders {
		assert.Contains(t, text(reply.Data["updated_refs"]), holder, "%s", reply.Raw)
	}
	assert.NotContains(t, reply.Data, "broken_refs")
	assert.JSONEq(t, `{"$node":"../Box/Kid"}`, string(r.readValue(t, "User", "other")), "an exported node follows")
	gone := r.foretold(t, "delete_node", args{"node_path": "Box/Kid", "confirm": true})
	for _, holder := range holders {
		assert.Contains(t, text(gone.Data["broken_refs"]), holder, "%s", gone.Raw)
	}
	assert.NotContains(t, gone.Data, "updated_refs")
}

func (r *rig) missingNodes(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	for tool, call := range map[string]args{
		"get_node":          {"node_path": "Player/Nobody"},
		"get_scene_tree":    {"node_path": "Player/Nobody"},
		"find_nodes":        {"under": "Player/Nobody"},
		"set_node_property": {"node_path": "Player/Nobody", "property": "visible", "value": true},
		"create_node":       {"parent_path": "Player/Nobody", "node_type": "Node"},
		"move_node":         {"node_path": "Player/Nobody", "new_parent_path": "."},
		"delete_node":       {"node_path": "Player/Nobody", "confirm": true},
	} {
		failure := r.refused(t, protocol.ResourceNotFound, tool, call)
		assert.Contains(t, text(failure.Details), "Body", "%s: what is there instead: %s", tool, text(failure))
	}
	r.refused(t, protocol.ResourceNotFound, "move_node", args{"node_path": "Enemy", "new_parent_path": "Nobody"})
	r.refused(t, protocol.ValidationError, "move_node", args{"node_path": "Player", "new_parent_path": "Player/Body"})
	r.same(t, before, "calls for missing nodes")
}

func (r *rig) rootProtected(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	r.refused(t, protocol.ProtectedTarget, "delete_node", args{"node_path": ".", "confirm": true})
	r.refused(t, protocol.ProtectedTarget, "delete_node", args{"node_path": "/root/Own", "confirm": true})
	r.refused(t, protocol.ProtectedTarget, "move_node", args{"node_path": ".", "new_parent_path": "Player"})
	r.same(t, before, "calls for the root")
}
