package contract

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const pollEvery = 10 * time.Millisecond

// testSaves: a save writes what it says, and never over what it did not read.
func (r *rig) testSaves(t *testing.T) {
	for name, run := range map[string]func(*testing.T){
		"save as a new file":                                   r.saveAs,
		"save as never writes onto another file unasked":       r.saveAsExisting,
		"save as onto a scene that is instanced here":          r.saveAsCycle,
		"save as into a folder that is not there":              r.saveAsNoFolder,
		"a scene changed on disk":                              r.diskChanged,
		"an edited resource changed on disk":                   r.resourceChanged,
		"a script changed on disk is not written over":         r.scriptChanged,
		"exported values survive a script that does not parse": r.brokenScript,
		"a touched but equal file is no change":                r.sameBytes,
		"protected files are no targets":                       r.saveProtected,
		"what is written along":                                r.testAlong,
		"what the save itself changes is told":                 r.saveChanges,
		"a promise of several properties":                      r.savePartly,
		"a dialog of the scene's own":                          r.saveOwnDialog,
		"lost edits go with their action":                      r.saveLossesOfBatches,
		"edits that were told to be lost are told again":       r.saveLosses,
	} {
		t.Run(name, run)
	}
}

// saveOwnDialog: a dialog that is part of the scene is shown in the scene, and waits for nobody.
func (r *rig) saveOwnDialog(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.ok(t, "create_node", args{
		"node_type": "ConfirmationDialog", "node_name": "Ask", "parent_path": ".", "properties": args{"visible": true},
	})
	r.ok(t, "save_scene", args{"confirm": true})
	r.ok(t, "reload_scene", args{"scene_path": path, "confirm": true})
	read := r.ok(t, "get_node", args{"node_path": "Ask", "properties": []string{"visible", "exclusive"}})
	yes := map[string]any{"type": "bool", "value": true}
	assert.Equal(t, map[string]any{"visible": yes, "exclusive": yes}, read.Data["properties"], "%s", read.Raw)
	r.ok(t, "set_node_property", args{"node_path": "Ask", "property": "visible", "value": false})
	r.ok(t, "save_scene", args{"confirm": true})
}

func (r *rig) saveAs(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.ours(t, 4)
	own, target := r.file(t, path), workRes+"/saved_as.tscn"
	reply := r.foretold(t, "save_scene", args{"scene_path": target, "confirm": true})
	t.Cleanup(func() { r.closeScene(t, target) })
	assert.Equal(t, own, r.file(t, path), "the scene's old file")
	assert.Equal(t, target, r.hand.look(t).Edited)
	r.checkTold(t, reply, []string{target})
	scenes, err := r.kit.Read(r.ctx, r.project, target)
	require.NoError(t, err)
	assert.Contains(t, string(scenes[target].Nodes["Enemy"].Properties["z_index"]), "4", "in the new file")
}

func (r *rig) saveAsExisting(t *testing.T) {
	other := r.copyFixture(t, "second_player")
	path := r.open(t, "own_nodes")
	r.ours(t, 4)
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.SceneMismatch, "save_scene",
			args{"scene_path": other, "confirm": true, "dry_run": dry})
		assert.Equal(t, path, failure.Details["active"], "%s", text(failure))
		assert.Equal(t, other, failure.Details["asked"], "%s", text(failure))
		assert.Contains(t, failure.Hint, "open_scene "+other)
		r.same(t, before, "save as onto another scene")
	}
	r.ok(t, "save_scene", args{"scene_path": other, "confirm": true, "overwrite": true})
	t.Cleanup(func() { r.closeScene(t, other) })
	assert.Contains(t, r.file(t, other), "z_index = 4")
	assert.Equal(t, before.files[path], r.files(t)[path], "the scene's old file")
}

// saveAsCycle: a scene must not become one of its own parts, directly or by way of another.
func (r *rig) saveAsCycle(t *testing.T) {
	part := r.copyFixture(t, "mid")
	middle := r.copyFixture(t, "nest")
	r.edit(t, middle, harness.FixtureRes+"/mid.tscn", part)
	whole := r.copyFixture(t, "nested_editable")
	r.edit(t, whole, harness.FixtureRes+"/nest.tscn", middle)
	r.openPath(t, whole)
	before := r.state(t)
	for _, target := range []string{middle, part} {
		failure := r.refused(t, protocol.ValidationError, "save_scene",
			args{"scene_path": target, "overwrite": true, "confirm": true})
		assert.Equal(t, "cyclic_instance", failure.Details["reason"], "%s", text(failure))
		assert.Contains(t, text(failure.Details["chain"]), target, "%s", text(failure))
		r.same(t, before, "save as onto "+target)
	}
}

