package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// batches run several calls of editor tools in one.
func batches() []tool.Spec {
	return []tool.Spec{{
		Name: "run_commands",
		Summary: "Run several editor tools in order, each judged like a call of its own before the first runs. " +
			"Destructive ones need confirm in their own arguments.",
		Toolset: "core",
		// The ceiling of what it may carry: what a call demands follows from the tools in it.
		Effects: []safety.Effect{
			safety.EditsMemory, safety.ChangesView, safety.WalksHistory,
			safety.Removes, safety.TouchesDisk, safety.DiscardsUnsaved,
		},
		Params: []tool.Param{
			{
				Name: "commands", Kind: tool.Commands, Required: true, Min: 1, Max: 100,
				Doc: "Calls in order; no run_commands and no call_* in it.",
			},
			{
				Name: "stop_on_error", Kind: tool.Bool, Default: true,
				Doc: "Skip the rest after a failure.",
			},
			{
				Name: "atomic", Kind: tool.Bool, Default: false,
				Doc: "All or nothing: edits of one scene only, as one undo action.",
			},
		},
		Example: tool.Example{
			Scene: "own_nodes.tscn",
			Arguments: `{"commands":[{"tool":"create_node","arguments":{"node_type":"Node","node_name":"Batch"}},` +
				`{"tool":"get_node","arguments":{"node_path":"Batch"}}]}`,
		},
		Calls:   []safety.Class{safety.ReadOnly, safety.Mutating, safety.Destructive},
		Batches: true,
	}}
}
