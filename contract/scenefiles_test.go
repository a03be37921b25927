package contract

import (
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

// testSceneFiles: whole scenes come and go as asked, and nothing unsaved goes with them unasked.
func (r *rig) testSceneFiles(t *testing.T) {
	for _, row := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a new scene is what a fresh process reads", r.createScenes},
		{"a new scene has one root and takes nodes", r.createThenAdd},
		{"a new scene where something is", r.createOver},
		{"a new scene that cannot be", r.createRefused},
		{"a new scene that is not opened", r.createClosed},
		{"all unsaved scenes are saved, and only those", r.saveAll},
		{"a scene in another tab is known to be saved", r.saveAllThenUndo},
		{"one changed file stops all saves", r.saveAllChanged},
		{"more scenes than allowed", r.saveAllLimit},
		{"a scene without a file", r.saveAllUnnamed},
		{"closing what is unsaved", r.closeUnsaved},
		{"closing what is saved", r.closeSaved},
		{"closing a scene in another tab", r.closeOther},
		{"reading a scene again that is unsaved", r.reloadUnsaved},
		{"reading a scene again that changed on disk", r.reloadChanged},
		{"reading a scene again in another tab", r.reloadOther},
		{"reading a scene again that does not load", r.reloadBroken},
		{"scenes that are not open", r.notOpen},
	} {
		t.Run(row.name, row.run)
	}
}

// made gives a path for a new scene, which is closed when the test ends.
func (r *rig) made(t *testing.T) string {
	t.Helper()
	path := r.freshName(workRes + "/made.tscn")
	t.Cleanup(func() { r.closeScene(t, path) })
	return path
}

// read has a fresh process read scenes.
func (r *rig) read(t *testing.T, paths ...string) harness.Scenes {
	t.Helper()
	scenes, err := r.kit.Read(r.ctx, r.project, paths...)
	require.NoError(t, err)
	return scenes
}

func (r *rig) createScenes(t *testing.T) {
	rows := []struct{ kind, name, root, native, script string }{
		{"Node2D", "", "Node2D", "Node2D", ""},
		{"Node", "Level 1", "Level 1", "Node", ""},
		{"Control", "Größe_日本", "Größe_日本", "Control", ""},
		{"CharacterBody3D", `Back\slash`, `Back\slash`, "CharacterBody3D", ""},
		{"FixtureMover", "", "FixtureMover", "Node2D", harness.FixtureRes + "/scripts/fixture_mover.gd"},
		{"FixtureMover", "Hero", "Hero", "Node2D", harness.FixtureRes + "/scripts/fixture_mover.gd"},
	}
	var paths []string
	for _, row := range rows {
		path := r.made(t)
		reply := r.foretold(t, "create_scene",
			args{"root_type": row.kind, "root_name": row.name, "scene_path": path, "confirm": true})
		assert.Equal(t, row.root, reply.Data["root"], "%s", reply.Raw)
		assert.Equal(t, false, reply.Data["undoable"], "%s", reply.Raw)
		assert.Equal(t, false, reply.Data["scene_dirty"], "%s", reply.Raw)
		assert.Equal(t, path, r.hand.look(t).Edited, "it is opened")
		assert.Empty(t, engineErrors(t, reply))
		r.checkTold(t, reply, []string{path})
		paths = append(paths, path)
	}
	scenes := r.read(t, paths...)
	for i, row := range rows {
		scene := scenes[paths[i]]
		require.Empty(t, scene.Error, "%+v", row)
		assert.Equal(t, row.root, scene.Root)
		assert.Equal(t, []string{"."}, scene.Order, "exactly one node")
		assert.Equal(t, row.native, scene.Nodes["."].Type)
		assert.Equal(t, row.script, scene.Nodes["."].Script)
	}
}

// createThenAdd is BR-019: one root, one node more, and no word of the engine about owners.
func (r *rig) createThenAdd(t *testing.T) {
	path := r.made(t)
	before := strings.Count(r.editor.Output(), "owner")
	r.ok(t, "create_scene", args{"root_type": "Node2D", "scene_path": path, "confirm": true})
	count := len(r.read(t, path)[path].Order)
	reply := r.ok(t, "create_node", args{"node_type": "Sprite2D", "node_name": "Added"})
	assert.Equal(t, path, reply.Data["scene"], "the new scene is the client's: %s", reply.Raw)
	r.save(t)
	scene := r.read(t, path)[path]
	assert.Equal(t, []string{".", "Added"}, scene.Order)
	assert.Len(t, scene.Order, count+1)
	assert.Equal(t, 1, strings.Count(r.file(t, path), `name="Added"`))
	assert.Equal(t, before, strings.Count(r.editor.Output(), "owner"), "the engine's log about owners")
}

