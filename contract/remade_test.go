package contract

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testRemade: the editor makes a scene's nodes anew when that comes to the front after a scene inside it was saved. It
// clears the history then and calls the scene saved: the first is told, the second must not be believed.
func (r *rig) testRemade(t *testing.T) {
	t.Run("what stays", r.remadeStays)
	t.Run("what goes is told", r.remadeLosses)
}

func (r *rig) remadeStays(t *testing.T) {
	for _, unsaved := range []bool{true, false} {
		inner := r.copyFixture(t, "mid")
		r.write(t, inner, string(withoutUID([]byte(r.file(t, inner)))))
		outer := r.open(t, "own_nodes")
		r.ok(t, "instance_scene", args{"scene_path": inner})
		r.ours(t, 4)
		if !unsaved {
			r.save(t)
		}
		r.openPath(t, inner)
		r.ok(t, "set_node_property", args{"node_path": ".", "property": "editor_description", "value": "new"})
		r.save(t)
		// The editor looks at the file's time, which has whole seconds.
		later := time.Now().Add(time.Minute)
		require.NoError(t, os.Chtimes(r.project.Path(inner), later, later))

		back := r.ok(t, "open_scene", args{"scene_path": outer})
		assert.Contains(t, back.Data["undo_history"], "cleared", "%s", back.Raw)
		assert.Equal(t, unsaved, back.Data["scene_dirty"], "%s", back.Raw)
		assert.Equal(t, unsaved, len(r.hand.look(t).Starred) > 0, "the mark of unsaved changes")
		assert.Equal(t, unsaved, r.ok(t, "get_active_scene", args{}).Data["dirty"])
		r.ok(t, "open_scene", args{"scene_path": inner})
		again := r.ok(t, "open_scene", args{"scene_path": outer})
		assert.NotContains(t, again.Data, "undo_history", "%s", again.Raw)
		if unsaved {
			r.ok(t, "save_all_scenes", args{"confirm": true})
		}
		kept, found := stores("Enemy", "z_index", "4")(r.read(t, outer)[outer])
		assert.True(t, kept, "%s", found)
	}
}

// remadeLosses: where the inner scene has no such place any more, the editor leaves out what the outer one had there,
// and says nothing.
func (r *rig) remadeLosses(t *testing.T) {
	inner := r.copyFixture(t, "mid")
	r.write(t, inner, string(withoutUID([]byte(r.file(t, inner)))))
	outer := r.open(t, "own_nodes")
	r.ok(t, "instance_scene", args{"scene_path": inner, "node_name": "In"})
	r.ok(t, "set_editable_children", args{"node_path": "In", "editable": true})
	r.ok(t, "set_node_property", args{"node_path": "In/Kid", "property": "position", "value": []int{7, 8}})
	r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": "Own", "parent_path": "In/Kid"})
	r.openPath(t, inner)
	r.ok(t, "rename_node", args{"node_path": "Kid", "new_name": "Body"})
	r.save(t)
	later := time.Now().Add(time.Minute)
	require.NoError(t, os.Chtimes(r.project.Path(inner), later, later))

	back := r.ok(t, "open_scene", args{"scene_path": outer})
	told := text(back.Data["lost_nodes"])
	assert.Contains(t, told, `"In/Kid"`, "%s", back.Raw)
	assert.Contains(t, told, `"In/Kid/Own"`, "%s", back.Raw)
	assert.NotEmpty(t, back.Data["lost_nodes_hint"], "%s", back.Raw)
	saved := r.ok(t, "save_scene", args{"confirm": true})
	assert.Contains(t, text(saved.Data["lost_edits"]), `"In/Kid/Own"`, "%s", saved.Raw)
	again := r.ok(t, "save_scene", args{"confirm": true})
	assert.NotContains(t, again.Data, "lost_edits", "%s", again.Raw)
}
