package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

func getInputActions() tool.Spec {
	return tool.Spec{
		Name:    "get_input_actions",
		Summary: "Read the project's input actions (not the editor's own) with their deadzones and events.",
		Toolset: "project",
		Params: []tool.Param{
			{Name: "name", Kind: tool.String, Default: "", Doc: "Only names that fit; " + textFilter},
			{Name: "builtin", Kind: tool.Bool, Default: false, Doc: "Also the ui_… actions that every project has."},
			offset(),
			limit(100, 1000),
		},
		Unlisted: true,
		Example:  tool.Example{Arguments: `{"name":"fixture"}`},
	}
}

func addInputAction() tool.Spec {
	return tool.Spec{
		Name:    "add_input_action",
		Summary: "Add an input action without events to the project's input map.",
		Toolset: "project",
		Effects: []safety.Effect{safety.TouchesDisk},
		Params: []tool.Param{
			actionName("name"),
			{Name: "deadzone", Kind: tool.Value, Doc: "0 to 1; default: the editor's own, 0.2."},
		},
		Settings: true,
		Discards: settingsOnDisk,
		Undo:     settingsUndo,
		Unlisted: true,
		Example:  tool.Example{Arguments: `{"name":"fixture_made","confirm":true}`, Fresh: []string{"name"}},
	}
}

func addInputEvent() tool.Spec {
	return tool.Spec{
		Name:    "add_input_event",
		Summary: "Bind a key, mouse button, joypad button or joypad axis to an input action of the project.",
		Toolset: "project",
		Effects: []safety.Effect{safety.TouchesDisk},
		Params: []tool.Param{
			actionName("action"),
			{
				Name: "event", Kind: tool.Object, Required: true,
				Doc: `{"type":"key","key":"Space"}, {"type":"mouse_button","button":"left"}, ` +
					`{"type":"joypad_button","button":"a"} or {"type":"joypad_motion","axis":"left_x","axis_value":1}; ` +
					"keys and mouse buttons also take ctrl, shift, alt, meta, keys physical, all of them device.",
			},
		},
		Settings: true,
		Discards: settingsOnDisk,
		Undo:     settingsUndo,
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"action":"fixture_made","event":{"type":"key","key":"F9","ctrl":true},"confirm":true}`,
			Fresh:     []string{"action"},
			First:     madeAction(),
		},
	}
}

func removeInputAction() tool.Spec {
	return tool.Spec{
		Name:     "remove_input_action",
		Summary:  "Remove an input action of the project, with its events.",
		Toolset:  "project",
		Effects:  []safety.Effect{safety.TouchesDisk, safety.Removes},
		Params:   []tool.Param{actionName("name")},
		Settings: true,
		Discards: "the action and its events",
		Undo:     settingsUndo,
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"name":"fixture_made","confirm":true}`, Fresh: []string{"name"}, First: madeAction(),
		},
	}
}

func actionName(name string) tool.Param {
	return tool.Param{Name: name, Kind: tool.String, Required: true, Doc: "The action's name, such as jump."}
}

// madeAction adds the action that examples work on.
func madeAction() []tool.Step {
	return []tool.Step{{Tool: "add_input_action", Arguments: `{"name":"fixture_made","confirm":true}`}}
}
