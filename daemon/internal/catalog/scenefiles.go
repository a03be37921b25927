package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// sceneFiles make, close, reload and save whole scenes.
func sceneFiles() []tool.Spec {
	return []tool.Spec{createScene(), extractScene(), saveAllScenes(), closeScene(), reloadScene()}
}

func createScene() tool.Spec {
	return tool.Spec{
		Name:    "create_scene",
		Summary: "Create a scene file with one node, and open it.",
		Toolset: "scene",
		Effects: []safety.Effect{safety.TouchesDisk, safety.ChangesView},
		Params: []tool.Param{
			{Name: "root_type", Kind: tool.TypeName, Required: true, Doc: "Class of the root, built-in or the project's."},
			{Name: "root_name", Kind: tool.NodeName, Default: "", Doc: "Name of the root; default: the class's."},
			{Name: "scene_path", Kind: tool.ScenePath, Required: true, Doc: "res://….tscn; missing folders are made."},
			{Name: "open", Kind: tool.Bool, Default: true, Doc: "Open it in the editor."},
			{Name: "overwrite", Kind: tool.Bool, Default: false, Doc: "Replace an existing file."},
		},
		Opens:    "scene_path",
		Discards: "the file at scene_path, if there is one",
		Undo:     "nothing; the file stays",
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"root_type":"Node2D","scene_path":"res://t/made.tscn","confirm":true}`,
			Fresh:     []string{"scene_path"},
		},
	}
}

func extractScene() tool.Spec {
	return tool.Spec{
		Name:    "extract_scene",
		Summary: "Save a node and everything below it as a scene of its own; replace_with_instance then uses it in its place.",
		Toolset: "scene",
		Effects: []safety.Effect{safety.TouchesDisk, safety.EditsMemory},
		Params: []tool.Param{
			nodePath("The node; never the root or part of an instance."),
			{Name: "scene_path", Kind: tool.ScenePath, Required: true, Doc: "The new file; missing folders are made."},
			{Name: "replace_with_instance", Kind: tool.Bool, Default: false, Doc: "Put an instance in the node's place."},
			{Name: "overwrite", Kind: tool.Bool, Default: false, Doc: "Replace an existing file."},
		},
		InScene:  true,
		Discards: "the file at scene_path, if there is one",
		Action:   "Extract {node_path} to {scene_path}",
		Undo:     "the nodes in the scene, as one action; the new file stays",
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"node_path":"Player","scene_path":"res://t/player.tscn","replace_with_instance":true,"confirm":true}`,
			Fresh:     []string{"scene_path"},
		},
		Unlisted: true,
	}
}

func saveAllScenes() tool.Spec {
	return tool.Spec{
		Name:     "save_all_scenes",
		Summary:  "Save every open scene that has unsaved changes. The editor also writes edited resources with them.",
		Toolset:  "scene",
		Effects:  []safety.Effect{safety.TouchesDisk},
		Discards: "what the files of the unsaved scenes and the edited resources hold on disk",
		Undo:     "nothing; files keep the new content",
		Example:  tool.Example{Scene: "own_nodes.tscn", Arguments: `{"confirm":true}`},
		Unlisted: true,
	}
}

func closeScene() tool.Spec {
	return tool.Spec{
		Name:    "close_scene",
		Summary: "Close an open scene. Its undo history goes with it.",
		Toolset: "scene",
		Effects: []safety.Effect{safety.DiscardsUnsaved, safety.ChangesView},
		Params: []tool.Param{
			{Name: "scene_path", Kind: tool.SceneRef, Required: true, Doc: "The open scene: its path or its id."},
			discardUnsaved(),
		},
		Discards: "the scene's undo history, and with discard_unsaved its unsaved changes",
		Undo:     "nothing; open_scene opens what is saved",
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"scene_path":"res://scenes_fixture/own_nodes.tscn","discard_unsaved":true,"confirm":true}`,
		},
		Unlisted: true,
	}
}

func reloadScene() tool.Spec {
	return tool.Spec{
		Name:    "reload_scene",
		Summary: "Read an open scene from its file again. Its undo history is cleared.",
		Toolset: "scene",
		Effects: []safety.Effect{safety.DiscardsUnsaved, safety.ChangesView},
		Params: []tool.Param{
			{Name: "scene_path", Kind: tool.SceneRef, Required: true, Doc: "The open scene: its path."},
			discardUnsaved(),
		},
		Discards: "the scene's undo history, and with discard_unsaved its unsaved changes",
		Undo:     "nothing; the history begins anew",
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"scene_path":"res://scenes_fixture/own_nodes.tscn","discard_unsaved":true,"confirm":true}`,
		},
		Unlisted: true,
	}
}

func discardUnsaved() tool.Param {
	return tool.Param{
		Name: "discard_unsaved", Kind: tool.Bool, Default: false, Doc: "Lose its unsaved changes; without it they refuse.",
	}
}
