package contract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const (
	rampRes   = harness.FixtureRes + "/assets/ramp.tres"
	nestedRes = harness.FixtureRes + "/assets/nested.tres"
	thingRes  = harness.FixtureRes + "/assets/thing.tres"
	redRes    = harness.FixtureRes + "/assets/red.png"
)

// testResources: resources are read, made, changed, saved, moved, copied and deleted, and what is said of each is what
// a fresh process finds.
func (r *rig) testResources(t *testing.T) {
	t.Run("persistence", r.resourcesKept)
	for name, run := range map[string]func(*testing.T){
		"what is read":                            r.resourceRead,
		"made of built-in and project classes":    r.resourcesMade,
		"made of what cannot be":                  r.resourcesNotMade,
		"made over one that is there":             r.resourceMadeOver,
		"values that do not fit":                  r.resourceValuesRefused,
		"an external one is the global history's": r.externalHistory,
		"one in a scene is the scene's history's": r.sceneHistory,
		"copies for one node":                     r.madeUnique,
		"who shares it":                           r.sharedBy,
		"saved":                                   r.resourceSaved,
		"dependencies":                            r.dependencies,
		"references":                              r.references,
		"moved with all references":               r.movedWithAll,
		"moved under the edited scene":            r.movedUnderScene,
		"moved scripts":                           r.movedScripts,
		"moved under scripts in memory":           r.movedUnderScripts,
		"moved imports":                           r.movedImport,
		"named in the settings":                   r.movedInSettings,
		"not moved":                               r.notMoved,
		"copied":                                  r.copied,
		"not copied":                              r.notCopied,
		"deleted":                                 r.deleted,
		"not deleted":                             r.notDeleted,
	} {
		t.Run(name, run)
	}
}

// freshResource is a resource file as a fresh process reads it.
type freshResource struct {
	Class      string            `json:"class"`
	Script     string            `json:"script"`
	Path       string            `json:"path"`
	Messages   []string          `json:"messages"`
	Properties map[string]string `json:"properties"`
}

// readFresh reads resource files in a fresh process.
func (r *rig) readFresh(t *testing.T, paths ...string) map[string]freshResource {
	t.Helper()
	dir, err := r.kit.TempDir("resources")
	require.NoError(t, err)
	ask, answer := filepath.Join(dir, "ask.json"), filepath.Join(dir, "answer.json")
	require.NoError(t, os.WriteFile(ask, []byte(text(paths)), 0o600))
	out, err := r.kit.RunGodot(r.ctx, r.project, "-s", "res://gd/resource_reader.gd", "--", ask, answer)
	require.NoError(t, err, out)
	read, err := os.ReadFile(answer)
	require.NoError(t, err, out)
	var found map[string]freshResource
	require.NoError(t, json.Unmarshal(read, &found))
	return found
}

// writeFresh makes a file of the test's own.
func (r *rig) writeFresh(t *testing.T, name, content string) string {
	t.Helper()
	path := workRes + "/" + r.freshName(name)
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(content), 0o600))
	t.Cleanup(func() { _ = os.Remove(r.project.Path(path)) })
	return path
}

func (r *rig) exists(path string) bool {
	_, err := os.Stat(r.project.Path(path))
	return err == nil
}

// foreseen runs a file-writing call dry and for real, and checks what is told of files. It gives the data.
func (r *rig) foreseen(t *testing.T, tool string, call args) map[string]any {
	t.Helper()
	before := r.files(t)
	reply := r.foretold(t, tool, with(call, "confirm", true))
	assert.Equal(t, false, reply.Data["undoable"], "%s", reply.Raw)
	r.checkTold(t, reply, changedFiles(before, r.files(t)))
	return reply.Data
}

