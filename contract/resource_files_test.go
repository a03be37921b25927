package contract

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// shownRefs counts the references that find_references shows, by file.
func (r *rig) shownRefs(t *testing.T, path string) map[string][]string {
	t.Helper()
	reply := r.ok(t, "find_references", args{"path": path, "limit": 5000})
	found := map[string][]string{}
	list, _ := reply.Data["references"].([]any)
	assert.EqualValues(t, len(list), reply.Data["total"])
	for _, item := range list {
		row, _ := item.(map[string]any)
		file, _ := row["file"].(string)
		by, _ := row["by"].(string)
		found[file] = append(found[file], by)
	}
	return found
}

// sceneWith is a scene whose one sprite has the texture.
func sceneWith(texture, uid string) string {
	if uid != "" {
		uid = ` uid="` + uid + `"`
	}
	return `[gd_scene format=3]

[ext_resource type="Texture2D"` + uid + ` path="` + texture + `" id="1"]

[node name="Main" type="Sprite2D"]
texture = ExtResource("1")
metadata/named = "` + texture + `"
metadata/longer = "` + texture + `x"
`
}

// target makes a texture with a uid, and gives its path and uid.
func (r *rig) target(t *testing.T) (path, uid string) {
	t.Helper()
	path = workRes + "/" + r.freshName("target.tres")
	r.ok(t, "create_resource", args{"resource_type": "GradientTexture2D", "resource_path": path, "confirm": true})
	uid, _ = r.ok(t, "read_resource_file", args{"resource_path": path}).Data["uid"].(string)
	require.True(t, strings.HasPrefix(uid, "uid://"), uid)
	return path, uid
}

func (r *rig) dependencies(t *testing.T) {
	r.open(t, "own_nodes")
	path, uid := r.target(t)
	scene := r.writeFresh(t, "needs.tscn", sceneWith(path, uid))
	script := r.writeFresh(t, "needs.gd", "extends Node\nconst A = preload(\""+uid+"\")\nconst B = \"res://t/none.tres\"\n")
	broken := harness.FixtureRes + "/broken_dependency.tscn"
	needs := func(of string) map[string]map[string]any {
		reply := r.ok(t, "get_dependencies", args{"path": of})
		out := map[string]map[string]any{}
		list, _ := reply.Data["dependencies"].([]any)
		for _, item := range list {
			row, _ := item.(map[string]any)
			named, _ := row["path"].(string)
			out[named] = row
		}
		return out
	}
	for _, from := range []string{scene, script} {
		row := needs(from)[path]
		require.NotNil(t, row, from)
		assert.Equal(t, uid, row["uid"], from)
		assert.Equal(t, "GradientTexture2D", row["type"], from)
		assert.Equal(t, false, row["missing"], from)
	}
	assert.Equal(t, true, needs(script)["res://t/none.tres"]["missing"])
	missing := 0
	for _, row := range needs(broken) {
		if row["missing"] == true {
			missing++
		}
	}
	assert.Equal(t, 1, missing, "the file that is not there")
	assert.Empty(t, needs(rampRes))
	page := r.ok(t, "get_dependencies", args{"path": harness.FixtureRes + "/external_resources.tscn", "limit": 2, "offset": 1})
	assert.EqualValues(t, 2, page.Data["returned"])
	assert.EqualValues(t, 5, page.Data["total"])
	assert.EqualValues(t, 3, page.Data["next_offset"])
	r.refused(t, protocol.ResourceNotFound, "get_dependencies", args{"path": workRes + "/none.tres"})
	r.refused(t, protocol.ValidationError, "get_dependencies", args{"path": workRes})
}

func (r *rig) references(t *testing.T) {
	r.open(t, "own_nodes")
	path, uid := r.target(t)
	base := strings.TrimPrefix(path, workRes+"/")
	want := map[string][]string{
		r.writeFresh(t, "refs.tscn", sceneWith(path, uid)): {"uid", "path", "path"},
		r.writeFresh(t, "refs.tres", "[gd_resource type=\"Resource\" format=3]\n\n[ext_resource type=\"Texture2D\" path=\""+base+
			"\" id=\"1\"]\n\n[resource]\nmetadata/a = ExtResource(\"1\")\n"): {"relative_path"},
		r.writeFresh(t, "refs.gd", "extends Node\nconst A = preload(\""+base+"\")\nconst B = preload('"+path+"')\nvar c = \""+uid+
			"\"\n# "+path+" in a comment\n"): {"relative_path", "path", "uid"},
		r.writeFresh(t, "refs.cfg", "[a]\nb=\"*"+path+"\"\nc=\"x"+path+"\"\n"):                {"path"},
		r.writeFresh(t, "refs2.cfg", "[a]\nb=\""+path+"::Gradient_1\"\nc=\""+path+".bak\"\n"): {"path"},
	}
	assert.Equal(t, want, r.shownRefs(t, path))
	class := r.shownRefs(t, harness.FixtureRes+"/scripts/fixture_thing.gd")
	assert.Contains(t, class[thingRes], "class_name")
	assert.Contains(t, class[thingRes], "path")
}

