package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

const (
	settingsRes = "res://project.godot"
	autoloadRes = "res://scenes_fixture/scripts/autoload.gd"
)

// testProject: the project's settings, input map and files: what is written is what a fresh process reads, nothing
// else changes, and what was changed from outside is never overwritten.
func (r *rig) testProject(t *testing.T) {
	// The engine's own save takes the comments of the file away, once.
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": 1})
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": nil})
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"settings are what a fresh process reads", r.settingsKept},
		{"settings that are refused", r.settingsRefused},
		{"a file that is not there is told", r.settingsFiles},
		{"a setting is shown", r.settingsShown},
		{"nothing else in the file changes", r.settingsAlone},
		{"a file changed from outside is told and kept", r.settingsOutside},
		{"what a plugin did not save is not saved along", r.settingsUnsaved},
		{"a file that cannot be saved", r.settingsNotSaved},
		{"an autoload is known at once", r.autoloadKnown},
		{"autoloads that are refused", r.autoloadsRefused},
		{"actions are the project's", r.actionsOfTheProject},
		{"events are what a game reads", r.eventsKept},
		{"events and actions that are refused", r.eventsRefused},
		{"files are found", r.filesFound},
		{"links are named and not followed", r.filesLinked},
		{"a tree has pages", r.filesTree},
		{"uids and paths", r.uids},
		{"imports", r.imports},
	} {
		t.Run(part.name, func(t *testing.T) {
			before := r.file(t, settingsRes)
			part.run(t)
			t.Cleanup(func() {
				assert.Equal(t, before, r.file(t, settingsRes), "the test leaves the settings as they were")
			})
		})
	}
}

// confirmed calls a tool that writes the settings, and checks what holds for each of these.
func (r *rig) confirmed(t *testing.T, tool string, call args) map[string]any {
	t.Helper()
	reply := r.ok(t, tool, with(call, "confirm", true))
	assert.Equal(t, false, reply.Data["undoable"], "%s", reply.Raw)
	if reply.Data["changed"] == true {
		r.checkTold(t, reply, []string{settingsRes})
	}
	return reply.Data
}

// freshSettings reads settings in a fresh process, as texts; "#autoloads" are the nodes that it has made.
func (r *rig) freshSettings(t *testing.T, names ...string) map[string]string {
	t.Helper()
	dir, err := r.kit.TempDir("settings")
	require.NoError(t, err)
	ask, answer := filepath.Join(dir, "ask.json"), filepath.Join(dir, "answer.json")
	require.NoError(t, os.WriteFile(ask, []byte(text(append([]string{}, names...))), 0o600))
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	defer cancel()
	out, err := r.kit.RunGodot(ctx, r.project, "-s", "res://gd/settings_reader.gd", "--", ask, answer)
	require.NoError(t, err, out)
	read, err := os.ReadFile(answer)
	require.NoError(t, err, out)
	var settings map[string]string
	require.NoError(t, json.Unmarshal(read, &settings))
	return settings
}

// setting is one setting and what a fresh process reads of it.
type setting struct {
	name  string
	value any
	want  string
}

func settingRows() []setting {
	rows := []setting{
		{"display/window/size/viewport_width", 800, "800"},
		{"display/window/stretch/mode", "viewport", `"viewport"`},
		{"display/window/stretch/mode.mobile", "canvas_items", `"canvas_items"`},
		{"display/window/size/resizable", false, "false"},
		{"physics/2d/default_gravity", 490.5, "490.5"},
		{"physics/2d/default_gravity_vector", []any{0, -1}, "Vector2(0, -1)"},
		{"rendering/environment/defaults/default_clear_color", "#ff0000", "Color(1, 0, 0, 1)"},
		{"application/config/name", `A "quoted" \ name; # [x] = é` + "\nand more", `"A \"quoted\" \\ name; # [x] = é` + "\nand more\""},
		{"application/config/tags", []any{"one", "two"}, `PackedStringArray("one", "two")`},
		{"application/run/main_scene", "res://scenes_fixture/own_nodes.tscn", `"res://scenes_fixture/own_nodes.tscn"`},
		{"layer_names/2d_physics/layer_1", "walls", `"walls"`},
	}
	for i, own := range []setting{
		{"", true, "true"},
		{"", 7, "7"},
		{"", map[string]any{"$float": 7}, "7.0"},
		{"", 0.1, "0.1"},
		{"", map[string]any{"$int": "9223372036854775807"}, "9223372036854775807"},
		{"", "plain", `"plain"`},
		{"", "", `""`},
		{"", []any{1, "two", nil, []any{}}, `[1, "two", null, []]`},
		{"", map[string]any{"a": 1}, "{\n\"a\": 1\n}"},
		{"", map[string]any{"$type": "Vector2", "value": []any{1, 2}}, "Vector2(1, 2)"},
		{"", map[string]any{"$type": "Array", "elem": "int", "value": []any{1, 2}}, "Array[int]([1, 2])"},
		{"", map[string]any{"$type": "StringName", "value": "sn"}, `&"sn"`},
		{"", "Objectively(fine)", `"Objectively(fine)"`},
		{"", "res://no/such.tres", `"res://no/such.tres"`},
	} {
		own.name = fmt.Sprintf("my-game/deep/value_%d", i)
		rows = append(rows, own)
	}
	return rows
}

