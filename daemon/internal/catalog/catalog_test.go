package catalog_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/safety"
)

func TestEveryToolIsComplete(t *testing.T) {
	c, err := catalog.New()
	require.NoError(t, err)
	for _, tl := range c.All() {
		_, known := c.Lookup(tl.Name())
		assert.True(t, known, tl.Name())
		if scene := tl.Example().Scene; scene != "" {
			_, err := os.Stat(filepath.Join("..", "..", "..", "scenes_fixture", scene))
			assert.NoError(t, err, "%s: the example's scene", tl.Name())
		}
		if tl.InScene() {
			assert.NotEmpty(t, tl.Example().Scene, "%s works on a scene, so its example names one", tl.Name())
		}
	}
}

func TestEveryClassHasExactlyOneCarrier(t *testing.T) {
	c, err := catalog.New()
	require.NoError(t, err)
	carriers := map[safety.Class]int{}
	for _, tl := range c.All() {
		if tl.Previews() {
			assert.Equal(t, safety.ReadOnly, tl.Class(), "a preview changes nothing")
			continue
		}
		for _, class := range tl.Calls() {
			if !tl.Batches() { // a batch is no other way to a tool
				carriers[class]++
			}
			assert.LessOrEqual(t, class.Rank(), tl.Class().Rank(), "%s carries beyond its class", tl.Name())
		}
	}
	for _, class := range safety.Classes() {
		assert.Equal(t, 1, carriers[class], class)
	}
}

// The classes of all tools are in the golden of the safety contract; its diff shows a change of any of them. These few
// are written down by hand, because the users of the tools were promised them.
func TestThePromisedClasses(t *testing.T) {
	promised := map[safety.Class][]string{
		safety.ReadOnly: {"get_scene_tree", "scripts_read", "preview_tool", "call_read_tool"},
		safety.Mutating: {"create_node", "set_node_property", "attach_script", "set_resource_property", "open_scene"},
		safety.Destructive: {
			"delete_node", "reload_scene", "close_scene", "delete_resource_file", "create_resource", "set_setting",
			"cross_scene_set_property", "register_autoload", "unregister_autoload", "disconnect_signal", "run_commands",
		},
		safety.Runtime: {"rescan_filesystem", "call_tool"},
	}
	c, err := catalog.New()
	require.NoError(t, err)
	for class, names := range promised {
		for _, name := range names {
			tl, known := c.Lookup(name)
			if assert.True(t, known, name) {
				assert.Equal(t, class, tl.Class(), name)
			}
		}
	}
}
