package contract

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// keepFor brings about what an example needs to be kept: bytes of the file that it names, unlike those it has now, or
// a checkpoint from which a file differs.
func (r *rig) keepFor(t *testing.T, tool harness.ToolFacts, call args) {
	t.Helper()
	for _, name := range tool.ExampleKept {
		checkpoint := r.freshName("kept for " + tool.Name)
		path := workRes
		for _, p := range tool.Params {
			if p.Name == name && p.File {
				path = fmt.Sprint(call[name])
			}
		}
		if path != workRes {
			r.ok(t, "create_checkpoint", args{"name": checkpoint})
			r.append(t, path, "\n")
			r.ok(t, "restore_checkpoint", args{"name": checkpoint, "filter": path, "confirm": true})
			continue
		}
		path = r.copyFile(t, harness.FixtureRes+"/assets/thing.tres")
		r.ok(t, "create_checkpoint", args{"name": checkpoint})
		r.append(t, path, "\n")
		call[name] = checkpoint
	}
}

// append changes a file behind the editor's back.
func (r *rig) append(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(r.file(t, path)+text), 0o600))
}

// testRecovery: nothing that a tool does to a file is final.
func (r *rig) testRecovery(t *testing.T) {
	t.Run("a saved scene", r.recoverScene)
	t.Run("what was restored", r.recoverRestored)
	t.Run("a removed file", r.recoverRemoved)
	t.Run("a resource in memory", r.recoverCached)
	t.Run("a script in memory", r.recoverScript)
	t.Run("what the editor holds is in the way", r.recoverRefusals)
	t.Run("a checkpoint", r.recoverCheckpoint)
	t.Run("edits since a checkpoint", r.recoverEdits)
}

// kept lists what is kept of a file, newest first.
func (r *rig) kept(t *testing.T, path string) []string {
	t.Helper()
	var body struct {
		Files []struct {
			Path   string `json:"path"`
			SHA256 string `json:"sha256"`
		} `json:"files"`
	}
	decodeData(t, r.ok(t, "list_recoverable", args{"filter": path}), &body)
	var sums []string
	for _, f := range body.Files {
		assert.Equal(t, path, f.Path)
		sums = append(sums, f.SHA256)
	}
	return sums
}

func (r *rig) recoverScene(t *testing.T) {
	path := r.open(t, "own_nodes")
	old, oldSum := r.file(t, path), r.files(t)[path]
	assert.Empty(t, r.kept(t, path))
	r.ok(t, "delete_node", args{"node_path": "Enemy", "confirm": true})
	require.NotEqual(t, old, r.saved(t, path))
	require.Equal(t, []string{oldSum}, r.kept(t, path))

	failure := r.refused(t, protocol.PreconditionFailed, "restore_file", args{"path": path, "confirm": true})
	assert.Equal(t, "scene_not_open", failure.Required)
	r.ok(t, "close_scene", args{"scene_path": path, "confirm": true})
	reply := r.ok(t, "restore_file", args{"path": path, "sha256": oldSum, "confirm": true})
	assert.Equal(t, old, r.file(t, path), "%s", reply.Raw)
	r.checkTold(t, reply, []string{path})
	r.ok(t, "open_scene", args{"scene_path": path})
	r.ok(t, "get_node", args{"node_path": "Enemy"})
	assert.Equal(t, old, r.file(t, path))
}

func (r *rig) recoverRestored(t *testing.T) {
	path := r.copyFile(t, harness.FixtureRes+"/assets/thing.tres")
	r.keepFor(t, r.byName["restore_file"], args{"path": path})
	first := r.file(t, path)
	r.ok(t, "restore_file", args{"path": path, "confirm": true})
	second := r.file(t, path)
	require.NotEqual(t, first, second)
	r.ok(t, "restore_file", args{"path": path, "confirm": true})
	assert.Equal(t, first, r.file(t, path), "the latest, unlike what is there, is what was there before")
	same := r.ok(t, "restore_file", args{"path": path, "sha256": r.files(t)[path], "confirm": true})
	assert.Equal(t, false, same.Data["changed"], "%s", same.Raw)
}

