package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// workRes is the folder of the tests' own copies of fixtures.
const workRes = "res://t"

// args are the arguments of a tool call.
type args = map[string]any

// rig is one project with one editor, one daemon and the test hand.
type rig struct {
	ctx     context.Context
	kit     *harness.Kit
	project *harness.Project
	editor  *harness.Editor
	daemon  *harness.Daemon
	hand    *hand

	tools  []harness.ToolFacts
	byName map[string]harness.ToolFacts
	copies int
}

// newRig starts everything and has it stopped, and looked over, at the end of the test.
func newRig(t *testing.T) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	t.Cleanup(cancel)
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, kit.Close()) })
	project, err := kit.NewProject(ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	installHand(t, project)
	require.NoError(t, os.MkdirAll(project.Path(workRes), 0o755))

	r := &rig{ctx: ctx, kit: kit, project: project}
	r.learnTools(t)
	r.start(t)
	t.Cleanup(func() { r.lookOver(t) })
	return r
}

// learnTools reads the catalog.
func (r *rig) learnTools(t *testing.T) {
	t.Helper()
	tools, err := harness.Catalog()
	require.NoError(t, err)
	require.NotEmpty(t, tools)
	r.tools, r.byName = tools, map[string]harness.ToolFacts{}
	for _, tool := range tools {
		r.byName[tool.Name] = tool
	}
}

// start brings up the daemon, the editor and the hand, in this order, and waits for the link.
func (r *rig) start(t *testing.T) {
	t.Helper()
	r.startBoth(t)
	r.hand = takeHand(t, r.project)
	r.waitLinked(t)
}

// startBoth brings up the daemon and the editor.
func (r *rig) startBoth(t *testing.T) {
	t.Helper()
	daemon, err := r.kit.StartDaemon(r.ctx, r.project, harness.DaemonOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, daemon.Stop(10*time.Second)) })
	r.daemon = daemon
	_, err = daemon.Initialize(r.ctx)
	require.NoError(t, err)
	editor, err := r.kit.StartEditor(r.ctx, r.project, harness.EditorOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, editor.Stop(10*time.Second)) })
	r.editor = editor
}

// waitLinked waits until the editor answers.
func (r *rig) waitLinked(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		reply, err := r.daemon.Call(r.ctx, "get_scene_tree", args{})
		return err == nil && (reply.OK || reply.Error.Code == protocol.PreconditionFailed)
	}, startWait, 50*time.Millisecond, "the editor did not link")
}

// lookOver checks what must not have happened during all of the tests.
func (r *rig) lookOver(t *testing.T) {
	assert.Empty(t, r.daemon.Garbage(), "lines of the daemon's output that are not JSON-RPC")
	for _, line := range strings.Split(r.editor.Output(), "\n") {
		assert.NotContains(t, line, "String formatting error")
		assert.False(t, strings.HasPrefix(line, "SCRIPT ERROR") && strings.Contains(line, "addons/drawbridge"),
			"a script error of the addon: %s", line)
	}
}

// call runs a tool and checks what holds for every reply.
func (r *rig) call(t *testing.T, tool string, with any) harness.Reply {
	t.Helper()
	reply, err := r.daemon.Call(r.ctx, tool, with)
	require.NoError(t, err, "%s %v", tool, with)
	r.checkReply(t, tool, with, reply)
	return reply
}

// ok runs a tool that must succeed.
func (r *rig) ok(t *testing.T, tool string, with any) harness.Reply {
	t.Helper()
	reply := r.call(t, tool, with)
	require.True(t, reply.OK, "%s %s: %s", tool, text(with), reply.Raw)
	return reply
}

// refused runs a tool that must fail with the code, and gives the error.
func (r *rig) refused(t *testing.T, code protocol.Code, tool string, with any) *protocol.Error {
	t.Helper()
	reply := r.call(t, tool, with)
	require.False(t, reply.OK, "%s %s: should be %s, but: %s", tool, text(with), code, reply.Raw)
	require.Equal(t, code, reply.Error.Code, "%s %s: %s", tool, text(with), reply.Raw)
	return reply.Error
}

