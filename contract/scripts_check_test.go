package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// newClass: a class can be used by the next call, under its old name no more.
func (r *rig) newClass(t *testing.T) {
	r.open(t, "own_nodes")
	path := r.freshName(workRes + "/thing.gd")
	content := "class_name FreshThing\nextends Node2D\n\n\nfunc twin() -> FreshThing:\n\treturn FreshThing.new()\n"
	reply := r.foretold(t, "scripts_create", args{"script_path": path, "content": content, "confirm": true})
	assert.Equal(t, "FreshThing", reply.Data["class_name"], "%s", reply.Raw)
	assert.NotContains(t, reply.Data, "rescan_pending")
	assert.Contains(t, text(reply.Data["also_written"]), path+".uid")
	made := r.ok(t, "create_node", args{"node_type": "FreshThing", "node_name": "Made"})
	assert.Equal(t, "Made", made.Data["path"], "%s", made.Raw)
	r.ok(t, "scripts_patch", args{"script_path": path, "find": "FreshThing", "replace": "RenamedThing", "all": true, "confirm": true})
	r.refused(t, protocol.ValidationError, "create_node", args{"node_type": "FreshThing"})
	r.ok(t, "create_node", args{"node_type": "RenamedThing"})
	failure := r.refused(t, protocol.ValidationError, "scripts_create",
		args{"script_path": workRes + "/second.gd", "content": "class_name RenamedThing\nextends Node\n", "confirm": true})
	assert.Contains(t, text(failure.Details), "hides a global script class")
	listed := r.ok(t, "scripts_list", args{"directory": workRes, "limit": 1000})
	assert.Contains(t, text(listed.Data["scripts"]), text(args{"base": "Node2D", "class_name": "RenamedThing", "path": path}))
}

// inheritors: who uses a script that extends the changed one has the new text too.
func (r *rig) inheritors(t *testing.T) {
	base := r.script(t, sayOld)
	derived := r.script(t, fmt.Sprintf("extends %q\nvar mine: String = \"mine\"\n\n\nfunc own() -> String:\n\treturn mine + say()\n", base))
	own := func() (gives string) {
		var seen struct {
			Gives string `json:"gives"`
		}
		r.hand.act(t, "live", args{"path": derived, "method": "own"}, &seen)
		return seen.Gives
	}
	require.Equal(t, "mineold", own())
	reply := r.ok(t, "scripts_write", args{
		"script_path": base, "overwrite": true, "confirm": true,
		"content": "extends RefCounted\nvar first: int = 1\nvar second: int = 2\n\n\nfunc say() -> String:\n\treturn \"new\"\n",
	})
	assert.Equal(t, true, reply.Data["reloaded"], "%s", reply.Raw)
	assert.Equal(t, "minenew", own())
}

// newFolder: what the editor learns only later is said to be so, and no file comes unannounced.
func (r *rig) newFolder(t *testing.T) {
	folder := r.freshName(workRes + "/new_folder")
	path := folder + "/deep/thing.gd"
	before := r.files(t)
	reply := r.ok(t, "scripts_create", args{"script_path": path, "content": "class_name DeepThing\nextends Node\n", "confirm": true})
	assert.Equal(t, true, reply.Data["rescan_pending"], "%s", reply.Raw)
	r.checkTold(t, reply, []string{path, path + ".uid"})
	r.open(t, "own_nodes")
	require.Eventually(t, func() bool {
		return r.call(t, "create_node", args{"node_type": "DeepThing"}).OK
	}, 10*time.Second, pollEvery)
	assert.Equal(t, []string{path, path + ".uid"}, filesIn(folder, changedFiles(before, r.files(t))))
	r.checkTold(t, reply, []string{path, path + ".uid"})
}

// filesIn picks the files in a folder; a scan of the project gives others their .uid file.
func filesIn(folder string, files []string) []string {
	return slices.DeleteFunc(files, func(file string) bool { return !strings.HasPrefix(file, folder+"/") })
}

