package contract

import "slices"

// goodValues are values that must land exactly.
func goodValues() []valueRow { return slices.Concat(goodPlain(), goodLists()) }

// good is a row whose value is kept, as keeps says; nil: as the reply and a read afterwards agree.
func good(name, fixture, node, property string, value, keeps any) valueRow {
	return valueRow{name: name, fixture: fixture, node: node, property: property, value: value, keeps: keeps}
}

func goodPlain() []valueRow {
	red := args{"$resource": "CompressedTexture2D", "path": "res://scenes_fixture/assets/red.png"}
	return []valueRow{
		good("a vector as a list", "values", "Place", "position", raw(`[1,2,3]`), raw(`[1.0,2.0,3.0]`)),
		good("a vector as an object", "values", "Place", "position", raw(`{"x":1,"y":2,"z":3}`), raw(`[1.0,2.0,3.0]`)),
		good("a vector as text", "values", "Place", "position", "Vector3(1, 2, 3)", raw(`[1.0,2.0,3.0]`)),
		good("a vector as bare text", "values", "Place", "position", "(1, 2, 3)", raw(`[1.0,2.0,3.0]`)),
		good("one component", "values", "Place", "position:y", 4, raw(`[9.0,4.0,9.0]`)),
		good("an infinite component", "values", "Place", "position", raw(`[{"$float":"inf"},0,0]`),
			raw(`[{"$float":"inf"},0.0,0.0]`)),
		good("an int", "values", "Picture", "z_index", 3, raw(`3`)),
		good("an int written as 3.0", "values", "Picture", "z_index", raw(`3.0`), raw(`3`)),
		good("a float written as an int", "values", "Clock", "wait_time", 5, raw(`5.0`)),
		good("a float below single precision", "own_nodes", "Player", "rotation", raw(`0.1`), nil),
		good("0 for a bool", "values", "Picture", "visible", 0, raw(`false`)),
		good("a colour by name", "values", "Picture", "modulate", "red", raw(`[1.0,0.0,0.0,1.0]`)),
		good("a colour by digits", "values", "Picture", "modulate", "#ff0000", raw(`[1.0,0.0,0.0,1.0]`)),
		good("a colour by few digits", "values", "Picture", "modulate", "#f00", raw(`[1.0,0.0,0.0,1.0]`)),
		good("a colour as numbers", "values", "Picture", "modulate", raw(`[0.5,0.25,1,0]`), raw(`[0.5,0.25,1.0,0.0]`)),
		good("a resource by path", "values", "Picture", "texture", "res://scenes_fixture/assets/red.png", red),
		good("a resource by tag", "values", "Picture", "texture",
			args{"$resource": "res://scenes_fixture/assets/red.png"}, red),
		good("no resource", "side_effects", "Frames", "texture", nil, raw(`null`)),
		good("an enum by name", "values", "Clock", "process_callback", "Idle", nil),
		good("an enum by number", "values", "Clock", "process_callback", 0, nil),
		good("a script's enum by name", "choices", "Choices", "mood", "ANGRY", nil),
		good("an enum with values of its own", "choices", "Choices", "speed", "Fast", nil),
		good("an enum of texts", "choices", "Choices", "heading", "south", nil),
		good("texts of an enum in a list", "choices", "Choices", "headings", raw(`["south","north"]`),
			raw(`["south","north"]`)),
		good("texts of an enum in a packed list", "choices", "Derived", "packed_headings", raw(`["south"]`),
			raw(`["south"]`)),
		good("names of an enum in a packed list", "choices", "Choices", "speeds", raw(`["Fast",30]`), raw(`[60,30]`)),
		good("names of an enum in a list", "choices", "Choices", "moods", raw(`["ANGRY",3]`), raw(`[7,3]`)),
		good("a flag that the parent's list leaves out", "side_effects", "Box/Inside", "size_flags_horizontal", 3, raw(`3`)),
		good("its name", "side_effects", "Box/Inside", "size_flags_horizontal", raw(`["Fill","Expand"]`), raw(`3`)),
		good("flags by names", "choices", "Choices", "elements", raw(`["Fire","Earth"]`), nil),
		good("flags by number", "choices", "Choices", "elements", 3, nil),
		good("layers by names", "choices", "Body", "collision_layer", raw(`["Layer 1","Layer 3"]`), nil),
		good("a node path", "node_exports", "User", "path", "../Hud:text", raw(`"../Hud:text"`)),
		good("a node by path", "node_exports", "User", "hud", "../Hud", raw(`{"$node":"../Hud"}`)),
		good("a node by tag", "node_exports", "User", "other", raw(`{"$node":"../Other"}`), raw(`{"$node":"../Other"}`)),
		good("nodes", "node_exports", "User", "others", raw(`["../Other",{"$node":"../../Main"}]`), nil),
	}
}

