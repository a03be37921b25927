package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// traits change what a node carries beside its properties: groups, connections, script, flags; and which nodes are
// selected.
func traits() []tool.Spec {
	return []tool.Spec{
		addToGroup(), removeFromGroup(), connectSignal(), disconnectSignal(), attachScript(), detachScript(),
		setEditableChildren(), setUniqueName(), selectNodes(),
	}
}

func addToGroup() tool.Spec {
	return tool.Spec{
		Name:     "add_to_group",
		Summary:  "Add a node to a group.",
		Toolset:  "node",
		Unlisted: true,
		Effects:  []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			nodePath("The node."),
			group(),
			{Name: "persistent", Kind: tool.Bool, Default: true, Doc: "Saved with the scene."},
		},
		InScene: true,
		Action:  "Add {node_path} to group {group}",
		Undo:    wholeCall,
		Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"Player","group":"players"}`},
	}
}

func removeFromGroup() tool.Spec {
	return tool.Spec{
		Name:     "remove_from_group",
		Summary:  "Take a node out of a group.",
		Toolset:  "node",
		Effects:  []safety.Effect{safety.EditsMemory},
		Params:   []tool.Param{nodePath("The node."), group()},
		InScene:  true,
		Action:   "Take {node_path} out of group {group}",
		Undo:     wholeCall,
		Example:  tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"Enemy","group":"enemies"}`},
		Unlisted: true,
	}
}

func connectSignal() tool.Spec {
	return tool.Spec{
		Name:    "connect_signal",
		Summary: "Connect a node's signal to a method of a node; saved with the scene.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: append(connection(),
			tool.Param{Name: "deferred", Kind: tool.Bool, Default: false, Doc: "Call at the end of the frame."},
			tool.Param{Name: "one_shot", Kind: tool.Bool, Default: false, Doc: "Call only once."},
		),
		InScene: true,
		Action:  "Connect {signal_name} of {source_path} to {target_path}",
		Undo:    wholeCall,
		Example: tool.Example{
			Scene:     "signals.tscn",
			Arguments: `{"source_path":"Button","signal_name":"pressed","target_path":".","method_name":"_on_pressed"}`,
		},
	}
}

func disconnectSignal() tool.Spec {
	return tool.Spec{
		Name:     "disconnect_signal",
		Summary:  "Take a connection between a signal and a method away.",
		Toolset:  "node",
		Effects:  []safety.Effect{safety.EditsMemory, safety.Removes},
		Params:   connection(),
		InScene:  true,
		Discards: "the connection",
		Action:   "Disconnect {signal_name} of {source_path} from {target_path}",
		Undo:     wholeCall + ", with the connection's flags and bound values",
		Example: tool.Example{
			Scene: "signals.tscn",
			Arguments: `{"source_path":"Timer","signal_name":"timeout","target_path":".",` +
				`"method_name":"_on_timeout","confirm":true}`,
		},
		Unlisted: true,
	}
}

func attachScript() tool.Spec {
	return tool.Spec{
		Name:    "attach_script",
		Summary: "Attach a script of the project to a node, instead of the one it has.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			nodePath("The node."),
			{Name: "script_path", Kind: tool.ResPath, Required: true, Doc: "res://….gd"},
		},
		InScene: true,
		Action:  "Attach {script_path} to {node_path}",
		Undo:    wholeCall + ", with the exported values of the script that it had",
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"node_path":"Enemy","script_path":"res://scenes_fixture/scripts/fixture_mover.gd"}`,
		},
	}
}

func detachScript() tool.Spec {
	return tool.Spec{
		Name:     "detach_script",
		Summary:  "Take the script off a node; the script's file stays.",
		Toolset:  "node",
		Effects:  []safety.Effect{safety.EditsMemory, safety.Removes},
		Params:   []tool.Param{nodePath("The node.")},
		InScene:  true,
		Discards: "the node's script and its exported values",
		Action:   "Detach the script of {node_path}",
		Undo:     wholeCall + ", with the script's exported values",
		Example:  tool.Example{Scene: "scripts.tscn", Arguments: `{"node_path":"Mover","confirm":true}`},
		Unlisted: true,
	}
}

func setEditableChildren() tool.Spec {
	return tool.Spec{
		Name:    "set_editable_children",
		Summary: "Make the nodes inside an instance editable, so that changes of them are saved; or not any more.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory, safety.Removes},
		Lowerings: []tool.Lowering{
			{Param: "editable", Value: true, Effects: []safety.Effect{safety.EditsMemory}},
		},
		Params: []tool.Param{
			nodePath("The root of an instance."),
			{Name: "editable", Kind: tool.Bool, Default: true, Doc: "False needs confirm."},
		},
		InScene:  true,
		Discards: "what this scene changed or added inside the instance",
		Action:   "Set editable children of {node_path}",
		Undo:     wholeCall,
		Example: tool.Example{
			Scene: "instance_editable.tscn", Arguments: `{"node_path":"Shell","editable":false,"confirm":true}`,
		},
		Unlisted: true,
	}
}

func setUniqueName() tool.Spec {
	return tool.Spec{
		Name:    "set_unique_name",
		Summary: "Let a node be found as %Name in its scene, or not any more.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			nodePath("The node; not the root."),
			{Name: "unique", Kind: tool.Bool, Default: true, Doc: "Found as %Name."},
		},
		InScene:  true,
		Action:   "Set unique name of {node_path}",
		Undo:     wholeCall,
		Example:  tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"Enemy"}`},
		Unlisted: true,
	}
}

func selectNodes() tool.Spec {
	return tool.Spec{
		Name:    "select_nodes",
		Summary: "Select nodes in the editor, instead of those selected now.",
		Toolset: "node",
		Effects: []safety.Effect{safety.ChangesView},
		Params: []tool.Param{
			{Name: "node_paths", Kind: tool.StringList, Required: true, Doc: "The nodes; none: nothing is selected."},
		},
		InScene: true,
		Undo: "nothing; no scene is changed by it, but the editor may give a selected Control the metadata" +
			" _edit_use_anchors_, as it does for a click",
		Example:  tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_paths":["Player","Enemy"]}`},
		Unlisted: true,
	}
}

func group() tool.Param {
	return tool.Param{Name: "group", Kind: tool.String, Required: true, Doc: "Its name."}
}

// connection names one connection.
func connection() []tool.Param {
	return []tool.Param{
		{Name: "source_path", Kind: tool.NodePath, Required: true, Doc: "The node with the signal."},
		{Name: "signal_name", Kind: tool.String, Required: true, Doc: "Such as pressed."},
		{Name: "target_path", Kind: tool.NodePath, Required: true, Doc: "The node with the method."},
		{Name: "method_name", Kind: tool.String, Required: true, Doc: "Such as _on_pressed."},
	}
}
