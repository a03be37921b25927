package contract

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const (
	brokenText = "extends Node\nfunc a(:\n\tpass\n"
	sayOld     = "extends RefCounted\n\n\nfunc say() -> String:\n\treturn \"old\"\n"
)

// testScripts: scripts are read, checked and written without telling anything untrue.
func (r *rig) testScripts(t *testing.T) {
	for name, run := range map[string]func(*testing.T){
		"what does not parse is not written unasked":     r.brokenText,
		"who uses a script has the new text":             r.liveScript,
		"who extends it has the new text too":            r.inheritors,
		"unsaved text is not written over unasked":       r.unsavedText,
		"a patch finds one place":                        r.patches,
		"a patch keeps what it does not change":          r.patchForms,
		"a patch works on the disk's text":               r.patchOutside,
		"a broken script loses no values":                r.brokenValues,
		"exported values stay":                           r.exportsStay,
		"nodes have what their script says now":          r.renewedNodes,
		"what a script exports no more":                  r.lostExports,
		"a script for another class":                     r.unfitScripts,
		"an export that holds another type":              r.otherTypes,
		"a script of a node that is not saved":           r.lostScripts,
		"nodes that have to be made anew":                r.staleNodes,
		"names that Windows cannot hold":                 r.portableNames,
		"a new class can be used":                        r.newClass,
		"a new folder":                                   r.newFolder,
		"a check knows classes, autoloads and its place": r.checks,
		"a check leaves nothing":                         r.checkLeaves,
		"a check takes nobody's place":                   r.checkBinds,
		"a check runs nothing":                           r.checkRuns,
		"what the editor has not read is no fault":       r.unread,
		"two calls make one file":                        r.createRace,
		"odd names are just names":                       r.oddFolders,
		"a link to what is protected":                    r.protectedAlias,
		"pages":                                          r.scriptPages,
		"refusals":                                       r.scriptRefusals,
	} {
		t.Run(name, run)
	}
}

// script writes a script's file from outside the editor.
func (r *rig) script(t *testing.T, content string) string {
	t.Helper()
	path := r.freshName(workRes + "/script.gd")
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(content), 0o600))
	return path
}

// lines are the lines that a reply's or failure's diagnostics name.
func lines(diagnostics any) []float64 {
	var out []float64
	list, _ := diagnostics.([]any)
	for _, item := range list {
		entry, _ := item.(map[string]any)
		line, _ := entry["line"].(float64)
		out = append(out, line)
	}
	return out
}

// brokenText: BR-115.
func (r *rig) brokenText(t *testing.T) {
	path := r.freshName(workRes + "/broken.gd")
	call := args{"script_path": path, "content": brokenText, "confirm": true}
	before, panel := r.files(t), r.panel(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.ValidationError, "scripts_create", with(call, "dry_run", dry))
		assert.Equal(t, false, failure.Details["parse_ok"], "%s", text(failure))
		assert.Equal(t, []float64{2}, lines(failure.Details["diagnostics"]), "%s", text(failure))
		assert.NotContains(t, failure.Details, "engine_errors", "they are the diagnostics")
		assert.Equal(t, before, r.files(t))
	}
	checked := r.ok(t, "scripts_validate", without(call, "confirm"))
	assert.Equal(t, false, checked.Data["parse_ok"])
	assert.Equal(t, []float64{2}, lines(checked.Data["diagnostics"]), "%s", checked.Raw)
	assert.Equal(t, panel, r.panel(t), "the Output panel, of texts that are nowhere")

	reply := r.foretold(t, "scripts_create", with(call, "allow_errors", true))
	assert.Equal(t, false, reply.Data["parse_ok"])
	assert.Equal(t, []float64{2}, lines(reply.Data["diagnostics"]), "%s", reply.Raw)
	assert.Equal(t, brokenText, r.file(t, path))
	reply = r.ok(t, "scripts_patch", args{"script_path": path, "find": "a(:", "replace": "a() -> void:", "confirm": true})
	assert.Equal(t, true, reply.Data["parse_ok"], "what a broken text needed is forgotten: %s", reply.Raw)
}

// panel is what the editor's Output panel shows.
func (r *rig) panel(t *testing.T) string {
	t.Helper()
	var seen struct {
		Text string `json:"text"`
	}
	r.hand.act(t, "panel", nil, &seen)
	return seen.Text
}

// says is what the object says that uses a script.
func (r *rig) says(t *testing.T, path string) string {
	t.Helper()
	var seen struct {
		Gives string `json:"gives"`
	}
	r.hand.act(t, "live", args{"path": path, "method": "say"}, &seen)
	return seen.Gives
}

