package contract

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// crossSaved: in a file that the editor saved, only the lines of the property change.
func (r *rig) crossSaved(t *testing.T) {
	for _, row := range []struct{ fixture, pattern, line, instead string }{
		{"own_nodes", "Player", "position = Vector2(10, 20)", "position = Vector2(1, 2)"},
		{"instance_editable", "Kid", "position = Vector2(3, 4)", "position = Vector2(1, 2)"},
		{"deep_subtree", "After", "", "position = Vector2(1, 2)\n"},
		{"signals", "Own", "", "position = Vector2(1, 2)\n"},
		{"sub_resources", "Same", "", "position = Vector2(1, 2)\n"},
	} {
		t.Run(row.fixture, func(t *testing.T) {
			path := r.open(t, row.fixture)
			before := r.saved(t, path)
			r.closeScene(t, path)
			r.ok(t, crossTool, with(with(on(row.pattern, "position", []int{1, 2}), "scenes", []string{path}), "confirm", true))
			after := r.file(t, path)
			want := strings.Replace(before, row.line, row.instead, 1)
			if row.line == "" {
				assert.Contains(t, after, row.instead)
				want, after = before, strings.Replace(after, row.instead, "", 1)
			}
			assert.Equal(t, want, after)
		})
	}
}

// crossMany: several files, one without a node that fits, one that has the value already.
func (r *rig) crossMany(t *testing.T) {
	one, two, three := r.copyFixture(t, "own_nodes"), r.copyFixture(t, "second_player"), r.copyFixture(t, "empty")
	call := with(with(on("Player", "position", []int{-5, -5}), "scenes", []string{one, two, three}), "confirm", true)
	before := r.files(t)
	reply := r.foretold(t, crossTool, call)
	assert.Equal(t, []string{one}, changedFiles(before, r.files(t)), "the others need no change: %s", reply.Raw)
	var body crossData
	decodeData(t, reply, &body)
	assert.Equal(t, 1, body.FilesChanged)
	assert.Equal(t, []string{"Player"}, body.Scenes[1].Unchanged)
	assert.Empty(t, body.Scenes[2].Applied)
	assert.Equal(t, []any{one + ":Player", two + ":Player"}, reply.Data["targets"])
}

