package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const (
	choicesScript = "res://scenes_fixture/scripts/choices.gd"
	plainScript   = "res://scenes_fixture/scripts/plain_exports.gd"
)

// testTraits: groups, connections, scripts, editable children, unique names and the selection.
func (r *rig) testTraits(t *testing.T) {
	t.Run("undo", r.traitUndo)
	t.Run("refusals", r.traitRefusals)
	t.Run("a connection is saved", r.connectionSaved)
	t.Run("a connection made twice", r.connectedTwice)
	t.Run("methods that do not fit", r.methodsThatDoNotFit)
	t.Run("groups", r.groupsRepeated)
	t.Run("editable children", r.editableChildren)
	t.Run("a script's values", r.scriptValues)
	t.Run("selection", r.selection)
	t.Run("verdicts", r.traitVerdicts)
}

// traitUndo: each change comes back byte for byte.
func (r *rig) traitUndo(t *testing.T) {
	for _, e := range traitEdits() {
		t.Run(e.tool+"/"+e.name, func(t *testing.T) { r.checkUndo(t, e) })
	}
}

func way(source, signal, target, method string) args {
	return args{"source_path": source, "signal_name": signal, "target_path": target, "method_name": method}
}

func attach(node, script string) args { return args{"node_path": node, "script_path": script} }

func detach(node string) args { return args{"node_path": node, "confirm": true} }

func editable(node string, on bool) args {
	return args{"node_path": node, "editable": on, "confirm": !on}
}

func cut(source, signal, target, method string) args {
	return with(way(source, signal, target, method), "confirm", true)
}

func traitEdits() []edit {
	inGroup := func(node, group string) args { return args{"node_path": node, "group": group} }
	unique := func(node string, on bool) args { return args{"node_path": node, "unique": on} }
	flagged := with(with(way("Button", "pressed", ".", "_on_pressed"), "deferred", true), "one_shot", true)
	return []edit{
		{"one of several", "deep_subtree", "add_to_group", inGroup("Branch/Twig/Leaf", "a_first")},
		{"for the time being", "own_nodes", "add_to_group", with(inGroup("Enemy", "extra"), "persistent", false)},
		{"a child of an editable instance", "signals", "add_to_group", inGroup("Open/Kid", "more")},
		{"one of several", "deep_subtree", "remove_from_group", inGroup("Branch/Twig/Leaf", "level_three")},
		{"given by an instance", "signals", "remove_from_group", inGroup("Open/Kid", "kids")},
		{"of a closed instance", "signals", "remove_from_group", inGroup("Shell", "from_inner")},
		{"plain", "signals", "connect_signal", way("Button", "pressed", ".", "_on_pressed")},
		{"with flags", "signals", "connect_signal", flagged},
		{"of an instance", "signals", "connect_signal", way("Open/Kid", "visibility_changed", "Own", "queue_redraw")},
		{"of a script's signal", "signals", "connect_signal", way(".", "hit", ".", "_on_hit")},
		{"plain", "signals", "disconnect_signal", cut("Timer", "timeout", ".", "_on_timeout")},
		{"with bound values", "signals", "disconnect_signal", cut("Timer", "timeout", ".", "_on_many")},
		{"with flags", "signals", "disconnect_signal", cut("Own", "visibility_changed", "Own", "queue_redraw")},
		{"of an inherited scene", "signals_derived", "disconnect_signal", cut("Timer", "timeout", ".", "_on_timeout")},
		{"to a node without one", "own_nodes", "attach_script", attach("Player", plainScript)},
		{"instead of a tool script with values", "deep_subtree", "attach_script", attach("Branch", plainScript)},
		{"instead of one with nodes", "node_exports", "attach_script", attach("User", plainScript)},
		{"to an instance", "instance_closed", "attach_script", attach("Shell", plainScript)},
		{"to the root", "own_nodes", "attach_script", attach(".", plainScript)},
		{"a tool script with values", "deep_subtree", "detach_script", detach("Branch/Twig/Leaf")},
		{"with nodes", "node_exports", "detach_script", detach("User")},
		{"with signals connected", "deep_subtree", "detach_script", detach("Branch")},
		{"of a base scene", "signals_derived", "detach_script", detach(".")},
		{"on", "instance_closed", "set_editable_children", editable("Shell", true)},
		{"on, inside another", "nested_editable", "set_editable_children", editable("Nest/Closed", true)},
		{"off, with changes inside", "instance_editable", "set_editable_children", editable("Shell", false)},
		{"on", "own_nodes", "set_unique_name", unique("Player/Body", true)},
		{"off", "deep_subtree", "set_unique_name", unique("Branch/Twig/Leaf", false)},
		{"off, given by an instance", "signals", "set_unique_name", unique("Open/Kid", false)},
	}
}

