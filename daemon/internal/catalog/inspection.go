package catalog

import (
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// inspection reads what the project and the editor are like: the project itself, what is open and selected, classes,
// one node's facts, and what went wrong.
func inspection() []tool.Spec {
	return []tool.Spec{
		healthCheck(), listHistory(), getEditorErrors(),
		getProjectInfo(), listScenes(), listOpenScenes(), getActiveScene(), getSelectedNodes(),
		describeClass(), getNodeProperty(), getPersistence(), listSignalConnections(),
	}
}

func healthCheck() tool.Spec {
	return tool.Spec{
		Name:     "health_check",
		Summary:  "Tell whether daemon, link and editor are well, without asking the editor; answers in any case.",
		Toolset:  "core",
		Unlisted: true,
		Example:  tool.Example{Arguments: `{}`},
		Local:    func(host tool.Host, _ tool.Args) (any, *protocol.Error) { return host.Health(), nil },
	}
}

func listHistory() tool.Spec {
	return tool.Spec{
		Name:     "list_history",
		Summary:  "List the actions that undo and redo would walk over, newest first, without walking.",
		Toolset:  "history",
		Unlisted: true,
		Params: []tool.Param{
			{Name: "count", Kind: tool.Int, Default: int64(10), Min: 1, Max: 100, Doc: "How many actions each way."},
		},
		Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{}`},
	}
}

func getEditorErrors() tool.Spec {
	return tool.Spec{
		Name: "get_editor_errors",
		Summary: "Read errors and warnings that the editor logged, also between calls; pass next_seq as since_seq to get " +
			"only new ones.",
		Toolset: "inspection",
		Params: []tool.Param{
			{
				Name: "since_seq", Kind: tool.Int, Default: int64(0), Min: 0, Max: 1 << 52,
				Doc: "next_seq of the last answer; 0: all that is kept.",
			},
			limit(100, 500),
		},
		Example: tool.Example{Arguments: `{}`},
	}
}

func getProjectInfo() tool.Spec {
	return tool.Spec{
		Name: "get_project_info",
		Summary: "Read name, engine version, main scene, autoloads, input actions and features, and whether " +
			"project.godot on disk still is what the editor has in memory.",
		Toolset:  "inspection",
		Unlisted: true,
		Example:  tool.Example{Arguments: `{}`},
	}
}

func listScenes() tool.Spec {
	return tool.Spec{
		Name:    "list_scenes",
		Summary: "List the project's scene files, with the main, open and edited ones marked.",
		Toolset: "inspection",
		Params: []tool.Param{
			{Name: "filter", Kind: tool.String, Default: "", Doc: "Only paths that fit; " + textFilter},
			offset(),
			limit(200, 2000),
		},
		Example: tool.Example{Arguments: `{}`},
	}
}

func listOpenScenes() tool.Spec {
	return tool.Spec{
		Name:     "list_open_scenes",
		Summary:  "List the open scenes in the order of their tabs, with unsaved ones marked.",
		Toolset:  "inspection",
		Unlisted: true,
		Example:  tool.Example{Arguments: `{}`},
	}
}

func getActiveScene() tool.Spec {
	return tool.Spec{
		Name:     "get_active_scene",
		Summary:  "Tell which scene is edited, and whether it is unsaved.",
		Toolset:  "inspection",
		Unlisted: true,
		Example:  tool.Example{Arguments: `{}`},
	}
}

func getSelectedNodes() tool.Spec {
	return tool.Spec{
		Name:     "get_selected_nodes",
		Summary:  "List the nodes that are selected in the editor.",
		Toolset:  "inspection",
		Unlisted: true,
		Params:   []tool.Param{offset(), limit(200, 2000)},
		Example:  tool.Example{Arguments: `{}`},
	}
}

func describeClass() tool.Spec {
	return tool.Spec{
		Name: "describe_class",
		Summary: "Describe a built-in or project class: bases, subclasses, and a page of its properties, methods, " +
			"signals, enums and constants.",
		Toolset: "inspection",
		Params: []tool.Param{
			{Name: "class_name", Kind: tool.TypeName, Required: true, Doc: "Such as Sprite2D."},
			{Name: "include_inherited", Kind: tool.Bool, Default: false, Doc: "Also members of its bases."},
			{
				Name: "kind", Kind: tool.String, Default: "all", Doc: "Only these members.",
				Enum: []string{"all", "properties", "methods", "signals", "enums", "constants"},
			},
			{Name: "filter", Kind: tool.String, Default: "", Doc: "Only member names that fit; " + textFilter},
			offset(),
			limit(50, 500),
		},
		Example: tool.Example{Arguments: `{"class_name":"Sprite2D"}`},
	}
}

func getNodeProperty() tool.Spec {
	return tool.Spec{
		Name:     "get_node_property",
		Summary:  "Read one property of a node: value, type, what it may be set to, default; near matches if there is none.",
		Toolset:  "inspection",
		Unlisted: true,
		Params: []tool.Param{
			nodePath("The node."),
			{Name: "property", Kind: tool.PropertyName, Required: true, Doc: "Such as position or position:x."},
		},
		InScene: true,
		Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":".","property":"process_mode"}`},
	}
}

func getPersistence() tool.Spec {
	return tool.Spec{
		Name: "get_persistence",
		Summary: "Tell whether a save of the scene would keep a change of this node, or of this property, without " +
			"changing anything.",
		Toolset:  "inspection",
		Unlisted: true,
		Params: []tool.Param{
			nodePath("The node."),
			{Name: "property", Kind: tool.PropertyName, Doc: "Only a change of this property."},
		},
		InScene: true,
		Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"Player"}`},
	}
}

func listSignalConnections() tool.Spec {
	return tool.Spec{
		Name:     "list_signal_connections",
		Summary:  "List a node's signal connections, out of it and into it, and whether a save keeps each.",
		Toolset:  "inspection",
		Unlisted: true,
		Params:   []tool.Param{nodePath("The node."), offset(), limit(200, 2000)},
		InScene:  true,
		Example:  tool.Example{Scene: "deep_subtree.tscn", Arguments: `{"node_path":"."}`},
	}
}
