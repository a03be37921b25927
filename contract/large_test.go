package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testLarge: reads of what is larger than one slice of the editor's time are whole and true, wherever they were cut.
func (r *rig) testLarge(t *testing.T) {
	t.Run("files over several frames", r.slicedFiles)
	t.Run("plans over several frames", r.slicedPlans)
	t.Run("a deadline ends a long read", r.readTooLong)
	t.Run("a tree over several frames", r.slicedTree)
}

// openTree opens a scene with n nodes below the root and one chain of 1,100: deeper than scripts may call each other.
func (r *rig) openTree(t *testing.T, n int) {
	t.Helper()
	var scene strings.Builder
	scene.WriteString("[gd_scene format=3]\n\n[node name=\"Large\" type=\"Node\"]\n")
	for i := range n {
		fmt.Fprintf(&scene, "\n[node name=\"N%05d\" type=\"Node\" parent=\".\"]\n", i)
	}
	for i, parent := 0, "."; i < 1100; i++ {
		fmt.Fprintf(&scene, "\n[node name=\"D\" type=\"Node\" parent=%q]\n", parent)
		parent = strings.TrimPrefix(parent+"/D", "./")
	}
	path := r.writeFresh(t, "large.tscn", scene.String())
	r.ok(t, "open_scene", args{"scene_path": path, "timeout_seconds": 300})
	t.Cleanup(func() { r.closeScene(t, path); r.atRest(t) })
	r.atRest(t)
}

// atRest waits until the editor has shown, or taken away, a large scene; its frames are too long for calls meanwhile.
func (r *rig) atRest(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		reply, err := r.daemon.Call(r.ctx, "get_active_scene", args{"timeout_seconds": 60})
		return err == nil && reply.OK
	}, 5*time.Minute, 100*time.Millisecond)
}

// allPages reads a tool's rows page by page; each page knows the whole.
func (r *rig) allPages(t *testing.T, tool string, call args) []string {
	t.Helper()
	var paths []string
	for offset, more := 0, true; more; {
		p := r.page(t, tool, with(call, "offset", offset))
		require.NotEmpty(t, p.Rows, "%s at %d", tool, offset)
		paths = append(paths, p.paths()...)
		more, offset = p.Truncated, p.NextOffset
		if !more {
			assert.Len(t, paths, p.Total, "%s %s: all pages are the whole", tool, text(call))
		}
	}
	return paths
}

func (r *rig) slicedTree(t *testing.T) {
	const n = 26_000 // a slice visits 25,000 nodes at most
	r.openTree(t, n)
	paths := r.allPages(t, "get_scene_tree", args{"limit": 5000, "timeout_seconds": 60})
	require.Len(t, paths, 1+n+1100)
	assert.Equal(t, ".", paths[0])
	for i := range n {
		require.Equal(t, fmt.Sprintf("N%05d", i), paths[1+i])
	}
	for i := range 1100 {
		require.Equal(t, strings.TrimSuffix(strings.Repeat("D/", i+1), "/"), paths[1+n+i])
	}
	found := r.allPages(t, "find_nodes", args{"name": "n*77", "limit": 50, "timeout_seconds": 60})
	var want []string
	for _, path := range paths {
		if strings.HasPrefix(path, "N") && strings.HasSuffix(path, "77") {
			want = append(want, path)
		}
	}
	assert.Equal(t, want, found)
	assert.Equal(t, paths[1+n+1050:], r.allPages(t, "get_scene_tree", args{
		"node_path": paths[1+n+1050], "limit": 7, "timeout_seconds": 60,
	}), "the end of the chain")
}

// manyFiles makes more files than a slice reads, in a folder that the editor does not list. They go when the test ends.
func (r *rig) manyFiles(t *testing.T, content string) (folder string, paths []string) {
	t.Helper()
	folder = workRes + "/many"
	require.NoError(t, os.MkdirAll(r.project.Path(folder), 0o755))
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(r.project.Path(folder))) })
	r.rewriteFile(t, folder+"/.gdignore", "")
	for i := range 2500 {
		path := fmt.Sprintf("%s/f%04d.cfg", folder, i)
		r.rewriteFile(t, path, fmt.Sprintf("[a]\nb=%d\n%s\n", i, content))
		paths = append(paths, path)
	}
	return folder, paths
}