// edit changes a file of the project from outside the editor.
func (r *rig) edit(t *testing.T, path, from, to string) {
	t.Helper()
	text := r.file(t, path)
	require.Contains(t, text, from)
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(strings.ReplaceAll(text, from, to)), 0o600))
}

func (r *rig) saveAsNoFolder(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	reply := r.call(t, "save_scene", args{"scene_path": "res://no/such/folder/x.tscn", "confirm": true})
	assert.False(t, reply.OK, "%s", reply.Raw)
	r.same(t, before, "save as into a missing folder")
}

func (r *rig) diskChanged(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.save(t)
	r.ours(t, 4)
	r.edit(t, path, `text = "keep"`, `text = "from outside"`)
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.DiskChanged, "save_scene", args{"confirm": true, "dry_run": dry})
		assert.Equal(t, path, failure.Details["file"], "%s", text(failure))
		assert.Equal(t, before.files[path], failure.Details["disk_sha256"], "%s", text(failure))
		assert.NotEqual(t, failure.Details["opened_sha256"], failure.Details["disk_sha256"], "%s", text(failure))
		r.same(t, before, "a save over a changed file")
	}
	assert.NotContains(t, r.kept(t, path), before.files[path])
	r.ok(t, "save_scene", args{"confirm": true, "overwrite": true})
	assert.Contains(t, r.file(t, path), "z_index = 4")
	assert.Contains(t, r.kept(t, path), before.files[path], "what was on the disk can be had again")
}

// resourceChanged: a save writes every edited resource, so one with a newer file holds up all saves; the hint's way out
// leads out, and keeps the newer file.
func (r *rig) resourceChanged(t *testing.T) {
	shared := workRes + "/shared_gradient.tres"
	content := func(name string) string {
		return "[gd_resource type=\"Gradient\" format=3]\n\n[resource]\nresource_name = \"" + name + "\"\n"
	}
	r.write(t, shared, content("old"))
	r.open(t, "own_nodes")
	r.ok(t, "set_resource_property", args{"resource_path": shared, "property": "resource_name", "value": "mine"})
	r.write(t, shared, content("newer"))
	r.ours(t, 4)
	for _, tool := range []string{"save_scene", "save_all_scenes"} {
		failure := r.refused(t, protocol.DiskChanged, tool, args{"confirm": true})
		assert.Contains(t, failure.Hint, "restore_file", "%s: %s", tool, text(failure))
	}
	r.ok(t, "create_resource", args{
		"resource_type": "Gradient", "resource_path": shared, "overwrite": true, "confirm": true,
	})
	r.ok(t, "restore_file", args{"path": shared, "confirm": true})
	r.save(t)
	assert.Contains(t, r.file(t, shared), `"newer"`)
	read := r.ok(t, "read_resource_file", args{"resource_path": shared})
	assert.Contains(t, string(read.Raw), `"newer"`, "the editor's memory too")
}

func (r *rig) scriptChanged(t *testing.T) {
	script := workRes + "/player.gd"
	text := "extends Node2D\n## Mine.\n\n@export var speed: int = 1\n"
	require.NoError(t, os.WriteFile(r.project.Path(script), []byte(text), 0o600))
	path := r.copyFixture(t, "scripts")
	r.edit(t, path, harness.FixtureRes+"/scripts/plain_exports.gd", script)
	r.openPath(t, path)
	r.hand.act(t, "edit_text", map[string]any{"path": script}, nil)
	r.ok(t, "set_node_property", args{"node_path": "Plain", "property": "speed", "value": 3})
	r.edit(t, script, "## Mine.", "## Mine, with a marker.")
	before := r.files(t)
	reply := r.call(t, "save_scene", args{"confirm": true})
	if !reply.OK {
		assert.Equal(t, protocol.DiskChanged, reply.Error.Code, "%s", reply.Raw)
		assert.Equal(t, before, r.files(t), "refused, but files changed")
	}
	assert.Contains(t, r.file(t, script), "with a marker", "the newer script")
}

// brokenScript: refused, or saved without loss; the exported value is in the file either way.
func (r *rig) brokenScript(t *testing.T) {
	path := r.open(t, "broken_script")
	r.ok(t, "create_node", args{"node_type": "Node", "node_name": "Another"})
	before := r.state(t)
	reply := r.call(t, "save_scene", args{"confirm": true})
	if !reply.OK {
		assert.Equal(t, "scripts_parse", reply.Error.Required, "%s", reply.Raw)
		assert.Contains(t, text(reply.Error.Details["scripts"]), "broken.gd", "%s", reply.Raw)
		r.same(t, before, "a save that would lose values")
	}
	assert.Contains(t, r.file(t, path), "important = 7")
}

func (r *rig) sameBytes(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.save(t)
	r.ours(t, 4)
	text := r.file(t, path)
	later := time.Now().Add(5 * time.Second)
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(text), 0o600))
	require.NoError(t, os.Chtimes(r.project.Path(path), later, later))
	r.save(t)
	assert.Contains(t, r.file(t, path), "z_index = 4")
}