// copyFixture gives the test its own copy of a fixture scene, not opened.
func (r *rig) copyFixture(t *testing.T, fixture string) string {
	t.Helper()
	r.copies++
	name := strings.TrimSuffix(filepath.Base(fixture), ".tscn")
	path := fmt.Sprintf("%s/%s_%d.tscn", workRes, name, r.copies)
	text, err := os.ReadFile(r.project.Path(harness.FixtureRes + "/" + name + ".tscn"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(r.project.Path(path), withoutUID(text), 0o600))
	return path
}

// copyFile gives the test its own copy of any file of the project, without the .uid file that goes with it.
func (r *rig) copyFile(t *testing.T, path string) string {
	t.Helper()
	copied := workRes + "/" + filepath.Base(r.freshName(path))
	text, err := os.ReadFile(r.project.Path(path))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(r.project.Path(copied), withoutUID(text), 0o600))
	return copied
}

// withoutUID takes the uid out of the head of a scene or resource, where a save may have put one: two files with one
// uid are one file to the engine.
func withoutUID(text []byte) []byte {
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.HasPrefix(head, []byte("[gd_")) {
		return text
	}
	head = regexp.MustCompile(` uid="uid://[^"]*"`).ReplaceAll(head, nil)
	return slices.Concat(head, []byte("\n"), rest)
}

// freshName makes a name or path one that nothing has yet; an ending stays what it is.
func (r *rig) freshName(name string) string {
	r.copies++
	ext := filepath.Ext(name)
	return fmt.Sprintf("%s_%d%s", strings.TrimSuffix(name, ext), r.copies, ext)
}

// open gives the test its own copy of a fixture scene, as the edited one; it is closed when the test ends.
func (r *rig) open(t *testing.T, fixture string) string {
	t.Helper()
	path := r.copyFixture(t, fixture)
	r.openPath(t, path)
	return path
}

// openPath opens a scene and has it closed, unsaved, when the test ends.
func (r *rig) openPath(t *testing.T, path string) {
	t.Helper()
	r.ok(t, "open_scene", args{"scene_path": path})
	require.Equal(t, path, r.hand.glance(t).Edited, "open_scene said ok")
	t.Cleanup(func() { r.closeScene(t, path) })
}

// closeScene closes a scene, unsaved, if it is open.
func (r *rig) closeScene(t *testing.T, path string) {
	t.Helper()
	for _, open := range r.hand.glance(t).Scenes {
		if open != path {
			continue
		}
		// Two scene switches in one frame: the editor drops the second. Each act of the hand has a frame of its own.
		r.hand.act(t, "open", args{"path": path}, nil)
		r.hand.act(t, "close", nil, nil)
	}
}

// save saves the edited scene through the tool.
func (r *rig) save(t *testing.T) {
	t.Helper()
	r.ok(t, "save_scene", args{"confirm": true})
}

// saved saves the edited scene and gives the bytes of its file.
func (r *rig) saved(t *testing.T, path string) string {
	t.Helper()
	r.save(t)
	return r.file(t, path)
}

// file reads a file of the project.
func (r *rig) file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(r.project.Path(path))
	require.NoError(t, err)
	return string(text)
}

// text shows arguments as they are sent.
func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(out)
}

// decodeData reads a reply's data into out.
func decodeData(t *testing.T, reply harness.Reply, out any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(reply.Raw, &struct {
		Data any `json:"data"`
	}{out}), "%s", reply.Raw)
}

// userFile is a file of the game's own user:// folder.
func (r *rig) userFile(name string) string {
	return filepath.Join(r.project.Home, ".local", "share", "godot", "app_userdata", "Fixture", name)
}
