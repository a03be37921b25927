package contract

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// ownGetter is a script that runs in the editor and answers for its properties itself. `was` and `is` are what they hold
// before and after a is set to 5.
type ownGetter struct {
	code    string
	was, is map[string]string
}

func ownGetters() map[string]ownGetter {
	return map[string]ownGetter{
		"a value by the name of a method": {
			`@export var a: int = 0
var data: Dictionary = {&"get": 5}
func _get(p: StringName) -> Variant:
	return data.get(p)
`, map[string]string{"a": "0"}, map[string]string{"a": "5"},
		},
		"a get of its own": {
			`@export var b: int = 3
@export var a: int = 0:
	set(v):
		a = v
		b = v * 2 if v > 0 else 3
@warning_ignore("native_method_override")
func get(_key: StringName) -> Variant:
	return a
`, map[string]string{"a": "0", "b": "3", "z_index": "0"}, map[string]string{"a": "5", "b": "10", "z_index": "0"},
		},
		"a list behind another type": {
			`var _log: Array = []
@export var a: int = 0:
	set(v):
		a = v
		_log.append(v)
func _get_property_list() -> Array[Dictionary]:
	return [{"name": "log", "type": TYPE_STRING, "usage": PROPERTY_USAGE_DEFAULT}]
func _get(p: StringName) -> Variant:
	if p == &"log":
		return _log
	return null
func _set(p: StringName, v: Variant) -> bool:
	if p == &"log":
		_log = v
	return p == &"log"
`, map[string]string{"a": "0", "log": "[]"}, map[string]string{"a": "5", "log": "[5]"},
		},
	}
}

// testGetters: what a script answers for its properties never gets between the engine and what is measured of it.
func (r *rig) testGetters(t *testing.T) {
	for name, row := range ownGetters() {
		t.Run(name, func(t *testing.T) {
			script := r.writeFresh(t, "getter.gd", "@tool\nextends Node2D\n"+row.code)
			r.open(t, "own_nodes")
			r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": "G"})
			r.ok(t, "attach_script", args{"node_path": "G", "script_path": script})
			r.holds(t, "G", row.was)
			r.ok(t, "set_node_property", args{"node_path": "G", "property": "a", "value": 5})
			r.holds(t, "G", row.is)
			r.ok(t, "undo", nil)
			r.holds(t, "G", row.was)
		})
	}
	t.Run("a file that changes as soon as the answer is there", r.testChangedAtOnce)
}

// holds asserts what properties of a node read as.
func (r *rig) holds(t *testing.T, node string, want map[string]string) {
	t.Helper()
	for property, value := range want {
		assert.Equal(t, value, string(r.readValue(t, node, property)), property)
	}
}

// testChangedAtOnce: what a call loads is known by its content before the answer goes out. The large file makes that
// take its time.
func (r *rig) testChangedAtOnce(t *testing.T) {
	gradient := func(name string) string {
		return "[gd_resource type=\"Gradient\" format=3]\n\n[resource]\nresource_name = \"" + name + "\"\n"
	}
	small := r.writeFresh(t, "small.tres", gradient("old"))
	big := r.writeFresh(t, "big.tres", gradient(strings.Repeat("x", 10<<20)))
	outer := r.writeFresh(t, "outer.tres", `[gd_resource type="GradientTexture2D" format=3]

[ext_resource type="Gradient" path="`+small+`" id="1"]
[ext_resource type="Gradient" path="`+big+`" id="2"]

[resource]
gradient = ExtResource("1")
metadata/big = ExtResource("2")
`)
	r.open(t, "own_nodes")
	r.ok(t, "set_node_property", args{"node_path": "Player/Body", "property": "texture", "value": outer})
	require.NoError(t, os.WriteFile(r.project.Path(small), []byte(gradient("outside")), 0o600))
	r.ok(t, "set_resource_property", args{"resource_path": small, "property": "resource_name", "value": "mine"})
	r.refused(t, protocol.DiskChanged, "save_all_scenes", args{"confirm": true})
	assert.Equal(t, gradient("outside"), r.file(t, small), "the change from outside is still there")
}
