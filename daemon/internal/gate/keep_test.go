package gate

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/recovery"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// keepFor brings about what a tool's example needs to be kept: a file that has changed since, or a checkpoint.
func (r *rig) keepFor(tl *tool.Tool) {
	r.t.Helper()
	var arguments map[string]any
	require.NoError(r.t, json.Unmarshal([]byte(tl.Example().Arguments), &arguments))
	for _, name := range tl.Example().Kept {
		value, _ := arguments[name].(string)
		if tl.Recovery() == tool.RestoresCheckpoint {
			r.write("res://thing.tres", "then")
			require.True(r.t, r.call("create_checkpoint", `{"name":"`+value+`"}`).OK)
			r.write("res://thing.tres", "now")
			continue
		}
		r.write(value, "then")
		r.writes(value)
		require.True(r.t, r.call("save_scene", `{"confirm":true}`).OK)
		r.link.answer = nil
		r.write(value, "now")
	}
	r.link.forget()
}

// write puts a file into the project.
func (r *rig) write(path, text string) {
	r.t.Helper()
	file := r.place(path)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(r.t, os.WriteFile(file, []byte(text), 0o600))
}

func (r *rig) place(path string) string {
	checked, failure := protocol.ParseResPath(path)
	require.Nil(r.t, failure)
	return filepath.Join(r.dir, filepath.FromSlash(checked.Rel()))
}

// writes makes every plan name these files.
func (r *rig) writes(paths ...string) {
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		out := good(q)
		for _, path := range paths {
			if out.Result.Plan != nil {
				out.Result.Plan.Files = append(out.Result.Plan.Files, protocol.FileState{Path: path})
			}
		}
		return out, nil
	}
}

const save = `{"confirm":true}`

func TestTheBytesOfEveryPlannedFileAreKeptBeforeItIsWritten(t *testing.T) {
	r := newRig(t)
	r.write("res://a.tscn", "old")
	r.writes("res://a.tscn", "res://new.tres")
	plan := r.link.answer
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		if q.Phase == protocol.PhaseApply {
			page, err := r.store.List(r.dir, "", 0, 10)
			require.NoError(t, err)
			require.Equal(t, 1, page.Total, "kept before the frame is sent")
			assert.Equal(t, map[string]string{"res://a.tscn": page.Entries[0].SHA256, "res://new.tres": ""}, q.Expect.Files)
			assert.Equal(t, "save_scene", page.Entries[0].Tool)
		}
		return plan(q)
	}
	require.True(t, r.call("save_scene", save).OK)
	require.Len(t, r.link.sent(), 2)
	listed := r.call("list_recoverable", `{"filter":"A.TSCN"}`)
	require.True(t, listed.OK, listed.text)
	assert.Equal(t, 1.0, listed.Data["total"])
}

func TestNothingIsWrittenWhoseBytesCannotBeKept(t *testing.T) {
	for name, spoil := range map[string]func(r *rig){
		"no store": func(r *rig) { r.gate.opts.Recovery = nil },
		"a store of a file": func(r *rig) {
			r.store = r.spoiled("file", func(dir string) error { return os.WriteFile(dir, nil, 0o600) })
		},
		"a store for others":  func(r *rig) { r.store = r.spoiled("open", func(dir string) error { return os.MkdirAll(dir, 0o755) }) },
		"a folder, no file":   func(r *rig) { require.NoError(r.t, os.MkdirAll(r.place("res://b.tscn"), 0o700)) },
		"a store in the game": func(r *rig) { r.store = r.storeAt(filepath.Join(r.dir, "kept")) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.write("res://a.tscn", "old")
			r.writes("res://a.tscn", "res://b.tscn")
			spoil(r)
			got := r.call("save_scene", save)
			require.False(t, got.OK, got.text)
			assert.Equal(t, protocol.PreconditionFailed, got.Error.Code)
			assert.Equal(t, "recovery_store", got.Error.Required)
			for _, frame := range r.link.sent() {
				assert.NotEqual(t, protocol.PhaseApply, frame.Phase)
			}
			r.link.answer = nil
			assert.True(t, r.call("create_node", makeNode).OK, "the project is free again")
		})
	}
}

// storeAt gives the gate another store.
func (r *rig) storeAt(dir string) *recovery.Store {
	store, err := recovery.New(recovery.Options{Dir: dir})
	require.NoError(r.t, err)
	r.gate.opts.Recovery = store
	return store
}

func (r *rig) spoiled(name string, make func(dir string) error) *recovery.Store {
	dir := filepath.Join(r.t.TempDir(), name)
	require.NoError(r.t, make(dir))
	return r.storeAt(dir)
}