// badTrait is a call that is refused and leaves everything as it was.
type badTrait struct {
	tool   string
	args   args
	code   protocol.Code
	reason string
}

func (r *rig) traitRefusals(t *testing.T) {
	for _, scene := range []string{"own_nodes", "signals", "scripts"} {
		r.open(t, scene)
		before := r.state(t)
		for _, row := range traitRefusals()[scene] {
			failure := r.refused(t, row.code, row.tool, row.args)
			if row.reason != "" {
				assert.Equal(t, row.reason, failure.Details["reason"], "%s %s", row.tool, text(row.args))
			}
		}
		r.same(t, before, "refused calls")
	}
}

func traitRefusals() map[string][]badTrait {
	invalid, gone := protocol.ValidationError, protocol.ResourceNotFound
	group := func(name string) args { return args{"node_path": "Player", "group": name} }
	return map[string][]badTrait{
		"own_nodes": {
			{"add_to_group", group(""), invalid, "invalid_group"},
			{"add_to_group", group(" x"), invalid, "invalid_group"},
			{"add_to_group", group("a\nb"), invalid, "invalid_group"},
			{"add_to_group", group("_cameras"), invalid, "engine_group"},
			{"remove_from_group", group("_cameras"), invalid, "engine_group"},
			{"add_to_group", args{"node_path": "Nobody", "group": "x"}, gone, ""},
			{"attach_script", attach("Player", "res://no_such.gd"), gone, ""},
			{"attach_script", attach("Player", "res://scenes_fixture/mid.tscn"), invalid, "not_a_script"},
			{"attach_script", attach("Player", "res://scenes_fixture/scripts/broken.gd"), invalid, "script_does_not_parse"},
			{"attach_script", attach("Player", "res://scenes_fixture/scripts/fixture_thing.gd"), invalid, "wrong_base_type"},
			{"attach_script", attach("Title", plainScript), invalid, "wrong_base_type"},
			{"attach_script", attach("Player", "res://scenes_fixture/scripts/fixture_abstract.gd"), invalid, "abstract_class"},
			{"attach_script", attach("Nobody", plainScript), gone, ""},
			{"detach_script", detach("Player"), invalid, "no_script"},
			{"set_editable_children", editable("Player", true), invalid, "not_an_instance"},
			{"set_editable_children", editable(".", true), invalid, "not_an_instance"},
			{"set_editable_children", editable("Player", false), invalid, "not_an_instance"},
			{"set_unique_name", args{"node_path": "."}, invalid, "scene_root"},
			{"select_nodes", args{"node_paths": []string{"Player", "Nobody"}}, gone, ""},
			{"set_node_property", args{"node_path": "Player", "property": "script", "value": nil}, protocol.ProtectedTarget, "protected_property"},
		},
		"signals": {
			{"connect_signal", way("Button", "presed", ".", "_on_pressed"), invalid, "unknown_signal"},
			{"connect_signal", way("Button", "", ".", "_on_pressed"), invalid, "unknown_signal"},
			{"connect_signal", way("Button", "pressed", ".", ""), invalid, "invalid_method_name"},
			{"connect_signal", way("Button", "pressed", ".", "_on_pressed.bind(1)"), invalid, "invalid_method_name"},
			{"connect_signal", with(way("Button", "pressed", ".", "_on_pressed"), "binds", []any{1}), invalid, ""},
			{"connect_signal", way("Nobody", "pressed", ".", "_on_pressed"), gone, ""},
			{"connect_signal", way("Button", "pressed", "Nobody", "_on_pressed"), gone, ""},
			{"connect_signal", with(way("Timer", "timeout", ".", "_on_timeout"), "deferred", true), invalid, "already_connected"},
			{"connect_signal", way("Timer", "timeout", ".", "_on_many"), invalid, "already_connected"},
			{"disconnect_signal", cut("Timer", "timeout", ".", "_on_pressed"), invalid, "not_connected"},
			{"disconnect_signal", cut("Timer", "time_out", ".", "_on_timeout"), invalid, "unknown_signal"},
			{"select_nodes", args{"node_paths": []string{"Shell/Kid"}}, invalid, "not_in_scene_dock"},
		},
		"scripts": {
			{"connect_signal", way("Mover", "hit", ".", "queue_redraw"), invalid, "unknown_signal"},
		},
	}
}