func (r *rig) saveProtected(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	r.silent(t, "protected", func() {
		for _, path := range []string{
			"res://addons/drawbridge/a.tscn", "res://.godot/a.tscn", "res://.git/a.tscn", "res://ADDONS/Drawbridge/a.tscn",
		} {
			r.refused(t, protocol.ProtectedTarget, "save_scene", args{"scene_path": path, "confirm": true})
		}
		for _, path := range []string{"res://project.godot", "res://a.txt", "res://a.tscn.gd", "res://"} {
			reply := r.call(t, "save_scene", args{"scene_path": path, "confirm": true})
			assert.False(t, reply.OK, "%s: %s", path, reply.Raw)
		}
	})
	r.same(t, before, "protected targets")
}

// testNoScene: with no scene open, and with one that has no file.
func (r *rig) testNoScene(t *testing.T) {
	r.hand.act(t, "new_scene", nil, nil)
	t.Run("a scene without a file", r.unsavedScene)
	r.hand.act(t, "close", nil, nil)
	for _, tool := range r.tools {
		if !tool.InScene {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			call := example(t, tool)
			calls := []args{call, with(call, "scene", workRes+"/first.tscn"), with(call, "scene", "unsaved:1")}
			if hasParam(tool, "dry_run") {
				calls = append(calls, with(call, "dry_run", true))
			}
			for _, call := range calls { // whichever scene it is for, named or remembered
				failure := r.refused(t, protocol.PreconditionFailed, tool.Name, call)
				assert.Equal(t, "active_scene", failure.Required)
				assert.Contains(t, failure.Hint, "open_scene")
			}
		})
	}
}

func (r *rig) unsavedScene(t *testing.T) {
	r.ok(t, "get_scene_tree", args{}) // a write is for the scene that the client saw last
	reply := r.foretold(t, "create_node", args{"node_type": "Node2D", "node_name": "Made"})
	require.NotEmpty(t, reply.Persistence, "%s", reply.Raw)
	assert.Nil(t, reply.Persistence[0].Persisted, "%s", reply.Raw)
	assert.Equal(t, protocol.ReasonNoPath, reply.Persistence[0].Reason)
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.PreconditionFailed, "save_scene", args{"confirm": true, "dry_run": dry})
		assert.Equal(t, "scene_path", failure.Required)
		assert.Contains(t, failure.Hint, "save_scene")
	}
	r.same(t, before, "a save without a path")
	id, _ := reply.Data["scene"].(string)
	assert.True(t, strings.HasPrefix(id, "unsaved:"), "the scene's id: %q", id)
	r.ok(t, "get_node", args{"node_path": "Made", "scene": id})
	target := workRes + "/first.tscn"
	r.ok(t, "save_scene", args{"scene_path": target, "confirm": true})
	scenes, err := r.kit.Read(r.ctx, r.project, target)
	require.NoError(t, err)
	assert.Contains(t, scenes[target].Nodes, "Made")
}

// saveChanges: the verdict of an edit cannot know what an animation and the scene's own code do while it is saved. The
// save reads its file, and says what that does not hold.
func (r *rig) saveChanges(t *testing.T) {
	for _, tool := range []string{"save_scene", "save_all_scenes"} {
		path := r.open(t, "changed_by_save")
		r.ok(t, "set_node_property", args{"node_path": "Posed", "property": "position", "value": []int{70, 80}})
		r.ok(t, "set_node_property", args{"node_path": "Coded", "property": "z_index", "value": 7})
		r.ok(t, "set_node_property", args{"node_path": "Coded", "property": "speed", "value": 7})
		r.ok(t, "batch_set_property", args{"node_paths": []string{"Plain", "Coded"}, "property": "process_priority", "value": 9})
		made := r.ok(t, "create_node", args{
			"node_type": "Node2D", "node_name": "New", "parent_path": ".", "properties": args{"rotation": 1.5},
		})
		assert.Equal(t, "New", made.Data["name"], "%s", made.Raw)
		reply := r.ok(t, tool, args{"confirm": true})
		var told struct {
			NotKept []struct{ Target, Property, Hint string } `json:"not_kept"`
			Total   int                                       `json:"not_kept_total"`
		}
		decodeData(t, reply, &told)
		scenes, err := r.kit.Read(r.ctx, r.project, path)
		require.NoError(t, err)
		assert.NotContains(t, string(scenes[path].Nodes["Posed"].Properties["position"]), "70", "what a fresh process reads")
		assert.NotContains(t, string(scenes[path].Nodes["Coded"].Properties["z_index"]), "7", "what a fresh process reads")
		require.Len(t, told.NotKept, 2, "%s", reply.Raw)
		assert.Equal(t, 2, told.Total)
		for _, one := range told.NotKept {
			want, why := "position", "Player"
			if one.Target == "Coded" {
				want, why = "z_index", "NOTIFICATION_EDITOR_PRE_SAVE"
			}
			assert.Equal(t, want, one.Property, "%s", reply.Raw)
			assert.Contains(t, one.Hint, why)
		}
		told.NotKept = nil
		decodeData(t, r.ok(t, "save_scene", args{"confirm": true}), &told)
		assert.Len(t, told.NotKept, 2, "it is told as long as it is so")
		r.ok(t, "set_node_property", args{"node_path": "Coded", "property": "speed", "value": 5})
		r.ok(t, "set_node_property", args{"node_path": "Coded", "property": "z_index", "value": 0})
		r.ok(t, "set_node_property", args{"node_path": "Posed", "property": "position", "value": []int{5, 6}})
		again := r.ok(t, tool, args{"confirm": true})
		assert.NotContains(t, again.Data, "not_kept", "%s", again.Raw)
		r.closeScene(t, path)
	}
}

