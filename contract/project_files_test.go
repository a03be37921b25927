package contract

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// actionNames reads the names of the project's actions that fit.
func (r *rig) actionNames(t *testing.T, call args) []string {
	t.Helper()
	var out struct {
		Actions []struct {
			Name string `json:"name"`
		} `json:"actions"`
	}
	decodeData(t, r.ok(t, "get_input_actions", call), &out)
	var names []string
	for _, action := range out.Actions {
		names = append(names, action.Name)
	}
	return names
}

func (r *rig) actionsOfTheProject(t *testing.T) {
	r.confirmed(t, "add_input_action", args{"name": "jump", "deadzone": 0.5})
	data := r.ok(t, "get_input_actions", args{"name": "jump"}).Data
	assert.Equal(t, "project", data["source"])
	names := r.actionNames(t, args{})
	assert.Contains(t, names, "jump")
	assert.NotContains(t, names, "ui_accept")
	all := r.actionNames(t, args{"builtin": true, "limit": 1000})
	assert.Contains(t, all, "jump")
	assert.Contains(t, all, "ui_accept")
	for _, name := range all {
		assert.NotContains(t, name, "/", "a shortcut of the editor")
	}
	var paged []string
	for offset := 0; offset < len(all); offset += 7 {
		paged = append(paged, r.actionNames(t, args{"builtin": true, "limit": 7, "offset": offset})...)
	}
	assert.Equal(t, all, paged)
	r.refused(t, protocol.AlreadyExists, "add_input_action", args{"name": "jump", "confirm": true})
	removed := r.confirmed(t, "remove_input_action", args{"name": "jump"})
	assert.Equal(t, true, removed["removed"])
	assert.NotContains(t, r.actionNames(t, args{}), "jump")
	r.refused(t, protocol.ResourceNotFound, "remove_input_action", args{"name": "jump", "confirm": true})
	r.refused(t, protocol.ProtectedTarget, "remove_input_action", args{"name": "ui_accept", "confirm": true})
}

func (r *rig) eventsKept(t *testing.T) {
	r.confirmed(t, "add_input_action", args{"name": "jump high"})
	rows := []args{
		{"type": "key", "key": "F9", "ctrl": true},
		{"type": "key", "key": "Space", "physical": false},
		{"type": "key", "key": "A", "shift": true, "alt": true, "meta": true, "device": 0},
		{"type": "mouse_button", "button": "left"},
		{"type": "mouse_button", "button": "wheel_up", "ctrl": true},
		{"type": "joypad_button", "button": "a"},
		{"type": "joypad_button", "button": "dpad_left", "device": 1},
		{"type": "joypad_motion", "axis": "left_x", "axis_value": -1},
		{"type": "joypad_motion", "axis": "trigger_right", "axis_value": 1},
	}
	for i, row := range rows {
		call := args{"action": "jump high", "event": row}
		data := r.confirmed(t, "add_input_event", call)
		assert.Equal(t, true, data["changed"], "%v", row)
		require.Len(t, data["events"], i+1)
		shown, _ := data["event"].(map[string]any)
		for key, value := range row {
			assert.EqualValues(t, value, shown[key], "%s of %v", key, shown)
		}
		assert.NotEmpty(t, shown["text"])
		// What is shown is also what is taken, and the same event is bound once.
		delete(shown, "text")
		again := r.confirmed(t, "add_input_event", args{"action": "jump high", "event": shown})
		assert.Equal(t, false, again["changed"], "%v", shown)
	}
	read := r.freshSettings(t, "input/jump high")
	assert.Equal(t, len(rows), strings.Count(read["input/jump high"], "Object(InputEvent"))
	assert.Contains(t, read["#jump"], "jump high", "a game's input map answers to the key")
	data := r.ok(t, "get_input_actions", args{"name": "jump high"}).Data
	action, _ := data["actions"].([]any)[0].(map[string]any)
	assert.InDelta(t, 0.2, action["deadzone"], 1e-9)
	assert.Len(t, action["events"], len(rows))
	r.confirmed(t, "remove_input_action", args{"name": "jump high"})
}