func (r *rig) recoverRemoved(t *testing.T) {
	path := r.copyFile(t, harness.FixtureRes+"/assets/thing.tres")
	r.keepFor(t, r.byName["restore_file"], args{"path": path})
	sum := r.files(t)[path]
	r.ok(t, "restore_file", args{"path": path, "confirm": true})
	require.NoError(t, os.Remove(r.project.Path(path)))
	r.ok(t, "restore_file", args{"path": path, "sha256": sum, "confirm": true})
	assert.Equal(t, sum, r.files(t)[path])
	r.refused(t, protocol.ResourceNotFound, "restore_file", args{"path": workRes + "/never.tres", "confirm": true})
}

// recoverCached: the editor reads a resource that it holds again, so that no later save writes over what came back.
func (r *rig) recoverCached(t *testing.T) {
	_, path, _ := r.fresh(t)
	part := path[:len(path)-len("_whole.tres")] + "_part.tres"
	r.ok(t, "set_node_property", args{"node_path": "External", "property": "texture", "value": path})
	r.keepFor(t, r.byName["restore_file"], args{"path": part})
	r.ok(t, "restore_file", args{"path": part, "confirm": true})
	before := r.file(t, part)
	r.save(t)
	assert.Equal(t, before, r.file(t, part))
}

// recoverScript: a script in memory has the text that came back, unless that does not parse, which is told.
func (r *rig) recoverScript(t *testing.T) {
	r.open(t, "own_nodes")
	path := workRes + "/" + r.freshName("recovered.gd")
	write := func(text string) {
		require.NoError(t, os.WriteFile(r.project.Path(path), []byte(text), 0o600))
	}
	restore := func(text string) harness.Reply {
		checkpoint := r.freshName("script")
		kept := r.file(t, path)
		write(text)
		r.ok(t, "create_checkpoint", args{"name": checkpoint})
		write(kept)
		return r.ok(t, "restore_checkpoint", args{"name": checkpoint, "filter": path, "confirm": true})
	}
	gives := func() int {
		var live struct {
			Gives int `json:"gives"`
		}
		r.hand.act(t, "live", args{"path": path, "method": "give"}, &live)
		return live.Gives
	}
	script := "extends RefCounted\n\n\nfunc give() -> int:\n\treturn %d\n"
	write(fmt.Sprintf(script, 1))
	require.Equal(t, 1, gives())
	reply := restore(fmt.Sprintf(script, 2))
	assert.NotContains(t, reply.Data, "stale_scripts", "%s", reply.Raw)
	assert.Equal(t, 2, gives())
	reply = restore("extends RefCounted\n\nfunc give(\n")
	assert.Equal(t, []any{path}, reply.Data["stale_scripts"], "%s", reply.Raw)
	assert.Equal(t, 2, gives(), "the old one goes on")
}

func (r *rig) recoverRefusals(t *testing.T) {
	scene, whole, _ := r.fresh(t)
	r.ok(t, "set_node_property", args{"node_path": "External", "property": "texture", "value": whole})
	r.keepFor(t, r.byName["restore_file"], args{"path": whole})
	r.byHand(t, whole)
	before := r.files(t)
	failure := r.refused(t, protocol.PreconditionFailed, "restore_file", args{"path": whole, "confirm": true})
	assert.Equal(t, "resource_saved", failure.Required)
	assert.Equal(t, before, r.files(t))
	r.hand.act(t, "clear_global", nil, nil)
	checkpoint := r.freshName("with an open scene")
	r.ok(t, "create_checkpoint", args{"name": checkpoint})
	r.save(t)
	r.ok(t, "set_node_property", args{"node_path": ".", "property": "editor_description", "value": "changed"})
	r.save(t)
	failure = r.refused(t, protocol.PreconditionFailed, "restore_checkpoint",
		args{"name": checkpoint, "filter": scene, "confirm": true})
	assert.Equal(t, "scene_not_open", failure.Required)
}