func (r *rig) createOver(t *testing.T) {
	path := r.copyFixture(t, "own_nodes")
	call := args{"root_type": "Control", "scene_path": path, "confirm": true}
	r.open(t, "second_player")
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.AlreadyExists, "create_scene", with(call, "dry_run", dry))
		assert.Contains(t, failure.Hint, "overwrite")
		r.same(t, before, "a scene where a file is")
	}
	r.openPath(t, path)
	r.ours(t, 4)
	before = r.state(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.PreconditionFailed, "create_scene",
			with(with(call, "overwrite", true), "dry_run", dry))
		assert.Equal(t, "scene_not_open", failure.Required)
		assert.Contains(t, failure.Hint, "close_scene")
		r.same(t, before, "a scene over an open one")
	}
	r.save(t)
	uid := uidOf(r.file(t, path))
	require.NotEmpty(t, uid)
	r.ok(t, "close_scene", args{"scene_path": path, "confirm": true})
	reply := r.ok(t, "create_scene", with(call, "overwrite", true))
	assert.Equal(t, true, reply.Data["replaced"])
	assert.Equal(t, uid, uidOf(r.file(t, path)), "the file's uid")
	assert.Equal(t, []string{"."}, r.read(t, path)[path].Order)
	var tree struct{ Total int }
	decodeData(t, r.ok(t, "get_scene_tree", args{}), &tree)
	assert.Equal(t, 1, tree.Total, "the opened scene is the new one, not one from a cache")
}

func uidOf(text string) string {
	_, rest, _ := strings.Cut(text, `uid="`)
	uid, _, _ := strings.Cut(rest, `"`)
	return uid
}

func (r *rig) createRefused(t *testing.T) {
	path := r.made(t)
	require.NoError(t, os.MkdirAll(r.project.Path(workRes+"/folder.tscn"), 0o755))
	r.open(t, "own_nodes")
	before := r.state(t)
	call := args{"root_type": "Node2D", "scene_path": path, "confirm": true}
	for _, row := range []struct {
		param  string
		value  any
		code   protocol.Code
		reason string
	}{
		{"root_type", "Node2d", protocol.ValidationError, "unknown_class"},
		{"root_type", "Resource", protocol.ValidationError, "not_a_node"},
		{"root_type", "FixtureThing", protocol.ValidationError, "not_a_node"},
		{"root_type", "CanvasItem", protocol.ValidationError, "abstract_class"},
		{"root_type", "FixtureAbstract", protocol.ValidationError, "abstract_class"},
		{"root_type", "EditorPlugin", protocol.ValidationError, "editor_only_class"},
		{"root_name", "a/b", protocol.ValidationError, "invalid_name_chars"},
		{"root_name", "%a", protocol.ValidationError, "invalid_name_chars"},
		{"scene_path", "res://t/made.scn", protocol.ValidationError, "extension"},
		{"scene_path", "res://t/made.tres", protocol.InvalidPath, ""},
		{"scene_path", workRes + "/folder.tscn", protocol.InvalidPath, ""},
		{"scene_path", "res://addons/drawbridge/made.tscn", protocol.ProtectedTarget, ""},
	} {
		for _, dry := range []bool{true, false} {
			failure := r.refused(t, row.code, "create_scene", with(with(call, row.param, row.value), "dry_run", dry))
			if row.reason != "" {
				assert.Equal(t, row.reason, failure.Details["reason"], "%v: %s", row.value, text(failure))
			}
			r.same(t, before, text(row.value))
		}
	}
}

func (r *rig) createClosed(t *testing.T) {
	front := r.open(t, "own_nodes")
	path := r.freshName(workRes + "/new_folder/made.tscn")
	before := r.hand.look(t)
	reply := r.foretold(t, "create_scene", args{"root_type": "Node", "scene_path": path, "open": false, "confirm": true})
	assert.Equal(t, before, r.hand.look(t), "the editor shows what it showed")
	assert.Equal(t, front, reply.Data["scene"], "%s", reply.Raw)
	assert.Equal(t, []string{"."}, r.read(t, path)[path].Order)
}

// dirty opens two scenes with unsaved changes and one without, the first changed one in front.
func (r *rig) dirty(t *testing.T) (front, behind, clean string) {
	t.Helper()
	clean = r.open(t, "second_player")
	behind = r.open(t, "own_nodes")
	r.ours(t, 5)
	front = r.open(t, "own_nodes")
	r.ours(t, 6)
	r.hand.look(t)
	return front, behind, clean
}