func (r *rig) slicedFiles(t *testing.T) {
	r.open(t, "own_nodes")
	target, _ := r.target(t)
	folder, paths := r.manyFiles(t, `c="`+target+`"`)
	wait := args{"directory": folder, "limit": 999, "timeout_seconds": 60}
	assert.Equal(t, paths, r.allPages(t, "search_files", wait))
	assert.Equal(t, paths, r.allPages(t, "get_filesystem_tree", wait))
	// A search of all of them may run out of its own time on a slow machine, so that it goes on at resume_at.
	few := with(with(with(wait, "content", target), "name_glob", "f00*"), "limit", 30)
	assert.Equal(t, paths[:100], r.allPages(t, "search_files", few), "each once")
	assert.Equal(t, paths[40:100], r.allPages(t, "search_files", with(few, "start_at", paths[40])), "goes on there")
	require.NoError(t, os.Remove(r.project.Path(paths[2100])))
	r.refused(t, protocol.ResourceNotFound, "search_files", with(wait, "start_at", paths[2100]))
	r.rewriteFile(t, paths[2100], "[a]\nc=\""+target+"\"\n")

	var refs []string
	for offset, more := 0, true; more; {
		var page struct {
			References []struct {
				File string `json:"file"`
			} `json:"references"`
			Total      int  `json:"total"`
			Truncated  bool `json:"truncated"`
			NextOffset int  `json:"next_offset"`
		}
		decodeData(t, r.ok(t, "find_references", args{"path": target, "limit": 800, "offset": offset, "timeout_seconds": 60}), &page)
		for _, row := range page.References {
			refs = append(refs, row.File)
		}
		assert.Equal(t, len(paths), page.Total)
		offset, more = page.NextOffset, page.Truncated
	}
	assert.ElementsMatch(t, paths, refs, "all pages of references")
}

// slicedPlans: a move and a removal find every reference, and what they were told of before is what they do.
func (r *rig) slicedPlans(t *testing.T) {
	r.open(t, "own_nodes")
	target, _ := r.target(t)
	_, paths := r.manyFiles(t, "")
	last := paths[len(paths)-1]
	r.rewriteFile(t, last, "[a]\nc=\""+target+"\"\n")
	failure := r.refused(t, protocol.PreconditionFailed, "delete_resource_file", args{"path": target, "confirm": true})
	assert.Equal(t, "force", failure.Required)
	assert.Contains(t, text(failure.Details), last)
	moved := workRes + "/" + r.freshName("moved_among_many.tres")
	data := r.foreseen(t, "move_file", args{"path": target, "new_path": moved})
	assert.Contains(t, text(data["updated_refs"]), last)
	assert.Equal(t, "[a]\nc=\""+moved+"\"\n", r.file(t, last))
	r.rewriteFile(t, last, "[a]\n")
	r.foreseen(t, "delete_resource_file", args{"path": moved})
	assert.False(t, r.exists(moved))
}

// readTooLong: a read that needs seconds ends at its deadline, and the next call has its turn.
func (r *rig) readTooLong(t *testing.T) {
	folder := workRes + "/slow"
	require.NoError(t, os.MkdirAll(r.project.Path(folder), 0o755))
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(r.project.Path(folder))) })
	r.rewriteFile(t, folder+"/.gdignore", "")
	for i := range 8 {
		r.rewriteFile(t, fmt.Sprintf("%s/f%d.txt", folder, i), strings.Repeat("a\n", 1_000_000))
	}
	failure := r.refused(t, protocol.Timeout, "search_files", args{"directory": folder, "content": "a", "timeout_seconds": 1})
	assert.False(t, failure.MayHaveApplied, "%s", text(failure))
	r.ok(t, "get_active_scene", args{})
}

// TestSlices cuts the addon's long reads at every possible place, in an engine without an editor.
func TestSlices(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, kit.Close()) })
	project, err := kit.NewProject(ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	out, err := kit.RunGodot(ctx, project, "-s", "res://gd/slices.gd")
	line := lastJSON(out)
	require.NotEmpty(t, line, "no report: %v\n%s", err, out)
	var report struct {
		OK       bool     `json:"ok"`
		Checks   int      `json:"checks"`
		Failures []string `json:"failures"`
	}
	require.NoError(t, json.Unmarshal([]byte(line), &report), line)
	assert.True(t, report.OK, line)
	assert.Greater(t, report.Checks, 2500)
	assert.NoError(t, err)
	assert.NotContains(t, out, "SCRIPT ERROR", out)
}
