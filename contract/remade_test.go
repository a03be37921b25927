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
