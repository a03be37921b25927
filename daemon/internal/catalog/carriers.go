package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// carriers run other tools by name, through the same gate. One per class, so that a client that allows reads without
// asking allows nothing else with them.
func carriers() []tool.Spec {
	return []tool.Spec{
		{
			Name:     "preview_tool",
			Summary:  "Show what any tool would do, without doing it: its dry run.",
			Toolset:  "core",
			Params:   carried(),
			Example:  tool.Example{Arguments: `{"tool":"undo","arguments":{}}`},
			Calls:    safety.Classes(),
			Previews: true,
		},
		{
			Name:    "call_read_tool",
			Summary: "Call a read_only tool by name.",
			Toolset: "core",
			Params:  carried(),
			Example: tool.Example{Arguments: `{"tool":"get_server_info","arguments":{}}`},
			Calls:   []safety.Class{safety.ReadOnly},
		},
		{
			Name:    "call_edit_tool",
			Summary: "Call a mutating tool by name.",
			Toolset: "core",
			Effects: []safety.Effect{safety.EditsMemory, safety.ChangesView, safety.WalksHistory, safety.KeepsBytes},
			Params:  carried(),
			Example: tool.Example{Arguments: `{"tool":"undo","arguments":{}}`},
			Calls:   []safety.Class{safety.Mutating},
		},
		{
			Name:    "call_tool",
			Summary: "Call a destructive or runtime tool by name.",
			Toolset: "core",
			Effects: safety.Effects(), // the ceiling of what it may carry
			Params:  carried(),
			Example: tool.Example{Arguments: `{"tool":"delete_node","arguments":{"node_path":"Player","confirm":true}}`},
			Calls:   []safety.Class{safety.Destructive, safety.Runtime},
		},
	}
}

func carried() []tool.Param {
	return []tool.Param{
		{Name: "tool", Kind: tool.ToolName, Required: true, Doc: "Its name; see find_tools."},
		{
			Name: "arguments", Kind: tool.Object,
			Doc: "Its arguments, with dry_run, confirm and the like inside.",
		},
	}
}
