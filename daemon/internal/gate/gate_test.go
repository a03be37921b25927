package gate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/session"
	"drawbridge/protocol"
)

func TestAWriteGoesToTheSceneThatTheClientLastUsed(t *testing.T) {
	r := newRig(t)
	scene := func() string { return r.link.sent()[len(r.link.sent())-1].Scene }
	require.True(t, r.call("create_node", makeNode).OK)
	assert.Equal(t, "res://main.tscn", scene(), "at first the edited one")
	require.True(t, r.call("get_node", readNode).OK)
	assert.Empty(t, scene(), "a read asks for whatever is edited")
	require.True(t, r.call("get_node", `{"node_path":".","scene":"res://other.tscn"}`).OK)
	require.True(t, r.call("create_node", makeNode).OK)
	assert.Equal(t, "res://other.tscn", scene())
	require.True(t, r.call("open_scene", `{"scene_path":"res://third.tscn"}`).OK)
	assert.Empty(t, scene(), "opening is not for a scene that is open")
	require.True(t, r.call("undo", `{}`).OK)
	assert.Equal(t, "res://third.tscn", scene())
	require.True(t, r.call("create_node", `{"node_type":"Node","scene":"unsaved:5"}`).OK)
	assert.Equal(t, "unsaved:5", scene())
	other := session.New("other")
	r.client = other
	require.True(t, r.call("create_node", makeNode).OK)
	assert.Equal(t, "res://main.tscn", scene(), "another client has its own memory")
	r.refused(protocol.PathOutsideProject, "create_node", `{"node_type":"Node","scene":"res://../x.tscn"}`)
}

func TestAnIdempotencyKeyTravelsWithTheDigestOfTheArguments(t *testing.T) {
	r := newRig(t)
	for _, raw := range []string{
		`{"node_type":"Node","idempotency_key":"k"}`,
		`{"idempotency_key":"k","parent_path":".","node_type":"Node"}`,
		`{"node_type":"Node2D","idempotency_key":"k"}`,
		makeNode,
	} {
		require.True(t, r.call("create_node", raw).OK)
	}
	f := r.link.sent()
	assert.Equal(t, "k", f[0].IdempotencyKey)
	assert.Equal(t, f[0].Digest, f[1].Digest)
	assert.NotEqual(t, f[0].Digest, f[2].Digest)
	assert.Empty(t, f[3].Digest)
	// A daemon that died knows no scene any more; the same call must still find its own outcome.
	require.True(t, r.call("open_scene", `{"scene_path":"res://x.tscn"}`).OK)
	require.True(t, r.call("create_node", `{"node_type":"Node","idempotency_key":"k"}`).OK)
	assert.Equal(t, f[0].Digest, r.link.sent()[5].Digest)
}

func TestLinksOutOfTheProjectAreRefusedAlsoForFilesThatDoNotExistYet(t *testing.T) {
	r := newRig(t)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "s.tscn"), nil, 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(r.dir, "sub", ".git"), 0o700))
	for name, target := range map[string]string{
		"out": outside, "leak.tscn": filepath.Join(outside, "s.tscn"), "up": "..", "dangling.tscn": "/nowhere/x.tscn",
		"alias": "sub", "loop": "loop", "vcs": "sub/.git", "inside.tscn": "sub/new.tscn",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(r.dir, name)))
	}
	save := func(path string) string { return `{"scene_path":"res://` + path + `","confirm":true}` }
	for _, path := range []string{
		"out/s.tscn", "out/new/deep.tscn", "leak.tscn", "up/x.tscn", "dangling.tscn", "loop/x.tscn", "inside.tscn",
	} {
		failure := r.refused(protocol.PathOutsideProject, "save_scene", save(path))
		assert.Equal(t, "scene_path", failure.Details["param"], path)
		r.refused(protocol.PathOutsideProject, "open_scene", `{"scene_path":"res://`+path+`"}`)
	}
	r.refused(protocol.ProtectedTarget, "save_scene", save("vcs/x.tscn"))
	for _, path := range []string{"new.tscn", "new/deep.tscn", "alias/new.tscn"} {
		got := r.call("save_scene", save(path))
		assert.True(t, got.OK, got.text)
	}
	// Values name files too.
	r.refused(protocol.PathOutsideProject, "set_node_property",
		`{"node_path":".","property":"texture","value":{"$resource":"res://out/s.tscn"}}`)
	r.refused(protocol.PathOutsideProject, "create_node", `{"node_type":"A","properties":{"x":["res://up/x"]}}`)
}

func TestFilesThatOnlyThePlanNamesAreContainedToo(t *testing.T) {
	r := newRig(t)
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		out := good(q)
		if q.Phase == protocol.PhasePlan {
			out.Result.Plan.Files = []protocol.FileState{{Path: "res://.git/config"}}
		}
		return out, nil
	}
	got := r.call("save_scene", `{"confirm":true}`)
	assert.Equal(t, protocol.ProtectedTarget, got.Error.Code)
	for _, f := range r.link.sent() {
		assert.NotEqual(t, protocol.PhaseApply, f.Phase)
	}
}