// movedWithAll moves a file that everything refers to: every text is repaired, and a fresh process finds no fault.
func (r *rig) movedWithAll(t *testing.T) {
	r.open(t, "own_nodes")
	path, uid := r.target(t)
	base := strings.TrimPrefix(path, workRes+"/")
	scene := r.writeFresh(t, "moved.tscn", sceneWith(path, uid))
	plain := r.writeFresh(t, "moved2.tscn", sceneWith(path, ""))
	holder := r.writeFresh(t, "moved.tres", "[gd_resource type=\"Resource\" format=3]\n\n[ext_resource type=\"Texture2D\" path=\""+
		base+"\" id=\"1\"]\n\n[resource]\nmetadata/a = ExtResource(\"1\")\nmetadata/b = \""+path+"\"\n")
	script := r.writeFresh(t, "moved.gd", "extends Node\nconst A = preload(\""+base+"\")\r\nconst B = preload('"+path+
		"')\nvar c = \""+uid+"\"\n# "+path+"\n")
	uids := r.writeFresh(t, "moved2.gd", "extends Node\nconst A: Texture2D = preload(\""+uid+"\")\n")
	config := r.writeFresh(t, "moved.cfg", "[a]\nb=\"*"+path+"\"\nc=\""+path+".bak\"\n")
	r.ok(t, "read_resource_file", args{"resource_path": holder})
	r.hand.act(t, "update_file", map[string]any{"path": script}, nil) // it gets its .uid now
	before := r.files(t)
	target := workRes + "/" + r.freshName("moved_target.tres")
	data := r.foreseen(t, "move_file", args{"path": path, "new_path": target})

	updated := map[string]any{}
	list, _ := data["updated_refs"].([]any)
	for _, item := range list {
		row, _ := item.(map[string]any)
		file, _ := row["file"].(string)
		updated[file] = row["count"]
	}
	assert.Equal(t, map[string]any{scene: 2.0, plain: 2.0, holder: 2.0, script: 2.0, config: 1.0}, updated)
	changed := changedFiles(before, r.files(t))
	wanted := []string{scene, plain, holder, script, config, path, target}
	slices.Sort(wanted)
	assert.Equal(t, wanted, changed)
	assert.Equal(t, "extends Node\nconst A = preload(\""+target+"\")\r\nconst B = preload('"+target+"')\nvar c = \""+uid+
		"\"\n# "+path+"\n", r.file(t, script), "nothing but the references")
	assert.Equal(t, "[a]\nb=\"*"+target+"\"\nc=\""+path+".bak\"\n", r.file(t, config))
	assert.Contains(t, r.file(t, scene), "longer = \""+path+"x\"")

	found := r.readFresh(t, target, uid, holder, scene, plain, uids)
	for name, resource := range found {
		assert.Empty(t, resource.Messages, name)
		assert.NotEmpty(t, resource.Class, name)
	}
	assert.Equal(t, target, found[uid].Path, "the uid leads to the new place")
	assert.Equal(t, "GradientTexture2D "+target, found[holder].Properties["metadata/a"])
	held := r.ok(t, "read_resource_file", args{"resource_path": holder})
	assert.Contains(t, string(held.Raw), target, "in the editor's memory too")
	assert.NotContains(t, string(held.Raw), path)
	r.refused(t, protocol.ResourceNotFound, "read_resource_file", args{"resource_path": path})
	r.ok(t, "open_scene", args{"scene_path": scene})
	r.closeScene(t, scene)
}

