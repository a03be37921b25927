package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// structure renames, copies and instances nodes, and changes many at once.
func structure() []tool.Spec {
	return []tool.Spec{renameNode(), duplicateNode(), instanceScene(), batchSetProperty()}
}

func renameNode() tool.Spec {
	return tool.Spec{
		Name:    "rename_node",
		Summary: "Rename a node. Node paths, exported nodes and animation tracks that lead to it are rewritten.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			nodePath("The node."),
			{Name: "new_name", Kind: tool.NodeName, Required: true, Doc: "Its name afterwards."},
		},
		InScene: true,
		Action:  "Rename {node_path} to {new_name}",
		Undo:    wholeCall + ", with the references that were rewritten",
		Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"Enemy","new_name":"Foe"}`},
	}
}

func duplicateNode() tool.Spec {
	return tool.Spec{
		Name:    "duplicate_node",
		Summary: "Copy a node and everything below it, right behind it. Resources are shared; instances stay instances.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			nodePath("The node; never the root."),
			{Name: "node_name", Kind: tool.NodeName, Default: "", Doc: "Name of the copy; default: numbered."},
		},
		InScene: true,
		Action:  "Duplicate {node_path}",
		Undo:    wholeCall,
		Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"Player"}`},
	}
}

func instanceScene() tool.Spec {
	return tool.Spec{
		Name:    "instance_scene",
		Summary: "Add an instance of a scene or imported model below a node.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			{Name: "parent_path", Kind: tool.NodePath, Default: ".", Doc: "Its parent."},
			{Name: "scene_path", Kind: tool.ResPath, Required: true, Doc: "The scene, res://….tscn."},
			{Name: "node_name", Kind: tool.NodeName, Default: "", Doc: "Name; default: that of the scene's root."},
			index(),
		},
		InScene: true,
		Action:  "Instance {scene_path}",
		Undo:    wholeCall,
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"scene_path":"res://scenes_fixture/mid.tscn","node_name":"Shell"}`,
		},
	}
}

func batchSetProperty() tool.Spec {
	return tool.Spec{
		Name: "batch_set_property",
		Summary: "Set the same property (property, value) or properties on many nodes as one action: on node_paths, all or " +
			"none, or on every node_type at or below under, skipping those that cannot take it.",
		Toolset:  "node",
		Unlisted: true,
		Effects:  []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			{Name: "node_paths", Kind: tool.StringList, Doc: "These nodes."},
			{Name: "node_type", Kind: tool.TypeName, Doc: "Or all of this class and its subclasses."},
			{Name: "under", Kind: tool.NodePath, Default: ".", Doc: "Only from here down."},
			{Name: "property", Kind: tool.PropertyName, Doc: "Such as position or position:x."},
			{Name: "value", Kind: tool.Value, Doc: "As in set_node_property."},
			{Name: "properties", Kind: tool.ValueMap, Doc: "Several values by property name."},
		},
		OneOf:   [][]string{{"property", "value"}, {"properties"}},
		InScene: true,
		Action:  "Set {property|properties} of many nodes",
		Undo:    wholeCall + ", of any size, with what the setters changed beside it",
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"node_paths":["Player","Enemy"],"property":"visible","value":false}`,
		},
	}
}
