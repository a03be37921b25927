package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// resources read, make, change and save resources, which live in files of their own or inside scenes.
func resources() []tool.Spec {
	return []tool.Spec{
		readResourceFile(), createResource(), setResourceProperty(), saveResource(),
		getDependencies(), findReferences(), moveFile(), duplicateFile(), deleteResourceFile(),
	}
}

func readResourceFile() tool.Spec {
	return tool.Spec{
		Name: "read_resource_file",
		Summary: "Read a resource file (.tres, .res, imported) as the editor has it: class, script, properties, uid, " +
			"and the resources inside.",
		Toolset:  "resource",
		Unlisted: true,
		Params: []tool.Param{
			resourcePath("The file."),
			subResource(),
			{Name: "all", Kind: tool.Bool, Default: false, Doc: "Also properties at their default."},
			offset(),
			limit(200, 5000),
		},
		Example: tool.Example{Arguments: `{"resource_path":"res://scenes_fixture/assets/nested.tres"}`},
	}
}

func createResource() tool.Spec {
	return tool.Spec{
		Name:    "create_resource",
		Summary: "Create a resource file of a built-in or project class.",
		Toolset: "resource",
		Effects: []safety.Effect{safety.TouchesDisk},
		Params: []tool.Param{
			{Name: "resource_type", Kind: tool.TypeName, Required: true, Doc: "Class, such as BoxMesh."},
			resourcePath("The new file, .tres or .res."),
			{Name: "properties", Kind: tool.ValueMap, Doc: "First values by property name."},
			{Name: "overwrite", Kind: tool.Bool, Default: false, Doc: "Replace a file that exists."},
		},
		Discards: "what the file holds, if there is one",
		Undo:     "nothing; the file stays",
		Example: tool.Example{
			Arguments: `{"resource_type":"Gradient","resource_path":"res://scenes_fixture/made.tres",` +
				`"properties":{"resource_name":"made"},"confirm":true}`,
			Fresh: []string{"resource_path"},
		},
	}
}

func setResourceProperty() tool.Spec {
	return tool.Spec{
		Name: "set_resource_property",
		Summary: "Set properties of a resource in memory: one in a file (resource_path), or what a node holds " +
			"(node_path, node_property); says who shares it.",
		Toolset:  "resource",
		Unlisted: true,
		Effects:  []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			{Name: "resource_path", Kind: tool.ResPath, Doc: "Its file."},
			subResource(),
			{Name: "node_path", Kind: tool.NodePath, Doc: "The node that holds it."},
			{Name: "node_property", Kind: tool.PropertyName, Doc: "Where: mesh, or texture:gradient for one further in."},
			{Name: "property", Kind: tool.PropertyName, Doc: "The resource's property."},
			{Name: "value", Kind: tool.Value, Doc: "Plain JSON by the property's type."},
			{Name: "properties", Kind: tool.ValueMap, Doc: "Several values by property name."},
			{Name: "make_unique", Kind: tool.Bool, Default: false, Doc: "Give the node a copy of its own first."},
		},
		OneOf:   [][]string{{"property", "value"}, {"properties"}},
		InScene: true,
		Action:  "Set {property|properties} of {resource_path|a resource}",
		Undo:    wholeCall + "; for a resource in a file of its own in the editor's global history",
		Example: tool.Example{
			Scene: "sub_resources.tscn",
			Arguments: `{"node_path":"Picture","node_property":"texture:gradient","property":"resource_name",` +
				`"value":"Set by an example."}`,
		},
	}
}