// checks: what is right, and what is wrong, in a text that is nowhere yet.
func (r *rig) checks(t *testing.T) {
	for _, row := range []struct {
		name, content string
		lines         []float64
		says          string
	}{
		{"a class of the project", "extends Node\nvar mover: FixtureMover = FixtureMover.new()\n", nil, ""},
		{"its own class", "class_name Own\nextends Node\nvar a: Own = null\n\n\nfunc f() -> Own:\n\treturn Own.new()\n", nil, ""},
		{"a tool script", "@tool\nextends Node\n@export_tool_button(\"Go (now)\", \"Node\") var go: Callable = f\n\n\n" +
			"func f() -> void:\n\tpass\n", nil, ""},
		{"a tool script on a tool script", "@tool\nextends FixtureInit\n", nil, ""},
		{"a neighbour", "extends Node\nconst Near: GDScript = preload(\"./near.gd\")\n", nil, ""},
		{"several faults", "extends Node\nvar a: int = \"x\"\nvar b: Nope = null\n\n\nfunc f() -> int:\n\treturn zz\n", []float64{2, 2, 3, 7}, "zz"},
		{"no such base", "extends Nope\n", []float64{1}, "Nope"},
		{
			"a tool script with a fault", "@tool\nextends Node\n@export_tool_button(\"(\") var go: Callable = f\nvar a: int = \"x\"\n",
			[]float64{3, 4, 4},
			"int",
		},
		{
			"a button without a tool script", "extends Node\n@export_tool_button(\"a\") var go: Callable = f\n\n\nfunc f() -> void:\n\tpass\n",
			[]float64{2},
			"tool",
		},
		{"another class's name", "class_name FixtureMover\nextends Node\n", []float64{1}, "hides"},
		{"nothing", "\n", []float64{1}, "mpty"},
		{"a button in several lines", "@tool extends Node\n\n\nclass Inner:\n\t@export_tool_button(\n\t\t\"Go\"\n\t) var go: Callable\n" +
			"\tvar a: int = \"x\"\n", []float64{8, 8}, "int"},
	} {
		t.Run(row.name, func(t *testing.T) {
			near := r.project.Path(workRes + "/near.gd")
			require.NoError(t, os.WriteFile(near, []byte("extends Node\n"), 0o600))
			before, panel := r.state(t), r.panel(t)
			for range 2 { // the first leaves nothing to the second
				reply := r.ok(t, "scripts_validate", args{"script_path": workRes + "/nowhere.gd", "content": row.content})
				assert.Equal(t, row.lines, lines(reply.Data["diagnostics"]), "%s", reply.Raw)
				assert.Equal(t, row.lines == nil, reply.Data["parse_ok"], "%s", reply.Raw)
				assert.Contains(t, text(reply.Data["diagnostics"]), row.says)
				assert.Empty(t, engineErrors(t, reply))
			}
			r.same(t, before, "a check")
			assert.Equal(t, panel, r.panel(t), "the Output panel")
		})
	}
}

// checkLeaves: neither class nor script nor what it needed is left of a text that was only looked at.
func (r *rig) checkLeaves(t *testing.T) {
	r.open(t, "own_nodes")
	broken := r.script(t, brokenText)
	path := r.script(t, sayOld)
	ghost := "class_name GhostThing\nextends RefCounted\n\n\nfunc say() -> String:\n\treturn \"ghost\"\n"
	r.ok(t, "scripts_validate", args{"script_path": path, "content": ghost})
	r.refused(t, protocol.ValidationError, "create_node", args{"node_type": "GhostThing"})
	reply := r.ok(t, "scripts_validate", args{
		"script_path": path, "content": fmt.Sprintf("extends Node\nconst Broken: GDScript = preload(%q)\n", broken),
	})
	assert.Equal(t, false, reply.Data["parse_ok"], "%s", reply.Raw)
	assert.Equal(t, "old", r.says(t, path), "it was not in memory")
	r.ok(t, "scripts_validate", args{"script_path": path, "content": ghost})
	assert.Equal(t, "old", r.says(t, path), "it was in memory")
	reply = r.ok(t, "scripts_patch", args{"script_path": path, "find": `"old"`, "replace": `"new"`, "confirm": true})
	assert.Equal(t, true, reply.Data["reloaded"], "%s", reply.Raw)
	assert.Equal(t, "new", r.says(t, path))
}