// BR-123: the connection is in the file, and a fresh process has it.
func (r *rig) connectionSaved(t *testing.T) {
	path := r.open(t, "signals")
	reply := r.ok(t, "connect_signal", way("Button", "pressed", ".", "_on_pressed"))
	require.Len(t, reply.Persistence, 1)
	assert.Equal(t, true, *reply.Persistence[0].Persisted)
	assert.Equal(t, true, reply.Data["scene_dirty"])
	assert.NotContains(t, reply.Data, "warning")
	file := r.saved(t, path)
	assert.Contains(t, file, `[connection signal="pressed" from="Button" to="." method="_on_pressed"]`)
	r.ok(t, "connect_signal", with(way("Own", "renamed", "Shell/Kid", "hide"), "one_shot", true))
	assert.Contains(t, r.saved(t, path), `[connection signal="renamed" from="Own" to="Shell/Kid" method="hide" flags=6]`)
}

// connectedTwice: the same again is no change; anything else is refused (BR-124).
func (r *rig) connectedTwice(t *testing.T) {
	r.open(t, "signals")
	for _, call := range []args{
		way("Timer", "timeout", ".", "_on_timeout"),
		with(with(way("Own", "visibility_changed", "Own", "queue_redraw"), "deferred", true), "one_shot", true),
	} {
		r.unchanged(t, "connect_signal", call, "already_connected")
	}
	r.hand.act(t, "connect", args{"source": "Button", "signal": "pressed", "target": "Own", "method": "hide", "flags": 0}, nil)
	failure := r.refused(t, protocol.ValidationError, "disconnect_signal", cut("Button", "pressed", "Own", "hide"))
	assert.Equal(t, "not_persistent", failure.Details["reason"], "a script's own connection")
	failure = r.refused(t, protocol.ValidationError, "connect_signal", way("Button", "pressed", "Own", "hide"))
	assert.Equal(t, "already_connected", failure.Details["reason"], "a script's own connection")
	r.openPath(t, r.copyFixture(t, "signals_derived"))
	r.unchanged(t, "connect_signal", way("Timer", "timeout", ".", "_on_timeout"), "already_connected")
}

// unchanged asserts that a call finds everything as asked.
func (r *rig) unchanged(t *testing.T, tool string, call args, mark string) {
	t.Helper()
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		reply := r.ok(t, tool, with(call, "dry_run", dry))
		assert.Equal(t, false, reply.Data["changed"], "%s", reply.Raw)
		assert.Equal(t, false, reply.Data["undoable"], "%s", reply.Raw)
		if mark != "" {
			assert.Equal(t, true, reply.Data[mark], "%s", reply.Raw)
		}
	}
	r.same(t, before, tool)
}

// methodsThatDoNotFit are connected and flagged: a method may be written later (BR-124).
func (r *rig) methodsThatDoNotFit(t *testing.T) {
	r.open(t, "signals")
	for _, row := range []struct {
		call    args
		warning any
	}{
		{way("Button", "pressed", ".", "_on_nothing"), "method_missing"},
		{way("Button", "pressed", "Own", "_on_pressed"), "method_missing"},
		{way("Button", "pressed", ".", "_process"), "method_missing"},
		{way("Button", "pressed", ".", "_on_many"), "argument_count_mismatch"},
		{way("Button", "pressed", ".", "set_position"), "argument_count_mismatch"},
		{way("Button", "toggled", ".", "_on_pressed"), "argument_count_mismatch"},
		{way(".", "hit", ".", "_on_pressed"), "argument_count_mismatch"},
		{way(".", "hit", ".", "_on_hit"), nil},
		{way(".", "hit", ".", "_on_any"), nil},
		{way("Button", "pressed", ".", "_on_any"), nil},
		{way("Button", "toggled", "Own", "set_visible"), nil},
		{way("Button", "pressed", "Own", "hide"), nil},
	} {
		reply := r.ok(t, "connect_signal", row.call)
		assert.Equal(t, row.warning, reply.Data["warning"], "%s: %s", text(row.call), reply.Raw)
		if row.warning != nil {
			assert.NotEmpty(t, reply.Data["hint"], "%s", reply.Raw)
		}
	}
	failure := r.refused(t, protocol.ValidationError, "connect_signal", way("Button", "presed", ".", "_on_pressed"))
	assert.Contains(t, failure.Details["suggestions"], "pressed")
}