func (r *rig) saveAll(t *testing.T) {
	front, behind, clean := r.dirty(t)
	before := r.files(t)
	seen := r.hand.look(t)
	reply := r.foretold(t, "save_all_scenes", args{"confirm": true})
	assert.Equal(t, changedFiles(before, r.files(t)), sorted(front, behind), "the files that changed")
	r.checkTold(t, reply, []string{front, behind})
	assert.ElementsMatch(t, []any{front, behind}, reply.Data["saved"])
	assert.EqualValues(t, 2, reply.Data["count"])
	assert.Equal(t, false, reply.Data["scene_dirty"])
	now := r.hand.look(t)
	assert.Equal(t, seen.Edited, now.Edited, "the tab in front")
	assert.Equal(t, seen.Scenes, now.Scenes)
	assert.Empty(t, now.Starred, "nothing is unsaved")
	scenes := r.read(t, front, behind, clean)
	for path, value := range map[string]string{front: "6", behind: "5"} {
		kept, found := stores("Enemy", "z_index", value)(scenes[path])
		assert.True(t, kept, "%s: %s", path, found)
	}
	before = r.files(t)
	for _, dry := range []bool{true, false} {
		r.refused(t, protocol.NothingToSave, "save_all_scenes", args{"confirm": true, "dry_run": dry})
	}
	assert.Equal(t, before, r.files(t))
}

func sorted(paths ...string) []string {
	slices.Sort(paths)
	return paths
}

// saveAllThenUndo: undo leads away from the state that was saved, here in another tab, and an action that then takes the
// place of the saved one does not lead back to it.
func (r *rig) saveAllThenUndo(t *testing.T) {
	front, behind, _ := r.dirty(t)
	r.ok(t, "save_all_scenes", args{"confirm": true})
	for _, path := range []string{front, behind} {
		r.ok(t, "open_scene", args{"scene_path": path})
		assert.Equal(t, true, r.ok(t, "undo", args{}).Data["scene_dirty"], "undone")
		reply := r.ok(t, "set_node_property", args{"node_path": "Foo", "property": "z_index", "value": 9})
		assert.Equal(t, true, reply.Data["scene_dirty"], "another action at the saved number")
		assert.Len(t, r.hand.look(t).Starred, 1)
		r.save(t)
		kept, found := stores("Enemy", "z_index", "0")(r.read(t, path)[path])
		assert.True(t, kept, "%s", found)
	}
}

func (r *rig) saveAllChanged(t *testing.T) {
	_, behind, _ := r.dirty(t)
	r.edit(t, behind, `text = "keep"`, `text = "from outside"`)
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.DiskChanged, "save_all_scenes", args{"confirm": true, "dry_run": dry})
		assert.Equal(t, behind, failure.Details["file"], "%s", text(failure))
		assert.Contains(t, failure.Hint, "reload_scene")
		r.same(t, before, "a save over a changed file")
	}
	r.ok(t, "reload_scene", args{"scene_path": behind, "discard_unsaved": true, "confirm": true})
	r.ok(t, "save_all_scenes", args{"confirm": true})
	assert.Contains(t, r.file(t, behind), "from outside")
}

// saveAllLimit asks a second daemon, whose operator allows one target a call.
func (r *rig) saveAllLimit(t *testing.T) {
	strict, err := r.kit.StartDaemon(r.ctx, r.project, harness.DaemonOptions{Env: []string{"GODOT_MCP_MAX_AFFECTED=1"}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, strict.Stop(10*time.Second)) })
	_, err = strict.Initialize(r.ctx)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		reply, err := strict.Call(r.ctx, "get_scene_tree", args{})
		return err == nil && (reply.OK || reply.Error.Code == protocol.PreconditionFailed)
	}, handWait, pollEvery, "the editor did not link to the second daemon")
	r.dirty(t)
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		reply, err := strict.Call(r.ctx, "save_all_scenes", args{"confirm": true, "dry_run": dry})
		require.NoError(t, err)
		require.NotNil(t, reply.Error, "%s", reply.Raw)
		assert.Equal(t, protocol.TooManyTargets, reply.Error.Code, "%s", reply.Raw)
		assert.EqualValues(t, 2, reply.Error.Details["count"])
		assert.EqualValues(t, 1, reply.Error.Details["limit"])
		r.same(t, before, "more than allowed")
	}
	r.ok(t, "save_all_scenes", args{"confirm": true})
}
