package contract

import (
	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const notStored = protocol.ReasonNotStored

// never is for changes that no file can show.
func never(harness.Scene) (bool, string) { return false, "" }

// setRow sets one property and looks for a stored one.
func setRow(name, fixture, node, property string, value any, stored, want string) persistRow {
	return persistRow{
		name: name, fixture: fixture, tool: "set_node_property",
		args: args{"node_path": node, "property": property, "value": value}, kept: stores(node, stored, want),
	}
}

// made is a property of a node that is made first.
func made(name, class, property string, value any, stored, want string) persistRow {
	row := setRow(name, "empty", "It", property, value, stored, want)
	row.first = []edit{{tool: "create_node", args: args{"node_type": class, "node_name": "It"}}}
	return row
}

// lostBy says why a row's change is lost.
func lostBy(reason protocol.Reason, row persistRow) persistRow {
	row.reason = reason
	return row
}

// onlyPartly marks a row of which a save keeps only some.
func onlyPartly(row persistRow) persistRow {
	row.unsure = true
	return row
}

// propertyRows are properties that are stored, that lead to stored ones, and that are not stored at all.
func propertyRows() []persistRow {
	return []persistRow{
		setRow("position", "own_nodes", "Player", "position", []int{5, 6}, "position", "[5.0,6.0]"),
		setRow("one component", "own_nodes", "Player", "position:x", 5, "position", "[5.0,20.0]"),
		setRow("global_position", "own_nodes", "Player", "global_position", []int{5, 6}, "position", "[5.0,6.0]"),
		setRow("rotation_degrees", "own_nodes", "Player", "rotation_degrees", 90, "rotation", "1.5707963705062866"),
		setRow("global_rotation", "own_nodes", "Player", "global_rotation", 1, "rotation", "1.0"),
		setRow("global_scale", "own_nodes", "Player", "global_scale", []int{2, 2}, "scale", "[2.0,2.0]"),
		setRow("global_skew", "own_nodes", "Player", "global_skew", raw("0.5"), "skew", "0.5"),
		setRow("transform", "own_nodes", "Player", "transform", []int{1, 0, 0, 1, 7, 8}, "position", "[7.0,8.0]"),
		setRow("visible", "own_nodes", "Player", "visible", false, "visible", "false"),
		setRow("unique name", "own_nodes", "Enemy", "unique_name_in_owner", true, "unique_name_in_owner", "true"),
		setRow("description", "own_nodes", "Enemy", "editor_description", "x", "editor_description", `"x"`),
		setRow("text", "own_nodes", "Title", "text", "x", "text", `"x"`),
		setRow("a control's position", "own_nodes", "Title", "position", []int{30, 40}, "offset_left", "30.0"),
		setRow("a control's size", "own_nodes", "Title", "size", []int{300, 400}, "offset_right", "300.0"),
		setRow("a control's degrees", "own_nodes", "Title", "rotation_degrees", 90, "rotation", "1.5707963705062866"),
		setRow("a theme override", "own_nodes", "Title", "theme_override_font_sizes/font_size", 40,
			"theme_override_font_sizes/font_size", "40"),
		setRow("a ratio", "side_effects", "Slider", "ratio", raw("0.25"), "value", "25.0"),
		setRow("a 3D position", "values", "Place", "position", []int{1, 2, 3}, "transform",
			"[1.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0,1.0,2.0,3.0]"),
		setRow("a 3D global position", "values", "Place", "global_position", []int{1, 2, 3}, "transform",
			"[1.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0,1.0,2.0,3.0]"),
		setRow("a 3D scale", "values", "Place", "scale", []int{2, 2, 2}, "transform",
			"[2.0,0.0,0.0,0.0,2.0,0.0,0.0,0.0,2.0,9.0,9.0,9.0]"),
		setRow("a 3D basis", "values", "Place", "basis", []int{2, 0, 0, 0, 2, 0, 0, 0, 2}, "transform",
			"[2.0,0.0,0.0,0.0,2.0,0.0,0.0,0.0,2.0,9.0,9.0,9.0]"),
		setRow("an export behind a placeholder", "scripts", "Plain", "exported", 5, "exported", "5"),
		setRow("an @export_storage behind a placeholder", "scripts", "Plain", "stored", 5, "stored", "5"),
		setRow("an export of a tool script", "scripts", "Tool", "exported", 5, "exported", "5"),
		setRow("an @export_storage of a tool script", "scripts", "Tool", "stored", 5, "stored", "5"),
		lostBy(notStored, setRow("a plain variable", "scripts", "Tool", "plain", 5, "plain", "5")),
		setRow("a setter's own property", "scripts", "Setters", "leader", 4, "leader", "4"),
		setRow("what a setter sets beside it", "scripts", "Setters", "leader", 4, "follower", "8"),
		made("a linear volume", "AudioStreamPlayer", "volume_linear", raw("0.5"), "volume_db", "-6.0206003189086914"),
		lostBy(notStored, made("a paused timer", "Timer", "paused", true, "paused", "true")),
		setRow("the coordinates of a frame", "side_effects", "Frames", "frame_coords", []int{1, 0}, "frame", "1"),
		made("a capsule's middle", "SpringBoneCollisionCapsule3D", "mid_height", 3, "height", "3.2"),
		made("a sun's size", "DirectionalLight3D", "light_size", raw("0.5"), "light_angular_distance", "0.5"),
		made("a lamp's angle", "OmniLight3D", "light_angular_distance", raw("0.5"), "light_size", "0.5"),
		made("a colour that is only stored once set", "CollisionShape2D", "debug_color", raw(`[0.5,0.25,1,0.5]`),
			"debug_color", "[0.5,0.25,1.0,0.5]"),
		setRow("an item's flag", "side_effects", "List", "item_1/disabled", true, "item_1/disabled", "true"),
		setRow("an option's flag", "side_effects", "Options", "popup/item_1/disabled", true,
			"popup/item_1/disabled", "true"),
		lostBy(notStored, made("a parallax's position", "Parallax2D", "position", []int{5, 6}, "position", "[5.0,6.0]")),
		onlyPartly(lostBy(notStored, made("a parallax's transform", "Parallax2D", "transform", []int{2, 0, 0, 2, 7, 8},
			"scale", "[2.0,2.0]"))),
		made("an interpolation", "SkeletonIK3D", "interpolation", raw("0.5"), "influence", "0.5"),
		made("the current camera", "Camera3D", "current", true, "current", "true"),
		made("velocity", "CharacterBody2D", "velocity", []int{1, 2}, "velocity", "[1.0,2.0]"),
		made("disabled", "CollisionShape2D", "disabled", true, "disabled", "true"),
		made("a window's size", "Window", "size", []int{300, 200}, "size", "[300.0,200.0]"),
		made("visible characters", "Label", "visible_characters", 3, "visible_characters", "3"),
		made("a pressed button", "CheckBox", "button_pressed", true, "button_pressed", "true"),
		made("points", "Line2D", "points", raw(`[[1,2],[3,4]]`), "points", "[1.0,2.0,3.0,4.0]"),
	}
}

// valueKindRows are values of each kind that a property can hold.
func valueKindRows() []persistRow {
	red := "res://scenes_fixture/assets/red.png"
	ramp := "res://scenes_fixture/assets/ramp.tres"
	resource := func(name, fixture, node, property string, value any, file string) persistRow {
		row := setRow(name, fixture, node, property, value, "", "")
		row.kept = refers(node, property, file)
		return row
	}
	metadata := setRow("metadata", "own_nodes", "Enemy", "metadata/level", 3, "", "")
	metadata.kept = meta("Enemy", "level", "3")
	foreign := setRow("metadata of a closed instance's child", "instance_closed", "Shell/Kid", "metadata/level", 3, "", "")
	foreign.kept = meta("Shell/Kid", "level", "3")
	return []persistRow{
		metadata,
		lostBy(notEditable, foreign),
		resource("an imported resource", "values", "Picture", "texture", red, red),
		resource("an external resource", "external_resources", "Custom", "a_resource", ramp, ramp),
		resource("a resource by uid", "external_resources", "Custom", "a_resource", "uid://cfixtureramp1", ramp),
		resource("an imported resource for an own sub-resource", "sub_resources", "Picture", "texture", red, red),
		resource("a resource for another scene's sub-resource", "foreign_sub_resource", "Shell/Kid", "texture", red, red),
		resource("a texture for an inherited node", "inherited_one", "Kid", "texture", red, red),
		lostBy(notEditable, resource("a texture for a closed instance's child", "instance_closed", "Shell/Kid",
			"texture", red, red)),
		resource("a texture for an editable instance's child", "instance_editable", "Shell/Kid", "texture", red, red),
		setRow("no resource", "sub_resources", "Picture", "texture", nil, "texture", "null"),
		setRow("no external resource", "external_resources", "Nested", "texture", nil, "texture", "null"),
		setRow("no imported resource", "side_effects", "Frames", "texture", nil, "texture", "null"),
		setRow("another scene's sub-resource taken away", "foreign_sub_resource", "Shell/Kid", "texture", nil,
			"texture", "null"),
		lostBy(notEditable, setRow("a property of a closed model", "imported", "Model/ModelRoot/Triangle", "visible", false,
			"visible", "false")),
		setRow("a property of an open model", "imported", "OpenModel/ModelRoot/Triangle", "visible", false,
			"visible", "false"),
		setRow("an exported node", "node_exports", "User", "other", "../Other", "other", `{"$node":"Other"}`),
		setRow("no exported node", "node_exports", "User", "hud", nil, "hud", "null"),
		setRow("exported nodes", "node_exports", "User", "others", raw(`["../Other","../../Main"]`), "others",
			`[{"$node":"Other"},{"$node":"."}]`),
		setRow("a node path", "node_exports", "User", "path", "../Hud:text", "path", `"../Hud:text"`),
		setRow("a script's enum", "choices", "Choices", "mood", "ANGRY", "mood", "7"),
		setRow("an engine's enum", "choices", "Clock", "process_callback", "Physics", "process_callback", "0"),
		setRow("an enum of texts", "choices", "Choices", "heading", "south", "heading", `"south"`),
		setRow("flags", "choices", "Choices", "elements", raw(`["Fire","Earth"]`), "elements", "5"),
	}
}

// beside makes a node below a parent first.
func beside(row persistRow, parent string) persistRow {
	row.first = []edit{{tool: "create_node", args: args{"parent_path": parent, "node_type": "Node2D", "node_name": "Own"}}}
	return row
}

// listRows are containers, calls that set several properties, and places among siblings.
func listRows() []persistRow {
	order := func(name, fixture, node, parent string, index int, reason protocol.Reason, want ...string) persistRow {
		return persistRow{
			name: name, fixture: fixture, tool: "move_node", reason: reason,
			args: args{"node_path": node, "new_parent_path": parent, "index": index},
			kept: inOrder(want...),
		}
	}
	several := func(name, target, property string, reason protocol.Reason, unsure bool, want string) persistRow {
		return persistRow{
			name: name, fixture: "scripts", tool: "set_node_property", target: target, reason: reason, unsure: unsure,
			args: args{"node_path": "Tool", "properties": args{"exported": 5, "plain": 6}},
			kept: stores("Tool", property, want),
		}
	}
	first := func(name, target string, reason protocol.Reason, kept probe) persistRow {
		return persistRow{
			name: name, fixture: "empty", tool: "create_node", target: target, reason: reason, kept: kept,
			args: args{"node_type": "Timer", "node_name": "New", "properties": args{"paused": true, "wait_time": 2}},
		}
	}
	names := func(name, target string, reason protocol.Reason, kept probe) persistRow {
		row := first("a first value names "+name, target, reason, kept)
		row.fixture, row.ghost = "own_nodes", "."
		row.args = args{"node_type": "FixtureSeeker", "node_name": "New", "properties": args{
			"goal": "../Ghost", "goals": []string{"../Enemy", "../Ghost"}, "other": "../Enemy",
		}}
		return row
	}
	return []persistRow{
		setRow("a loose list", "lists", "Lists", "loose", raw(`[3,2.5,"x"]`), "loose", `[3,2.5,"x"]`),
		setRow("a loose dictionary", "lists", "Lists", "loose_map", raw(`{"z":1}`), "loose_map", `[["z",1]]`),
		setRow("a typed list", "lists", "Lists", "numbers", raw(`[9]`), "numbers", `[9]`),
		setRow("a list of vectors", "lists", "Lists", "points", raw(`[[3,4]]`), "points", `[[3.0,4.0]]`),
		setRow("a list of names", "lists", "Lists", "names", raw(`["y"]`), "names", `["y"]`),
		setRow("a list of textures", "lists", "Lists", "textures", raw(`[]`), "textures", `[]`),
		setRow("a typed dictionary", "lists", "Lists", "scores", raw(`{"b":2}`), "scores", `[["b",2]]`),
		setRow("a dictionary of vectors", "lists", "Lists", "places",
			raw(`{"$type":"Dictionary","value":[[2,[1,2,4]]]}`), "places", `[[2,[1.0,2.0,4.0]]]`),
		several("the stored one of two", "Tool:exported", "exported", "", false, "5"),
		several("the other one of two", "Tool:plain", "plain", notStored, false, "6"),
		first("a first value that is kept", "New", "", has("New")),
		first("a first value that is not stored", "New:paused", notStored, stores("New", "paused", "true")),
		first("a first value that is stored beside it", "New", "", stores("New", "wait_time", "2.0")),
		names("a node without owner", "New:goal", protocol.ReasonNodeNotOwned, stores("New", "goal", `{"$node":"Ghost"}`)),
		names("a node without owner in a list", "New:goals", protocol.ReasonNodeNotOwned,
			stores("New", "goals", `[{"$node":"Enemy"},{"$node":"Ghost"}]`)),
		names("a saved node beside these", "New", "", stores("New", "other", `{"$node":"Enemy"}`)),
		order("an own node to the front", "own_nodes", "Foo", ".", 0, "", "Foo", "Player", "Enemy"),
		order("an instance to the front", "instance_closed", "Own", ".", 0, "", "Own", "Shell"),
		order("an own node before an inherited one", "inherited_one", "Added", ".", 0, "", "Added", "Kid"),
		order("an own node inside an editable instance", "instance_editable", "Shell/Kid/Own", "Shell/Kid", 0, "",
			"Shell/Kid/Own", "Shell/Kid/Deep"),
		order("an editable instance's node behind an own one", "instance_editable", "Shell/Kid/Deep", "Shell/Kid", 1,
			"", "Shell/Kid/Own", "Shell/Kid/Deep"),
		order("an inherited node behind an own one", "inherited_one", "Kid", ".", 1, "", "Added", "Kid"),
		order("an inherited node to the end", "inherited_one", "Kid", ".", -1, "", "Added", "Kid"),
		beside(order("one of two nodes of an instance behind an own one", "nested_editable", "Nest/Closed", "Nest", -1,
			fromOther, "Nest/Open", "Nest/Own", "Nest/Closed"), "Nest"),
		beside(order("an own node between two of an instance", "nested_editable", "Nest/Own", "Nest", 1,
			fromOther, "Nest/Open", "Nest/Own", "Nest/Closed"), "Nest"),
		beside(order("two nodes of an instance, and an own one behind", "nested_editable", "Nest/Open", "Nest", 1,
			fromOther, "Nest/Closed", "Nest/Open", "Nest/Own"), "Nest"),
		order("an own node before a closed instance's", "instance_closed", "Shell/Below", "Shell", 0,
			fromOther, "Shell/Below", "Shell/Kid"),
		order("an own node to an editable instance's front", "inherited_with_instance", "Shell/Kid/Own", "Shell/Kid", 0,
			inherited, "Shell/Kid/Own", "Shell/Kid/Deep"),
		onlyPartly(order("an own node to another parent's front", "instance_closed", "Own", "Shell", 0,
			fromOther, "Shell/Own", "Shell/Kid")),
		onlyPartly(persistRow{
			name: "a new node to an instance's front", fixture: "instance_closed", tool: "create_node", reason: fromOther,
			args: args{"parent_path": "Shell", "node_type": "Node", "node_name": "New", "index": 0},
			kept: inOrder("Shell/New", "Shell/Kid"),
		}),
		{
			name: "a new node to the front of an instance's child", fixture: "instance_editable", tool: "create_node",
			args: args{"parent_path": "Shell/Kid", "node_type": "Node", "node_name": "New", "index": 0},
			kept: inOrder("Shell/Kid/New", "Shell/Kid/Deep"),
		},
	}
}
