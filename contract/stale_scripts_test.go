package contract

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

const (
	clampOld = "extends Node\n@export var a: int = 1:\n\tset(to):\n\t\ta = clampi(to, 0, 10)\n" +
		"@export var gone: int = 3\n@export var kind: int = 4\n"
	clampNew = "extends Node\n@export var a: int = 1:\n\tset(to):\n\t\ta = clampi(to, 0, 100)\n" +
		"@export var kind: String = \"k\"\n@export var more: String = \"x\"\n@export var list: Array[int] = [1]\n" +
		"@export var lim: int = 5:\n\tset(to):\n\t\tlim = mini(to, 50)\n\n\nfunc hello() -> void:\n\tpass\n"
)

// clamped opens a scene whose node N has a script, or one that extends it, with the first text. It gives both paths.
func (r *rig) clamped(t *testing.T, text, extending string) (scene, script string) {
	t.Helper()
	script = r.script(t, text)
	used := script
	if extending != "" {
		used = r.script(t, extending+"\""+script+"\"\n@export var own: int = 1\n")
	}
	scene = r.freshName(workRes + "/stale.tscn")
	content := "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"" + used + "\" id=\"1\"]\n\n" +
		"[node name=\"Main\" type=\"Node\"]\n\n[node name=\"N\" type=\"Node\" parent=\".\"]\n" +
		"script = ExtResource(\"1\")\na = 9\ngone = 8\nkind = 7\n"
	require.NoError(t, os.WriteFile(r.project.Path(scene), []byte(content), 0o600))
	r.openPath(t, scene)
	return scene, script
}

// rewritten gives a script another text.
func (r *rig) rewritten(t *testing.T, script, content string) map[string]any {
	t.Helper()
	return r.ok(t, "scripts_write", args{"script_path": script, "content": content, "overwrite": true, "confirm": true}).Data
}

// renewedNodes: nodes that are there when their script, or one that it extends, gets another text have the new
// variables with the script's own values, keep those that they have, and are clamped as the new text says.
func (r *rig) renewedNodes(t *testing.T) {
	for name, row := range map[string]struct {
		head, extending string
		runs            bool
	}{
		"a placeholder":                    {"", "", false},
		"a running object":                 {"@tool\n", "", true},
		"a placeholder of an heir":         {"", "extends ", false},
		"a running object of an heir":      {"@tool\n", "@tool\nextends ", true},
		"a running heir of a plain script": {"", "@tool\nextends ", true},
	} {
		t.Run(name, func(t *testing.T) {
			scene, script := r.clamped(t, row.head+clampOld, row.extending)
			set := func(property string, value any) args {
				return args{"node_path": "N", "property": property, "value": value}
			}
			r.ok(t, "set_node_property", set("a", 8))
			assert.NotContains(t, r.rewritten(t, script, row.head+clampNew), "stale_scenes")
			for property, want := range map[string]string{"a": "8", "kind": `"k"`, "more": `"x"`, "list": "[1]", "lim": "5"} {
				assert.JSONEq(t, want, string(r.readValue(t, "N", property)), property)
			}
			node := r.ok(t, "get_node", args{"node_path": "N"})
			assert.NotContains(t, node.Data, "stale_script", "%s", node.Raw)
			gone := r.refused(t, protocol.ValidationError, "set_node_property", set("gone", 2))
			assert.Equal(t, "unknown_property", gone.Details["reason"])
			r.ok(t, "set_node_property", set("a", 60))
			if row.runs {
				failure := r.refused(t, protocol.ValueRejected, "set_node_property", set("lim", 60))
				assert.EqualValues(t, 50, failure.Details["now"], "%s", text(failure))
			}
			reply := r.ok(t, "set_node_property", set("more", "y"))
			assert.Equal(t, true, reply.Data["undoable"], "%s", reply.Raw)
			r.ok(t, "undo", nil)
			assert.JSONEq(t, `"x"`, string(r.readValue(t, "N", "more")), "undone")
			saved := r.saved(t, scene)
			assert.NotContains(t, saved, "null")
			assert.Contains(t, saved, "a = 60")
			assert.NotContains(t, saved, "kind =", "a number is no value of it any more")

			back := r.ok(t, "restore_file", args{"path": script, "confirm": true})
			assert.NotContains(t, back.Data, "stale_scenes", "%s", back.Raw)
			assert.JSONEq(t, "3", string(r.readValue(t, "N", "gone")), "the old text is back, and its variable")
			gone = r.refused(t, protocol.ValidationError, "set_node_property", set("more", "z"))
			assert.Equal(t, "unknown_property", gone.Details["reason"])
		})
	}
}

