package bridge_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/protocol"
)

func TestHelloBounds(t *testing.T) {
	r := newRig(t)
	tests := map[string]struct {
		field string
		value any
	}{
		"id of 1 MB":              {"editor", strings.Repeat("e", 1<<20)},
		"short id":                {"editor", "e"},
		"newline in the name":     {"project_name", "a\nb"},
		"escape in the version":   {"addon_version", "1\x1b[31m"},
		"long name":               {"project_name", strings.Repeat("n", 2000)},
		"long path":               {"project_path", "/" + strings.Repeat("p", 5000)},
		"relative path":           {"project_path", "game"},
		"no path":                 {"project_path", ""},
		"NUL in the path":         {"project_path", "/a\x00b"},
		"hash that is none":       {"addon_hash", "zz"},
		"empty hash":              {"addon_hash", ""},
		"addon outside":           {"addon_path", "/etc"},
		"no process":              {"pid", 0},
		"number as text":          {"pid", "42"},
		"text as number":          {"project_name", 1},
		"too many commands":       {"commands", strings.Split(strings.Repeat("a,", protocol.MaxCommands+1), ",")},
		"command with a space":    {"commands", []string{"get node"}},
		"empty command":           {"commands", []string{""}},
		"commands of wrong type":  {"commands", "get_node"},
		"scene with a line break": {"scene", "res://a\r\n.tscn"},
		"extra field":             {"admin", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := r.greet()
			h := hello(r.project)
			h[tt.field] = tt.value
			p.sendJSON(map[string]any{"hello": h})
			reject, status := p.reject()
			assert.Equal(t, protocol.PeerRejected, reject.Code)
			assert.Equal(t, "hello", reject.Reason)
			assert.Equal(t, websocket.StatusCode(4000), status)
			assert.Empty(t, r.server.Editors())
		})
	}
	for line := range strings.SplitSeq(strings.TrimSpace(r.log.String()), "\n") {
		assert.True(t, strings.HasPrefix(line, "time="), "a raw line break in the log: %q", line)
	}
}

func TestFramesThatAreNoHello(t *testing.T) {
	r := newRig(t)
	whole, err := json.Marshal(map[string]any{"hello": hello(r.project)})
	require.NoError(t, err)
	for name, frame := range map[string]string{
		"no JSON": `{"hello":`, "list": `[]`, "null": `null`, "other frame": `{"id":"1","ok":true}`, "hello null": `{"hello":null}`,
		"more than one": string(whole) + `{}`, "something beside": `{"x":1,` + string(whole[1:]),
	} {
		t.Run(name, func(t *testing.T) {
			p := r.greet()
			p.send(frame)
			reject, _ := p.reject()
			assert.Equal(t, "hello", reject.Reason)
		})
	}
	t.Run("binary", func(t *testing.T) {
		p := r.greet()
		p.write(websocket.MessageBinary, whole)
		assert.Equal(t, websocket.StatusUnsupportedData, p.closed())
	})
}

func TestAnotherVersionIsRefusedWithBothVersions(t *testing.T) {
	r := newRig(t)
	p := r.greet()
	p.sendJSON(map[string]any{"hello": map[string]any{"protocol": 2, "addon_version": "2.0.0", "new_field": 1}})
	reject, _ := p.reject()
	assert.Equal(t, "version", reject.Reason)
	assert.Equal(t, protocol.ProductVersion, reject.Details["daemon"])
	assert.Equal(t, "2.0.0", reject.Details["addon"])
	require.Len(t, r.server.Refusals(), 1)
	e := r.end(r.query(t.Context(), soon))
	assert.Equal(t, protocol.BridgeDisconnected, e.err.Code)
	assert.Contains(t, e.err.Details, "last_refusal", "a caller learns why nothing links")
}