// movedUnderScene moves what open scenes use.
func (r *rig) movedUnderScene(t *testing.T) {
	path, uid := r.target(t)
	scene := r.writeFresh(t, "under.tscn", sceneWith(path, uid))
	r.openPath(t, scene)
	r.ok(t, "set_node_property", args{"node_path": ".", "property": "process_priority", "value": 1})
	call := args{"path": path, "new_path": workRes + "/" + r.freshName("under.tres"), "confirm": true}
	failure := r.refused(t, protocol.PreconditionFailed, "move_file", call)
	assert.Equal(t, "scene_saved", failure.Required)
	r.save(t)
	other := r.open(t, "own_nodes")
	failure = r.refused(t, protocol.PreconditionFailed, "move_file", call)
	assert.Equal(t, "scene_not_open", failure.Required)
	r.closeScene(t, other)
	r.ok(t, "open_scene", args{"scene_path": scene})
	reply := r.ok(t, "move_file", call)
	assert.Equal(t, []any{scene}, reply.Data["reloaded_scenes"], "%s", reply.Raw)
	node := r.ok(t, "get_node", args{"node_path": ".", "properties": []string{"texture"}})
	assert.Contains(t, string(node.Raw), call["new_path"])
	saved := r.saved(t, scene)
	assert.Contains(t, saved, call["new_path"])
	assert.NotContains(t, saved, `"`+path+`"`)
	assert.False(t, r.exists(path), "a save does not bring the old file back")

	moved, _ := call["new_path"].(string)
	r.ok(t, "set_resource_property", args{"resource_path": moved, "property": "width", "value": 9})
	failure = r.refused(t, protocol.PreconditionFailed, "move_file",
		args{"path": moved, "new_path": workRes + "/else.tres", "confirm": true})
	assert.Equal(t, "resource_saved", failure.Required)
	r.ok(t, "save_resource", args{"resource_path": moved, "confirm": true})
	failure = r.refused(t, protocol.PreconditionFailed, "move_file",
		args{"path": scene, "new_path": workRes + "/else.tscn", "confirm": true})
	assert.Equal(t, "scene_not_open", failure.Required)
}

// movedScripts: a script takes its .uid along, and its own relative paths.
func (r *rig) movedScripts(t *testing.T) {
	r.open(t, "own_nodes")
	helper := r.writeFresh(t, "helper.gd", "extends RefCounted\n")
	script := r.writeFresh(t, "walker.gd", "extends Node\nconst H = preload(\""+strings.TrimPrefix(helper, workRes+"/")+"\")\n")
	for _, path := range []string{helper, script} {
		r.hand.act(t, "update_file", map[string]any{"path": path}, nil)
	}
	require.True(t, r.exists(script+".uid"))
	uid := r.file(t, script+".uid")
	holder := r.writeFresh(t, "walked.tscn", "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\""+script+
		"\" id=\"1\"]\n\n[node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n")
	target := workRes + "/deep/" + r.freshName("walker.gd")
	r.foreseen(t, "move_file", args{"path": script, "new_path": target})
	assert.Equal(t, uid, r.file(t, target+".uid"))
	assert.False(t, r.exists(script+".uid"))
	assert.Contains(t, r.file(t, target), helper, "its relative path is a whole one")
	found := r.readFresh(t, holder, target)
	assert.Empty(t, found[holder].Messages)
	assert.Empty(t, found[target].Messages)

	call := args{"path": helper, "new_path": workRes + "/" + r.freshName("helped.gd"), "confirm": true}
	r.hand.act(t, "edit_text", map[string]any{"path": target}, nil)
	r.hand.act(t, "type", map[string]any{"path": target, "text": "# typed\n"}, nil)
	failure := r.refused(t, protocol.PreconditionFailed, "move_file", call)
	assert.Equal(t, "script_saved", failure.Required)
	r.hand.act(t, "forget_typed", nil, nil)
}

// movedUnderScripts: a script in memory that names the moved file has its new text there too, and one that does not parse
// is told to be as it was.
func (r *rig) movedUnderScripts(t *testing.T) {
	r.open(t, "own_nodes")
	helper := r.writeFresh(t, "named.gd", "extends RefCounted\n")
	own := "\n\nfunc say() -> String:\n\tvar script: GDScript = get_script()\n\treturn script.source_code\n"
	user := r.writeFresh(t, "names.gd", "extends RefCounted\n\nconst H: GDScript = preload(\""+helper+"\")"+own)
	broken := r.writeFresh(t, "broken_names.gd", "extends RefCounted\n\nconst H: GDScript = preload(\""+helper+"\")"+own)
	for _, script := range []string{user, broken} {
		require.Contains(t, r.says(t, script), helper)
	}
	r.edit(t, broken, "func say()", "func say(")
	target := workRes + "/" + r.freshName("renamed.gd")
	data := r.foreseen(t, "move_file", args{"path": helper, "new_path": target})
	assert.Equal(t, []any{broken}, data["stale_scripts"])
	for _, script := range []string{user, target} {
		assert.Equal(t, true, r.ok(t, "scripts_validate", args{"script_path": script}).Data["parse_ok"], script)
	}
	reply := r.ok(t, "scripts_validate", args{"script_path": broken})
	assert.Equal(t, []float64{5}, lines(reply.Data["diagnostics"]), "its own fault alone: %s", reply.Raw)
	assert.Equal(t, r.file(t, user), r.says(t, user), "the text in memory is the file's")
	assert.Contains(t, r.file(t, user), target)
	assert.Contains(t, r.file(t, broken), target)
	assert.Contains(t, r.says(t, broken), helper)
}

