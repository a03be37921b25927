package contract

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// saveAllUnnamed: a scene that has no file, in front and in another tab.
func (r *rig) saveAllUnnamed(t *testing.T) {
	r.hand.act(t, "new_scene", nil, nil)
	reply := r.ok(t, "get_scene_tree", args{})
	id, _ := reply.Data["scene"].(string)
	require.True(t, strings.HasPrefix(id, "unsaved:"), "%s", reply.Raw)
	front := r.open(t, "own_nodes")
	r.ours(t, 4)
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.PreconditionFailed, "save_all_scenes", args{"confirm": true, "dry_run": dry})
		assert.Equal(t, "scene_path", failure.Required)
		assert.Equal(t, []any{id}, failure.Details["scenes"])
		assert.Contains(t, failure.Hint, "save_scene")
		r.same(t, before, "a scene without a file among them")
	}
	discard := args{"scene_path": id, "confirm": true, "discard_unsaved": true}
	failure := r.refused(t, protocol.PreconditionFailed, "close_scene", discard)
	assert.Equal(t, "active_scene", failure.Required, "it cannot be brought to the front by a path")
	r.same(t, before, "closing a scene without a file in another tab")
	r.ok(t, "close_scene", with(discard, "scene_path", front))
	assert.Equal(t, "scene_path", r.refused(t, protocol.PreconditionFailed, "reload_scene", discard).Required)
	failure = r.refused(t, protocol.PreconditionFailed, "close_scene", without(discard, "discard_unsaved"))
	assert.Equal(t, "discard_unsaved", failure.Required)
	assert.Equal(t, []any{id}, failure.Details["discards"])
	r.foretold(t, "close_scene", discard)
	assert.Empty(t, r.hand.look(t).Edited)
}

// unsavedRefused checks that a call which would lose a scene's changes names them and does nothing.
func (r *rig) unsavedRefused(t *testing.T, tool, path string) {
	t.Helper()
	before := r.state(t)
	call := args{"scene_path": path, "confirm": true}
	for _, given := range []args{call, with(call, "dry_run", true), with(call, "discard_unsaved", false)} {
		failure := r.refused(t, protocol.PreconditionFailed, tool, given)
		assert.Equal(t, "discard_unsaved", failure.Required)
		assert.Equal(t, []any{path}, failure.Details["discards"], "%s", text(failure))
		r.same(t, before, tool+" of an unsaved scene")
	}
	failure := r.refused(t, protocol.PreconditionFailed, tool, args{"scene_path": path, "discard_unsaved": true})
	assert.Equal(t, "confirm", failure.Required)
	r.same(t, before, tool+" without confirm")
}

func (r *rig) closeUnsaved(t *testing.T) {
	other := r.open(t, "second_player")
	path := r.open(t, "own_nodes")
	r.ours(t, 4)
	r.unsavedRefused(t, "close_scene", path)
	before := r.files(t)
	reply := r.foretold(t, "close_scene", args{"scene_path": path, "confirm": true, "discard_unsaved": true})
	assert.Equal(t, []any{path}, reply.Data["discards"])
	assert.Equal(t, false, reply.Data["undoable"])
	seen := r.hand.look(t)
	assert.NotContains(t, seen.Scenes, path)
	assert.Contains(t, seen.Scenes, other)
	assert.Equal(t, seen.Edited, reply.Data["edited"], "%s", reply.Raw)
	assert.Equal(t, before, r.files(t), "no file changed")
}

func (r *rig) closeSaved(t *testing.T) {
	path := r.open(t, "own_nodes")
	reply := r.foretold(t, "close_scene", args{"scene_path": path, "confirm": true})
	assert.Equal(t, []any{}, reply.Data["discards"])
	assert.NotContains(t, r.hand.look(t).Scenes, path)
	r.ok(t, "open_scene", args{"scene_path": path})
	r.ours(t, 4)
	r.ok(t, "undo", args{})
	reply = r.ok(t, "close_scene", args{"scene_path": path, "confirm": true})
	assert.Equal(t, []any{}, reply.Data["discards"], "undone changes are none")
}

func (r *rig) closeOther(t *testing.T) {
	behind := r.open(t, "own_nodes")
	r.ours(t, 4)
	front := r.open(t, "second_player")
	r.ok(t, "set_node_property", args{"node_path": "Player", "property": "process_priority", "value": 3})
	r.unsavedRefused(t, "close_scene", behind)
	dump := r.hand.dump(t)
	reply := r.foretold(t, "close_scene", args{"scene_path": behind, "confirm": true, "discard_unsaved": true})
	seen := r.hand.look(t)
	assert.NotContains(t, seen.Scenes, behind, "%s", reply.Raw)
	assert.Equal(t, front, seen.Edited, "the tab in front")
	assert.Equal(t, front, reply.Data["edited"])
	assert.Equal(t, dump, r.hand.dump(t), "the scene in front")
	assert.Len(t, seen.Starred, 1, "its unsaved change")
	assert.Equal(t, front, r.ok(t, "undo", args{"scene": front}).Data["scene"])
}

