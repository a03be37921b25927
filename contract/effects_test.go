package contract

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// hostilePaths are paths that no tool may take, wherever they would lead, beside those of the protocol's vectors.
func hostilePaths() map[string]protocol.Code {
	return map[string]protocol.Code{
		"res://../outside.tscn":            protocol.PathOutsideProject,
		"res://a/../../outside.tscn":       protocol.PathOutsideProject,
		"res://scenes_fixture/../a.tscn":   protocol.PathOutsideProject,
		`res://a\..\b.tscn`:                protocol.PathOutsideProject,
		`res://a\b.tscn`:                   protocol.InvalidPath,
		"user://a.tscn":                    protocol.InvalidPath,
		"/etc/passwd":                      protocol.InvalidPath,
		`C:\a.tscn`:                        protocol.InvalidPath,
		"file:///a.tscn":                   protocol.InvalidPath,
		"a.tscn":                           protocol.InvalidPath,
		"res://a//b.tscn":                  protocol.InvalidPath,
		"res://./a.tscn":                   protocol.InvalidPath,
		"res://a\x00b.tscn":                protocol.InvalidPath,
		"res://a\nb.tscn":                  protocol.InvalidPath,
		"res://a\rb.tscn":                  protocol.InvalidPath,
		"res://a.tscn::GDScript_1":         protocol.InvalidPath,
		"res://C:/a.tscn":                  protocol.InvalidPath,
		"res://trailing.tscn.":             protocol.InvalidPath,
		"res://link_out/scene.tscn":        protocol.PathOutsideProject,
		"res://link_out/deep/scene.tscn":   protocol.PathOutsideProject,
		"res://link_loop/scene.tscn":       protocol.PathOutsideProject,
		"res://link_scene.tscn":            protocol.PathOutsideProject,
		"res://link_nowhere.tscn":          protocol.PathOutsideProject,
		"res://link_out/../own_nodes.tscn": protocol.PathOutsideProject,
	}
}

// makeLinks puts links into the project that lead out of it.
func (r *rig) makeLinks(t *testing.T) {
	t.Helper()
	outside := t.TempDir()
	scene := filepath.Join(outside, "scene.tscn")
	require.NoError(t, os.WriteFile(scene, []byte("[gd_scene format=3]\n\n[node name=\"A\" type=\"Node\"]\n"), 0o600))
	for name, target := range map[string]string{
		"link_out": outside, "link_scene.tscn": scene, "link_nowhere.tscn": filepath.Join(outside, "absent.tscn"),
		"link_loop": "link_loop",
	} {
		link := r.project.Path("res://" + name)
		require.NoError(t, os.Symlink(target, link))
		t.Cleanup(func() { _ = os.Remove(link) })
	}
}

// testPaths: every parameter that names a file refuses every bad path, without a word to the editor.
func (r *rig) testPaths(t *testing.T) {
	r.open(t, "own_nodes.tscn")
	r.makeLinks(t)
	bad := hostilePaths()
	for path, code := range invalidPathVectors(t, r.kit.Root()) {
		bad[path] = code
	}
	for _, tool := range r.tools {
		for _, p := range tool.Params {
			if !p.File {
				continue
			}
			t.Run(tool.Name+"/"+p.Name, func(t *testing.T) {
				r.silent(t, tool.Name, func() { r.checkBadPaths(t, tool, p.Name, bad) })
			})
		}
	}
}

func (r *rig) checkBadPaths(t *testing.T, tool harness.ToolFacts, param string, bad map[string]protocol.Code) {
	t.Helper()
	for path, want := range bad {
		if path == "" {
			continue // an optional path left empty names none
		}
		call := with(example(t, tool), param, path)
		reply := r.call(t, tool.Name, call)
		if !assert.NotNil(t, reply.Error, "%q was accepted: %s", path, reply.Raw) {
			continue
		}
		// A loop of links has no end to judge; either refusal is right.
		if path == "res://link_loop/scene.tscn" {
			assert.Contains(t, []protocol.Code{protocol.PathOutsideProject, protocol.InvalidPath}, reply.Error.Code, path)
			continue
		}
		assert.Equal(t, want, reply.Error.Code, "%q: %s", path, reply.Raw)
	}
}

// testReads: a read_only tool changes nothing.
func (r *rig) testReads(t *testing.T) {
	for _, tool := range r.tools {
		if tool.Class != "read_only" {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			r.openExample(t, tool)
			before := r.state(t)
			r.ok(t, tool.Name, r.exampleHere(t, tool))
			r.same(t, before, tool.Name)
		})
	}
}

