package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

const wholeCall = "the whole call, as one action"

// nodes change the nodes of the edited scene.
func nodes() []tool.Spec {
	return []tool.Spec{createNode(), setNodeProperty(), moveNode(), deleteNode()}
}

func createNode() tool.Spec {
	return tool.Spec{
		Name:    "create_node",
		Summary: "Create a node of a built-in or project class.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			{Name: "parent_path", Kind: tool.NodePath, Default: ".", Doc: "Its parent."},
			{Name: "node_type", Kind: tool.TypeName, Required: true, Doc: "Class, such as Sprite2D."},
			{Name: "node_name", Kind: tool.NodeName, Default: "", Doc: "Name; default: the class's."},
			{Name: "properties", Kind: tool.ValueMap, Doc: "First values by property name."},
			index(),
		},
		InScene: true,
		Action:  "Create {node_name|node} ({node_type})",
		Undo:    wholeCall,
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"node_type":"Node2D","node_name":"Made","properties":{"position":[3,4]}}`,
		},
	}
}

func setNodeProperty() tool.Spec {
	return tool.Spec{
		Name:    "set_node_property",
		Summary: "Set one property (property, value) or several (properties); each is read back and compared.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			nodePath("The node."),
			{Name: "property", Kind: tool.PropertyName, Doc: "Such as position or position:x."},
			{Name: "value", Kind: tool.Value, Doc: "Plain JSON by the property's type: [1,2] is a Vector2, \"#ff0000\" a Color."},
			{Name: "properties", Kind: tool.ValueMap, Doc: "Several values by property name."},
		},
		OneOf:   [][]string{{"property", "value"}, {"properties"}},
		InScene: true,
		Action:  "Set {property|properties} of {node_path}",
		Undo:    wholeCall + ", with what the setters changed beside it",
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"node_path":".","property":"editor_description","value":"Set by an example."}`,
		},
	}
}

func moveNode() tool.Spec {
	return tool.Spec{
		Name:    "move_node",
		Summary: "Give a node another parent or place among its siblings.",
		Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			nodePath("The node."),
			{Name: "new_parent_path", Kind: tool.NodePath, Required: true, Doc: "Its parent afterwards."},
			index(),
			{Name: "keep_global_transform", Kind: tool.Bool, Default: true, Doc: "Stay in place on the screen."},
		},
		InScene: true,
		Action:  "Move {node_path} to {new_parent_path}",
		Undo:    wholeCall,
		Example: tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"Enemy","new_parent_path":"Player"}`},
	}
}

func deleteNode() tool.Spec {
	return tool.Spec{
		Name:     "delete_node",
		Summary:  "Delete a node and everything below it.",
		Toolset:  "node",
		Effects:  []safety.Effect{safety.EditsMemory, safety.Removes},
		Params:   []tool.Param{nodePath("The node; never the root.")},
		InScene:  true,
		Discards: "the node and everything below it",
		Action:   "Delete {node_path}",
		Undo:     wholeCall + ", with owners, groups, connections and unique names",
		Example:  tool.Example{Scene: "own_nodes.tscn", Arguments: `{"node_path":"Enemy","confirm":true}`},
	}
}

func index() tool.Param {
	return tool.Param{
		Name: "index", Kind: tool.Int, Default: int64(-1), Min: -1, Max: 1_000_000, Doc: "Place among siblings; -1: last.",
	}
}