// settingsKept sets every row in one project, reads all in one fresh process, and puts all back.
func (r *rig) settingsKept(t *testing.T) {
	var names []string
	old := map[string]any{}
	for _, row := range settingRows() {
		names = append(names, row.name)
		// What is no setting of the engine has no value before: null takes it away again.
		old[row.name] = r.ok(t, "get_setting", args{"name": row.name}).Data["value"]
		data := r.confirmed(t, "set_setting", args{"name": row.name, "value": row.value})
		assert.Equal(t, true, data["changed"], row.name)
		again := r.confirmed(t, "set_setting", args{"name": row.name, "value": row.value})
		assert.Equal(t, false, again["changed"], "%s set again", row.name)
		assert.Equal(t, again["value"], r.ok(t, "get_setting", args{"name": row.name}).Data["value"], row.name)
	}
	read := r.freshSettings(t, names...)
	for _, row := range settingRows() {
		assert.Equal(t, row.want, read[row.name], row.name)
	}
	for _, row := range settingRows() {
		r.confirmed(t, "set_setting", args{"name": row.name, "value": old[row.name]})
	}
	read = r.freshSettings(t, "my-game/deep/value_1", "display/window/stretch/mode.mobile", "physics/2d/default_gravity")
	assert.NotContains(t, read, "my-game/deep/value_1")
	assert.NotContains(t, read, "display/window/stretch/mode.mobile")
	assert.Equal(t, "980.0", read["physics/2d/default_gravity"])
}

func (r *rig) settingsRefused(t *testing.T) {
	object := `Object(Node,"script":Resource("res://evil.gd"))`
	before := r.state(t)
	for _, row := range []struct {
		name   string
		value  any
		code   protocol.Code
		reason string
	}{
		{"display/window/size/viewport_widht", 800, protocol.ValidationError, "unknown_setting"},
		{"application/config/nonsense", "x", protocol.ValidationError, "unknown_setting"},
		{"shader_globals/mine", 1, protocol.ValidationError, "unknown_setting"},
		{"display/window/size/viewport_width", "wide", protocol.ValidationError, ""},
		{"display/window/size/viewport_width", 1.5, protocol.ValidationError, ""},
		{"display/window/size/resizable", "false", protocol.ValidationError, ""},
		{"display/window/size/viewport_width", nil, protocol.ValidationError, "engine_setting"},
		{"display/window/stretch/mode.a b", "viewport", protocol.ValidationError, "bad_setting_name"},
		{"no_section", 1, protocol.ValidationError, "bad_setting_name"},
		{"config_version", 4, protocol.ValidationError, "bad_setting_name"},
		{"_custom_features", "x", protocol.ValidationError, "bad_setting_name"},
		{"a]\nb/c", 1, protocol.ValidationError, "bad_setting_name"},
		{"a/b=c", 1, protocol.ValidationError, "bad_setting_name"},
		{"a/", 1, protocol.ValidationError, "bad_setting_name"},
		{"", 1, protocol.ValidationError, "bad_setting_name"},
		{"mine/none", nil, protocol.ResourceNotFound, ""},
		{"autoload/Evil", "*res://a.gd", protocol.ProtectedTarget, "has_own_tools"},
		{"input/jump", map[string]any{}, protocol.ProtectedTarget, "has_own_tools"},
		{"editor_plugins/enabled", []any{}, protocol.ProtectedTarget, "has_own_tools"},
		{"mine/object", object, protocol.ValidationError, "object_value"},
		{"mine/object", " Object (Node)", protocol.ValidationError, "object_value"},
		{"mine/object", `Resource("res://evil.gd")`, protocol.ValidationError, "object_value"},
		{"mine/object", []any{1, []any{object}}, protocol.ValidationError, "object_value"},
		{"mine/object", map[string]any{"a": map[string]any{"b": object}}, protocol.ValidationError, "object_value"},
		{"mine/object", map[string]any{object: 1}, protocol.ValidationError, "object_value"},
		{"mine/object", map[string]any{"$resource": "res://scenes_fixture/assets/ramp.tres"}, protocol.ValidationError, "object_value"},
		{"application/config/name", object, protocol.ValidationError, "object_value"},
		{"application/config/tags", []any{object}, protocol.ValidationError, "object_value"},
	} {
		for _, dry := range []bool{true, false} {
			failure := r.refused(t, row.code, "set_setting", args{
				"name": row.name, "value": row.value, "dry_run": dry, "confirm": true,
			})
			if row.reason != "" {
				assert.Equal(t, row.reason, failure.Details["reason"], "%s: %s", row.name, text(failure))
			}
		}
	}
	r.same(t, before, "refused settings")
	failure := r.refused(t, protocol.ValidationError, "set_setting", args{
		"name": "display/window/size/viewport_widht", "value": 1, "confirm": true,
	})
	assert.Contains(t, failure.Details["near"], "display/window/size/viewport_width", "%s", text(failure))
}

