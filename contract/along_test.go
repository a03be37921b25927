package contract

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// along is a way in which a file comes to be written with a save of the scene: it gives the open scene and the file,
// whose content in the editor a person has just changed.
type along func(t *testing.T) (scene, file string)

// testAlong: a save writes more files than the scene. Each is told before and after, and none is written over when it
// is another one on the disk by now. An editor in the background lists no new files, but loads and saves them.
func (r *rig) testAlong(t *testing.T) {
	for name, way := range map[string]along{
		"a resource":                               r.resourceIn(workRes, true),
		"a resource that is not listed yet":        r.resourceIn(workRes, false),
		"a resource in a folder with a .gdignore":  r.resourceIn(workRes+"/ignored", false),
		"a resource in a folder with a dot":        r.resourceIn(workRes+"/.dotted", false),
		"a resource of an addon":                   r.resourceIn("res://addons/other", false),
		"a resource that a call sets":              r.resourceSet("set_node_property"),
		"what a resource that a call sets uses":    r.partSet,
		"a resource that a call sets on a new one": r.resourceSet("create_node"),
		"a script": r.typedText("player.gd", "extends Node\n", "# typed\n"),
		"a shader": r.typedText("sky.gdshader", "shader_type canvas_item;\n", "// typed\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("told", func(t *testing.T) { r.told(t, way) })
			t.Run("changed on disk", func(t *testing.T) { r.changedAlong(t, way) })
		})
	}
	t.Run("a resource that code made", func(t *testing.T) { r.told(t, r.madeResource) })
	t.Run("a resource that has no file yet", r.newAlong)
}

func (r *rig) told(t *testing.T, way along) {
	scene, file := way(t)
	before := r.files(t)
	dry := r.ok(t, "save_scene", args{"dry_run": true})
	assert.Contains(t, text(dry.Data["files"]), file, "the dry run names what a save writes: %s", dry.Raw)
	assert.Equal(t, before, r.files(t))
	reply := r.ok(t, "save_scene", args{"confirm": true})
	changed := changedFiles(before, r.files(t))
	assert.Contains(t, changed, file, "it is written, or this test proves nothing")
	for _, path := range changed {
		assert.Contains(t, []string{scene, file, file + ".uid"}, path)
	}
	r.checkTold(t, reply, changed)
}

func (r *rig) changedAlong(t *testing.T, way along) {
	_, file := way(t)
	outside, err := os.OpenFile(r.project.Path(file), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = outside.WriteString("\n")
	require.NoError(t, err)
	require.NoError(t, outside.Close())
	before := r.files(t)
	for _, dry := range []bool{true, false} {
		failure := r.refused(t, protocol.DiskChanged, "save_scene", args{"confirm": true, "dry_run": dry})
		assert.Contains(t, failure.Details["files"], file, "%s", text(failure))
		assert.Equal(t, before, r.files(t), "nothing was written")
	}
}

// newResource writes a resource's file; an editor that is not looked at does not see it.
func (r *rig) newResource(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(r.project.Path(file)), 0o755))
	require.NoError(t, os.WriteFile(r.project.Path(file), []byte(content), 0o600))
}

// byHand edits a resource as the inspector does.
func (r *rig) byHand(t *testing.T, file string) {
	t.Helper()
	// The history holds the resource, and an edited one would be written with every later save.
	t.Cleanup(func() { r.hand.act(t, "clear_global", nil, nil) })
	r.hand.act(t, "set_global", args{"path": file, "value": "by hand", "action": "Hand: name"}, nil)
}

// resourceIn is a resource that the scene's file names.
func (r *rig) resourceIn(folder string, listed bool) along {
	return func(t *testing.T) (string, string) {
		scene := r.copyFixture(t, "external_resources")
		file := folder + "/" + strings.TrimSuffix(path.Base(scene), ".tscn") + ".tres"
		thing := harness.FixtureRes + "/assets/thing.tres"
		r.newResource(t, file, r.file(t, thing))
		if strings.HasSuffix(folder, "/ignored") {
			r.newResource(t, folder+"/.gdignore", "")
		}
		r.edit(t, scene, thing, file)
		if listed {
			r.hand.act(t, "update_file", args{"path": file}, nil)
		}
		r.openPath(t, scene)
		r.save(t)
		r.byHand(t, file)
		return scene, file
	}
}

const (
	gradient = "[gd_resource type=\"Gradient\" format=3]\n\n[resource]\n"
	texture  = "[gd_resource type=\"GradientTexture2D\" format=3]\n\n" +
		"[ext_resource type=\"Gradient\" path=\"PART\" id=\"1\"]\n\n[resource]\ngradient = ExtResource(\"1\")\n"
)

// fresh opens a scene and then writes two resources, of which the first uses the second.
func (r *rig) fresh(t *testing.T) (scene, whole, part string) {
	t.Helper()
	scene = r.open(t, "external_resources")
	r.save(t)
	whole, part = strings.Replace(scene, ".tscn", "_whole.tres", 1), strings.Replace(scene, ".tscn", "_part.tres", 1)
	r.newResource(t, part, gradient)
	r.newResource(t, whole, strings.ReplaceAll(texture, "PART", part))
	return scene, whole, part
}

func (r *rig) resourceSet(tool string) along {
	return func(t *testing.T) (string, string) {
		scene, whole, _ := r.fresh(t)
		value := args{"texture": args{"$resource": whole}}
		if tool == "create_node" {
			r.ok(t, tool, args{"node_type": "Sprite2D", "properties": value})
		} else {
			r.ok(t, tool, args{"node_path": "External", "properties": value})
		}
		r.byHand(t, whole)
		return scene, whole
	}
}

func (r *rig) partSet(t *testing.T) (string, string) {
	scene, whole, part := r.fresh(t)
	r.ok(t, "set_node_property", args{"node_path": "External", "property": "texture", "value": whole})
	r.byHand(t, part)
	return scene, part
}

// typedText is a text that is open in its editor, with something typed that is not saved.
func (r *rig) typedText(name, content, typed string) along {
	return func(t *testing.T) (string, string) {
		scene := r.open(t, "own_nodes")
		r.save(t)
		file := strings.Replace(scene, ".tscn", "_"+name, 1)
		r.newResource(t, file, content)
		r.hand.act(t, "edit_text", args{"path": file}, nil)
		for range 8 { // of three frames each: open texts are not looked at in every frame
			r.hand.look(t)
		}
		var seen struct {
			Unsaved bool `json:"unsaved"`
		}
		t.Cleanup(func() { r.hand.act(t, "forget_typed", nil, nil) })
		r.hand.act(t, "type", args{"path": file, "text": typed}, &seen)
		require.True(t, seen.Unsaved)
		return scene, file
	}
}

// madeResource is a resource that code made and saved, without telling the editor.
func (r *rig) madeResource(t *testing.T) (string, string) {
	scene := r.open(t, "own_nodes")
	file := strings.Replace(scene, ".tscn", "_made.tres", 1)
	r.hand.act(t, "make_resource", args{"path": file, "saved": true}, nil)
	r.byHand(t, file)
	return scene, file
}

// newAlong: nothing can be lost, but the new file is told.
func (r *rig) newAlong(t *testing.T) {
	scene := r.open(t, "own_nodes")
	file := strings.Replace(scene, ".tscn", "_made.tres", 1)
	r.hand.act(t, "make_resource", args{"path": file}, nil)
	r.byHand(t, file)
	before := r.files(t)
	reply := r.ok(t, "save_scene", args{"confirm": true})
	changed := changedFiles(before, r.files(t))
	assert.Contains(t, changed, file)
	r.checkTold(t, reply, changed)
}