func TestOnlySceneFilesAreOpenedAndSaved(t *testing.T) {
	r := newRig(t)
	r.refused(protocol.InvalidPath, "open_scene", `{"scene_path":"res://a.gd"}`)
	r.refused(protocol.InvalidPath, "save_scene", `{"scene_path":"res://a.tres","confirm":true}`)
	assert.True(t, r.call("open_scene", `{"scene_path":"res://A.TSCN"}`).OK)
}

func TestTheProjectMayBeNamedAndNoOther(t *testing.T) {
	r := newRig(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(r.dir, link))
	for _, same := range []string{r.dir, link, r.dir + "/"} {
		assert.True(t, r.call("get_node", `{"node_path":".","project":"`+same+`"}`).OK, same)
	}
	for _, other := range []string{t.TempDir(), "/", "x", r.dir + "-evil", "res://"} {
		r.refused(protocol.PathOutsideProject, "get_node", `{"node_path":".","project":"`+other+`"}`)
	}
}

func TestWithoutAnEditorACallWaitsForOneByAPing(t *testing.T) {
	r := newRig(t)
	r.link.linked = false
	r.link.answer = func(protocol.Request) (*protocol.Response, error) {
		return nil, protocol.Fail(protocol.BridgeDisconnected, "no editor").Needs("bridge_connected")
	}
	got := r.call("delete_node", `{"node_path":"A","confirm":true}`)
	assert.Equal(t, "BRIDGE_DISCONNECTED: no editor [required=bridge_connected]", got.text)
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		r.link.linked = true // it came while the ping waited
		return good(q), nil
	}
	assert.True(t, r.call("get_node", readNode).OK)
}

func TestWhatTheEditorAnswersIsCheckedAndPassedOn(t *testing.T) {
	r := newRig(t)
	answer := func(response *protocol.Response) reply {
		r.link.answer = func(protocol.Request) (*protocol.Response, error) { return response, nil }
		return r.call("get_node", readNode)
	}
	failure := protocol.Fail(protocol.ResourceNotFound, "no node at A").With("near", []string{"B"}).WithHint("try B")
	got := answer(&protocol.Response{Error: failure})
	assert.Equal(t, failure.Hint, got.Error.Hint)
	assert.Equal(t, []any{"B"}, got.Error.Details["near"])
	for name, response := range map[string]*protocol.Response{
		"nothing":        nil,
		"no result":      {OK: true},
		"no error":       {},
		"unknown code":   {Error: &protocol.Error{Code: "ODD", Message: "x"}},
		"data no json":   {OK: true, Result: &protocol.Result{Data: json.RawMessage(`{"a":`), Scene: "s"}},
		"data no object": {OK: true, Result: &protocol.Result{Data: json.RawMessage(`[1]`), Scene: "s"}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, protocol.BridgeProtocolError, answer(response).Error.Code) })
	}
	long := answer(&protocol.Response{Error: protocol.Fail(protocol.ScriptFault, "%s", strings.Repeat("x", 5000)).
		With("log", strings.Repeat("y", 50_000))})
	assert.Less(t, len(long.text), 2100)
	assert.Contains(t, long.text, cutMark)
	assert.Equal(t, true, long.Error.Details["truncated"])
}

func TestNumbersAndOrderOfTheEditorsDataStay(t *testing.T) {
	r := newRig(t)
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		out := good(q)
		out.Result.Data = json.RawMessage(`{"z":9223372036854775807,"a":1.0,"t":"<&>"}`)
		return out, nil
	}
	answer := r.gate.Call(t.Context(), r.client, "create_node", json.RawMessage(makeNode))
	assert.Contains(t, string(answer.Body), `"data":{"z":9223372036854775807,"a":1.0,"t":"<&>","targets":["A"],"undoable":true`)
	assert.Contains(t, string(answer.Body), `"persistence":{"target":"A","persisted":true}`)
}

func TestGetServerInfoShowsWhatIsMissing(t *testing.T) {
	r := newRig(t, func(o *Options) { o.AddonHash = "aa" })
	r.link.editor.Hello.Commands = []string{"get_node"}
	info := r.call("get_server_info", `{}`)
	editor := info.Data["editor"].(map[string]any)
	assert.Contains(t, editor["missing_commands"], "create_node")
	assert.NotContains(t, editor["missing_commands"], "get_node")
	assert.NotContains(t, editor["missing_commands"], "command_outcome")
	assert.NotEmpty(t, editor["addon_drift"])
	assert.Equal(t, "execute", info.Data["mode"])
}

func BenchmarkPlainWrite(b *testing.B) {
	r := newRig(b)
	for b.Loop() {
		r.gate.Call(b.Context(), r.client, "set_node_property",
			json.RawMessage(`{"node_path":"Player/Body","property":"position","value":[1.5,2],"idempotency_key":"k"}`))
		r.link.frames = r.link.frames[:0]
	}
}

func BenchmarkSaveWithPath(b *testing.B) {
	r := newRig(b)
	for b.Loop() {
		r.gate.Call(b.Context(), r.client, "save_scene", json.RawMessage(`{"scene_path":"res://a/b/c.tscn","confirm":true}`))
		r.link.frames = r.link.frames[:0]
	}
}