// liveScript: BR-117.
func (r *rig) liveScript(t *testing.T) {
	path := r.script(t, sayOld)
	unused := r.script(t, sayOld)
	require.Equal(t, "old", r.says(t, path))
	patch := args{"script_path": path, "find": `"old"`, "replace": `"new"`, "confirm": true}
	reply := r.foretold(t, "scripts_patch", patch)
	assert.Equal(t, true, reply.Data["reloaded"], "%s", reply.Raw)
	assert.Equal(t, "new", r.says(t, path))

	reply = r.ok(t, "scripts_write", args{
		"script_path": path, "content": brokenText, "overwrite": true,
		"allow_errors": true, "confirm": true,
	})
	assert.Equal(t, false, reply.Data["reloaded"], "%s", reply.Raw)
	assert.Equal(t, "parse_errors", reply.Data["reload_reason"])
	assert.Equal(t, "new", r.says(t, path))

	reply = r.ok(t, "scripts_write", args{
		"script_path": path, "content": strings.ReplaceAll(sayOld, "old", "newest"),
		"overwrite": true, "confirm": true,
	})
	assert.Equal(t, true, reply.Data["reloaded"], "%s", reply.Raw)
	assert.Equal(t, "newest", r.says(t, path))

	reply = r.ok(t, "scripts_patch", with(patch, "script_path", unused))
	assert.Equal(t, false, reply.Data["reloaded"], "%s", reply.Raw)
	assert.Equal(t, "not_in_memory", reply.Data["reload_reason"])
	assert.Equal(t, "new", r.says(t, unused))
}

// unsavedText: BR-120.
func (r *rig) unsavedText(t *testing.T) {
	_, path := r.typedText("typed.gd", sayOld, "# typed\n")(t)
	patch := args{"script_path": path, "find": `"old"`, "replace": `"new"`, "confirm": true}
	before := r.files(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.PreconditionFailed, "scripts_patch", with(patch, "dry_run", dry))
		assert.Equal(t, "script_buffer_clean", failure.Required)
	}
	assert.Equal(t, before, r.files(t))
	read := r.ok(t, "scripts_read", args{"script_path": path})
	assert.Equal(t, true, read.Data["unsaved_in_editor"])
	assert.Equal(t, sayOld, read.Data["content"], "the disk's text")

	r.foretold(t, "scripts_patch", with(patch, "discard_unsaved", true))
	wanted := strings.Replace(sayOld, "old", "new", 1)
	r.shows(t, path, wanted)
	r.save(t)
	assert.Equal(t, wanted, r.file(t, path), "after a save of everything")
	assert.Equal(t, false, r.ok(t, "scripts_read", args{"script_path": path}).Data["unsaved_in_editor"])

	broken := with(with(patch, "find", "say() -> String"), "replace", "say(")
	r.ok(t, "scripts_patch", with(broken, "allow_errors", true))
	wanted = strings.Replace(wanted, "say() -> String", "say(", 1)
	r.shows(t, path, wanted)
	r.save(t)
	assert.Equal(t, wanted, r.file(t, path), "a broken text, after a save of everything")
}

// shows checks what the script editor shows, and that it is not unsaved.
func (r *rig) shows(t *testing.T, path, want string) {
	t.Helper()
	var seen struct {
		Text    string `json:"text"`
		Unsaved bool   `json:"unsaved"`
	}
	r.hand.act(t, "shown", args{"path": path}, &seen)
	assert.Equal(t, want, seen.Text, "the editor's text")
	assert.False(t, seen.Unsaved)
}

// patches: BR-121, how often the text is there.
func (r *rig) patches(t *testing.T) {
	content := "extends Node\nvar a: int = 1\nvar b: int = 1\n"
	path := r.script(t, content)
	patch := args{"script_path": path, "replace": ": int = 2", "confirm": true}
	for find, matches := range map[string]float64{": int = 3": 0, ": int = 1": 2, "": 0, "Var a": 0} {
		for _, dry := range []bool{true, false} {
			failure := r.refused(t, protocol.ValidationError, "scripts_patch", with(with(patch, "find", find), "dry_run", dry))
			assert.InDelta(t, matches, failure.Details["match_count"], 0, "%s", text(failure))
			assert.Equal(t, content, r.file(t, path))
		}
	}
	hash := fmt.Sprint(r.ok(t, "scripts_read", args{"script_path": path}).Data["sha256"])
	one := with(with(patch, "find", "a: int = 1"), "replace", "a: int = 5")
	failure := r.refused(t, protocol.DiskChanged, "scripts_patch", with(one, "expected_sha256", strings.Repeat("0", 64)))
	assert.Equal(t, hash, failure.Details["disk_sha256"])
	assert.Equal(t, content, r.file(t, path))
	reply := r.foretold(t, "scripts_patch", with(one, "expected_sha256", hash))
	assert.InDelta(t, 1, reply.Data["replacements"], 0)
	r.refused(t, protocol.DiskChanged, "scripts_patch", with(one, "expected_sha256", hash))
	reply = r.ok(t, "scripts_patch", with(with(with(patch, "find", ": int"), "replace", ": float"), "all", true))
	assert.InDelta(t, 2, reply.Data["replacements"], 0)
	assert.Equal(t, "extends Node\nvar a: float = 5\nvar b: float = 1\n", r.file(t, path))
}