// groupsRepeated: what is so already is no change; being saved or not counts too.
func (r *rig) groupsRepeated(t *testing.T) {
	path := r.open(t, "own_nodes")
	r.unchanged(t, "add_to_group", args{"node_path": "Enemy", "group": "enemies"}, "in_group")
	r.unchanged(t, "remove_from_group", args{"node_path": "Player", "group": "enemies"}, "")
	call := args{"node_path": "Enemy", "group": "enemies", "persistent": false}
	require.Equal(t, true, r.ok(t, "add_to_group", call).Data["changed"])
	r.unchanged(t, "add_to_group", call, "in_group")
	assert.NotContains(t, r.saved(t, path), "enemies")
	r.ok(t, "undo", args{})
	assert.Contains(t, r.saved(t, path), `groups=["enemies"]`, "undo: in the group for good")
	r.ok(t, "redo", args{})
	assert.NotContains(t, r.saved(t, path), "enemies", "redo")
	reply := r.ok(t, "add_to_group", with(call, "persistent", true))
	assert.Equal(t, []any{"enemies"}, reply.Data["groups"])
	assert.Contains(t, r.saved(t, path), `groups=["enemies"]`)
}

// editableChildren: on needs no confirm, off does; the tree shows it, and changes inside are kept then (BR-005).
func (r *rig) editableChildren(t *testing.T) {
	path := r.open(t, "instance_closed")
	set := args{"node_path": "Shell/Kid", "property": "position", "value": []int{11, 0}}
	lost := r.ok(t, "set_node_property", with(set, "dry_run", true)).Persistence[0]
	assert.Equal(t, notEditable, lost.Reason)
	assert.Contains(t, lost.Hint, "set_editable_children")
	assert.Contains(t, lost.Hint, "Shell")

	r.ok(t, "set_editable_children", args{"node_path": "Shell"})
	r.unchanged(t, "set_editable_children", args{"node_path": "Shell"}, "editable")
	mark, _ := r.page(t, "get_scene_tree", args{}).Marks["Shell"].(map[string]any)
	assert.Equal(t, true, mark["editable_children"])
	assert.Equal(t, "res://scenes_fixture/mid.tscn", mark["instance_of"])
	require.Equal(t, true, *r.ok(t, "set_node_property", set).Persistence[0].Persisted)
	r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": "Inside", "parent_path": "Shell/Kid"})
	file := r.saved(t, path)
	assert.Contains(t, file, `[editable path="Shell"]`)
	assert.Contains(t, file, "Vector2(11, 0)")

	off := args{"node_path": "Shell", "editable": false}
	r.silent(t, "set_editable_children", func() {
		assert.Equal(t, "confirm", r.refused(t, protocol.PreconditionFailed, "set_editable_children", off).Required)
	})
	reply := r.ok(t, "set_editable_children", with(off, "confirm", true))
	assert.Equal(t, []any{"Shell/Kid/Inside"}, reply.Data["own_nodes_lost"], "%s", reply.Raw)
	file = r.saved(t, path)
	assert.NotContains(t, file, "editable path")
	assert.NotContains(t, file, "Vector2(11, 0)")
}

// scriptValues: what goes with a script is said, and undo brings it back.
func (r *rig) scriptValues(t *testing.T) {
	r.open(t, "scripts")
	before := r.hand.dump(t)
	reply := r.ok(t, "attach_script", attach("Mover", plainScript))
	assert.Equal(t, args{"speed": 5.0}, reply.Data["lost_values"], "%s", reply.Raw)
	assert.Equal(t, "res://scenes_fixture/scripts/fixture_mover.gd", reply.Data["replaced"])
	r.unchanged(t, "attach_script", attach("Mover", plainScript), "")
	r.ok(t, "undo", args{})
	assert.Equal(t, before, r.hand.dump(t))
	reply = r.ok(t, "detach_script", detach("Mover"))
	assert.Equal(t, args{"speed": 5.0}, reply.Data["lost_values"], "%s", reply.Raw)
	assert.Nil(t, reply.Data["script"])
}