// testDryRuns: a dry run changes nothing, asks for no confirm, and foretells the targets and verdicts of the real run.
func (r *rig) testDryRuns(t *testing.T) {
	for _, tool := range r.tools {
		if !tool.HasDryRun {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			r.openExample(t, tool)
			call := r.exampleHere(t, tool)
			r.foretold(t, tool.Name, call)
		})
	}
}

// foretold runs a call dry, by its own parameter and through the preview tool, then for real, and compares. It gives
// the real run's reply.
func (r *rig) foretold(t *testing.T, tool string, call args) harness.Reply {
	t.Helper()
	before := r.state(t)
	asked := without(call, "confirm")
	dry := r.ok(t, tool, with(asked, "dry_run", true))
	shown := r.ok(t, "preview_tool", args{"tool": tool, "arguments": asked})
	r.same(t, before, "dry run of "+tool)
	assert.True(t, dry.Safety.DryRun, "%s: dry_run in the reply", tool)
	assert.Equal(t, dry.Data["targets"], shown.Data["targets"], "%s: targets of dry run and preview", tool)
	assert.Equal(t, dry.Persistence, shown.Persistence, "%s: verdicts of dry run and preview", tool)

	real := r.ok(t, tool, call)
	assert.False(t, real.Safety.DryRun, "%s: dry_run in the real run's reply", tool)
	assert.True(t, real.Safety.Executed, "%s: executed in the real run's reply", tool)
	if !slices.Contains(r.byName[tool].Effects, "walks_history") { // whose targets are actions
		assert.NotEmpty(t, dry.Data["targets"], "%s: a dry run without targets: %s", tool, dry.Raw)
	}
	assert.Equal(t, dry.Data["targets"], real.Data["targets"], "%s %s: targets of dry and real run", tool, text(call))
	assert.Equal(t, dry.Persistence, real.Persistence, "%s %s: verdicts of dry and real run", tool, text(call))
	assert.Equal(t, dry.Data["undoable"], real.Data["undoable"], "%s %s: undoable in dry and real run", tool, text(call))
	return real
}

// testDisk: only a tool that declares touches_disk changes files, and then it tells all of them.
func (r *rig) testDisk(t *testing.T) {
	for _, tool := range r.tools {
		if !tool.InEditor {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			r.openExample(t, tool)
			call := r.exampleHere(t, tool)
			before := r.files(t)
			reply := r.ok(t, tool.Name, call)
			changed := changedFiles(before, r.files(t))
			if !slices.Contains(tool.Effects, "touches_disk") {
				assert.Empty(t, changed, "%s declares no touches_disk", tool.Name)
				return
			}
			assert.NotEmpty(t, changed, "%s wrote nothing: %s", tool.Name, reply.Raw)
			r.checkTold(t, reply, changed)
		})
	}
}

// checkTold checks that a reply's on_disk and also_written name the files that changed, with their hashes.
func (r *rig) checkTold(t *testing.T, reply harness.Reply, changed []string) {
	t.Helper()
	now := r.files(t)
	told := map[string]bool{}
	for _, key := range []string{"on_disk", "also_written"} {
		list, _ := reply.Data[key].([]any)
		for _, item := range list {
			file, _ := item.(map[string]any)
			path, _ := file["path"].(string)
			told[path] = true
			if reply.Data["rescan_pending"] == true && strings.HasSuffix(path, ".import") {
				continue // the importer writes it anew, as soon as it likes
			}
			assert.Equal(t, now[path], file["sha256"], "%s: hash of %s", key, path)
		}
	}
	for _, path := range changed {
		assert.True(t, told[path], "%s changed, but the reply does not say so: %s", path, reply.Raw)
	}
}

// changedFiles lists what is new, different or gone, sorted. The uid file that a scan of the editor's own gives a script that
// was there before, and is untouched, is no change of the call's.
func changedFiles(before, after map[string]string) []string {
	var changed []string
	for path, sum := range after {
		script := strings.TrimSuffix(path, ".uid")
		scanned := script != path && before[path] == "" && before[script] != "" && before[script] == after[script]
		if before[path] != sum && !scanned {
			changed = append(changed, path)
		}
	}
	for path := range before {
		if _, there := after[path]; !there {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return changed
}