func (r *rig) crossRefused(t *testing.T) {
	good := r.copyFixture(t, "own_nodes")
	closed, widgets := r.copyFixture(t, "instance_closed"), r.copyFixture(t, "values")
	exports := r.copyFixture(t, "node_exports")
	visible := on("Player", "visible", false)
	files := func(paths ...string) []string { return append([]string{good}, paths...) }
	before := r.state(t)
	for name, c := range map[string]struct {
		call args
		code protocol.Code
		text string
	}{
		"no scenes":               {with(visible, "scenes", []string{}), protocol.ValidationError, "no_scenes"},
		"no filter":               {with(without(visible, "node_pattern"), "scenes", files()), protocol.ValidationError, "which_nodes"},
		"an unknown class":        {with(with(visible, "node_type", "Nodule"), "scenes", files()), protocol.ValidationError, "unknown_class"},
		"no match":                {with(on("Nobody", "visible", false), "scenes", files()), protocol.ResourceNotFound, ""},
		"only closed ones":        {with(on("Kid", "visible", false), "scenes", []string{closed}), protocol.ResourceNotFound, "Shell/Kid"},
		"a missing file":          {with(visible, "scenes", files("res://t/nowhere.tscn")), protocol.ResourceNotFound, "nowhere"},
		"a file that is no scene": {with(visible, "scenes", files("res://scenes_fixture/assets/ramp.tres")), protocol.ValidationError, ""},
		"an imported scene":       {with(visible, "scenes", files("res://scenes_fixture/assets/triangle.gltf")), protocol.ValidationError, ""},
		"garbage":                 {with(visible, "scenes", files(r.copyFixture(t, "garbage"))), protocol.ValidationError, "scene_does_not_load"},
		"a missing dependency":    {with(visible, "scenes", files(r.copyFixture(t, "broken_dependency"))), protocol.PreconditionFailed, "dependencies"},
		"an unknown property":     {with(on("Player", "visble", false), "scenes", files()), protocol.ValidationError, `"visible"`},
		"unknown in one of the files": {
			with(on("*", "text", "x"), "scenes", files()), protocol.ValidationError, "unknown_property",
		},
		"a wrong type":          {with(on("Player", "position", "here"), "scenes", files()), protocol.ValidationError, ""},
		"a part of a value":     {with(on("Player", "position:x", 3), "scenes", files()), protocol.ValidationError, "whole_property"},
		"a script":              {with(on("Player", "script", nil), "scenes", files()), protocol.ProtectedTarget, "attach_script"},
		"not stored":            {with(on("Clock", "paused", true), "scenes", []string{widgets}), protocol.ValidationError, "property_not_stored"},
		"a place on the screen": {with(on("Words", "position", []int{1, 2}), "scenes", []string{widgets}), protocol.ValidationError, "offset_left"},
		"a global place":        {with(on("Player", "global_position", []int{1, 2}), "scenes", files()), protocol.ValidationError, "needs_open_scene"},
		"a node":                {with(on("User", "hud", args{"$node": "../Hud"}), "scenes", []string{exports}), protocol.ValidationError, "no_node_context"},
		"its own scene":         {with(on("User", "metadata/self", args{"$resource": exports}), "scenes", []string{exports}), protocol.ValidationError, "cyclic_reference"},
		"a path that leaves":    {with(visible, "scenes", files("res://../a.tscn")), protocol.PathOutsideProject, ""},
		"no path":               {with(visible, "scenes", files("/etc/passwd")), protocol.InvalidPath, ""},
		"a part of a file":      {with(visible, "scenes", files(good+"::1")), protocol.InvalidPath, ""},
		"a protected file":      {with(visible, "scenes", files("res://addons/drawbridge/a.tscn")), protocol.ProtectedTarget, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, way := range []args{{"dry_run": true}, {"confirm": true}} {
				call := c.call
				for key, value := range way {
					call = with(call, key, value)
				}
				failure := r.refused(t, c.code, crossTool, call)
				assert.Contains(t, text(failure), c.text)
			}
		})
	}
	now := r.state(t)
	assert.Equal(t, before.dump, now.dump)
	for path, sum := range before.files {
		assert.Equal(t, sum, now.files[path], "%s changed", path)
	}
}

// crossRejected: a setter that clamps refuses the call, and no file is touched.
func (r *rig) crossRejected(t *testing.T) {
	clean, clamps := r.copyFixture(t, "scripts"), r.copyFixture(t, "scripts")
	before := r.files(t)
	for _, property := range []string{"clamped", "stubborn"} {
		failure := r.refused(t, protocol.ValueRejected, crossTool, with(with(
			on("Setters", property, 99), "scenes", []string{clean, clamps}), "confirm", true))
		assert.Contains(t, text(failure.Details), `"asked":99`)
		assert.Equal(t, clean, failure.Details["scene_path"])
		assert.Equal(t, before, r.files(t))
	}
}

// crossPutBack: the second of two files does not read back, and the first one is put back.
func (r *rig) crossPutBack(t *testing.T) {
	script := r.writeFresh(t, "forgets.gd", "@tool\nextends Node\n\nstatic var made: int = 0\n\n"+
		"@export var kept: int = 0:\n\tset(value):\n\t\tmade += 1\n\t\tkept = value if made < 4 else 0\n")
	plain := "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"" + script + "\" id=\"1\"]\n\n" +
		"[node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
	first, second := r.writeFresh(t, "first.tscn", plain), r.writeFresh(t, "second.tscn", plain)
	failure := r.refused(t, protocol.ValueRejected, crossTool, with(with(
		on("Main", "kept", 5), "scenes", []string{first, second}), "confirm", true))
	assert.Equal(t, second, failure.Details["scene_path"])
	assert.Equal(t, true, failure.Details["restored"], "%s", text(failure))
	assert.Equal(t, plain, r.file(t, first))
	assert.Equal(t, plain, r.file(t, second))
}

