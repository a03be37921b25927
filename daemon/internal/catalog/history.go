package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// history walks the editor's undo history.
func history() []tool.Spec {
	return []tool.Spec{
		walk("undo", "Undo the last actions of the editor, newest first.", "redo takes it back"),
		walk("redo", "Redo actions that were undone.", "undo takes it back"),
	}
}

func walk(name, summary, undo string) tool.Spec {
	return tool.Spec{
		Name:    name,
		Summary: summary,
		Toolset: "history",
		Effects: []safety.Effect{safety.WalksHistory},
		Params: []tool.Param{
			{Name: "count", Kind: tool.Int, Default: int64(1), Min: 1, Max: 100, Doc: "How many actions."},
			{
				Name: "expect_action", Kind: tool.String, Default: "",
				Doc: "Name of the action on top; needed when it is not Drawbridge's.",
			},
		},
		InScene: true,
		Undo:    undo,
		Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{}`},
	}
}