func saveResource() tool.Spec {
	return tool.Spec{
		Name:     "save_resource",
		Summary:  "Write an edited resource to its file.",
		Toolset:  "resource",
		Effects:  []safety.Effect{safety.TouchesDisk},
		Params:   []tool.Param{resourcePath("The file.")},
		Discards: "what the resource's file holds on disk",
		Undo:     "nothing; the file keeps the new content",
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"resource_path":"res://scenes_fixture/assets/nested.tres","confirm":true}`,
			Copies:    []string{"resource_path"},
			First: []tool.Step{{
				Tool: "set_resource_property",
				Arguments: `{"resource_path":"res://scenes_fixture/assets/nested.tres","property":"resource_name",` +
					`"value":"changed"}`,
			}},
		},
	}
}

func getDependencies() tool.Spec {
	return tool.Spec{
		Name:     "get_dependencies",
		Summary:  "List the files that a file needs, with type, uid and whether each exists.",
		Toolset:  "resource",
		Params:   []tool.Param{filePath("The file."), offset(), limit(200, 5000)},
		Unlisted: true,
		Example:  tool.Example{Arguments: `{"path":"res://scenes_fixture/external_resources.tscn"}`},
	}
}

func findReferences() tool.Spec {
	return tool.Spec{
		Name: "find_references",
		Summary: "Find where files of the project refer to a file: by path, uid, relative path, or by the class that " +
			"it declares.",
		Toolset:  "resource",
		Params:   []tool.Param{filePath("The file."), offset(), limit(200, 5000)},
		Unlisted: true,
		Example:  tool.Example{Arguments: `{"path":"res://scenes_fixture/assets/ramp.tres"}`},
	}
}

func moveFile() tool.Spec {
	return tool.Spec{
		Name:     "move_file",
		Summary:  "Move or rename a file with its .uid and .import, and repair every reference to it.",
		Toolset:  "resource",
		Effects:  []safety.Effect{safety.Removes, safety.TouchesDisk},
		Params:   []tool.Param{filePath("The file."), newPath()},
		Discards: "the file at its old place, and rewrites the files that refer to it",
		Undo:     "nothing; move it back with another move_file",
		Unlisted: true,
		Repairs:  true,
		Example: tool.Example{
			Arguments: `{"path":"res://scenes_fixture/assets/nested.tres",` +
				`"new_path":"res://scenes_fixture/assets/moved.tres","confirm":true}`,
			Copies: []string{"path"},
			Fresh:  []string{"new_path"},
		},
	}
}

func duplicateFile() tool.Spec {
	return tool.Spec{
		Name:    "duplicate_file",
		Summary: "Copy a file; the copy gets a uid of its own.",
		Toolset: "resource",
		Effects: []safety.Effect{safety.TouchesDisk},
		Params: []tool.Param{
			{Name: "path", Kind: tool.ResPath, Required: true, ReadsOnly: true, Doc: "The file."},
			newPath(),
		},
		Discards: "nothing, but writes a new file",
		Undo:     "nothing; the copy stays",
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"path":"res://scenes_fixture/assets/ramp.tres",` +
				`"new_path":"res://scenes_fixture/assets/copy.tres","confirm":true}`,
			Fresh: []string{"new_path"},
		},
	}
}

func deleteResourceFile() tool.Spec {
	return tool.Spec{
		Name:    "delete_resource_file",
		Summary: "Delete a file with its .uid and .import; refused while something refers to it.",
		Toolset: "resource",
		Effects: []safety.Effect{safety.Removes, safety.TouchesDisk},
		Params: []tool.Param{
			filePath("The file."),
			{Name: "force", Kind: tool.Bool, Default: false, Doc: "Delete it although references break."},
		},
		Discards: "the file and its side files",
		Undo:     "nothing; the daemon keeps the bytes",
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"path":"res://scenes_fixture/assets/nested.tres","confirm":true}`,
			Copies:    []string{"path"},
		},
	}
}

func filePath(doc string) tool.Param {
	return tool.Param{Name: "path", Kind: tool.ResPath, Required: true, Doc: doc}
}

func newPath() tool.Param {
	return tool.Param{Name: "new_path", Kind: tool.ResPath, Required: true, Doc: "Where it goes; the ending stays."}
}

func resourcePath(doc string) tool.Param {
	return tool.Param{Name: "resource_path", Kind: tool.ResPath, Required: true, Doc: doc}
}

func subResource() tool.Param {
	return tool.Param{
		Name: "sub_resource", Kind: tool.String, Default: "", Doc: "Id of one inside it, as read_resource_file lists them.",
	}
}