// patchForms: BR-121, what is beside the change stays byte for byte.
func (r *rig) patchForms(t *testing.T) {
	for name, form := range map[string]func(string) string{
		"plain":            func(s string) string { return s },
		"crlf":             func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"bom":              func(s string) string { return "\ufeff" + s },
		"no final newline": func(s string) string { return strings.TrimSuffix(s, "\n") },
		"crlf and bom":     func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			path := r.script(t, form("extends Node\nvar a: int = 1\nvar ü: int = 1\n"))
			find, by := "extends Node\nvar a", "extends Node2D\nvar more: int = 0\nvar a"
			r.ok(t, "scripts_patch", args{"script_path": path, "find": find, "replace": by, "confirm": true})
			assert.Equal(t, form("extends Node2D\nvar more: int = 0\nvar a: int = 1\nvar ü: int = 1\n"), r.file(t, path))
		})
	}
	path := r.script(t, "extends Node\r\nvar a: int = 1\nvar b: int = 1\n")
	r.ok(t, "scripts_patch", args{"script_path": path, "find": "a: int = 1\n", "replace": "a: int = 2\n", "confirm": true})
	assert.Equal(t, "extends Node\r\nvar a: int = 2\nvar b: int = 1\n", r.file(t, path), "mixed line ends")
}

// patchOutside: BR-009, the file is newer than what the editor shows of it.
func (r *rig) patchOutside(t *testing.T) {
	r.open(t, "own_nodes")
	path := r.script(t, sayOld)
	r.hand.act(t, "edit_text", args{"path": path}, nil)
	require.Equal(t, "old", r.says(t, path))
	r.edit(t, path, "extends RefCounted\n", "extends RefCounted\n# marker\n")
	r.ok(t, "scripts_patch", args{"script_path": path, "find": `"old"`, "replace": `"new"`, "confirm": true})
	wanted := strings.Replace(strings.Replace(sayOld, "old", "new", 1), "RefCounted\n", "RefCounted\n# marker\n", 1)
	assert.Equal(t, wanted, r.file(t, path))
	r.shows(t, path, wanted)
	r.save(t)
	assert.Equal(t, wanted, r.file(t, path))
	assert.Equal(t, "new", r.says(t, path))
}

// withScript opens a copy of a fixture scene with a copy of one of its scripts.
func (r *rig) withScript(t *testing.T, fixture, script string) (scene, copied string) {
	t.Helper()
	script = harness.FixtureRes + "/scripts/" + script
	copied = r.copyFile(t, script)
	scene = r.copyFixture(t, fixture)
	r.edit(t, scene, script, copied)
	r.openPath(t, scene)
	return scene, copied
}

// brokenValues: BR-013.
func (r *rig) brokenValues(t *testing.T) {
	mended := "extends Node2D\n\n@export var important: int = 1\n"
	script := r.script(t, mended)
	scene := r.copyFixture(t, "broken_script")
	r.edit(t, scene, harness.FixtureRes+"/scripts/broken.gd", script)
	r.openPath(t, scene)
	r.ok(t, "scripts_patch", args{"script_path": script, "find": "int = 1", "replace": "int = (", "allow_errors": true, "confirm": true})
	r.addNode(t)
	reply := r.call(t, "save_scene", args{"confirm": true})
	if !reply.OK {
		assert.Equal(t, "scripts_parse", reply.Error.Required, "%s", reply.Raw)
	}
	assert.Contains(t, r.file(t, scene), "important = 7")
	r.ok(t, "scripts_write", args{"script_path": script, "content": mended, "overwrite": true, "confirm": true})
	assert.JSONEq(t, "7", string(r.readValue(t, "Holder", "important")))
}

// addNode changes something that the scene's file will show.
func (r *rig) addNode(t *testing.T) {
	t.Helper()
	r.ok(t, "create_node", args{"node_type": "Node", "node_name": "Another"})
}

func (r *rig) exportsStay(t *testing.T) {
	for node, file := range map[string]string{"Plain": "plain_exports.gd", "Tool": "tool_exports.gd"} {
		t.Run(node, func(t *testing.T) {
			scene, script := r.withScript(t, "scripts", file)
			r.ok(t, "set_node_property", args{"node_path": node, "property": "exported", "value": 9})
			reply := r.ok(t, "scripts_patch", args{
				"script_path": script, "find": "@export var exported",
				"replace": "@export var more: String = \"x\"\n@export var exported", "confirm": true,
			})
			assert.Equal(t, true, reply.Data["reloaded"], "%s", reply.Raw)
			assert.Equal(t, node == "Tool", reply.Data["contains_tool"], "%s", reply.Raw)
			assert.JSONEq(t, "9", string(r.readValue(t, node, "exported")))
			assert.NotContains(t, reply.Data, "stale_scenes", "%s", reply.Raw)
			assert.JSONEq(t, `"x"`, string(r.readValue(t, node, "more")), "a running object is given the script's own value")
			r.ok(t, "set_node_property", args{"node_path": node, "property": "more", "value": "y"})
			saved := r.saved(t, scene)
			assert.Contains(t, saved, "exported = 9")
			assert.Contains(t, saved, `more = "y"`)
		})
	}
}