func TestOnlyEditorsOfTheProjectAreTaken(t *testing.T) {
	r := newRig(t)
	other := projectDir(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(r.project, link))
	for name, path := range map[string]string{
		"another project": other, "a folder above": filepath.Dir(r.project), "missing": filepath.Join(r.project, "nope"),
	} {
		t.Run(name, func(t *testing.T) {
			p := r.greet()
			p.sendJSON(map[string]any{"hello": hello(path)})
			reject, _ := p.reject()
			assert.Equal(t, "project_path", reject.Reason)
		})
	}
	t.Run("through a link", func(t *testing.T) {
		r.link(link)
		assert.Equal(t, r.project, r.editor().Project)
		_, ok := r.server.Editor(link)
		assert.True(t, ok, "a caller may use the link too")
	})
}

func TestAProjectThatTheOperatorDoesNotAllowIsRefused(t *testing.T) {
	why := "its name is another one"
	r := newRig(t, func(o *bridge.Options) { o.Admit = func(string) string { return why } })
	p := r.greet()
	p.sendJSON(map[string]any{"hello": hello(r.project)})
	reject, _ := p.reject()
	assert.Equal(t, protocol.PeerRejected, reject.Code)
	assert.Equal(t, "not_allowed", reject.Reason)
	assert.Equal(t, why, reject.Details["why"])
	why = "" // it is asked at each hello
	r.link(r.project)
}

func TestASecondEditorNeverReplacesTheFirst(t *testing.T) {
	r := newRig(t)
	first := r.link(r.project)
	second := r.greet()
	second.sendJSON(map[string]any{"hello": hello(r.project)})
	reject, status := second.reject()
	assert.Equal(t, "second_editor", reject.Reason)
	assert.Equal(t, protocol.PeerRejected, reject.Code)
	assert.Equal(t, websocket.StatusCode(4001), status)

	call := r.query(t.Context(), soon)
	first.send(good(first.request().ID, `{}`))
	assert.Nil(t, r.end(call).err, "the first goes on")

	require.NoError(t, first.conn.CloseNow())
	r.unlinked()
	r.link(r.project)
}

func TestALongSilentEditorGivesWay(t *testing.T) {
	r := newRig(t, func(o *bridge.Options) { o.SilentAfter = 30 * time.Millisecond })
	ghost := r.link(r.project)
	call := r.apply(t.Context(), soon)
	ghost.request()
	eventually(t, "the ghost is silent", func() bool { return time.Since(r.editor().LastFrame) > 40*time.Millisecond })
	fresh := r.link(r.project)
	e := r.end(call)
	assert.Equal(t, protocol.BridgeDisconnected, e.err.Code)
	assert.True(t, e.err.MayHaveApplied)
	ghost.closed()
	call = r.query(t.Context(), soon)
	fresh.send(good(fresh.request().ID, `{}`))
	assert.Nil(t, r.end(call).err)
}

func TestTwoProjectsHaveTwoEditors(t *testing.T) {
	other := projectDir(t)
	var mine string
	r := newRig(t, func(o *bridge.Options) {
		o.Projects = func() []string { return []string{mine, other} }
	})
	mine = r.project
	a := r.link(r.project)
	b := r.link(other)
	require.Len(t, r.server.Editors(), 2)

	call := r.query(t.Context(), soon)
	id := a.request().ID
	b.send(good(id, `{"from":"b"}`))
	eventually(t, "b's answer is dropped", func() bool {
		e, _ := r.server.Editor(other)
		return e.RepliesDropped == 1
	})
	a.send(good(id, `{"from":"a"}`))
	e := r.end(call)
	require.Nil(t, e.err)
	assert.JSONEq(t, `{"from":"a"}`, string(e.response.Result.Data))
	assert.Contains(t, r.log.String(), "cross_session_reply_dropped")
}

func TestTheEditorIsDescribed(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	e := r.editor()
	assert.Equal(t, "Game", e.Hello.ProjectName)
	assert.Equal(t, []string{"get_node"}, e.Hello.Commands)
	assert.Equal(t, "res://main.tscn", e.Scene)
	assert.Equal(t, bridge.StateLinked, e.State)
	p.send(`{"event":"scene_changed","data":{"scene":"res://b.tscn","rev":7}}`)
	eventually(t, "the event arrives", func() bool { return r.editor().Rev == 7 })
	assert.Equal(t, "res://b.tscn", r.editor().Scene)
	assert.Equal(t, uint64(1), r.editor().FramesReceived)
	assert.Zero(t, r.editor().FramesSent)
}
