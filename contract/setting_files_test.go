package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// settingsFiles: a setting may name a file that is yet to be made, and the answer says that it is not there.
func (r *rig) settingsFiles(t *testing.T) {
	const there, gone = "res://scenes_fixture/own_nodes.tscn", "res://no/such"
	for _, row := range []struct {
		name  string
		value any
		told  []string // a part of each warning
	}{
		{"application/run/main_scene", there, nil},
		{"application/run/main_scene", "", nil},
		{"application/run/main_scene", gone + ".tscn", []string{gone + ".tscn"}},
		{"application/run/main_scene.mobile", gone + ".tscn", []string{gone + ".tscn"}},
		{"application/run/main_scene", "uid://nosuchfile1", []string{"uid://nosuchfile1"}},
		{"application/run/main_scene", "scenes_fixture/own_nodes.tscn", []string{"does not begin with res://"}},
		{"application/run/main_scene", "res://scenes_fixture/scripts/autoload.gd", []string{"*.tscn"}},
		{"application/config/icon", gone + ".svg", []string{gone + ".svg"}},
		{"application/boot_splash/image", gone + ".png", []string{gone + ".png"}},
		{"application/config/windows_native_icon", gone + ".ico", []string{gone + ".ico"}},
		{"audio/buses/default_bus_layout", gone + ".tres", []string{gone + ".tres"}},
		{"audio/buses/default_bus_layout", "res://default_bus_layout.tres", nil}, // the engine's default
		{"gui/theme/custom", gone + ".tres", []string{gone + ".tres"}},
		{"gui/theme/custom_font", gone + ".ttf", []string{gone + ".ttf"}},
		{"display/mouse_cursor/custom_image", gone + ".png", []string{gone + ".png"}},
		{"rendering/environment/defaults/default_environment", gone + ".tres", []string{gone + ".tres"}},
		{"editor/script/templates_search_path", gone, []string{gone}},
		{"editor/script/templates_search_path", "res://scenes_fixture", nil},
		{"internationalization/locale/translations", []any{there, gone + ".po"}, []string{gone + ".po"}},
		{"mine/levels", []any{gone + "1.tscn", map[string]any{"next": gone + "2.tscn"}}, []string{"such1.tscn", "such2.tscn"}},
		{"mine/levels", "a text", nil},
	} {
		reply := r.ok(t, "set_setting", args{"name": row.name, "value": row.value, "dry_run": true, "confirm": true})
		warnings, _ := reply.Data["warnings"].([]any)
		require.Len(t, warnings, len(row.told), "%s %v: %s", row.name, row.value, reply.Raw)
		for i, part := range row.told {
			assert.Contains(t, warnings[i], part, "%s %v", row.name, row.value)
		}
	}
	data := r.confirmed(t, "set_setting", args{"name": "mine/made", "value": gone})
	assert.Len(t, data["warnings"], 1, "a real run says it too: %v", data)
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": nil})
}