func (r *rig) resourceRead(t *testing.T) {
	r.open(t, "own_nodes")
	nested := r.ok(t, "read_resource_file", args{"resource_path": nestedRes})
	assert.Equal(t, "GradientTexture2D", nested.Data["type"])
	assert.Equal(t, false, nested.Data["unsaved"])
	assert.Len(t, nested.Data["sub_resources"], 1, "%s", nested.Raw)
	assert.NotContains(t, string(nested.Raw), "<Object#")
	assert.NotContains(t, string(nested.Raw), "<Gradient#")
	assert.Contains(t, string(nested.Raw), `"offsets"`, "the properties of what lives inside")
	inner := r.ok(t, "read_resource_file", args{"resource_path": nestedRes, "sub_resource": "Gradient_in"})
	assert.Equal(t, "Gradient", inner.Data["type"])
	assert.Contains(t, string(inner.Raw), `"inside a file"`)
	thing := r.ok(t, "read_resource_file", args{"resource_path": thingRes})
	assert.Equal(t, "FixtureThing", thing.Data["type"], "%s", thing.Raw)
	assert.Equal(t, harness.FixtureRes+"/scripts/fixture_thing.gd", thing.Data["script"])
	ramp := r.ok(t, "read_resource_file", args{"resource_path": rampRes})
	assert.Equal(t, "uid://cfixtureramp1", ramp.Data["uid"])
	red := r.ok(t, "read_resource_file", args{"resource_path": redRes})
	assert.Equal(t, true, red.Data["imported"], "%s", red.Raw)
	scene := r.ok(t, "read_resource_file", args{"resource_path": harness.FixtureRes + "/sub_resources.tscn"})
	assert.Equal(t, "PackedScene", scene.Data["type"])
	assert.EqualValues(t, 3, scene.Data["sub_resources_total"], "%s", scene.Raw)

	all := r.ok(t, "read_resource_file", args{"resource_path": nestedRes, "all": true})
	total, _ := all.Data["total"].(float64)
	seen := map[string]bool{}
	for offset := 0; offset < int(total); offset += 3 {
		page := r.ok(t, "read_resource_file", args{"resource_path": nestedRes, "all": true, "offset": offset, "limit": 3})
		values, _ := page.Data["properties"].(map[string]any)
		assert.EqualValues(t, len(values), page.Data["returned"])
		assert.Equal(t, offset+len(values) < int(total), page.Data["truncated"])
		for name := range values {
			assert.False(t, seen[name], "%s twice", name)
			seen[name] = true
		}
	}
	assert.Len(t, seen, int(total))
	for path, code := range map[string]protocol.Code{
		harness.FixtureRes + "/assets/rampp.tres":       protocol.ResourceNotFound,
		harness.FixtureRes + "/assets":                  protocol.ValidationError,
		harness.FixtureRes + "/scripts/fixture_init.gd": protocol.ValidationError,
		harness.FixtureRes + "/garbage.tscn":            protocol.ValidationError,
		harness.FixtureRes + "/README.md":               protocol.ValidationError,
	} {
		if r.exists(path) || code == protocol.ResourceNotFound {
			r.refused(t, code, "read_resource_file", args{"resource_path": path})
		}
	}
	near := r.refused(t, protocol.ResourceNotFound, "read_resource_file",
		args{"resource_path": harness.FixtureRes + "/assets/rampp.tres"})
	assert.Contains(t, near.Details["near"], rampRes)
	r.refused(t, protocol.ResourceNotFound, "read_resource_file", args{"resource_path": nestedRes, "sub_resource": "None"})
}

func (r *rig) resourcesMade(t *testing.T) {
	r.open(t, "own_nodes")
	made := map[string]args{
		workRes + "/" + r.freshName("box.tres"):   {"resource_type": "BoxMesh", "properties": args{"size": []int{1, 2, 3}}},
		workRes + "/" + r.freshName("box.res"):    {"resource_type": "BoxMesh", "properties": args{"subdivide_width": 4}},
		workRes + "/" + r.freshName("thing.tres"): {"resource_type": "FixtureThing", "properties": args{"label": "hi"}},
		workRes + "/" + r.freshName("tex.tres"):   {"resource_type": "GradientTexture2D", "properties": args{"gradient": rampRes}},
		workRes + "/" + r.freshName("bare.tres"):  {"resource_type": "Gradient"},
		workRes + "/new/folder/deep.tres":         {"resource_type": "Gradient", "properties": args{"resource_name": "deep"}},
	}
	var paths []string
	for path, call := range made {
		data := r.foreseen(t, "create_resource", with(call, "resource_path", path))
		assert.Equal(t, call["resource_type"], data["type"])
		paths = append(paths, path)
	}
	found := r.readFresh(t, paths...)
	for path, call := range made {
		assert.Empty(t, found[path].Messages, path)
		// A process without the editor knows uids from a cache that the editor writes later; the file itself is asked.
		held := r.ok(t, "read_resource_file", args{"resource_path": path})
		assert.Contains(t, held.Data["uid"], "uid://", "%s has a uid", path)
		switch call["resource_type"] {
		case "FixtureThing":
			assert.Equal(t, harness.FixtureRes+"/scripts/fixture_thing.gd", found[path].Script)
			assert.Equal(t, `"hi"`, found[path].Properties["label"])
		case "GradientTexture2D":
			assert.Equal(t, "Gradient "+rampRes, found[path].Properties["gradient"])
		default:
			assert.Equal(t, call["resource_type"], found[path].Class)
		}
	}
}