func (r *rig) eventsRefused(t *testing.T) {
	r.confirmed(t, "add_input_action", args{"name": "jump"})
	before := r.state(t)
	for _, event := range []args{
		{},
		{"type": "touch"},
		{"type": 1},
		{"type": "key"},
		{"type": "key", "key": ""},
		{"type": "key", "key": "Spaec"},
		{"type": "key", "key": "Ctrl+S"},
		{"type": "key", "key": 65},
		{"type": "key", "key": "A", "ctrl": "true"},
		{"type": "key", "key": "A", "control": true},
		{"type": "key", "key": "A", "button": "left"},
		{"type": "key", "key": "A", "device": 99},
		{"type": "key", "key": "A", "device": 0.5},
		{"type": "key", "key": "A", "script": "res://evil.gd"},
		{"type": "mouse_button"},
		{"type": "mouse_button", "button": "none"},
		{"type": "mouse_button", "button": 0},
		{"type": "mouse_button", "button": 1.5},
		{"type": "joypad_button", "button": -1},
		{"type": "joypad_button", "button": 5000},
		{"type": "joypad_motion", "axis": "left_x"},
		{"type": "joypad_motion", "axis": "left_x", "axis_value": 0},
		{"type": "joypad_motion", "axis": "left", "axis_value": 1},
	} {
		failure := r.refused(t, protocol.ValidationError, "add_input_event", args{
			"action": "jump", "event": event, "confirm": true,
		})
		assert.Equal(t, "event", failure.Details["parameter"], "%v: %s", event, text(failure))
	}
	failure := r.refused(t, protocol.ValidationError, "add_input_event", args{
		"action": "jump", "event": args{"type": "key", "key": "Spaec"}, "confirm": true,
	})
	assert.Contains(t, failure.Details["near"], "Space", "%s", text(failure))
	key := args{"type": "key", "key": "A"}
	failure = r.refused(t, protocol.ResourceNotFound, "add_input_event", args{"action": "jumpp", "event": key, "confirm": true})
	assert.Contains(t, failure.Details["near"], "jump", "%s", text(failure))
	for _, name := range []string{"", " a", "a/b", "a:b", "a=b", `a"b`, `a\b`, "a.b", "[a]", "a;b", "a\nb", strings.Repeat("a", 101)} {
		r.refused(t, protocol.ValidationError, "add_input_action", args{"name": name, "confirm": true})
	}
	for _, deadzone := range []any{-0.1, 1.1, "0.5", nil, true, args{"$float": "nan"}} {
		r.refused(t, protocol.ValidationError, "add_input_action", args{"name": "b", "deadzone": deadzone, "confirm": true})
	}
	r.same(t, before, "refused events and actions")
	r.confirmed(t, "remove_input_action", args{"name": "jump"})
}

// found gives the rows of a search, as "path:line text".
func (r *rig) found(t *testing.T, call args) []string {
	t.Helper()
	var rows []string
	for offset, more := 0, true; more; {
		p := r.page(t, "search_files", with(call, "offset", offset))
		for _, row := range p.Rows {
			rows = append(rows, strings.TrimSpace(text(row)))
		}
		offset, more = p.NextOffset, p.Truncated
	}
	return rows
}

