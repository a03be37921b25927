package contract

import "slices"

// undoEdits are calls whose undo has to bring back more than the call names.
func undoEdits() []edit { return slices.Concat(undoSets(), undoStructure()) }

// undoSets change properties; setters and the engine change others beside them.
func undoSets() []edit {
	set := func(name, fixture, node, property string, value any) edit {
		return edit{name, fixture, "set_node_property", args{"node_path": node, "property": property, "value": value}}
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
	}
}

// undoStructure makes, moves and removes nodes.
func undoStructure() []edit {
	remove := func(name, fixture, node string) edit {
		return edit{name, fixture, "delete_node", args{"node_path": node, "confirm": true}}
	}
	move := func(name, fixture, node, parent string, index int) edit {
		return edit{name, fixture, "move_node", args{"node_path": node, "new_parent_path": parent, "index": index}}
	}
	return []edit{
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