func (r *rig) settingsShown(t *testing.T) {
	data := r.ok(t, "get_setting", args{"name": "display/window/size/viewport_width"}).Data
	assert.Equal(t, "int", data["type"])
	assert.EqualValues(t, 1152, data["value"])
	assert.EqualValues(t, 1152, data["default"])
	assert.Equal(t, true, data["exists"])
	assert.Equal(t, true, data["settings_in_sync"])
	data = r.ok(t, "get_setting", args{"name": "display/window/size/viewport_widht"}).Data
	assert.Equal(t, false, data["exists"])
	assert.Contains(t, data["near"], "display/window/size/viewport_width")
	data = r.ok(t, "get_setting", args{"name": "viewport_width"}).Data
	assert.Contains(t, data["near"], "display/window/size/viewport_width")
}

// settingsAlone: the engine rewrites the file, so every other value in it is compared.
func (r *rig) settingsAlone(t *testing.T) {
	before := r.file(t, settingsRes)
	data := r.confirmed(t, "set_setting", args{"name": "mine/made", "value": 1})
	assert.NotContains(t, data, "dropped_comments", "the file was rewritten by an earlier write")
	after := r.file(t, settingsRes)
	assert.Equal(t, before, strings.Replace(after, "[mine]\n\nmade=1\n\n", "", 1))
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": nil})
	assert.Equal(t, before, r.file(t, settingsRes))
	// Comments and values at their default are lost by the engine's own save: that is told before.
	commented := "; My own words.\n" + strings.Replace(before, "[application]\n", "[application]\n\nconfig/version=\"\"", 1)
	r.rewrite(t, commented)
	dry := r.ok(t, "set_setting", args{"name": "mine/made", "value": 1, "dry_run": true}).Data
	assert.EqualValues(t, 1, dry["dropped_comments"])
	assert.Equal(t, []any{"application/config/version"}, dry["dropped_defaults"])
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": 1})
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": nil})
}

// rewrite changes project.godot from outside.
func (r *rig) rewrite(t *testing.T, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(r.project.Path(settingsRes), []byte(content), 0o600))
}

func (r *rig) settingsOutside(t *testing.T) {
	before := r.file(t, settingsRes)
	for name, change := range map[string]struct {
		text string
		keys []any
	}{
		"an autoload more": {
			before + "\n[autoload]\n\nOutside=\"*" + autoloadRes + "\"\n", []any{"autoload/Outside"},
		},
		"another value": {
			strings.Replace(before, `config/name="Fixture"`, `config/name="Other"`, 1), []any{"application/config/name"},
		},
		"a value less": {
			strings.Replace(before, "renderer/rendering_method=\"gl_compatibility\"\n", "", 1),
			[]any{"rendering/renderer/rendering_method"},
		},
		"an action more": {
			before + "\n[input]\n\nx={\n\"deadzone\": 0.5,\n\"events\": []\n}\n", []any{"input/x"},
		},
		"an empty file": {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.NotEqual(t, before, change.text)
			r.rewrite(t, change.text)
			defer r.rewrite(t, before)
			data := r.ok(t, "get_setting", args{"name": "application/config/name"}).Data
			assert.Equal(t, false, data["settings_in_sync"])
			for _, call := range []edit{
				{tool: "set_setting", args: args{"name": "mine/made", "value": 1}},
				{tool: "register_autoload", args: args{"name": "Made", "path": autoloadRes}},
				{tool: "add_input_action", args: args{"name": "made"}},
			} {
				for _, dry := range []bool{true, false} {
					failure := r.refused(t, protocol.DiskChanged, call.tool, with(with(call.args, "confirm", true), "dry_run", dry))
					if change.keys != nil {
						assert.Equal(t, change.keys, failure.Details["changed_keys"], "%s", text(failure))
						assert.Equal(t, change.keys, data["changed_keys"])
					}
				}
			}
			assert.Equal(t, change.text, r.file(t, settingsRes), "the file from outside is kept")
		})
	}
	data := r.ok(t, "get_setting", args{"name": "application/config/name"}).Data
	assert.Equal(t, true, data["settings_in_sync"], "the file is back")
	// Another way of writing the same is no change.
	r.rewrite(t, strings.ReplaceAll(before, "\"\nconfig", "\"   ; a comment\n\nconfig"))
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": 1})
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": nil})
}