func (r *rig) filesFound(t *testing.T) {
	folder := workRes + "/search"
	require.NoError(t, os.MkdirAll(r.project.Path(folder+"/sub/.hidden"), 0o755))
	for name, content := range map[string]string{
		"a.txt": "first\nNeedle here, needle there\r\nlast needle", "sub/b.gd": "# needle\n", "sub/c.TXT": "nothing\n",
		"sub/umlaut.txt": "ä\nNÄDEL\n日本 needle", "binary.bin": "needle\x00needle", "latin.txt": "needle \xe4\xf6\n",
		"sub/.hidden/x.txt": "needle", ".secret": "needle", "empty.txt": "",
		"long.txt": strings.Repeat("x", 5000) + "needle" + strings.Repeat("y", 5000),
		"big.txt":  strings.Repeat("needle\n", 400_000), "many.txt": strings.Repeat("pin\n", 2500),
	} {
		r.rewriteFile(t, folder+"/"+name, content)
	}
	search := func(call args) []string { return r.found(t, with(call, "directory", folder)) }
	long := `["` + folder + `/long.txt",1,"…` + strings.Repeat("x", 50) + "needle" + strings.Repeat("y", 104) + `…"]`
	assert.Equal(t, []string{
		`["` + folder + `/sub/b.gd",1,"# needle"]`, `["` + folder + `/sub/umlaut.txt",3,"日本 needle"]`,
		`["` + folder + `/a.txt",2,"Needle here, needle there"]`, `["` + folder + `/a.txt",3,"last needle"]`, long,
	}, search(args{"content": "needle"}))
	assert.Equal(t, []string{`["` + folder + `/a.txt",2,"Needle here, needle there"]`},
		search(args{"content": "Needle", "case_sensitive": true}))
	assert.Len(t, search(args{"content": "nädel"}), 1)
	assert.Empty(t, search(args{"content": "n.edle"}), "a plain text, no pattern")
	assert.Len(t, search(args{"content": "needle", "name_glob": "*.gd"}), 1)
	assert.Len(t, search(args{"name_glob": "*.txt"}), 8, "any case, hidden ones left out")
	assert.Len(t, search(args{"name_glob": "umlaut"}), 1)
	assert.Len(t, search(args{"content": "pin"}), 2500, "pages fit together")
	data := r.ok(t, "search_files", args{"directory": folder, "content": "needle"}).Data
	assert.EqualValues(t, 2, data["skipped_binary"])
	assert.Equal(t, []any{folder + "/big.txt"}, data["skipped_over_2MB"])
	assert.NotContains(t, data, "engine_errors")
	r.refused(t, protocol.ResourceNotFound, "search_files", args{"directory": "res://no_such"})
	r.refused(t, protocol.ResourceNotFound, "search_files", args{"directory": folder, "start_at": folder + "/gone.txt"})
	started := search(args{"content": "needle", "start_at": folder + "/a.txt"})
	assert.Len(t, started, 3)
}

func (r *rig) filesLinked(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "leak.txt"), []byte("top secret\n"), 0o600))
	folder := workRes + "/linked"
	require.NoError(t, os.MkdirAll(r.project.Path(folder), 0o755))
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(r.project.Path(folder))) })
	require.NoError(t, os.Symlink(outside, r.project.Path(folder+"/out")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "leak.txt"), r.project.Path(folder+"/leak.txt")))
	reply := r.ok(t, "search_files", args{"directory": folder, "content": "secret"})
	assert.Empty(t, reply.Data["rows"], "%s", reply.Raw)
	assert.ElementsMatch(t, []any{folder + "/out", folder + "/leak.txt"}, reply.Data["links_not_followed"])
	reply = r.ok(t, "get_filesystem_tree", args{"directory": folder})
	assert.Equal(t, []any{[]any{folder + "/leak.txt", "link", ""}}, reply.Data["rows"], "%s", reply.Raw)
	assert.Equal(t, []any{folder + "/out"}, reply.Data["links_not_followed"])
	r.refused(t, protocol.PathOutsideProject, "search_files", args{"directory": folder + "/out", "content": "secret"})
	r.refused(t, protocol.PathOutsideProject, "get_filesystem_tree", args{"directory": folder + "/out"})
	r.refused(t, protocol.PathOutsideProject, "get_import_status", args{"path": folder + "/leak.txt"})
}

func (r *rig) filesTree(t *testing.T) {
	whole := r.page(t, "get_filesystem_tree", args{"directory": "res://scenes_fixture"})
	assert.False(t, whole.Truncated)
	assert.Contains(t, whole.Rows, []any{"res://scenes_fixture/assets/", "folder", ""})
	assert.Contains(t, whole.Rows, []any{"res://scenes_fixture/assets/red.png", "CompressedTexture2D", "under_1kB"})
	assert.Contains(t, whole.Rows, []any{"res://scenes_fixture/scripts/setters.gd", "GDScript", "under_1kB"})
	for _, path := range whole.paths() {
		assert.NotRegexp(t, `\.(import|uid)$|/\.`, path)
	}
	var paged []string
	for offset, more := 0, true; more; {
		p := r.page(t, "get_filesystem_tree", args{"directory": "res://scenes_fixture/", "limit": 9, "offset": offset})
		paged = append(paged, p.paths()...)
		offset, more = p.NextOffset, p.Truncated
	}
	assert.Equal(t, whole.paths(), paged)
	for _, path := range r.page(t, "get_filesystem_tree", args{"directory": "res://scenes_fixture", "max_depth": 0}).paths() {
		assert.Equal(t, 1, strings.Count(strings.TrimSuffix(strings.TrimPrefix(path, "res://"), "/"), "/"), path)
	}
	assert.Contains(t, r.page(t, "get_filesystem_tree", args{"max_depth": 0}).paths(), "res://project.godot")
	r.refused(t, protocol.ResourceNotFound, "get_filesystem_tree", args{"directory": "res://no_such"})
}