// crossOpen is BR-012: an open scene refuses the call, edited or in another tab, with unsaved changes or without.
func (r *rig) crossOpen(t *testing.T) {
	other := r.copyFixture(t, "own_nodes")
	path := r.open(t, "own_nodes")
	r.ok(t, "set_node_property", args{"node_path": "Enemy", "property": "position", "value": []int{4, 4}})
	call := with(with(on("Player", "visible", false), "scenes", []string{other, path}), "confirm", true)
	for range 2 {
		before := r.state(t)
		failure := r.refused(t, protocol.PreconditionFailed, crossTool, call)
		assert.Equal(t, "scene_not_open", failure.Required)
		assert.Equal(t, path, failure.Details["scene_path"])
		r.same(t, before, "a scene that is open")
		r.open(t, "second_player")
	}
}

// crossUsed: open scenes show the change where they have no value of their own, and a save of them writes nothing of it.
func (r *rig) crossUsed(t *testing.T) {
	inner := r.copyFixture(t, "mid")
	r.openPath(t, inner)
	r.save(t)
	r.closeScene(t, inner)
	head := "[gd_scene format=3]\n\n[ext_resource type=\"PackedScene\" path=\"" + inner + "\" id=\"1\"]\n\n"
	outer := r.writeFresh(t, "outer.tscn", head+"[node name=\"Outer\" type=\"Node2D\"]\n\n"+
		"[node name=\"Plain\" parent=\".\" instance=ExtResource(\"1\")]\n\n"+
		"[node name=\"Own\" parent=\".\" instance=ExtResource(\"1\")]\n\n"+
		"[node name=\"Kid\" parent=\"Own\" index=\"0\"]\nposition = Vector2(9, 9)\n\n[editable path=\"Own\"]\n")
	derived := r.writeFresh(t, "derived.tscn", head+"[node name=\"Derived\" instance=ExtResource(\"1\")]\n")
	r.openPath(t, derived)
	derivedBefore := r.saved(t, derived)
	r.openPath(t, outer)
	before := r.saved(t, outer)
	version := r.hand.look(t)
	reply := r.ok(t, crossTool, with(with(on("Kid", "position", []int{7, 8}), "scenes", []string{inner}), "confirm", true))
	var body crossData
	decodeData(t, reply, &body)
	require.Len(t, body.OpenScenes, 2, "%s", reply.Raw)
	for _, one := range body.OpenScenes {
		require.NotNil(t, one.Shows)
		assert.Equal(t, one.Scene == derived, *one.Shows, "%s", reply.Raw)
		assert.Equal(t, []string{inner}, one.Uses)
		if one.Scene == outer {
			assert.Equal(t, []string{"Own/Kid:position"}, one.OwnValues)
		}
	}
	assert.Equal(t, version, r.hand.look(t), "no scene is unsaved now, and no history moved")
	assert.Equal(t, "[7.0,8.0]", r.shown(t, "Plain/Kid", "position"))
	assert.Equal(t, "[9.0,9.0]", r.shown(t, "Own/Kid", "position"))
	assert.Equal(t, before, r.saved(t, outer), "a save writes nothing of it")
	r.ok(t, "open_scene", args{"scene_path": derived})
	assert.Equal(t, "[7.0,8.0]", r.shown(t, "Kid", "position"))
	assert.Equal(t, derivedBefore, r.saved(t, derived), "a save writes nothing of it")
	scenes := r.read(t, outer, derived)
	for _, at := range []struct{ scene, node, want string }{
		{outer, "Plain/Kid", "[7.0,8.0]"}, {outer, "Own/Kid", "[9.0,9.0]"}, {derived, "Kid", "[7.0,8.0]"},
	} {
		kept, found := stores(at.node, "position", at.want)(scenes[at.scene])
		assert.True(t, kept, "%s %s: %s", at.scene, at.node, found)
	}
	r.ok(t, "instance_scene", args{"scene_path": inner, "node_name": "New"})
	assert.Equal(t, "[7.0,8.0]", r.shown(t, "New/Kid", "position"), "what is instanced from now on")
}

// shown is a property of the edited scene, as JSON.
func (r *rig) shown(t *testing.T, node, property string) string {
	t.Helper()
	return string(r.readValue(t, node, property))
}