// checkBinds: what extends or needs a script is bound to the script itself, never to a text that was checked in its place.
func (r *rig) checkBinds(t *testing.T) {
	base := r.script(t, "")
	derived := r.script(t, fmt.Sprintf("@tool\nextends %q\n\n\nfunc own() -> String:\n\treturn say()\n", base))
	content := fmt.Sprintf("extends RefCounted\nconst Derived: GDScript = preload(%q)\n\n\nfunc say() -> String:\n\treturn \"old\"\n", derived)
	for _, head := range []string{"", "@tool\n"} {
		require.NoError(t, os.WriteFile(r.project.Path(base), []byte(head+content), 0o600))
		for range 2 {
			reply := r.ok(t, "scripts_validate", args{"script_path": base})
			assert.Equal(t, true, reply.Data["parse_ok"], "%s", reply.Raw)
		}
	}
	r.ok(t, "scripts_patch", args{"script_path": base, "find": `"old"`, "replace": `"new"`, "confirm": true})
	var seen struct {
		Gives string `json:"gives"`
	}
	r.hand.act(t, "live", args{"path": derived, "method": "own"}, &seen)
	assert.Equal(t, "new", seen.Gives)

	broken := r.script(t, brokenText)
	needs := args{"script_path": workRes + "/nowhere.gd", "content": fmt.Sprintf("extends Node\nconst B: GDScript = preload(%q)\n", broken)}
	assert.Equal(t, false, r.ok(t, "scripts_validate", needs).Data["parse_ok"])
	r.ok(t, "scripts_write", args{"script_path": broken, "content": sayOld, "overwrite": true, "confirm": true})
	reply := r.ok(t, "scripts_validate", needs)
	assert.Equal(t, true, reply.Data["parse_ok"], "its need is mended: %s", reply.Raw)
	assert.Equal(t, "old", r.says(t, broken))
}

// checkRuns: a text is not run by a check or a preview, not even a tool script's.
func (r *rig) checkRuns(t *testing.T) {
	left := r.userFile("script_ran")
	content := "@tool\nextends RefCounted\n\nstatic var ran: int = boot()\n\n\nstatic func boot() -> int:\n" +
		"\tvar file: FileAccess = FileAccess.open(\"user://script_ran\", FileAccess.WRITE)\n\tfile.close()\n\treturn 1\n"
	onDisk := r.script(t, content)
	fresh := r.freshName(workRes + "/runs.gd")
	create := args{"script_path": fresh, "content": content, "dry_run": true}
	for about, run := range map[string]func() harness.Reply{
		"a text":    func() harness.Reply { return r.ok(t, "scripts_validate", without(create, "dry_run")) },
		"a file":    func() harness.Reply { return r.ok(t, "scripts_validate", args{"script_path": onDisk}) },
		"a preview": func() harness.Reply { return r.ok(t, "scripts_create", create) },
		"a preview of more": func() harness.Reply {
			return r.ok(t, "preview_tool", args{"tool": "scripts_create", "arguments": without(create, "dry_run")})
		},
	} {
		reply := run()
		assert.Equal(t, true, reply.Data["parse_ok"], "%s: %s", about, reply.Raw)
		assert.Equal(t, true, reply.Data["contains_tool"], "%s: %s", about, reply.Raw)
		assert.NoFileExists(t, left, about)
	}
}

// scriptPages: the pages put together are the text.
func (r *rig) scriptPages(t *testing.T) {
	var long strings.Builder
	long.WriteString("extends Node\r\n")
	for i := range 5000 {
		fmt.Fprintf(&long, "# %d \"ä\" %s\r\n", i, strings.Repeat("x", i%90))
	}
	long.WriteString("# the end")
	path := r.script(t, long.String())
	var got strings.Builder
	pages := 0
	for offset, more := 0, true; more; pages++ {
		reply := r.ok(t, "scripts_read", args{"script_path": path, "offset": offset, "limit": 20000})
		var page struct {
			Content    string `json:"content"`
			Total      int    `json:"total"`
			Truncated  bool   `json:"truncated"`
			NextOffset int    `json:"next_offset"`
		}
		decodeData(t, reply, &page)
		got.WriteString(page.Content)
		assert.Equal(t, 5002, page.Total)
		assert.NotContains(t, string(reply.Raw), `"cut"`)
		offset, more = page.NextOffset, page.Truncated
	}
	assert.Equal(t, long.String(), got.String())
	assert.Greater(t, pages, 1)
	beyond := r.ok(t, "scripts_read", args{"script_path": path, "offset": 9000})
	assert.Empty(t, beyond.Data["content"])
	assert.Equal(t, false, beyond.Data["truncated"])
	list := r.ok(t, "scripts_list", args{"limit": 3, "offset": 1})
	assert.Len(t, list.Data["scripts"], 3)
	assert.InDelta(t, 4, list.Data["next_offset"], 0)
	assert.NotContains(t, text(r.ok(t, "scripts_list", args{"limit": 2000}).Data["scripts"]), harness.AddonRes)
}

