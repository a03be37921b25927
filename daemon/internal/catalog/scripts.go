package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// scripts read, check and write GDScript files.
func scripts() []tool.Spec {
	return []tool.Spec{
		scriptsList(), scriptsRead(), scriptsValidate(), scriptsCreate(), scriptsPatch(), scriptsWrite(),
	}
}

func scriptsList() tool.Spec {
	return tool.Spec{
		Name:    "scripts_list",
		Summary: "List the GDScript files of the project, or of a folder, with the global classes that they define.",
		Toolset: "scripts",
		Params: []tool.Param{
			{Name: "directory", Kind: tool.ResPath, Default: "res://", Doc: "Only this folder and what is below it."},
			offset(),
			limit(200, 2000),
		},
		Example:  tool.Example{Arguments: `{"directory":"res://scenes_fixture"}`},
		Unlisted: true,
	}
}

func scriptsRead() tool.Spec {
	return tool.Spec{
		Name:    "scripts_read",
		Summary: "Read a script's text from the disk, with the sha256 that scripts_patch and scripts_write ask for.",
		Toolset: "scripts",
		Params: []tool.Param{
			scriptPath("The script."),
			{Name: "offset", Kind: tool.Int, Default: int64(0), Min: 0, Max: 10_000_000, Doc: "Lines to skip."},
			{Name: "limit", Kind: tool.Int, Default: int64(2000), Min: 1, Max: 20_000, Doc: "Lines at most."},
		},
		Example: tool.Example{Arguments: `{"script_path":"res://scenes_fixture/scripts/plain_exports.gd"}`},
	}
}

func scriptsValidate() tool.Spec {
	return tool.Spec{
		Name: "scripts_validate",
		Summary: "Check whether a script parses, or whether content would at script_path; gives line and message of " +
			"each error. Runs none of its code.",
		Toolset:  "scripts",
		Unlisted: true,
		Params: []tool.Param{
			scriptPath("The script; with content, the place that the text is meant for."),
			{Name: "content", Kind: tool.String, Doc: "The text to check; default: the file's."},
		},
		Example: tool.Example{Arguments: `{"script_path":"res://scenes_fixture/scripts/plain_exports.gd"}`},
	}
}

func scriptsCreate() tool.Spec {
	return tool.Spec{
		Name:    "scripts_create",
		Summary: "Write a new script: content, or a bare script that extends base_type. Gives its diagnostics.",
		Toolset: "scripts",
		Effects: writesScripts(),
		Params: []tool.Param{
			scriptPath("res://….gd; missing folders are made."),
			{Name: "content", Kind: tool.String, Code: true, Doc: "The whole text."},
			{Name: "base_type", Kind: tool.TypeName, Doc: "Class to extend, built-in or the project's."},
			overwriteScript(), allowErrors(), discardUnsavedText(),
		},
		OneOf:    [][]string{{"content"}, {"base_type"}},
		Discards: "with overwrite the script that is there",
		Undo:     "nothing; the file stays",
		Example: tool.Example{
			Arguments: `{"script_path":"res://t/made.gd","base_type":"Node2D","confirm":true}`,
			Fresh:     []string{"script_path"},
		},
	}
}

func scriptsPatch() tool.Spec {
	return tool.Spec{
		Name: "scripts_patch",
		Summary: "Replace a text in a script that stands there exactly once (or everywhere with all), reload it and give " +
			"its diagnostics.",
		Toolset: "scripts",
		Effects: writesScripts(),
		Params: []tool.Param{
			scriptPath("The script."),
			{Name: "find", Kind: tool.String, Required: true, Doc: "The text as it stands, line breaks and tabs included."},
			{Name: "replace", Kind: tool.String, Code: true, Required: true, Doc: "The text that takes its place."},
			{Name: "all", Kind: tool.Bool, Default: false, Doc: "Replace every match."},
			{Name: "expected_sha256", Kind: tool.String, Default: "", Doc: "Refuse unless the file still has this hash."},
			allowErrors(), discardUnsavedText(),
		},
		Discards: "the text that is replaced",
		Undo:     "nothing; the file keeps the new text",
		Example: tool.Example{
			Arguments: `{"script_path":"res://scenes_fixture/scripts/plain_exports.gd","find":"extends Node2D",` +
				`"replace":"extends Node2D # patched","confirm":true}`,
			Copies: []string{"script_path"},
		},
	}
}

func scriptsWrite() tool.Spec {
	return tool.Spec{
		Name:    "scripts_write",
		Summary: "Write a script's whole text, reload it and give its diagnostics.",
		Toolset: "scripts",
		Effects: writesScripts(),
		Params: []tool.Param{
			scriptPath("res://….gd; missing folders are made."),
			{Name: "content", Kind: tool.String, Code: true, Required: true, Doc: "The whole text."},
			{
				Name: "expected_sha256", Kind: tool.String, Default: "",
				Doc: "Hash of the text that was read; needed when the file exists.",
			},
			{Name: "overwrite", Kind: tool.Bool, Default: false, Doc: "Replace the file without expected_sha256."},
			allowErrors(), discardUnsavedText(),
		},
		Discards: "the text that the script has now",
		Undo:     "nothing; the file keeps the new text",
		Example: tool.Example{
			Arguments: `{"script_path":"res://scenes_fixture/scripts/plain_exports.gd","content":"extends Node2D\n",` +
				`"overwrite":true,"confirm":true}`,
			Copies: []string{"script_path"},
		},
		Unlisted: true,
	}
}

// writesScripts: what is typed and not saved is thrown away with discard_unsaved only.
func writesScripts() []safety.Effect {
	return []safety.Effect{safety.TouchesDisk, safety.DiscardsUnsaved}
}

func scriptPath(doc string) tool.Param {
	return tool.Param{Name: "script_path", Kind: tool.ResPath, Required: true, Doc: doc}
}

func overwriteScript() tool.Param {
	return tool.Param{Name: "overwrite", Kind: tool.Bool, Default: false, Doc: "Replace an existing file."}
}

func allowErrors() tool.Param {
	return tool.Param{Name: "allow_errors", Kind: tool.Bool, Default: false, Doc: "Write it even if it does not parse."}
}

func discardUnsavedText() tool.Param {
	return tool.Param{
		Name: "discard_unsaved", Kind: tool.Bool, Default: false, Doc: "Replace unsaved text in the script editor.",
	}
}