func (r *rig) resourcesNotMade(t *testing.T) {
	r.open(t, "own_nodes")
	path := workRes + "/" + r.freshName("not.tres")
	before := r.state(t)
	for kind, reason := range map[string]string{
		"Shape3D": "abstract_class", "Shape2D": "abstract_class", "Gradiant": "unknown_class", "Node": "not_a_resource",
		"PackedScene": "other_tool", "GDScript": "other_tool", "FixtureMover": "not_a_resource",
		"EditorSettings": "editor_only_class",
	} {
		failure := r.refused(t, protocol.ValidationError, "create_resource",
			args{"resource_type": kind, "resource_path": path, "confirm": true})
		assert.Equal(t, reason, failure.Details["reason"], "%s: %+v", kind, failure)
		if kind == "Shape3D" {
			assert.Contains(t, failure.Details["concrete"], "BoxShape3D")
		}
		if kind == "Gradiant" {
			assert.Contains(t, failure.Details["suggestions"], "Gradient")
		}
	}
	for property, code := range map[string]protocol.Code{
		"no_such": protocol.ValidationError, "script": protocol.ProtectedTarget, "resource_path": protocol.ProtectedTarget,
		"offsets": protocol.ValidationError,
	} {
		r.refused(t, code, "create_resource", args{
			"resource_type": "Gradient", "resource_path": path,
			"properties": args{property: "x"}, "confirm": true,
		})
	}
	r.refused(t, protocol.ValidationError, "create_resource", args{"resource_type": "res://x", "resource_path": path, "confirm": true})
	r.refused(t, protocol.ValidationError, "create_resource",
		args{"resource_type": "Gradient", "resource_path": workRes + "/not.png", "confirm": true})
	r.refused(t, protocol.ProtectedTarget, "create_resource",
		args{"resource_type": "Gradient", "resource_path": harness.AddonRes + "/not.tres", "confirm": true})
	r.same(t, before, "refused resources")
	late := r.writeFresh(t, "late.gd", "class_name LateThing\nextends Resource\n\n@export var label: String = \"\"\n")
	before = r.state(t)
	failure := r.refused(t, protocol.PreconditionFailed, "create_resource",
		args{"resource_type": "LateThing", "resource_path": path, "confirm": true})
	assert.Equal(t, "class_registered", failure.Required)
	assert.Equal(t, true, failure.Details["rescan_pending"])
	assert.Equal(t, late, failure.Details["script"])
	r.same(t, before, "a class that is not registered")
}

func (r *rig) resourceMadeOver(t *testing.T) {
	path := r.copyFile(t, nestedRes)
	r.open(t, "values")
	r.ok(t, "set_node_property", args{"node_path": "Picture", "property": "texture", "value": path})
	r.ok(t, "set_resource_property", args{"resource_path": path, "property": "width", "value": 99})
	call := args{"resource_type": "GradientTexture2D", "resource_path": path, "properties": args{"height": 5}, "confirm": true}
	before := r.state(t)
	failure := r.refused(t, protocol.AlreadyExists, "create_resource", call)
	assert.Equal(t, r.files(t)[path], failure.Details["sha256"])
	r.same(t, before, "an existing file")
	other := r.refused(t, protocol.PreconditionFailed, "create_resource",
		with(with(with(call, "resource_type", "BoxMesh"), "overwrite", true), "properties", args{}))
	assert.Equal(t, "resource_not_loaded", other.Required)
	r.same(t, before, "a file in use as another class")
	data := r.foreseen(t, "create_resource", with(call, "overwrite", true))
	assert.Equal(t, true, data["overwritten"])
	read := r.ok(t, "read_resource_file", args{"resource_path": path, "all": true})
	values, _ := read.Data["properties"].(map[string]any)
	assert.Equal(t, 5.0, values["height"].(map[string]any)["value"], "what nodes hold is the new one")
	assert.Equal(t, 64.0, values["width"].(map[string]any)["value"], "and nothing of the old one")
	assert.Equal(t, false, read.Data["unsaved"])
	assert.Equal(t, "5", r.readFresh(t, path)[path].Properties["height"])
}