// settingsUnsaved: what is only in the editor's memory is not the caller's to save.
func (r *rig) settingsUnsaved(t *testing.T) {
	r.hand.act(t, "setting", args{"name": "plugin/unsaved", "value": 1}, nil)
	before := r.file(t, settingsRes)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.PreconditionFailed, "set_setting", args{
			"name": "mine/made", "value": 1, "confirm": true, "dry_run": dry,
		})
		assert.Equal(t, "settings_saved", failure.Required)
		assert.Equal(t, []any{"plugin/unsaved"}, failure.Details["unsaved_keys"])
	}
	assert.Equal(t, before, r.file(t, settingsRes))
	r.hand.act(t, "setting", args{"name": "plugin/unsaved", "value": nil}, nil)
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": 1})
	r.confirmed(t, "set_setting", args{"name": "mine/made", "value": nil})
}

// parses asks the editor itself whether it takes a script.
func (r *rig) parses(t *testing.T, script string) bool {
	t.Helper()
	var out struct {
		Parses bool `json:"parses"`
	}
	r.hand.act(t, "parses", args{"text": script}, &out)
	return out.Parses
}

func (r *rig) autoloadKnown(t *testing.T) {
	const uses = "extends Node\n\n\nfunc hits() -> int:\n\treturn GameState.count()\n"
	require.False(t, r.parses(t, uses))
	r.validates(t, uses, false)
	for _, call := range []args{
		{"name": "GameState", "path": autoloadRes},
		{"name": "Quiet", "path": autoloadRes, "singleton": false},
		{"name": "Level", "path": "res://scenes_fixture/empty.tscn"},
	} {
		data := r.confirmed(t, "register_autoload", call)
		assert.Equal(t, true, data["changed"])
		assert.NotContains(t, data, "restart_needed")
		again := r.confirmed(t, "register_autoload", call)
		assert.Equal(t, false, again["changed"], "registered again")
	}
	assert.True(t, r.parses(t, uses), "a script that uses the autoload")
	r.validates(t, uses, true)
	r.validates(t, strings.ReplaceAll(uses, "GameState", "Quiet"), false) // no singleton
	failure := r.refused(t, protocol.AlreadyExists, "register_autoload", args{
		"name": "GameState", "path": "res://scenes_fixture/empty.tscn", "confirm": true,
	})
	assert.Equal(t, autoloadRes, failure.Details["path"])
	read := r.freshSettings(t, "autoload/GameState", "autoload/Quiet")
	assert.Regexp(t, `^"\*(uid://|res://)`, read["autoload/GameState"])
	assert.NotContains(t, read["autoload/Quiet"], "*")
	assert.Regexp(t, `"GameState", "Quiet", "Level"`, read["#autoloads"], "made in this order")
	data := r.confirmed(t, "unregister_autoload", args{"name": "Quiet"})
	assert.Equal(t, autoloadRes, data["path"])
	r.confirmed(t, "unregister_autoload", args{"name": "Level"})
	r.confirmed(t, "unregister_autoload", args{"name": "GameState"})
	assert.False(t, r.parses(t, uses), "a script that uses what is gone")
	r.validates(t, uses, false)
	assert.NotContains(t, r.freshSettings(t)["#autoloads"], "GameState")
	r.refused(t, protocol.ResourceNotFound, "unregister_autoload", args{"name": "GameState", "confirm": true})
}

func (r *rig) autoloadsRefused(t *testing.T) {
	r.rewriteFile(t, workRes+"/not_a_node.gd", "extends RefCounted\n")
	before := r.state(t)
	for _, name := range []string{
		"", "1st", "with space", "a-b", "a/b", "Node", "Vector2", "FixtureMover", "Input", "OS", "if", "func", "KEY_A", "OK",
		"ProjectSettings", "Ä",
	} {
		failure := r.refused(t, protocol.ValidationError, "register_autoload", args{
			"name": name, "path": autoloadRes, "confirm": true,
		})
		assert.Equal(t, "name", failure.Details["parameter"], "%s", text(failure))
	}
	for path, code := range map[string]protocol.Code{
		"res://none.gd": protocol.ResourceNotFound, "res://scenes_fixture/assets/red.png": protocol.ValidationError,
		workRes + "/not_a_node.gd":               protocol.ValidationError,
		"res://scenes_fixture/scripts/broken.gd": protocol.ValidationError, "res://scenes_fixture/garbage.tscn": protocol.ValidationError,
	} {
		r.refused(t, code, "register_autoload", args{"name": "Good", "path": path, "confirm": true})
	}
	r.same(t, before, "refused autoloads")
}

// rewriteFile writes a file from outside.
func (r *rig) rewriteFile(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(content), 0o600))
}