func (r *rig) reloadUnsaved(t *testing.T) {
	path := r.open(t, "own_nodes")
	saved := r.hand.dump(t)
	r.ours(t, 4)
	r.unsavedRefused(t, "reload_scene", path)
	before := r.files(t)
	reply := r.foretold(t, "reload_scene", args{"scene_path": path, "confirm": true, "discard_unsaved": true})
	assert.Equal(t, []any{path}, reply.Data["discards"])
	assert.Equal(t, false, reply.Data["scene_dirty"])
	assert.NotEmpty(t, reply.Data["undo_history"], "the history is gone: %s", reply.Raw)
	assert.Equal(t, "Own", reply.Data["root"])
	assert.Equal(t, saved, r.hand.dump(t), "the scene as its file says")
	assert.Equal(t, path, r.hand.look(t).Edited)
	assert.Empty(t, r.hand.look(t).Top, "nothing to undo")
	assert.Equal(t, before, r.files(t))
	r.ours(t, 7)
	assert.Equal(t, true, r.ok(t, "undo", args{}).Data["undone"] != false)
	assert.Equal(t, saved, r.hand.dump(t), "a new history")
}

func (r *rig) reloadChanged(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.save(t)
	r.edit(t, path, `text = "keep"`, `text = "from outside"`)
	reply := r.foretold(t, "reload_scene", args{"scene_path": path, "confirm": true})
	assert.Equal(t, []any{}, reply.Data["discards"], "%s", reply.Raw)
	assert.JSONEq(t, `"from outside"`, string(r.readValue(t, "Title", "text")))
	r.ours(t, 4)
	r.save(t)
	assert.Contains(t, r.file(t, path), "from outside")
	assert.Contains(t, r.file(t, path), "z_index = 4")
}

func (r *rig) reloadOther(t *testing.T) {
	behind := r.open(t, "own_nodes")
	r.ours(t, 4)
	front := r.open(t, "second_player")
	r.unsavedRefused(t, "reload_scene", behind)
	before := r.hand.look(t)
	r.foretold(t, "reload_scene", args{"scene_path": behind, "confirm": true, "discard_unsaved": true})
	after := r.hand.look(t)
	assert.Equal(t, front, after.Edited, "the tab in front")
	assert.Equal(t, before.Scenes, after.Scenes, "the order of the tabs")
	assert.Empty(t, after.Starred)
	reply := r.ok(t, "get_node", args{"scene": behind, "node_path": "Enemy", "properties": []string{"z_index"}})
	assert.JSONEq(t, `0`, string(shownValues(t, reply.Raw)["z_index"]))
}

func (r *rig) reloadBroken(t *testing.T) {
	path := r.open(t, "own_nodes")
	good := r.file(t, path)
	call := args{"scene_path": path, "confirm": true, "discard_unsaved": true}
	for bad, code := range map[string]protocol.Code{
		"no scene at all": protocol.ValidationError,
		"[gd_scene format=3]\n\n[ext_resource type=\"Texture2D\" path=\"res://none.png\" id=\"1\"]\n\n" +
			"[node name=\"A\" type=\"Sprite2D\"]\ntexture = ExtResource(\"1\")\n": protocol.PreconditionFailed,
		"": protocol.ResourceNotFound,
	} {
		if bad == "" {
			require.NoError(t, os.Remove(r.project.Path(path)))
		} else {
			r.write(t, path, bad)
		}
		before := r.state(t)
		for _, dry := range []bool{true, false} {
			r.refused(t, code, "reload_scene", with(call, "dry_run", dry))
			r.same(t, before, "a file that does not load")
		}
	}
	r.write(t, path, good)
	r.ok(t, "reload_scene", call)
}

func (r *rig) notOpen(t *testing.T) {
	path := r.open(t, "own_nodes")
	closed := r.copyFixture(t, "second_player")
	before := r.state(t)
	for _, tool := range []string{"close_scene", "reload_scene"} {
		for _, asked := range []string{closed, harness.FixtureRes + "/none.tscn", "unsaved:1", "nonsense"} {
			failure := r.refused(t, protocol.ResourceNotFound, tool,
				args{"scene_path": asked, "confirm": true, "discard_unsaved": true})
			assert.Contains(t, failure.Details["open"], path, "%s", text(failure))
			r.same(t, before, tool+" of a scene that is not open")
		}
	}
}