func (r *rig) resourceValuesRefused(t *testing.T) {
	r.open(t, "sub_resources")
	nested := r.copyFile(t, nestedRes)
	r.ok(t, "read_resource_file", args{"resource_path": nested})
	before := r.state(t)
	on := func(a args) args { return with(a, "resource_path", nested) }
	set := func(property string, value any) args { return args{"property": property, "value": value} }
	box := func(a args) args { return with(with(a, "node_path", "Box"), "node_property", "mesh") }
	for _, c := range []struct {
		code protocol.Code
		call args
	}{
		{protocol.ResourceNotFound, on(set("gradient", "res://missing.tres"))},
		{protocol.ValidationError, on(set("gradient", redRes))},
		{protocol.ValidationError, on(set("gradient", 5))},
		{protocol.ValidationError, on(set("gradient", harness.FixtureRes+"/scripts/fixture_thing.gd"))},
		{protocol.ValidationError, on(set("widht", 5))},
		{protocol.ValidationError, on(set("width", "5"))},
		{protocol.ProtectedTarget, on(set("script", nil))},
		{protocol.ProtectedTarget, on(set("resource_path", "res://t/other.tres"))},
		{protocol.ValueRejected, box(set("subdivide_width", -3))},
		{protocol.ValidationError, box(set("size", []int{1, 2}))},
		{protocol.ValidationError, box(set("size", "big"))},
		{protocol.ValidationError, set("width", 5)},
		{protocol.ValidationError, with(on(set("width", 5)), "node_path", "Box")},
		{protocol.ValidationError, with(on(set("width", 5)), "make_unique", true)},
		{protocol.ResourceNotFound, with(box(set("size", 5)), "node_path", "Bix")},
		{protocol.ResourceNotFound, with(box(set("size", 5)), "node_property", "skin")},
		{protocol.ValidationError, with(set("x", 5), "resource_path", harness.FixtureRes+"/empty.tscn")},
		{protocol.ValidationError, with(set("x", 5), "resource_path", harness.FixtureRes+"/scripts/setters.gd")},
	} {
		failure := r.refused(t, c.code, "set_resource_property", c.call)
		if c.code != protocol.ValueRejected {
			r.refused(t, c.code, "set_resource_property", with(c.call, "dry_run", true))
		}
		r.same(t, before, text(c.call)+failure.Message)
	}
	suggested := r.refused(t, protocol.ValidationError, "set_resource_property", on(set("widht", 5)))
	assert.Contains(t, suggested.Details["suggestions"], "width")
	read := r.ok(t, "read_resource_file", args{"resource_path": nested})
	assert.Equal(t, false, read.Data["unsaved"], "what was refused left no mark: %s", read.Raw)
}

func (r *rig) resourceSaved(t *testing.T) {
	path := r.copyFile(t, nestedRes)
	r.open(t, "own_nodes")
	save := args{"resource_path": path, "confirm": true}
	for _, dry := range []bool{true, false} {
		r.refused(t, protocol.NothingToSave, "save_resource", with(save, "dry_run", dry))
	}
	r.ok(t, "set_resource_property", args{"resource_path": path, "property": "width", "value": 44})
	read := r.ok(t, "read_resource_file", args{"resource_path": path})
	assert.Equal(t, true, read.Data["unsaved"])
	r.foreseen(t, "save_resource", args{"resource_path": path})
	assert.Equal(t, "44", r.readFresh(t, path)[path].Properties["width"])
	r.refused(t, protocol.NothingToSave, "save_resource", save)

	r.ok(t, "set_resource_property",
		args{"resource_path": path, "sub_resource": "Gradient_in", "property": "resource_name", "value": "in"})
	r.foreseen(t, "save_resource", args{"resource_path": path})
	assert.Equal(t, `"in"`, r.readFresh(t, path)[path].Properties["gradient:resource_name"])
	r.refused(t, protocol.NothingToSave, "save_resource", save)

	r.ok(t, "set_resource_property", args{"resource_path": path, "property": "width", "value": 45})
	behind := r.file(t, path) + "\n; changed by another program\n"
	require.NoError(t, os.WriteFile(r.project.Path(path), []byte(behind), 0o600))
	failure := r.refused(t, protocol.DiskChanged, "save_resource", save)
	assert.Equal(t, []any{path}, failure.Details["files"])
	assert.Equal(t, behind, r.file(t, path), "nothing was written")
	r.ok(t, "create_resource", args{"resource_type": "GradientTexture2D", "resource_path": path, "overwrite": true, "confirm": true})
	for _, other := range []string{redRes, harness.FixtureRes + "/empty.tscn", harness.FixtureRes + "/scripts/setters.gd"} {
		r.refused(t, protocol.ValidationError, "save_resource", args{"resource_path": other, "confirm": true})
	}
}
