package contract

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// createRace is BR-061: of two calls at once that make one file, one wins and the other is told; nothing is written over.
func (r *rig) createRace(t *testing.T) {
	r.open(t, "own_nodes")
	for tool, calls := range map[string][]args{
		"scripts_create": {{"content": "extends Node\n# one\n"}, {"content": "extends Node\n# two\n"}},
		"create_resource": {
			{"resource_type": "Gradient", "properties": args{"resource_name": "one"}},
			{"resource_type": "Gradient", "properties": args{"resource_name": "two"}},
		},
	} {
		t.Run(tool, func(t *testing.T) {
			param, ending := "script_path", ".gd"
			if tool == "create_resource" {
				param, ending = "resource_path", ".tres"
			}
			path := r.freshName(workRes + "/raced" + ending)
			replies := make([]harness.Reply, len(calls))
			var all sync.WaitGroup
			for i, call := range calls {
				all.Go(func() {
					reply, err := r.daemon.Call(r.ctx, tool, with(with(call, param, path), "confirm", true))
					assert.NoError(t, err)
					replies[i] = reply
				})
			}
			all.Wait()
			require.NotEqual(t, replies[0].OK, replies[1].OK, "%s\n%s", replies[0].Raw, replies[1].Raw)
			won := "one"
			if replies[1].OK {
				won = "two"
				replies[0], replies[1] = replies[1], replies[0]
			}
			assert.Equal(t, protocol.AlreadyExists, replies[1].Error.Code, "%s", replies[1].Raw)
			assert.Contains(t, r.file(t, path), won)
			r.checkTold(t, replies[0], []string{path})
		})
	}
}

// oddFolders is BR-053 and BR-057: dots at the front and percent signs are names like any others, and nothing decodes
// them.
func (r *rig) oddFolders(t *testing.T) {
	for _, folder := range []string{r.freshName("res://..odd"), workRes + "/%2e%2e", workRes + "/a%2fb"} {
		path := folder + "/" + strings.TrimPrefix(r.freshName("odd.gd"), "res://")
		t.Cleanup(func() { _ = os.RemoveAll(r.project.Path(folder)) })
		before, parent := r.files(t), entries(t, filepath.Dir(r.project.Dir))
		reply := r.ok(t, "scripts_create", args{"script_path": path, "content": "extends Node\n", "confirm": true})
		for _, changed := range changedFiles(before, r.files(t)) {
			assert.True(t, strings.HasPrefix(changed, folder+"/"), "%s was written: %s", changed, reply.Raw)
		}
		assert.Equal(t, "extends Node\n", r.file(t, path))
		assert.Equal(t, parent, entries(t, filepath.Dir(r.project.Dir)), "beside the project")
		read := r.ok(t, "scripts_read", args{"script_path": path})
		assert.Equal(t, "extends Node\n", read.Data["content"])
	}
}

// entries are the names in a folder.
func entries(t *testing.T, folder string) []string {
	t.Helper()
	list, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names
}

// portableNames: no tool gives a name with which a project cannot be checked out on Windows. A file that has one already
// is read, moved away, deleted and brought back like any other.
func (r *rig) portableNames(t *testing.T) {
	r.open(t, "own_nodes")
	script, odd := r.script(t, sayOld), r.freshName(workRes+"/odd?.gd")
	before := r.files(t)
	r.silent(t, "a new name", func() {
		for tool, call := range map[string]args{
			"scripts_create":  {"script_path": workRes + "/a*b.gd", "content": "extends Node\n"},
			"create_resource": {"resource_type": "Gradient", "resource_path": workRes + "/new|folder/a.tres"},
			"create_scene":    {"scene_path": workRes + "/what?.tscn", "root_type": "Node"},
			"save_scene":      {"scene_path": workRes + `/"said".tscn`},
			"extract_scene":   {"node_path": "Own", "scene_path": workRes + "/<T>.tscn"},
			"move_file":       {"path": script, "new_path": workRes + "/a>b.gd"},
			"duplicate_file":  {"path": script, "new_path": workRes + "/a?b.gd"},
		} {
			failure := r.refused(t, protocol.InvalidPath, tool, with(call, "confirm", true))
			assert.NotEmpty(t, failure.Details["chars"], "%s: %s", tool, text(failure))
		}
	})
	assert.Equal(t, before, r.files(t))

	require.NoError(t, os.WriteFile(r.project.Path(odd), []byte(sayOld), 0o600))
	assert.Equal(t, sayOld, r.ok(t, "scripts_read", args{"script_path": odd}).Data["content"])
	r.ok(t, "delete_resource_file", args{"path": odd, "confirm": true, "force": true})
	assert.NotContains(t, r.files(t), odd)
	r.ok(t, "restore_file", args{"path": odd, "confirm": true})
	assert.Equal(t, sayOld, r.file(t, odd))
	fine := r.freshName(workRes + "/fine.gd")
	r.ok(t, "move_file", args{"path": odd, "new_path": fine, "confirm": true})
	assert.Equal(t, sayOld, r.file(t, fine))
}

// protectedAlias is BR-064: what is protected is so under the name of a link to it as well, and in a batch.
func (r *rig) protectedAlias(t *testing.T) {
	alias := workRes + "/alias"
	require.NoError(t, os.Symlink(filepath.FromSlash("../addons/drawbridge"), r.project.Path(alias)))
	t.Cleanup(func() { require.NoError(t, os.Remove(r.project.Path(alias))) })
	script := r.script(t, "extends Node\n")
	before := r.files(t)
	r.silent(t, "an alias", func() {
		for tool, call := range map[string]args{
			"scripts_create":       {"script_path": alias + "/new.gd", "content": "extends Node\n"},
			"scripts_write":        {"script_path": alias + "/plugin.gd", "content": "extends Node\n", "overwrite": true},
			"scripts_patch":        {"script_path": alias + "/plugin.gd", "find": "a", "replace": "b", "all": true},
			"create_resource":      {"resource_type": "Gradient", "resource_path": alias + "/new.tres"},
			"move_file":            {"path": script, "new_path": alias + "/moved.gd"},
			"delete_resource_file": {"path": alias + "/plugin.cfg"},
		} {
			call = with(call, "confirm", true)
			r.refused(t, protocol.ProtectedTarget, tool, call)
			r.refused(t, protocol.ProtectedTarget, "run_commands", batchOf(entry(tool, call)))
		}
	})
	assert.Equal(t, before, r.files(t))
}
