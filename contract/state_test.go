package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// state is everything that a call could change, as seen without the help of the addon under test: the edited scene
// to the last bit, what the editor shows, its histories' versions, and the content of all files of the project.
type state struct {
	dump  string
	look  look
	files map[string]string
}

// state takes it all down.
func (r *rig) state(t *testing.T) state {
	t.Helper()
	return state{dump: r.hand.dump(t), look: r.hand.look(t), files: r.files(t)}
}

// files hashes the project's files. The editor's own cache is left out.
func (r *rig) files(t *testing.T) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(r.project.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".godot" {
			if err == nil {
				return filepath.SkipDir
			}
			return err
		}
		if d.IsDir() {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 { // which may lead nowhere
			rel, err := filepath.Rel(r.project.Dir, path)
			sums["res://"+filepath.ToSlash(rel)] = "a link"
			return err
		}
		bytes, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the editor writes some files under another name first
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(r.project.Dir, path)
		sum := sha256.Sum256(bytes)
		sums["res://"+filepath.ToSlash(rel)] = hex.EncodeToString(sum[:])
		return err
	})
	require.NoError(t, err)
	return sums
}

// same checks that nothing at all is different now.
func (r *rig) same(t *testing.T, before state, about string) {
	t.Helper()
	now := r.state(t)
	assert.Equal(t, before.dump, now.dump, "%s: the scene changed", about)
	assert.Equal(t, before.look, now.look, "%s: the editor shows something else, or a history moved", about)
	assert.Equal(t, before.files, now.files, "%s: files changed", about)
}

// framesSent is how many frames the daemon has sent to the editor since the link began.
func (r *rig) framesSent(t *testing.T) int64 {
	t.Helper()
	reply := r.ok(t, "get_server_info", args{})
	var body struct {
		Data struct {
			Editor struct {
				FramesSent *int64 `json:"frames_sent"`
			} `json:"editor"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal(reply.Raw, &body))
	require.NotNil(t, body.Data.Editor.FramesSent, "get_server_info does not count frames: %s", reply.Raw)
	return *body.Data.Editor.FramesSent
}

// silent runs something and checks that it sent nothing to the editor.
func (r *rig) silent(t *testing.T, about string, run func()) {
	t.Helper()
	before := r.framesSent(t)
	run()
	assert.Equal(t, before, r.framesSent(t), "%s: frames went to the editor", about)
}