func (r *rig) uids(t *testing.T) {
	const ramp = "res://scenes_fixture/assets/ramp.tres"
	for _, value := range []string{ramp, "uid://cfixtureramp1"} {
		data := r.ok(t, "resolve_uid", args{"value": value}).Data
		assert.Equal(t, ramp, data["path"])
		assert.Equal(t, "uid://cfixtureramp1", data["uid"])
	}
	assert.Nil(t, r.ok(t, "resolve_uid", args{"value": settingsRes}).Data["uid"])
	for value, code := range map[string]protocol.Code{
		"uid://nosuchuid": protocol.ResourceNotFound, "uid://": protocol.ResourceNotFound, "uid://<invalid>": protocol.ResourceNotFound,
		"res://none.gd": protocol.ResourceNotFound, "res://../outside.gd": protocol.PathOutsideProject,
		"/etc/passwd": protocol.InvalidPath, "": protocol.InvalidPath, "user://x": protocol.InvalidPath,
	} {
		r.refused(t, code, "resolve_uid", args{"value": value})
	}
}

// imports: what the importer has made of a file is told truly at each stage of the file's life.
func (r *rig) imports(t *testing.T) {
	status := func(path string) map[string]any { return r.ok(t, "get_import_status", args{"path": path}).Data }
	red := status("res://scenes_fixture/assets/red.png")
	for key, want := range map[string]any{
		"importable": true, "imported": true, "valid": true, "up_to_date": true, "importer": "texture",
		"type": "CompressedTexture2D", "known": true, "scanning": false,
	} {
		assert.Equal(t, want, red[key], "%s: %v", key, red)
	}
	assert.Equal(t, false, status("res://scenes_fixture/own_nodes.tscn")["importable"])
	r.refused(t, protocol.ResourceNotFound, "get_import_status", args{"path": "res://none.png"})
	path := workRes + "/fresh_picture.png"
	r.rewriteFile(t, path, r.file(t, "res://scenes_fixture/assets/red.png"))
	fresh := status(path)
	assert.Equal(t, false, fresh["imported"])
	assert.Equal(t, false, fresh["known"], "the editor has not looked")
	started := r.ok(t, "rescan_filesystem", args{})
	assert.Equal(t, true, started.Data["scanning"], "%s", started.Raw)
	over := func(key string, want any) func() bool {
		return func() bool { now := status(path); return now["scanning"] == false && now[key] == want }
	}
	require.Eventually(t, over("up_to_date", true), 20*time.Second, 20*time.Millisecond, "the import: %v", status(path))
	assert.Equal(t, "CompressedTexture2D", status(path)["type"])
	// Changed behind the editor's back: the import is of the old content.
	r.rewriteFile(t, path, r.file(t, "res://scenes_fixture/assets/red.png")+"trailing")
	stale := status(path)
	assert.Equal(t, false, stale["up_to_date"], "%v", stale)
	assert.Equal(t, "changed_since_import", stale["reason"])
	require.NoError(t, os.Remove(r.project.Path(path)))
	require.NoError(t, os.Remove(r.project.Path(path+".import")))
	r.ok(t, "rescan_filesystem", args{})
	require.Eventually(t, func() bool {
		tree := r.page(t, "get_filesystem_tree", args{"directory": workRes}).paths()
		return !slices.Contains(tree, path) && status("res://scenes_fixture/assets/red.png")["scanning"] == false
	}, 20*time.Second, 20*time.Millisecond)
}
