package catalog

import "drawbridge/daemon/internal/tool"

// textFilter says what every filter on names takes; what is identified (class, group, script) is named exactly.
const textFilter = "part of it, or with * or ? a pattern for all of it; any case."

// sceneReads look at open scenes.
func sceneReads() []tool.Spec {
	return []tool.Spec{
		{
			Name: "get_scene_tree",
			Summary: "Read the nodes of a scene as compact rows [path, type, children]; marks tell instances, scripts " +
				"and nodes that are not saved.",
			Toolset: "scene",
			Params: []tool.Param{
				{Name: "node_path", Kind: tool.NodePath, Default: ".", Doc: "Where to start."},
				{Name: "max_depth", Kind: tool.Int, Default: int64(-1), Min: -1, Max: 1000, Doc: "Levels below it; -1 for all."},
				{Name: "name_filter", Kind: tool.String, Default: "", Doc: "Only names that fit; " + textFilter},
				{Name: "type_filter", Kind: tool.String, Default: "", Doc: "Only this class and its subclasses."},
				offset(),
				limit(1000, 5000),
			},
			InScene: true,
			Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"max_depth":2}`},
		},
		{
			Name:    "get_node",
			Summary: "Read a node: its typed properties (by default those that differ from the default), groups, script.",
			Toolset: "scene",
			Params: []tool.Param{
				nodePath("The node."),
				{Name: "properties", Kind: tool.StringList, Doc: "Only these properties."},
				{Name: "all", Kind: tool.Bool, Default: false, Doc: "Also properties at their default."},
			},
			InScene: true,
			Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"."}`},
		},
		{
			Name:    "find_nodes",
			Summary: "Find nodes by name, class, group or script; conditions add up.",
			Toolset: "scene",
			Params: []tool.Param{
				{Name: "name", Kind: tool.String, Default: "", Doc: "Only names that fit; " + textFilter},
				{Name: "type", Kind: tool.String, Default: "", Doc: "Only this class and its subclasses."},
				{Name: "group", Kind: tool.String, Default: "", Doc: "Only members of this group."},
				{Name: "script_path", Kind: tool.ResPath, Default: "", Doc: "Only nodes with this script."},
				{Name: "under", Kind: tool.NodePath, Default: ".", Doc: "Only below this node."},
				offset(),
				limit(200, 5000),
			},
			InScene: true,
			Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"type":"Node"}`},
		},
	}
}

func nodePath(doc string) tool.Param {
	return tool.Param{Name: "node_path", Kind: tool.NodePath, Required: true, Doc: doc}
}

func offset() tool.Param {
	return tool.Param{Name: "offset", Kind: tool.Int, Default: int64(0), Min: 0, Max: 10_000_000, Doc: "Rows to skip."}
}

func limit(normal, most int64) tool.Param {
	return tool.Param{Name: "limit", Kind: tool.Int, Default: normal, Min: 1, Max: most, Doc: "Rows at most."}
}
