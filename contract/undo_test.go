package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// edit is one call on one fixture.
type edit struct {
	name    string
	fixture string
	tool    string
	args    args
}

// undoEdits are calls whose undo has to bring back more than the call names.
func undoEdits() []edit {
	set := func(name, fixture, node, property string, value any) edit {
		return edit{name, fixture, "set_node_property", args{"node_path": node, "property": property, "value": value}}
	}
	remove := func(name, fixture, node string) edit {
		return edit{name, fixture, "delete_node", args{"node_path": node, "confirm": true}}
	}
	move := func(name, fixture, node, parent string, index int) edit {
		return edit{name, fixture, "move_node", args{"node_path": node, "new_parent_path": parent, "index": index}}
	}
	return []edit{
		set("max_value takes value along", "side_effects", "Slider", "max_value", 10),
		set("min_value takes value along", "side_effects", "Slider", "min_value", 60),
		set("step takes value along", "side_effects", "Slider", "step", 30),
		set("a spin box", "side_effects", "Spin", "max_value", 10),
		set("hframes takes frame along", "side_effects", "Frames", "hframes", 2),
		set("a texture gone", "side_effects", "Frames", "texture", nil),
		set("item_count takes items along", "side_effects", "List", "item_count", 0),
		set("one item fewer", "side_effects", "List", "item_count", 1),
		set("options with a selection", "side_effects", "Options", "item_count", 0),
		set("anchors take offsets along", "side_effects", "Slider", "anchor_right", 1.0),
		set("size sets offsets", "side_effects", "Slider", "size", []int{80, 20}),
		set("text", "own_nodes", "Title", "text", "new"),
		set("a property that is not stored itself", "own_nodes", "Player", "global_position", []int{7, 8}),
		set("one component", "own_nodes", "Player", "position:x", 99),
		set("degrees", "own_nodes", "Player", "rotation_degrees", 30),
		set("a scale after a skew", "own_nodes", "Player", "scale", []int{2, 3}),
		set("unique name", "own_nodes", "Enemy", "unique_name_in_owner", true),
		set("a setter that sets another property", "scripts", "Setters", "leader", 4),
		set("a placeholder's property", "scripts", "Plain", "exported", 5),
		set("a tool script's property", "scripts", "Tool", "exported", 5),
		set("a container's child", "side_effects", "Box/Inside", "custom_minimum_size", []int{90, 40}),
		set("a container hidden", "side_effects", "Box", "visible", false),
		set("a list", "lists", "Lists", "loose", []any{3, 2.5, "x"}),
		set("a typed list", "lists", "Lists", "numbers", []int{9}),
		set("an exported node", "node_exports", "User", "hud", nil),
		set("another exported node", "node_exports", "User", "other", "../Other"),
		set("a child of an editable instance", "instance_editable", "Shell/Kid", "position", []int{8, 8}),
		set("an inherited node", "inherited_one", "Kid", "position", []int{8, 8}),
		set("a sub-resource taken away", "sub_resources", "Picture", "texture", nil),
		set("an external resource", "sub_resources", "Box", "mesh", nil),
		{"two that depend on each other", "side_effects", "set_node_property", args{
			"node_path": "Frames", "properties": raw(`{"hframes":8,"frame":7}`),
		}},
		{"many at once", "own_nodes", "set_node_property", args{
			"node_path": "Player", "properties": args{"position": []int{1, 1}, "rotation": 1, "visible": false, "z_index": 3},
		}},
		remove("a branch of three levels", "deep_subtree", "Branch"),
		remove("the branch's twig", "deep_subtree", "Branch/Twig"),
		remove("an editable instance", "deep_subtree", "Branch/Shell"),
		remove("a node inside an editable instance", "deep_subtree", "Branch/Shell/Kid/InShell"),
		remove("the target of a connection", "deep_subtree", "After"),
		remove("a node that others name", "references", "Kid"),
		remove("an animation player", "references", "Player"),
		remove("an exported node's target", "node_exports", "Hud"),
		remove("a container's child", "side_effects", "Box/Inside"),
		remove("an instance", "instance_closed", "Shell"),
		remove("a node of an inherited scene", "inherited_one", "Added"),
		move("a branch to another parent", "deep_subtree", "Branch", "After", -1),
		move("a branch to the front", "deep_subtree", "Branch", ".", 0),
		move("a branch to the end", "deep_subtree", "Branch", ".", -1),
		move("a unique node out of its branch", "deep_subtree", "Branch/Twig/Leaf", ".", 1),
		move("an editable instance", "deep_subtree", "Branch/Shell", ".", -1),
		move("a node that others name", "references", "Kid", "Box", -1),
		move("into an instance", "instance_closed", "Own", "Shell", -1),
		move("into a container", "side_effects", "Slider", "Box", 0),
		{"a name that collides at the new parent", "deep_subtree", "move_node", args{
			"node_path": "Branch/Second", "new_parent_path": "Branch/Twig", "keep_global_transform": false,
		}},
		{"a node made inside a branch", "deep_subtree", "create_node", args{
			"parent_path": "Branch/Twig", "node_type": "Sprite2D", "node_name": "Made", "index": 0,
			"properties": args{"position": []int{1, 2}, "texture": "res://scenes_fixture/assets/red.png"},
		}},
		{"a node of a project class", "own_nodes", "create_node", args{
			"node_type": "FixtureMover", "properties": args{"speed": 3.5},
		}},
		{"a name that is taken", "own_nodes", "create_node", args{"node_type": "Node2D", "node_name": "Foo"}},
	}
}