// movedImport: an imported file keeps its uid, and is imported anew by the editor.
func (r *rig) movedImport(t *testing.T) {
	r.open(t, "own_nodes")
	red := r.copyFile(t, redRes)
	r.ok(t, "rescan_filesystem", args{})
	r.settle(t, red+".import", "source_file")
	scene := r.writeFresh(t, "import.tscn", sceneWith(red, ""))
	target := workRes + "/" + r.freshName("moved_red.png")
	reply := r.ok(t, "move_file", args{"path": red, "new_path": target, "confirm": true})
	assert.Equal(t, true, reply.Data["rescan_pending"], "%s", reply.Raw)
	assert.False(t, r.exists(red) || r.exists(red+".import"))
	r.settle(t, target+".import", `source_file="`+target+`"`)
	found := r.readFresh(t, target, scene)
	assert.Empty(t, found[target].Messages)
	assert.Empty(t, found[scene].Messages)
	assert.Equal(t, "CompressedTexture2D", found[target].Class)
}

func (r *rig) movedInSettings(t *testing.T) {
	const name = "application/config/icon"
	r.open(t, "own_nodes")
	old := r.ok(t, "get_setting", args{"name": name}).Data["value"]
	path, _ := r.target(t)
	r.ok(t, "set_setting", args{"name": name, "value": path, "confirm": true})
	target := workRes + "/" + r.freshName("icon.tres")
	data := r.foreseen(t, "move_file", args{"path": path, "new_path": target})
	assert.Contains(t, text(data["updated_refs"]), "res://project.godot")
	assert.Equal(t, target, r.ok(t, "get_setting", args{"name": name}).Data["value"])
	assert.Contains(t, r.file(t, "res://project.godot"), `"`+target+`"`)
	r.ok(t, "set_setting", args{"name": name, "value": old, "confirm": true})
}

func (r *rig) notMoved(t *testing.T) {
	r.open(t, "own_nodes")
	path, _ := r.target(t)
	script := r.writeFresh(t, "side.gd", "extends Node\n")
	r.hand.act(t, "update_file", map[string]any{"path": script}, nil)
	packed := workRes + "/" + r.freshName("packed.res")
	r.ok(t, "create_resource", args{
		"resource_type": "AtlasTexture", "resource_path": packed,
		"properties": args{"atlas": path}, "confirm": true,
	})
	fresh := workRes + "/" + r.freshName("fresh.tres")
	before := r.state(t)
	for _, c := range []struct {
		code      protocol.Code
		from, new string
	}{
		{protocol.ResourceNotFound, workRes + "/none.tres", fresh},
		{protocol.ValidationError, workRes, fresh},
		{protocol.ValidationError, path, strings.TrimSuffix(fresh, ".tres") + ".res"},
		{protocol.ValidationError, script + ".uid", workRes + "/side2.gd.uid"},
		{protocol.AlreadyExists, path, rampRes},
		{protocol.AlreadyExists, path, path},
		{protocol.ProtectedTarget, "res://project.godot", workRes + "/project2.godot"},
		{protocol.ProtectedTarget, harness.AddonRes + "/plugin.gd", workRes + "/plugin2.gd"},
		{protocol.ProtectedTarget, path, harness.AddonRes + "/moved.tres"},
		{protocol.ProtectedTarget, path, "res://.git/moved.tres"},
	} {
		r.refused(t, c.code, "move_file", args{"path": c.from, "new_path": c.new, "confirm": true})
		r.same(t, before, c.from+" to "+c.new)
	}
}

// settle waits until the editor has written what a call left to it.
func (r *rig) settle(t *testing.T, path, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(r.project.Path(path))
		return err == nil && strings.Contains(string(text), want)
	}, 30*time.Second, 50*time.Millisecond, "%s never got %s", path, want)
}