// savePartly: a promise about several stored properties is kept when all of them are.
func (r *rig) savePartly(t *testing.T) {
	path := r.open(t, "changed_by_save")
	r.ok(t, "set_node_property", args{
		"node_path": "Posed", "property": "transform", "value": args{"$type": "Transform2D", "value": []any{2, 0, 0, 3, 70, 80}},
	})
	for range 2 {
		reply := r.ok(t, "save_scene", args{"confirm": true})
		assert.Equal(t, 1.0, reply.Data["not_kept_total"], "only the position: %s", reply.Raw)
		assert.Contains(t, text(reply.Data["not_kept"]), `"property":"position"`)
	}
	r.closeScene(t, path)
}

// saveLosses: who saves is told what the file does not hold, whoever made the edit.
func (r *rig) saveLosses(t *testing.T) {
	path := r.open(t, "instance_closed")
	lost := r.ok(t, "set_node_property", args{"node_path": "Shell/Kid", "property": "position", "value": []int{7, 8}})
	require.Len(t, lost.Persistence, 1)
	require.Equal(t, false, *lost.Persistence[0].Persisted, "%s", lost.Raw)
	r.ok(t, "add_to_group", args{"node_path": "Shell/Kid/Deep", "group": "lost"})
	reply := r.ok(t, "save_scene", args{"confirm": true})
	assert.Equal(t, 2.0, reply.Data["lost_edits_total"], "a value of one node, a group of another: %s", reply.Raw)
	assert.Contains(t, text(reply.Data["lost_edits"]), "Shell/Kid", "%s", reply.Raw)
	for _, tool := range []string{"reload_scene", "close_scene"} {
		told := r.ok(t, tool, args{"scene_path": path, "confirm": true, "dry_run": true})
		assert.Contains(t, text(told.Data["lost_edits"]), "Shell/Kid", "%s", told.Raw)
	}
	r.ok(t, "undo", args{"count": 2})
	again := r.ok(t, "save_scene", args{"confirm": true})
	assert.NotContains(t, again.Data, "lost_edits", "%s", again.Raw)
	r.closeScene(t, path)
}

// saveLossesOfBatches: what was undone, or taken back, is lost no more, whatever another action of that name does.
func (r *rig) saveLossesOfBatches(t *testing.T) {
	path := r.open(t, "instance_closed")
	group := func(node, group string) args {
		return args{"tool": "add_to_group", "arguments": args{"node_path": node, "group": group}}
	}
	batch := func(commands ...args) args { return args{"atomic": true, "commands": commands} }
	r.ok(t, "run_commands", batch(group("Shell/Kid", "gone"), group("Own", "kept")))
	r.ok(t, "undo", args{})
	r.refused(t, protocol.ResourceNotFound, "run_commands", batch(group("Shell/Kid/Deep", "gone"), group("Nowhere", "x")))
	r.ok(t, "run_commands", batch(group("Own", "kept"), group("Own", "too")))
	kept := r.ok(t, "save_scene", args{"confirm": true})
	assert.NotContains(t, kept.Data, "lost_edits", "%s", kept.Raw)
	r.ok(t, "run_commands", batch(group("Shell/Kid", "lost"), group("Own", "kept_too")))
	lost := r.ok(t, "save_scene", args{"confirm": true})
	assert.Equal(t, 1.0, lost.Data["lost_edits_total"], "%s", lost.Raw)
	r.open(t, "own_nodes")
	behind := r.ok(t, "close_scene", args{"scene_path": path, "confirm": true, "dry_run": true})
	assert.Contains(t, text(behind.Data["lost_edits"]), path, "of a scene in another tab: %s", behind.Raw)
	r.closeScene(t, path)
}