// staleNodes: where only making the node anew helps, that is what every answer says, and no value is set before.
func (r *rig) staleNodes(t *testing.T) {
	for name, row := range map[string]struct{ before, after string }{
		"it runs now":                   {clampOld, "@tool\n" + clampNew},
		"it does not run any more":      {"@tool\n" + clampOld, clampNew},
		"a value that nobody can guess": {"@tool\n" + clampOld, "@tool\n" + clampNew + "\n\nvar cache: Dictionary = {}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			scene, script := r.clamped(t, row.before, "")
			assert.Equal(t, []any{scene}, r.rewritten(t, script, row.after)["stale_scenes"])
			for tool, call := range map[string]args{
				"get_node": {"node_path": "N"}, "get_persistence": {"node_path": "N"},
				"get_node_property": {"node_path": "N", "property": "lim"},
			} {
				assert.Equal(t, true, r.ok(t, tool, call).Data["stale_script"], tool)
			}
			r.ok(t, "restore_file", args{"path": script, "confirm": true})
			assert.NotContains(t, r.ok(t, "open_scene", args{"scene_path": scene}).Data, "stale", "with the old text it is right again")
			again := r.ok(t, "restore_file", args{"path": script, "confirm": true})
			assert.Equal(t, []any{scene}, again.Data["stale_scenes"], "%s", again.Raw)
			assert.Equal(t, true, r.ok(t, "open_scene", args{"scene_path": scene}).Data["stale"])
			set := args{"node_path": "N", "property": "a", "value": 60}
			for tool, call := range map[string]args{
				"set_node_property":  set,
				"batch_set_property": {"node_paths": []string{".", "N"}, "property": "process_priority", "value": 3},
				"duplicate_node":     {"node_path": "N"},
				"extract_scene":      {"node_path": "N", "scene_path": r.freshName(workRes + "/out.tscn"), "confirm": true},
			} {
				failure := r.refused(t, protocol.PreconditionFailed, tool, call)
				assert.Equal(t, "reload_scene", failure.Required, "%s: %s", tool, text(failure))
				assert.Equal(t, "N", failure.Details["node_path"], "%s: %s", tool, text(failure))
			}
			batch := r.call(t, "run_commands", batchOf(entry("set_node_property", set)))
			assert.Contains(t, string(batch.Raw), `"required":"reload_scene"`)
			r.ok(t, "create_node", args{"parent_path": ".", "node_type": "Node", "node_name": "Beside"})
			r.ok(t, "duplicate_node", args{"node_path": "Beside"})
			r.ok(t, "create_node", args{"parent_path": "N", "node_type": "Node", "node_name": "Below"})
			r.ok(t, "connect_signal", args{
				"source_path": "N", "signal_name": "ready", "target_path": "N", "method_name": "hello",
			})
			assert.NotContains(t, r.saved(t, scene), "null")

			r.ok(t, "reload_scene", args{"scene_path": scene, "confirm": true})
			assert.NotContains(t, r.ok(t, "open_scene", args{"scene_path": scene}).Data, "stale")
			r.ok(t, "set_node_property", set)
			assert.JSONEq(t, "60", string(r.readValue(t, "N", "a")))
			assert.NotContains(t, r.ok(t, "get_node", args{"node_path": "N"}).Data, "stale_script")
		})
	}
}

