package contract

import (
	"slices"

	"drawbridge/protocol"
)

// badValues are values that must be refused, each with its code. Details name what must stand in the failure.
func badValues() []valueRow { return slices.Concat(badPlain(), badLists(), badOthers()) }

// bad is a row that does not convert; expected names the declared type, if it is said.
func bad(name, fixture, node, property string, value any, expected string) valueRow {
	row := valueRow{name: name, fixture: fixture, node: node, property: property, value: value}
	row.code, row.details = protocol.ValidationError, args{"property": property}
	if expected != "" {
		row.details["expected"] = expected
	}
	return row
}

// coded gives a row another code and other details.
func coded(row valueRow, code protocol.Code, details args) valueRow {
	row.code, row.details = code, details
	return row
}

// badPlain are single values.
func badPlain() []valueRow {
	return []valueRow{
		bad("too few components", "values", "Place", "position", raw(`[1,2]`), "Vector3"),
		bad("too many components", "values", "Place", "position", raw(`[1,2,3,4]`), "Vector3"),
		bad("other keys", "values", "Place", "position", raw(`{"r":1}`), "Vector3"),
		bad("words for a vector", "values", "Place", "position", "abc", "Vector3"),
		bad("a number for a vector", "values", "Place", "position", 5, "Vector3"),
		bad("null for a vector", "values", "Place", "position", nil, "Vector3"),
		bad("text inside a vector", "values", "Place", "position", raw(`["1",2,3]`), "Vector3"),
		bad("another vector's name", "values", "Place", "position", "Vector2(1, 2)", "Vector3"),
		bad("code for a vector", "values", "Place", "position", "Vector3(OS.get_pid(), 0, 0)", "Vector3"),
		bad("half a vector of ints", "all_types", "Types", "a_vector2i", raw(`[1.5,2]`), "Vector2i"),
		bad("text for a bool", "values", "Picture", "visible", "false", "bool"),
		bad("null for a bool", "values", "Picture", "visible", nil, "bool"),
		bad("2 for a bool", "values", "Picture", "visible", 2, "bool"),
		bad("null for text", "values", "Words", "text", nil, "String"),
		bad("a list for text", "values", "Words", "text", raw(`["a"]`), "String"),
		bad("a number for text", "values", "Words", "text", 5, "String"),
		bad("half an int", "values", "Picture", "z_index", raw(`1.5`), "int"),
		bad("text for an int", "values", "Picture", "z_index", "3", "int"),
		bad("text for a float", "values", "Clock", "wait_time", "1.5", "float"),
		bad("an unknown colour", "values", "Picture", "modulate", "not_a_colour", "Color"),
		bad("wrong digits of a colour", "values", "Picture", "modulate", "#12345", "Color"),
		bad("an unknown name of an enum", "values", "Clock", "process_callback", "Nope", ""),
		bad("a number out of an enum", "values", "Clock", "process_callback", 99, ""),
		bad("an unknown name of a script's enum", "choices", "Choices", "mood", "HAPPY", ""),
		bad("an unknown text of an enum", "choices", "Choices", "heading", "west", ""),
		bad("an unknown text of a base script's enum", "choices", "Derived", "heading", "west", ""),
		bad("an unknown text in a list of them", "choices", "Choices", "headings", raw(`["north","west"]`), ""),
		bad("an unknown text in a packed list", "choices", "Choices", "packed_headings", raw(`["west"]`), ""),
		bad("a number out of an enum in a packed list", "choices", "Choices", "speeds", raw(`[30,31]`), ""),
		bad("a number out of an enum in a list", "choices", "Derived", "moods", raw(`[3,4]`), ""),
		bad("a flag that no list has", "side_effects", "Box/Inside", "size_flags_horizontal", 16, ""),
		bad("a count below zero", "side_effects", "List", "item_count", -1, ""),
		bad("an unknown flag", "choices", "Choices", "elements", raw(`["Fire","Air"]`), ""),
	}
}

// badLists are containers and references.
func badLists() []valueRow {
	return []valueRow{
		bad("text in a list of ints", "lists", "Lists", "numbers", raw(`[1,"2"]`), ""),
		bad("a half in a list of ints", "lists", "Lists", "numbers", raw(`[1.5]`), ""),
		bad("a wrong vector in a list", "lists", "Lists", "points", raw(`[[1,2,3]]`), ""),
		bad("a wrong value in a dictionary", "lists", "Lists", "scores", raw(`{"a":"x"}`), ""),
		bad("no list for a list", "lists", "Lists", "numbers", 5, ""),
		bad("a byte too large", "all_types", "Types", "some_bytes", raw(`[1,256]`), ""),
		bad("broken base64", "all_types", "Types", "some_bytes", raw(`{"$bytes":"%%%"}`), ""),
		bad("an unknown tag", "lists", "Lists", "loose", raw(`[{"$type":"Nope","value":1}]`), ""),
		bad("an object by tag", "lists", "Lists", "loose", raw(`[{"$type":"Object","value":{}}]`), ""),
		bad("a resource of another class", "values", "Picture", "texture",
			"res://scenes_fixture/scripts/all_types.gd", "Texture2D"),
		bad("a scene for a texture", "values", "Picture", "texture", "res://scenes_fixture/mid.tscn", "Texture2D"),
		bad("a number for a resource", "values", "Picture", "texture", 5, ""),
		bad("a node of another class", "node_exports", "User", "hud", "../Other", "Label"),
	}
}

// badOthers are refused for other reasons than their type.
func badOthers() []valueRow {
	return []valueRow{
		coded(bad("a missing resource", "values", "Picture", "texture", "res://missing.png", ""),
			protocol.ResourceNotFound, nil),
		coded(bad("a missing uid", "values", "Picture", "texture", "uid://abcdefgh12345", ""),
			protocol.ResourceNotFound, nil),
		coded(bad("a missing node", "node_exports", "User", "hud", "../Nobody", ""), protocol.ResourceNotFound, nil),
		coded(bad("a resource outside", "values", "Picture", "texture", "res://../x.png", ""),
			protocol.PathOutsideProject, nil),
		coded(bad("an unknown property", "values", "Camera", "field_of_view", 70, ""), protocol.ValidationError,
			args{"reason": "unknown_property"}),
		coded(bad("a component that is none", "values", "Place", "position:w", 1, ""), protocol.ValidationError, nil),
		coded(bad("the script", "values", "Place", "script", "res://scenes_fixture/scripts/fixture_mover.gd", ""),
			protocol.ProtectedTarget, nil),
		coded(bad("the owner", "values", "Place", "owner", nil, ""),
			protocol.ProtectedTarget, nil),
		coded(bad("the name", "values", "Place", "name", "Other", ""),
			protocol.ProtectedTarget, nil),
		coded(bad("the file", "values", "Place", "scene_file_path", "res://x.tscn", ""),
			protocol.ProtectedTarget, nil),
		coded(bad("a frame that is not there", "values", "Picture", "frame", 50, ""), protocol.ValueRejected,
			args{"asked": 50, "now": 0}),
		coded(bad("a setter that clamps", "scripts", "Setters", "clamped", 50, ""), protocol.ValueRejected,
			args{"asked": 50, "now": 10}),
		coded(bad("a setter that refuses", "scripts", "Setters", "stubborn", 6, ""), protocol.ValueRejected,
			args{"asked": 6, "now": 5}),
		coded(bad("a value over the range", "side_effects", "Slider", "value", 1000, ""), protocol.ValueRejected,
			args{"asked": 1000}),
	}
}