func TestAFileComesBackThroughTheEditorWithItsBytes(t *testing.T) {
	r := newRig(t)
	tl, _ := r.tools.Lookup("restore_file")
	r.keepFor(tl)
	path := "res://scenes_fixture/assets/thing.tres"
	r.writes(path)
	got := r.call("restore_file", tl.Example().Arguments)
	require.True(t, got.OK, got.text)
	frames := r.link.sent()
	require.Len(t, frames, 2)
	for _, frame := range frames {
		var params struct {
			Path string    `json:"path"`
			Kept restoring `json:"kept"`
		}
		require.NoError(t, json.Unmarshal(frame.Params, &params))
		assert.Equal(t, path, params.Path)
		require.Len(t, params.Kept.Files, 1)
		assert.Equal(t, "then", string(params.Kept.Files[0].Bytes))
	}
	page, err := r.store.List(r.dir, path, 0, 10)
	require.NoError(t, err)
	require.Equal(t, 2, page.Total, "what was there is kept too")
	assert.Equal(t, page.Entries[0].SHA256, frames[1].Expect.Files[path])

	r.refused(protocol.ResourceNotFound, "restore_file", `{"path":"res://other.gd","confirm":true}`)
	r.refused(protocol.ResourceNotFound, "restore_file", `{"path":"`+path+`","sha256":"00","confirm":true}`)
	r.refused(protocol.ResourceNotFound, "restore_checkpoint", `{"name":"none","confirm":true}`)
	r.refused(protocol.ProtectedTarget, "restore_file", `{"path":"res://.godot/x.tres","confirm":true}`)
}

func TestAFileThatDoesNotFitIntoAFrameIsRefusedWithItsPlace(t *testing.T) {
	r := newRig(t)
	r.write("res://big.res", string(make([]byte, maxRestored+1)))
	r.writes("res://big.res")
	require.True(t, r.call("save_scene", save).OK)
	r.link.answer = nil
	r.write("res://big.res", "small")
	failure := r.refused(protocol.PreconditionFailed, "restore_file", `{"path":"res://big.res","confirm":true}`)
	kept, _ := failure.Details["kept_at"].(string)
	assert.FileExists(t, kept)
}

func TestACheckpointKeepsFilesAndTellsWhatItDoesNotBringBack(t *testing.T) {
	r := newRig(t)
	r.write("res://a.tscn", "a")
	r.write("res://b.gd", "b")
	r.write("res://picture.png", "p")
	dry := r.call("create_checkpoint", `{"name":"one","dry_run":true}`)
	require.True(t, dry.OK, dry.text)
	assert.False(t, dry.Safety.Executed)
	made := r.call("create_checkpoint", `{"name":"one"}`)
	require.True(t, made.OK, made.text)
	assert.Equal(t, dry.Data["files"], made.Data["files"])
	assert.Equal(t, 3.0, made.Data["files"], "with project.godot: %s", made.text)
	assert.Equal(t, dry.Data["left_out"], made.Data["left_out"])
	require.Len(t, r.link.sent(), 1, "the editor only tells how far its undo history is")
	assert.Equal(t, protocol.PhaseQuery, r.link.sent()[0].Phase)
	r.refused(protocol.AlreadyExists, "create_checkpoint", `{"name":"one"}`)
	r.refused(protocol.AlreadyExists, "create_checkpoint", `{"name":"one","dry_run":true}`)
	r.refused(protocol.ValidationError, "create_checkpoint", `{"name":"two\nlines"}`)

	r.write("res://a.tscn", "changed")
	require.NoError(t, os.Remove(r.place("res://b.gd")))
	r.write("res://project.godot", "changed")
	r.write("res://newer.gd", "n")
	got := r.call("restore_checkpoint", `{"name":"one","confirm":true}`)
	require.True(t, got.OK, got.text)
	var params struct {
		Kept struct {
			Files []restored      `json:"files"`
			About aboutCheckpoint `json:"about"`
		} `json:"kept"`
	}
	require.NoError(t, json.Unmarshal(r.link.sent()[0].Params, &params))
	assert.Len(t, params.Kept.Files, 2)
	assert.Equal(t, []string{"res://newer.gd"}, params.Kept.About.Newer)
	require.Len(t, params.Kept.About.NotRestored, 1)
	assert.Equal(t, "res://project.godot", params.Kept.About.NotRestored[0]["path"])
	r.link.forget()
	require.True(t, r.call("restore_checkpoint", `{"name":"one","filter":"B.gd","confirm":true}`).OK)
	require.NoError(t, json.Unmarshal(r.link.sent()[0].Params, &params))
	assert.Len(t, params.Kept.Files, 1)
	list := r.call("list_checkpoints", `{}`)
	assert.Equal(t, 1.0, list.Data["total"], list.text)
}

func TestAPanicWhileBytesAreKeptFreesTheProject(t *testing.T) {
	r := newRig(t)
	r.writes("res://a.tscn")
	plan := r.link.answer
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		if q.Phase == protocol.PhaseApply {
			return nil, errors.New("odd")
		}
		return plan(q)
	}
	assert.Equal(t, protocol.InternalError, r.call("save_scene", save).Error.Code)
	r.link.answer = nil
	assert.True(t, r.call("save_scene", save).OK)
}