func (r *rig) recoverCheckpoint(t *testing.T) {
	changed := r.copyFile(t, harness.FixtureRes+"/assets/thing.tres")
	removed := r.copyFile(t, harness.FixtureRes+"/assets/ramp.tres")
	name := r.freshName("before")
	made := r.ok(t, "create_checkpoint", args{"name": name})
	assert.NotEmpty(t, made.Data["left_out"], "%s", made.Raw)
	assert.Contains(t, made.Data["note"], "undo")
	r.refused(t, protocol.AlreadyExists, "create_checkpoint", args{"name": name})
	before := r.files(t)
	r.append(t, changed, "\n; more\n")
	require.NoError(t, os.Remove(r.project.Path(removed)))
	settings := r.file(t, "res://project.godot")
	r.append(t, "res://project.godot", "\n; more\n")
	defer func() {
		require.NoError(t, os.WriteFile(r.project.Path("res://project.godot"), []byte(settings), 0o600))
	}()
	newer := r.copyFile(t, harness.FixtureRes+"/assets/thing.tres")
	reply := r.ok(t, "restore_checkpoint", args{"name": name, "confirm": true})
	after := r.files(t)
	assert.Equal(t, before[changed], after[changed])
	assert.Equal(t, before[removed], after[removed])
	r.checkTold(t, reply, []string{changed, removed})
	assert.Contains(t, text(reply.Data["newer_files_left"]), newer, "%s", reply.Raw)
	assert.Contains(t, text(reply.Data["not_restored"]), "project.godot", "%s", reply.Raw)
	again := r.ok(t, "restore_checkpoint", args{"name": name, "confirm": true})
	assert.Equal(t, false, again.Data["changed"], "%s", again.Raw)
	assert.Contains(t, text(r.ok(t, "list_checkpoints", args{}).Data), name)
}

// recoverEdits: a checkpoint knows how far the undo history was, and restore_checkpoint says which call leads there.
func (r *rig) recoverEdits(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.ok(t, "set_node_property", setPriority(21))
	name := r.freshName("edits")
	r.ok(t, "create_checkpoint", args{"name": name})
	way := func() map[string]any {
		t.Helper()
		seen, _ := r.ok(t, "restore_checkpoint", args{"name": name, "dry_run": true}).Data["undo_back"].(map[string]any)
		return seen
	}
	assert.Equal(t, map[string]any{"already_there": true, "scene": path}, way())
	r.ok(t, "set_node_property", setPriority(22))
	r.ok(t, "set_node_property", setPriority(23))
	assert.Equal(t, map[string]any{"tool": "undo", "count": 2.0, "scene": path}, way())
	r.ok(t, "undo", args{"count": 3})
	assert.Equal(t, map[string]any{"tool": "redo", "count": 1.0, "scene": path}, way())
	r.ok(t, "redo", args{"count": 1})
	assert.Equal(t, map[string]any{"already_there": true, "scene": path}, way())
	r.hand.act(t, "set", args{"node": ".", "property": "process_priority", "value": "i:24", "action": "Hand: set"}, nil)
	assert.Contains(t, way()["not_possible"], "not Drawbridge's")
	r.ok(t, "save_scene", args{"confirm": true})
	empty := r.freshName("empty")
	open := r.refused(t, protocol.PreconditionFailed, "restore_checkpoint", args{"name": name, "confirm": true})
	assert.Contains(t, text(open.Details["undo_back"]), "not Drawbridge's", "%s", text(open))
	r.hand.act(t, "clear_global", nil, nil)
	r.ok(t, "reload_scene", args{"scene_path": path, "confirm": true})
	r.ok(t, "create_checkpoint", args{"name": empty})
	r.ok(t, "set_node_property", setPriority(31))
	r.ok(t, "save_scene", args{"confirm": true})
	r.ok(t, "reload_scene", args{"scene_path": path, "confirm": true})
	cleared := r.refused(t, protocol.PreconditionFailed, "restore_checkpoint", args{"name": empty, "confirm": true})
	assert.Contains(t, text(cleared.Details["undo_back"]), "cleared its undo history", "%s", text(cleared))
	r.open(t, "deep_subtree")
	open = r.refused(t, protocol.PreconditionFailed, "restore_checkpoint", args{"name": name, "confirm": true})
	assert.Contains(t, text(open.Details["undo_back"]), "open_scene "+path, "%s", text(open))
}
