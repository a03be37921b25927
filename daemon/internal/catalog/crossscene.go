package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// crossScene changes the files of scenes that are not open.
func crossScene() []tool.Spec {
	return []tool.Spec{{
		Name: "cross_scene_set_property",
		Summary: "Set one property on nodes of many scene files without opening them, all files or none. " +
			"Open scenes are refused; nodes inside closed instances are left alone and told.",
		Toolset: "scene",
		Effects: []safety.Effect{safety.TouchesDisk, safety.ChangesView},
		Params: []tool.Param{
			{Name: "scenes", Kind: tool.StringList, Required: true, Doc: "Paths of scene files, res://….tscn."},
			{Name: "node_type", Kind: tool.TypeName, Default: "", Doc: "Nodes of this class and its subclasses."},
			{
				Name: "node_pattern", Kind: tool.String, Default: "",
				Doc: "Nodes whose name fits, or with a / whose path from the root does; " + textFilter,
			},
			{Name: "property", Kind: tool.PropertyName, Required: true, Doc: "A whole, stored property."},
			{Name: "value", Kind: tool.Value, Required: true, Doc: "As in set_node_property; no nodes."},
		},
		Discards: "what the scene files hold for the property",
		Undo:     "nothing; the files keep the new content",
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"scenes":["res://scenes_fixture/second_player.tscn"],"node_type":"Node2D",` +
				`"property":"visible","value":false,"confirm":true}`,
			Copies: []string{"scenes"},
		},
	}}
}
