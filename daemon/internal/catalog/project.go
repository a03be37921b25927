package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// settingsOnDisk is what every tool that writes project.godot throws away; settingsUndo what its docs say of undo.
const (
	settingsOnDisk = "what project.godot holds on disk for it"
	settingsUndo   = "nothing; project.godot keeps the new content"
)

// project reads and changes the project's settings, and looks at its files.
func project() []tool.Spec {
	return []tool.Spec{
		getSetting(), setSetting(), registerAutoload(), unregisterAutoload(),
		getInputActions(), addInputAction(), addInputEvent(), removeInputAction(),
		searchFiles(), getFilesystemTree(), resolveUID(), getImportStatus(), rescanFilesystem(),
	}
}

func getSetting() tool.Spec {
	return tool.Spec{
		Name:     "get_setting",
		Summary:  "Read a project setting: value, type, default, and whether project.godot agrees with the editor.",
		Toolset:  "project",
		Unlisted: true,
		Params:   []tool.Param{settingName("Such as display/window/size/viewport_width.")},
		Example:  tool.Example{Arguments: `{"name":"display/window/size/viewport_width"}`},
	}
}

func setSetting() tool.Spec {
	return tool.Spec{
		Name: "set_setting",
		Summary: "Set a project setting and save project.godot. Unknown names in the engine's own sections are refused; " +
			"a section of your own may hold any.",
		Toolset: "project",
		Effects: []safety.Effect{safety.TouchesDisk, safety.Removes},
		Params: []tool.Param{
			settingName("Such as application/config/name or my_game/difficulty."),
			{Name: "value", Kind: tool.Value, Required: true, Doc: "By the setting's type; null removes a name of your own."},
		},
		Settings: true,
		Discards: settingsOnDisk,
		Undo:     settingsUndo,
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"name":"fixture_made/difficulty","value":3,"confirm":true}`, Fresh: []string{"name"},
		},
	}
}

func registerAutoload() tool.Spec {
	return tool.Spec{
		Name:    "register_autoload",
		Summary: "Add an autoload: a script or scene that is there in every scene, by its name when it is a singleton.",
		Toolset: "project",
		Effects: []safety.Effect{safety.TouchesDisk},
		Params: []tool.Param{
			{Name: "name", Kind: tool.String, Required: true, Doc: "An identifier that no class or autoload has."},
			{Name: "path", Kind: tool.ResPath, Required: true, ReadsOnly: true, Doc: "A script that extends Node, or a scene."},
			{Name: "singleton", Kind: tool.Bool, Default: true, Doc: "Scripts can use it by its name."},
		},
		Settings: true,
		Discards: settingsOnDisk,
		Undo:     settingsUndo,
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"name":"FixtureAutoload","path":"res://scenes_fixture/scripts/autoload.gd","confirm":true}`,
			Fresh:     []string{"name"},
		},
	}
}

func unregisterAutoload() tool.Spec {
	return tool.Spec{
		Name:     "unregister_autoload",
		Summary:  "Take an autoload away; its script or scene stays.",
		Toolset:  "project",
		Effects:  []safety.Effect{safety.TouchesDisk, safety.Removes},
		Params:   []tool.Param{{Name: "name", Kind: tool.String, Required: true, Doc: "The autoload's name."}},
		Settings: true,
		Discards: "the autoload, which scripts may use by its name",
		Undo:     settingsUndo,
		Unlisted: true,
		Example: tool.Example{
			Arguments: `{"name":"FixtureAutoload","confirm":true}`, Fresh: []string{"name"},
			First: []tool.Step{{
				Tool:      "register_autoload",
				Arguments: `{"name":"FixtureAutoload","path":"res://scenes_fixture/scripts/autoload.gd","confirm":true}`,
			}},
		},
	}
}

func searchFiles() tool.Spec {
	return tool.Spec{
		Name: "search_files",
		Summary: "Find files of the project by name, or by a text in them, with line numbers. Binary files and files over " +
			"2 MB are not searched for text.",
		Toolset: "project",
		Params: []tool.Param{
			directory(),
			{Name: "name_glob", Kind: tool.String, Default: "", Doc: "Only names that fit; " + textFilter},
			{Name: "content", Kind: tool.String, Default: "", Doc: "A plain text, no pattern."},
			{Name: "case_sensitive", Kind: tool.Bool, Default: false, Doc: "Mind upper and lower case in content."},
			{
				Name: "start_at", Kind: tool.ResPath, Default: "", ReadsOnly: true,
				Doc: "Go on at this file: resume_at of a search that ran out of time.",
			},
			offset(),
			limit(100, 1000),
		},
		Example: tool.Example{Arguments: `{"directory":"res://scenes_fixture","name_glob":"*.gd","content":"extends"}`},
	}
}

func getFilesystemTree() tool.Spec {
	return tool.Spec{
		Name:    "get_filesystem_tree",
		Summary: "List folders and files as compact rows [path, type, size class]; hidden ones and side files left out.",
		Toolset: "project",
		Params: []tool.Param{
			directory(),
			{Name: "max_depth", Kind: tool.Int, Default: int64(-1), Min: -1, Max: 1000, Doc: "Levels below it; -1 for all."},
			offset(),
			limit(500, 1000),
		},
		Unlisted: true,
		Example:  tool.Example{Arguments: `{"directory":"res://scenes_fixture","max_depth":1}`},
	}
}

func resolveUID() tool.Spec {
	return tool.Spec{
		Name:     "resolve_uid",
		Summary:  "Tell the path of a uid:// and the uid:// of a path.",
		Toolset:  "project",
		Params:   []tool.Param{{Name: "value", Kind: tool.String, Required: true, Doc: "uid://… or res://…"}},
		Unlisted: true,
		Example:  tool.Example{Arguments: `{"value":"res://scenes_fixture/scripts/setters.gd"}`},
	}
}

func getImportStatus() tool.Spec {
	return tool.Spec{
		Name:    "get_import_status",
		Summary: "Tell whether the editor knows a file, and whether its import is there, valid and up to date.",
		Toolset: "project",
		Params: []tool.Param{
			{Name: "path", Kind: tool.ResPath, Required: true, ReadsOnly: true, Doc: "The file."},
		},
		Unlisted: true,
		Example:  tool.Example{Arguments: `{"path":"res://scenes_fixture/scripts/setters.gd"}`},
	}
}

func rescanFilesystem() tool.Spec {
	return tool.Spec{
		Name: "rescan_filesystem",
		Summary: "Have the editor look for files that came, went or changed behind its back, and import what needs it. " +
			"It goes on after the reply: get_import_status tells when it is over.",
		Toolset:  "project",
		Effects:  []safety.Effect{safety.Reimports},
		Undo:     "nothing; the editor's list of files is what the disk says",
		Unlisted: true,
		Example:  tool.Example{Arguments: `{}`},
	}
}

func settingName(doc string) tool.Param {
	return tool.Param{Name: "name", Kind: tool.String, Required: true, Doc: doc}
}

func directory() tool.Param {
	return tool.Param{
		Name: "directory", Kind: tool.ResPath, Default: "res://", ReadsOnly: true, Doc: "The folder to look in.",
	}
}
