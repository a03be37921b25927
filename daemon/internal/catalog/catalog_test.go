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

func TestTheClassOfEachToolIsPinned(t *testing.T) {
	want := map[string]safety.Class{
		"get_setting": safety.ReadOnly, "set_setting": safety.Destructive,
		"register_autoload": safety.Destructive, "unregister_autoload": safety.Destructive,
		"get_input_actions": safety.ReadOnly, "add_input_action": safety.Destructive,
		"add_input_event": safety.Destructive, "remove_input_action": safety.Destructive,
		"search_files": safety.ReadOnly, "get_filesystem_tree": safety.ReadOnly,
		"resolve_uid": safety.ReadOnly, "get_import_status": safety.ReadOnly,
		"rescan_filesystem": safety.Runtime,
		"get_server_info":   safety.ReadOnly, "list_tools_by_safety_class": safety.ReadOnly,
		"find_tools": safety.ReadOnly, "preview_tool": safety.ReadOnly, "call_read_tool": safety.ReadOnly,
		"command_outcome": safety.ReadOnly, "get_scene_tree": safety.ReadOnly, "get_node": safety.ReadOnly,
		"find_nodes": safety.ReadOnly, "call_edit_tool": safety.Mutating, "create_node": safety.Mutating,
		"rename_node": safety.Mutating, "duplicate_node": safety.Mutating, "instance_scene": safety.Mutating,
		"batch_set_property": safety.Mutating,
		"set_node_property":  safety.Mutating, "move_node": safety.Mutating, "open_scene": safety.Mutating,
		"read_resource_file":    safety.ReadOnly,
		"get_dependencies":      safety.ReadOnly,
		"find_references":       safety.ReadOnly,
		"set_resource_property": safety.Mutating,
		"create_resource":       safety.Destructive,
		"save_resource":         safety.Destructive,
		"move_file":             safety.Destructive,
		"duplicate_file":        safety.Destructive,
		"delete_resource_file":  safety.Destructive,
		"undo":                  safety.Mutating, "redo": safety.Mutating, "delete_node": safety.Destructive,
		"add_to_group": safety.Mutating, "remove_from_group": safety.Mutating, "connect_signal": safety.Mutating,
		"attach_script": safety.Mutating, "set_unique_name": safety.Mutating, "select_nodes": safety.Mutating,
		"disconnect_signal": safety.Destructive, "detach_script": safety.Destructive,
		"set_editable_children": safety.Destructive,
		"create_scene":          safety.Destructive, "extract_scene": safety.Destructive, "save_all_scenes": safety.Destructive,
		"close_scene": safety.Destructive, "reload_scene": safety.Destructive,
		"save_scene": safety.Destructive, "call_tool": safety.Runtime,
		"scripts_list": safety.ReadOnly, "scripts_read": safety.ReadOnly, "scripts_validate": safety.ReadOnly,
		"scripts_create": safety.Destructive, "scripts_patch": safety.Destructive, "scripts_write": safety.Destructive,
		"run_commands": safety.Destructive, "restore_file": safety.Destructive,
		"restore_checkpoint": safety.Destructive, "create_checkpoint": safety.Mutating,
		"list_recoverable": safety.ReadOnly, "list_checkpoints": safety.ReadOnly,
		"health_check": safety.ReadOnly, "list_history": safety.ReadOnly, "get_editor_errors": safety.ReadOnly,
		"get_project_info": safety.ReadOnly, "list_scenes": safety.ReadOnly, "list_open_scenes": safety.ReadOnly,
		"get_active_scene": safety.ReadOnly, "get_selected_nodes": safety.ReadOnly, "describe_class": safety.ReadOnly,
		"get_node_property": safety.ReadOnly, "get_persistence": safety.ReadOnly,
		"list_signal_connections": safety.ReadOnly,
	}
	c, err := catalog.New()
	require.NoError(t, err)
	got := map[string]safety.Class{}
	for _, tl := range c.All() {
		got[tl.Name()] = tl.Class()
	}
	assert.Equal(t, want, got)
}