// lostExports: what a script exports no more is told with its values, at the change and by the save that drops them.
func (r *rig) lostExports(t *testing.T) {
	for name, head := range map[string]string{"a placeholder": "", "a running object": "@tool\n"} {
		t.Run(name, func(t *testing.T) {
			scene, script := r.clamped(t, head+clampOld, "")
			r.ok(t, "set_node_property", args{"node_path": "N", "property": "gone", "value": 5})
			told := r.rewritten(t, script, head+clampNew)
			assert.Equal(t, 2.0, told["lost_values_total"], "gone, and kind of another type: %v", told)
			assert.Contains(t, told["lost_values"], map[string]any{
				"scene": scene, "node_path": "N", "property": "gone", "value": 5.0,
			})
			saved := r.ok(t, "save_scene", args{"confirm": true})
			assert.Contains(t, text(saved.Data["lost_edits"]), `"N:gone"`, "%s", saved.Raw)
			r.ok(t, "set_node_property", args{"node_path": "N", "property": "a", "value": 7})
			again := r.ok(t, "save_scene", args{"confirm": true})
			assert.NotContains(t, again.Data, "lost_edits", "%s", again.Raw)
		})
	}
}

// unfitScripts: a script that extends another class than the node's is taken off when the scene is read.
func (r *rig) unfitScripts(t *testing.T) {
	scene, script := r.clamped(t, clampOld, "")
	set := args{"node_path": "N", "property": "a", "value": 3}
	r.ok(t, "set_node_property", set)
	told := r.rewritten(t, script, "extends Node3D\n@export var a: int = 1\n")
	assert.Contains(t, told["unfit_nodes"], map[string]any{"scene": scene, "node_path": "N"}, "%v", told)
	failure := r.refused(t, protocol.PreconditionFailed, "set_node_property", args{
		"node_path": "N", "property": "a", "value": 6,
	})
	assert.Equal(t, "fitting_script", failure.Required, "%s", text(failure))
	r.rewritten(t, script, clampOld)
	r.ok(t, "set_node_property", set)
	r.ok(t, "detach_script", args{"node_path": "N", "confirm": true})
}

// lostScripts: what a node that no save keeps loses is told, also where its instance gives it the script.
func (r *rig) lostScripts(t *testing.T) {
	inner := r.freshName(workRes + "/scripted.tscn")
	r.write(t, inner, "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\""+r.script(t, "extends Node\n")+
		"\" id=\"1\"]\n\n[node name=\"In\" type=\"Node\"]\nscript = ExtResource(\"1\")\n")
	r.open(t, "instance_closed")
	r.ok(t, "instance_scene", args{"scene_path": inner, "parent_path": "Shell/Kid", "node_name": "In"})
	reply := r.foretold(t, "detach_script", args{"node_path": "Shell/Kid/In", "confirm": true})
	require.Len(t, reply.Persistence, 1)
	assert.False(t, reply.Persistence[0].Persisted != nil && *reply.Persistence[0].Persisted, "%s", reply.Raw)
}

// otherTypes: an exported variable without a type can hold a value that the engine does not compare with its default.
func (r *rig) otherTypes(t *testing.T) {
	head := "@tool\nextends Node\n@export var a: int = 1\n"
	scene, script := r.clamped(t, head+"@warning_ignore(\"untyped_declaration\")\n@export var kind = 4\n", "")
	r.hand.act(t, "set", map[string]any{"node": "N", "property": "kind", "value": "s:text", "action": "Hand: set"}, nil)
	told := r.rewritten(t, script, head)
	assert.Contains(t, told["lost_values"], map[string]any{
		"scene": scene, "node_path": "N", "property": "kind", "value": "text",
	}, "%v", told)
}
