package catalog

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// recoveries bring files back: the bytes of every file are kept before a tool changes or removes it.
func recoveries() []tool.Spec {
	return []tool.Spec{listRecoverable(), restoreFile(), createCheckpoint(), listCheckpoints(), restoreCheckpoint()}
}

func listRecoverable() tool.Spec {
	return tool.Spec{
		Name:    "list_recoverable",
		Summary: "List files as they were before tools changed them, newest first; restore_file brings one back.",
		Toolset: "recovery",
		Params: []tool.Param{
			{Name: "filter", Kind: tool.String, Default: "", Doc: "Part of the path."},
			{Name: "offset", Kind: tool.Int, Default: int64(0), Min: 0, Max: 1_000_000, Doc: "Skip so many."},
			{Name: "limit", Kind: tool.Int, Default: int64(50), Min: 1, Max: 500, Doc: "How many at most."},
		},
		Example:   tool.Example{Arguments: `{}`},
		OfProject: true,
		Local: func(host tool.Host, a tool.Args) (any, *protocol.Error) {
			return host.Recoverable(a.Text(tool.Project), a.Text("filter"), int(a.Int("offset")), int(a.Int("limit")))
		},
		Unlisted: true,
	}
}

func restoreFile() tool.Spec {
	return tool.Spec{
		Name:     "restore_file",
		Summary:  "Bring a file back as it was before a tool changed or removed it. What is there now is kept first.",
		Toolset:  "recovery",
		Unlisted: true,
		Effects:  []safety.Effect{safety.TouchesDisk},
		Params: []tool.Param{
			{Name: "path", Kind: tool.ResPath, Required: true, Doc: "The file."},
			{
				Name: "sha256", Kind: tool.String, Default: "latest",
				Doc: "From list_recoverable; latest: the newest unlike now.",
			},
		},
		Discards: "what the file holds now; its bytes are kept, so that restore_file can take this back",
		Undo:     "nothing; restore_file again brings back what was there",
		Recovery: tool.RestoresFile,
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"path":"res://scenes_fixture/assets/thing.tres","confirm":true}`,
			Copies:    []string{"path"},
			Kept:      []string{"path"},
		},
	}
}

func createCheckpoint() tool.Spec {
	return tool.Spec{
		Name:    "create_checkpoint",
		Summary: "Keep the project's scenes, resources, scripts and settings, as they are on disk, under a name.",
		Toolset: "recovery",
		Effects: []safety.Effect{safety.KeepsBytes},
		Params: []tool.Param{
			{Name: "name", Kind: tool.String, Required: true, Doc: "A name for it."},
		},
		Undo:     "nothing; nothing in the project changes, and old checkpoints go by themselves",
		Recovery: tool.MakesCheckpoint,
		Example:  tool.Example{Arguments: `{"name":"before the big change"}`, Fresh: []string{"name"}},
		Unlisted: true,
	}
}

func listCheckpoints() tool.Spec {
	return tool.Spec{
		Name:      "list_checkpoints",
		Summary:   "List the checkpoints, newest first, with what each leaves out.",
		Toolset:   "recovery",
		Example:   tool.Example{Arguments: `{}`},
		OfProject: true,
		Local: func(host tool.Host, a tool.Args) (any, *protocol.Error) {
			return host.Checkpoints(a.Text(tool.Project))
		},

		Unlisted: true,
	}
}

func restoreCheckpoint() tool.Spec {
	return tool.Spec{
		Name: "restore_checkpoint",
		Summary: "Bring the files that differ from a checkpoint back as they were. Newer files stay; undo_back says which undo " +
			"or redo takes back what was edited since in the scene of then; the reply says what was not done.",
		Toolset: "recovery",
		Effects: []safety.Effect{safety.TouchesDisk},
		Params: []tool.Param{
			{Name: "name", Kind: tool.String, Required: true, Doc: "The checkpoint's name."},
			{Name: "filter", Kind: tool.String, Default: "", Doc: "Only files with this in their path."},
		},
		Discards: "what the files that differ hold now; their bytes are kept",
		Undo:     "nothing; restore_file brings back what a file held",
		Recovery: tool.RestoresCheckpoint,
		Example: tool.Example{
			Scene:     "own_nodes.tscn",
			Arguments: `{"name":"before the jump","confirm":true}`,
			Kept:      []string{"name"},
		},
		Unlisted: true,
	}
}