// selection: nodes are selected instead of others; a dry run selects nothing.
func (r *rig) selection(t *testing.T) {
	r.open(t, "instance_editable")
	selected := func() []string {
		var out struct {
			Selected []string `json:"selected"`
		}
		r.hand.act(t, "selection", nil, &out)
		return out.Selected
	}
	for _, row := range [][]string{{"Shell/Kid", "."}, {"Shell"}, {}} {
		before := selected()
		r.ok(t, "select_nodes", args{"node_paths": row, "dry_run": true})
		assert.Equal(t, before, selected(), "a dry run")
		reply := r.ok(t, "select_nodes", args{"node_paths": append(row, row...)})
		assert.EqualValues(t, len(row), reply.Data["count"], "%s", reply.Raw)
		assert.ElementsMatch(t, row, selected())
		assert.Equal(t, false, reply.Data["scene_dirty"], "%s", reply.Raw)
	}
	failure := r.refused(t, protocol.AlreadyExists, "set_unique_name", r.twins(t))
	assert.Equal(t, "unique_name_taken", failure.Details["reason"])
	assert.Equal(t, "One/Twin", failure.Details["taken_by"])
}

// twins makes two nodes of one name, of which the first has it as its unique name, and asks for the second.
func (r *rig) twins(t *testing.T) args {
	t.Helper()
	for _, parent := range []string{"One", "Two"} {
		r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": parent})
		r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": "Twin", "parent_path": parent})
	}
	r.ok(t, "set_unique_name", args{"node_path": "One/Twin"})
	r.unchanged(t, "set_unique_name", args{"node_path": "One/Twin"}, "unique")
	return args{"node_path": "Two/Twin"}
}

// traitVerdicts: every verdict is what a fresh process reads.
func (r *rig) traitVerdicts(t *testing.T) {
	rows := traitRows()
	require.Greater(t, len(rows), 150)
	paths := fixturesOf(rows)
	done := make([]persisted, len(rows))
	for i, row := range rows {
		t.Run("verdict/"+row.name, func(t *testing.T) { done[i] = r.persistRow(t, row) })
		if done[i].ran {
			paths = append(paths, done[i].path)
		}
	}
	scenes, err := r.kit.Read(r.ctx, r.project, paths...)
	require.NoError(t, err)
	lost := 0
	for i, row := range rows {
		t.Run("file/"+row.name, func(t *testing.T) {
			require.True(t, done[i].ran, "the row did not run to its end")
			if !judge(t, done[i], scenes) {
				lost++
			}
		})
	}
	assert.Greater(t, lost, 30, "rows that a save loses")
}

// member tells whether a node is in a group.
func member(node, group string, want bool) probe {
	return func(s harness.Scene) (bool, string) {
		n, there := s.Nodes[node]
		return there && slices.Contains(n.Groups, group) == want, strings.Join(n.Groups, " ")
	}
}

// connected tells whether a connection is there, with these flags; 0: whether it is not there.
func connected(call args, flags int) probe {
	return func(s harness.Scene) (bool, string) {
		for _, c := range s.Connections {
			if c.Source == call["source_path"] && c.Signal == call["signal_name"] &&
				c.Target == call["target_path"] && c.Method == call["method_name"] {
				// The engine marks (32) what comes from a scene file.
				return c.Flags&^32 == flags, fmt.Sprint(c.Flags)
			}
		}
		return flags == 0, "no such connection"
	}
}

// trait tells whether something is so of a node that is there.
func trait(node string, is func(harness.Node) bool) probe {
	return func(s harness.Scene) (bool, string) {
		n, there := s.Nodes[node]
		return there && is(n), fmt.Sprintf("script %q, unique %t, editable %t", n.Script, n.UniqueName, n.Editable)
	}
}

func scripted(node, script string) probe {
	return trait(node, func(n harness.Node) bool { return n.Script == script })
}
