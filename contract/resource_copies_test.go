package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

func (r *rig) copied(t *testing.T) {
	r.open(t, "own_nodes")
	path, uid := r.target(t)
	packed := workRes + "/" + r.freshName("packed.res")
	r.ok(t, "create_resource", args{"resource_type": "BoxMesh", "resource_path": packed, "confirm": true})
	script := r.writeFresh(t, "copied.gd", "extends Node\n")
	r.hand.act(t, "update_file", map[string]any{"path": script}, nil)
	uids := map[string]bool{uid: true}
	sources := []string{path, packed, script, redRes, harness.FixtureRes + "/mid.tscn", harness.FixtureRes + "/base.tscn"}
	for _, source := range sources {
		if id, ok := r.ok(t, "find_references", args{"path": source}).Data["uid"].(string); ok {
			uids[id] = true
		}
	}
	var copies []string
	for _, source := range sources {
		target := r.freshName(workRes + "/copy" + source[strings.LastIndex(source, "."):])
		data := r.foreseen(t, "duplicate_file", args{"path": source, "new_path": target})
		if id, ok := data["uid"].(string); ok {
			assert.False(t, uids[id], "%s has the uid of another file: %s", target, id)
			uids[id] = true
		}
		copies = append(copies, target)
		if source == redRes {
			assert.Equal(t, true, data["rescan_pending"])
			r.settle(t, target+".import", `source_file="`+target+`"`)
		}
	}
	found := r.readFresh(t, append(copies, uid)...)
	for name, resource := range found {
		assert.Empty(t, resource.Messages, name)
		assert.NotEmpty(t, resource.Class, name)
	}
	assert.Equal(t, path, found[uid].Path, "the uid still is the original's")
}

func (r *rig) notCopied(t *testing.T) {
	r.open(t, "own_nodes")
	path, _ := r.target(t)
	before := r.state(t)
	thing := harness.FixtureRes + "/scripts/fixture_thing.gd"
	for _, c := range []struct {
		code      protocol.Code
		from, new string
	}{
		{protocol.AlreadyExists, path, rampRes},
		{protocol.ValidationError, path, workRes + "/x.png"},
		{protocol.ValidationError, thing, workRes + "/thing2.gd"},
		{protocol.ResourceNotFound, workRes + "/none.tres", workRes + "/none2.tres"},
		{protocol.ProtectedTarget, path, harness.AddonRes + "/copy.tres"},
	} {
		r.refused(t, c.code, "duplicate_file", args{"path": c.from, "new_path": c.new, "confirm": true})
		r.same(t, before, c.from)
	}
}

func (r *rig) deleted(t *testing.T) {
	path, uid := r.target(t)
	scene := r.writeFresh(t, "loses.tscn", sceneWith(path, uid))
	script := r.writeFresh(t, "gone.gd", "extends Node\n")
	r.hand.act(t, "update_file", map[string]any{"path": script}, nil)
	r.openPath(t, scene)
	call := args{"path": path, "confirm": true}
	before := r.state(t)
	failure := r.refused(t, protocol.PreconditionFailed, "delete_resource_file", call)
	assert.Equal(t, "force", failure.Required)
	assert.EqualValues(t, 3, failure.Details["total"], "%+v", failure.Details)
	r.same(t, before, "a file that is referred to")
	r.ok(t, "set_resource_property", args{"resource_path": path, "property": "width", "value": 12})
	data := r.foreseen(t, "delete_resource_file", args{"path": path, "force": true})
	assert.EqualValues(t, 3, data["broken_refs_total"])
	r.save(t)
	assert.False(t, r.exists(path), "a save does not bring it back")
	assert.Empty(t, r.readFresh(t, scene)[scene].Messages, "what the scene used is inside it now")

	data = r.foreseen(t, "delete_resource_file", args{"path": script})
	assert.Equal(t, []any{script, script + ".uid"}, data["removed"])
	assert.False(t, r.exists(script) || r.exists(script+".uid"))
}

func (r *rig) notDeleted(t *testing.T) {
	scene := r.open(t, "own_nodes")
	script := r.writeFresh(t, "shown.gd", "extends Node\n")
	r.hand.act(t, "update_file", map[string]any{"path": script}, nil)
	r.hand.act(t, "edit_text", map[string]any{"path": script}, nil)
	before := r.state(t)
	for path, required := range map[string]string{
		scene: "scene_not_open", script: "script_not_open", harness.FixtureRes + "/scripts/fixture_thing.gd": "force",
	} {
		failure := r.refused(t, protocol.PreconditionFailed, "delete_resource_file", args{"path": path, "confirm": true})
		assert.Equal(t, required, failure.Required, path)
	}
	for path, code := range map[string]protocol.Code{
		"res://project.godot": protocol.ProtectedTarget, harness.AddonRes + "/plugin.gd": protocol.ProtectedTarget,
		workRes: protocol.ValidationError, script + ".uid": protocol.ValidationError, workRes + "/none.tres": protocol.ResourceNotFound,
	} {
		r.refused(t, code, "delete_resource_file", args{"path": path, "force": true, "confirm": true})
	}
	r.same(t, before, "what is not deleted")
}