func goodLists() []valueRow {
	return []valueRow{
		good("ints in a loose list", "lists", "Lists", "loose", raw(`[1,2]`), raw(`[1,2]`)),
		good("a float in a loose list", "lists", "Lists", "loose", raw(`[1.0,2.5]`), nil),
		good("a tagged float in a loose list", "lists", "Lists", "loose", raw(`[{"$float":1}]`), raw(`[{"$float":1}]`)),
		good("a vector in a loose list", "lists", "Lists", "loose", raw(`[{"$type":"Vector2","value":[1,2]}]`),
			raw(`[{"$type":"Vector2","value":[1.0,2.0]}]`)),
		good("an object", "lists", "Lists", "loose_map", raw(`{"a":1,"b":[2]}`), raw(`{"a":1,"b":[2]}`)),
		good("a user's key like a tag", "lists", "Lists", "loose_map",
			raw(`{"$type":"Dictionary","value":[["$node","x"],[1,2]]}`), nil),
		good("a typed list", "lists", "Lists", "points", raw(`[[1,2],[3,4]]`), raw(`[[1.0,2.0],[3.0,4.0]]`)),
		good("names", "lists", "Lists", "names", raw(`["a","b"]`), raw(`["a","b"]`)),
		good("textures", "lists", "Lists", "textures", raw(`["res://scenes_fixture/assets/red.png",null]`), nil),
		good("a typed dictionary", "lists", "Lists", "scores", raw(`{"x":5}`), nil),
		good("the largest int", "all_types", "Types", "an_int", raw(`9223372036854775807`),
			raw(`{"$int":"9223372036854775807"}`)),
		good("the smallest int", "all_types", "Types", "an_int", raw(`{"$int":"-9223372036854775808"}`),
			raw(`{"$int":"-9223372036854775808"}`)),
		good("an int beyond a float's reach", "all_types", "Types", "an_int", raw(`9007199254740993`),
			raw(`{"$int":"9007199254740993"}`)),
		good("not a number", "all_types", "Types", "a_float", raw(`{"$float":"nan"}`), raw(`{"$float":"nan"}`)),
		good("infinity", "all_types", "ToolTypes", "a_float", raw(`{"$float":"-inf"}`), raw(`{"$float":"-inf"}`)),
		good("a float to the last bit", "all_types", "Types", "a_float", raw(`0.30000000000000004`),
			raw(`0.30000000000000004`)),
		good("control characters", "all_types", "Types", "a_string", "a\tb\nc\vd\u007f\u0001", "a\tb\nc\vd\u007f\u0001"),
		good("all of Unicode", "all_types", "ToolTypes", "a_string", "ä €😀 \u2028 \ufeff", "ä €😀 \u2028 \ufeff"),
		good("bytes", "all_types", "Types", "some_bytes", raw(`{"$bytes":"AAH/"}`), raw(`{"$bytes":"AAH/"}`)),
		good("hframes, then frame", "values", "Picture", "properties", raw(`{"hframes":4,"frame":3}`), nil),
	}
}
