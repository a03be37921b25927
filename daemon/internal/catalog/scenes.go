package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// scenes open and save scenes.
func scenes() []tool.Spec {
	return []tool.Spec{
		{
			Name:    "open_scene",
			Summary: "Open a scene of the project in the editor, or switch to it. Unsaved work elsewhere stays.",
			Toolset: "scene",
			Effects: []safety.Effect{safety.ChangesView},
			Params: []tool.Param{
				{Name: "scene_path", Kind: tool.ScenePath, Required: true, Doc: "res://….tscn"},
			},
			Opens:   "scene_path",
			Undo:    "nothing; no scene is changed",
			Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"scene_path":"res://scenes_fixture/own_nodes.tscn"}`},
		},
		{
			Name:    "save_scene",
			Summary: "Save the edited scene, or save it as scene_path. The editor also writes edited resources with it.",
			Toolset: "scene",
			Effects: []safety.Effect{safety.TouchesDisk},
			Params: []tool.Param{
				{Name: "scene_path", Kind: tool.ScenePath, Default: "", Doc: "Save as; default: its own file."},
				{Name: "overwrite", Kind: tool.Bool, Default: false, Doc: "Replace another scene's file, or its own that changed on disk."},
			},
			InScene:  true,
			Discards: "what the scene's file and the edited resources hold on disk",
			Undo:     "nothing; files keep the new content",
			Example:  tool.Example{Scene: "own_nodes.tscn", Arguments: `{"confirm":true}`},
		},
	}
}
