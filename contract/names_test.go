package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testNames: a reply never names another node than the one that was made, and no name is changed in silence.
func (r *rig) testNames(t *testing.T) {
	t.Run("a taken name is told", r.takenNames)
	t.Run("odd names are kept through a save", r.oddNames)
	t.Run("names that nodes cannot have are refused", r.badNames)
	t.Run("classes that no node can be made of", r.badClasses)
}

func (r *rig) takenNames(t *testing.T) {
	r.open(t, "own_nodes")
	check := func(tool string, call args, asked string) {
		t.Helper()
		reply := r.ok(t, tool, call)
		name, _ := reply.Data["name"].(string)
		assert.NotEqual(t, asked, name, "%s: %s is taken: %s", tool, asked, reply.Raw)
		assert.NotContains(t, name, "@", "%s: %s", tool, reply.Raw)
		assert.Equal(t, asked, reply.Data["requested"], "%s: %s", tool, reply.Raw)
		assert.Equal(t, true, reply.Data["renamed"], "%s: %s", tool, reply.Raw)
		read := r.ok(t, "get_node", args{"node_path": reply.Data["path"]})
		assert.Equal(t, name, read.Data["name"], "%s: the path leads to another node: %s", tool, read.Raw)
		if tool != "move_node" { // its action names the two places
			assert.Contains(t, reply.Data["undo_action"], " "+name, "%s: the action names another node", tool)
			assert.NotRegexp(t, " "+asked+"( \\(|$)", reply.Data["undo_action"], "%s: the action names another node", tool)
			undone, redone := r.ok(t, "undo", args{}), r.ok(t, "redo", args{})
			assert.Equal(t, []any{reply.Data["undo_action"]}, undone.Data["actions"], "%s", undone.Raw)
			assert.Equal(t, undone.Data["actions"], redone.Data["actions"], "%s", redone.Raw)
		}
	}
	check("create_node", args{"node_type": "Node2D", "node_name": "Foo"}, "Foo")
	check("create_node", args{"node_type": "Node2D", "node_name": "Foo"}, "Foo")
	r.ok(t, "create_node", args{"parent_path": "Player", "node_type": "Node2D", "node_name": "Enemy"})
	check("move_node", args{"node_path": "Enemy", "new_parent_path": "Player"}, "Enemy")
	reply := r.ok(t, "create_node", args{"node_type": "Timer"})
	assert.Equal(t, "Timer", reply.Data["name"], "the class's own name: %s", reply.Raw)
	assert.NotContains(t, reply.Data, "renamed")
	check("create_node", args{"node_type": "Timer", "node_name": "Timer"}, "Timer")
	assert.Equal(t, "Timer", r.ok(t, "create_node", args{"node_type": "Timer"}).Data["requested"], "nobody asked for a name")
	check("rename_node", args{"node_path": "Timer", "new_name": "Foo"}, "Foo")
}

func (r *rig) oddNames(t *testing.T) {
	path := r.open(t, "empty")
	odd := []string{
		"with space", " leading", "trailing ", `back\slash`, "äöü €", "日本", "😀", "'quote'",
		"a,b;c", "[x]", "#1", "true", " ", "leading",
	}
	for _, name := range odd {
		reply := r.ok(t, "create_node", args{"node_type": "Node", "node_name": name})
		assert.Equal(t, name, reply.Data["name"], "%s", reply.Raw)
		child := r.ok(t, "create_node", args{"parent_path": reply.Data["path"], "node_type": "Node", "node_name": "Below"})
		for _, made := range []harness.Reply{reply, child} {
			read := r.ok(t, "get_node", args{"node_path": made.Data["path"]})
			assert.Equal(t, made.Data["path"], read.Data["path"], "%s", read.Raw)
		}
		below, _ := child.Data["path"].(string)
		r.ok(t, "connect_signal", way(below, "renamed", name, "print_tree"))
		failure := r.refused(t, protocol.ResourceNotFound, "get_node", args{"node_path": name + "/Nobody"})
		assert.Equal(t, name, failure.Details["deepest"], "%s", text(failure))
	}
	r.save(t)
	scenes, err := r.kit.Read(r.ctx, r.project, path)
	require.NoError(t, err)
	for _, name := range odd {
		assert.Contains(t, scenes[path].Nodes, name, "in the file")
		assert.Contains(t, scenes[path].Nodes, name+"/Below", "in the file")
		kept, found := connected(way(name+"/Below", "renamed", name, "print_tree"), 2)(scenes[path])
		assert.True(t, kept, "the connection of %q: %s", name, found)
	}
}

func (r *rig) badNames(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	for name, chars := range map[string][]any{
		"a/b": {"/"}, "a:b": {":"}, "a.b": {"."}, "a@b": {"@"}, "a%b": {"%"}, `a"b`: {`"`}, "/:": {"/", ":"},
	} {
		failure := r.refused(t, protocol.ValidationError, "create_node", args{"node_type": "Node", "node_name": name})
		assert.Equal(t, "invalid_name_chars", failure.Details["reason"], "%q: %s", name, text(failure))
		assert.ElementsMatch(t, chars, failure.Details["chars"], "%q: %s", name, text(failure))
	}
	r.refused(t, protocol.ValidationError, "create_node", args{"node_type": "Node", "node_name": "a\nb"})
	r.same(t, before, "bad names")
}

func (r *rig) badClasses(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	for class, reason := range map[string]string{
		"CanvasItem": "abstract_class", "FixtureAbstract": "abstract_class", "Node2d": "", "Nodule": "", "Resource": "",
		"FixtureThing": "", "Object": "", "EditorPlugin": "", "Node2D; OS.kill()": "", "res://a.gd": "",
	} {
		failure := r.refused(t, protocol.ValidationError, "create_node", args{"node_type": class})
		if reason != "" {
			assert.Equal(t, reason, failure.Details["reason"], "%s: %s", class, text(failure))
			assert.Contains(t, failure.Details, "concrete", "%s: %s", class, text(failure))
		}
	}
	r.same(t, before, "bad classes")
}