// scriptRefusals: nothing is changed by any of them.
func (r *rig) scriptRefusals(t *testing.T) {
	r.open(t, "own_nodes")
	path := r.script(t, sayOld)
	binary := r.script(t, "extends Node\n# \xff\xfe\n")
	huge := r.script(t, "extends Node\n# "+strings.Repeat("x", 1<<20))
	shader := workRes + "/sky.gdshader"
	require.NoError(t, os.WriteFile(r.project.Path(shader), []byte("shader_type canvas_item;\n"), 0o600))
	require.NoError(t, os.MkdirAll(r.project.Path(workRes+"/folder.gd"), 0o755))
	valid := "extends Node\n"
	before := r.state(t)
	for i, row := range []struct {
		tool string
		args args
		code protocol.Code
		says string
	}{
		{"scripts_create", args{"script_path": path, "content": valid}, protocol.AlreadyExists, "overwrite"},
		{"scripts_write", args{"script_path": path, "content": valid}, protocol.PreconditionFailed, "expected_sha256"},
		{"scripts_write", args{"script_path": path, "content": valid, "expected_sha256": "00"}, protocol.DiskChanged, "disk_sha256"},
		{"scripts_write", args{"script_path": workRes + "/no.gd", "content": valid, "expected_sha256": "00"}, protocol.ResourceNotFound, "scripts_create"},
		{"scripts_patch", args{"script_path": workRes + "/scrpt.gd", "find": "a", "replace": "b"}, protocol.ResourceNotFound, "near"},
		{"scripts_patch", args{"script_path": binary, "find": "a", "replace": "b"}, protocol.ValidationError, "not_utf8"},
		{"scripts_patch", args{"script_path": huge, "find": "a", "replace": "b"}, protocol.ValidationError, "too_long"},
		{"scripts_patch", args{"script_path": shader, "find": "a", "replace": "b"}, protocol.ValidationError, "not_gdscript"},
		{"scripts_write", args{"script_path": shader, "content": valid, "overwrite": true}, protocol.ValidationError, "not_gdscript"},
		{"scripts_create", args{"script_path": workRes + "/folder.gd", "content": valid}, protocol.ValidationError, "is_a_folder"},
		{"scripts_create", args{"script_path": workRes + "/n.gd", "content": "#" + strings.Repeat("ä", 1<<19)}, protocol.ValidationError, "too_long"},
		{"scripts_create", args{"script_path": workRes + "/n.gd", "base_type": "Nope"}, protocol.ValidationError, "Nope"},
		{"scripts_create", args{"script_path": workRes + "/n.gd"}, protocol.ValidationError, "content"},
		{"scripts_create", args{"script_path": "res://addons/drawbridge/x.gd", "content": valid}, protocol.ProtectedTarget, "drawbridge"},
		{"scripts_read", args{"script_path": binary}, protocol.ValidationError, "not_utf8"},
		{"scripts_read", args{"script_path": workRes + "/none.gd"}, protocol.ResourceNotFound, "scripts_list"},
		{"scripts_validate", args{"script_path": workRes + "/none.gd"}, protocol.ResourceNotFound, "scripts_list"},
		{"scripts_list", args{"directory": "res://no_such"}, protocol.ResourceNotFound, "no_such"},
	} {
		call := row.args
		if r.byName[row.tool].MustConfirm {
			call = with(call, "confirm", true)
		}
		failure := r.refused(t, row.code, row.tool, call)
		whole, err := json.Marshal(failure)
		require.NoError(t, err)
		assert.Contains(t, string(whole), row.says, "row %d", i)
	}
	r.same(t, before, "refusals")
}
