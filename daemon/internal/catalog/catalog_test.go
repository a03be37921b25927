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
			carriers[class]++
			assert.LessOrEqual(t, class.Rank(), tl.Class().Rank(), "%s carries beyond its class", tl.Name())
		}
	}
	for _, class := range safety.Classes() {
		assert.Equal(t, 1, carriers[class], class)
	}
}

func TestTheClassOfEachToolIsPinned(t *testing.T) {
	want := map[string]safety.Class{
		"get_server_info": safety.ReadOnly, "list_tools_by_safety_class": safety.ReadOnly,
		"find_tools": safety.ReadOnly, "preview_tool": safety.ReadOnly, "call_read_tool": safety.ReadOnly,
		"command_outcome": safety.ReadOnly, "get_scene_tree": safety.ReadOnly, "get_node": safety.ReadOnly,
		"find_nodes": safety.ReadOnly, "call_edit_tool": safety.Mutating, "create_node": safety.Mutating,
		"set_node_property": safety.Mutating, "move_node": safety.Mutating, "open_scene": safety.Mutating,
		"undo": safety.Mutating, "redo": safety.Mutating, "delete_node": safety.Destructive,
		"save_scene": safety.Destructive, "call_tool": safety.Runtime,
	}
	c, err := catalog.New()
	require.NoError(t, err)
	got := map[string]safety.Class{}
	for _, tl := range c.All() {
		got[tl.Name()] = tl.Class()
	}
	assert.Equal(t, want, got)
}