func (r *rig) crossLimit(t *testing.T) {
	var scene strings.Builder
	scene.WriteString("[gd_scene format=3]\n\n[node name=\"Main\" type=\"Node\"]\n")
	for i := range 21 {
		scene.WriteString("\n[node name=\"N" + string(rune('a'+i)) + "\" type=\"Node2D\" parent=\".\"]\n")
	}
	path := r.writeFresh(t, "many.tscn", scene.String())
	call := with(args{"node_type": "Node2D", "property": "visible", "value": false, "confirm": true}, "scenes", []string{path})
	failure := r.refused(t, protocol.TooManyTargets, crossTool, call)
	assert.EqualValues(t, 21, failure.Details["count"])
	assert.Equal(t, scene.String(), r.file(t, path))
	r.ok(t, crossTool, with(call, "node_pattern", "na"))
}

// crossProtected: root may write what is protected; anyone else is told.
func (r *rig) crossProtected(t *testing.T) {
	path := r.copyFixture(t, "own_nodes")
	before := r.file(t, path)
	require.NoError(t, os.Chmod(r.project.Path(path), 0o400))
	reply := r.call(t, crossTool, with(with(on("Player", "visible", false), "scenes", []string{path}), "confirm", true))
	if os.Geteuid() == 0 {
		require.True(t, reply.OK, "%s", reply.Raw)
		assert.Contains(t, r.file(t, path), "visible = false")
		return
	}
	require.NotNil(t, reply.Error, "%s", reply.Raw)
	assert.Equal(t, "writable_file", reply.Error.Required)
	assert.Equal(t, before, r.file(t, path))
}

// crossBrokenScript is BR-013's sibling: exported values of a script that does not parse stay in the file.
func (r *rig) crossBrokenScript(t *testing.T) {
	path := r.copyFixture(t, "broken_script")
	call := with(with(on("Main", "visible", false), "scenes", []string{path}), "confirm", true)
	r.ok(t, crossTool, call)
	assert.Contains(t, r.file(t, path), "important = 7")
	assert.Contains(t, r.file(t, path), "visible = false")
}

// crossForms: a binary scene, and an instance that is only loaded at run time.
func (r *rig) crossForms(t *testing.T) {
	binary := r.freshName(workRes + "/binary.scn")
	path := r.open(t, "deep_subtree")
	r.ok(t, "save_scene", args{"scene_path": binary, "confirm": true})
	r.closeScene(t, binary)
	late := r.writeFresh(t, "late.tscn", "[gd_scene format=3]\n\n[node name=\"Main\" type=\"Node2D\"]\n\n"+
		"[node name=\"Late\" parent=\".\" instance_placeholder=\"res://scenes_fixture/mid.tscn\"]\n")
	reply := r.ok(t, crossTool, with(args{
		"node_pattern": "*t*", "node_type": "Node2D", "property": "position", "value": []int{5, 6}, "confirm": true,
	}, "scenes", []string{binary, late}))
	assert.Contains(t, string(reply.Raw), `"value":[5.0,6.0]`, "what was read back: %s", reply.Raw)
	assert.Contains(t, r.file(t, late), `instance_placeholder="res://scenes_fixture/mid.tscn"`)
	assert.Contains(t, r.file(t, late), "position = Vector2(5, 6)")
	row := crossRow{fixture: "deep_subtree", want: map[string]string{
		"After:position": "[5.0,6.0]", "Branch/Twig:position": "[5.0,6.0]",
	}}
	scenes := r.read(t, binary, path, harness.FixtureRes+"/deep_subtree.tscn")
	onlyThese(t, scenes[harness.FixtureRes+"/deep_subtree.tscn"], scenes[binary], row, binary)
}

// crossInit: a dry run makes no node, so no script of the project's runs its _init.
func (r *rig) crossInit(t *testing.T) {
	path := r.copyFixture(t, "init_counter")
	left := r.userFile("fixture_init")
	require.NoError(t, os.RemoveAll(left))
	call := with(on("*", "process_priority", 3), "scenes", []string{path})
	r.ok(t, crossTool, with(call, "dry_run", true))
	r.ok(t, "preview_tool", args{"tool": crossTool, "arguments": call})
	assert.NoFileExists(t, left)
	r.ok(t, crossTool, with(call, "confirm", true))
	assert.Equal(t, 2, strings.Count(r.file(t, path), "process_priority = 3"))
}