// testUndo: one undo brings back the scene byte for byte as this editor saved it just before, and the scene in memory
// as it was; redo brings back the call's result.
func (r *rig) testUndo(t *testing.T) {
	edits := undoEdits()
	for _, tool := range r.tools {
		for _, effect := range tool.Effects {
			if effect == "edits_memory" && !tool.Carries {
				edits = append(edits, edit{"the example of " + tool.Name, tool.ExampleScene, tool.Name, example(t, tool)})
			}
		}
	}
	for _, e := range edits {
		t.Run(e.tool+"/"+e.name, func(t *testing.T) { r.checkUndo(t, e) })
	}
}

// stage is a scene at one moment: in memory, and as its file.
type stage struct{ dump, file string }

func (r *rig) stage(t *testing.T, path string) stage {
	t.Helper()
	return stage{dump: r.hand.dump(t), file: r.saved(t, path)}
}

func (r *rig) checkUndo(t *testing.T, e edit) {
	t.Helper()
	path := r.open(t, e.fixture)
	before := r.stage(t, path)
	reply := r.ok(t, e.tool, e.args)
	require.Equal(t, true, reply.Data["undoable"], "%s", reply.Raw)
	require.Equal(t, true, reply.Data["scene_dirty"], "an edit leaves the scene unsaved: %s", reply.Raw)
	after := r.stage(t, path)
	require.NotEqual(t, before.dump, after.dump, "the call changed nothing: %s", reply.Raw)

	r.checkWalk(t, "undo", reply)
	undone := r.stage(t, path)
	assert.Equal(t, before.dump, undone.dump, "the scene after undo")
	assert.Equal(t, before.file, undone.file, "the file after undo")

	r.checkWalk(t, "redo", reply)
	redone := r.stage(t, path)
	assert.Equal(t, after.dump, redone.dump, "the scene after redo")
	assert.Equal(t, after.file, redone.file, "the file after redo")
}

// checkWalk takes one step, which must be the action of the call.
func (r *rig) checkWalk(t *testing.T, tool string, call harness.Reply) {
	t.Helper()
	walked := r.ok(t, tool, args{})
	name, _ := call.Data["undo_action"].(string)
	require.NotEmpty(t, name, "the call names its action: %s", call.Raw)
	assert.Equal(t, []any{name}, walked.Data["actions"], "%s: %s", tool, walked.Raw)
}
