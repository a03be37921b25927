package contract

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// takeoverWait is how soon an editor that was refused is taken once it can be: its longest wait between tries is 5 s.
const takeoverWait = 8 * time.Second

// testTwoDaemons: a second client never harms the first (BR-087): both work, at the same time too.
func (b *bed) testTwoDaemons(t *testing.T) {
	b.ready(t)
	pid := b.editor.PID()
	start := time.Now()
	second := b.newDaemon(t)
	eventually(t, linkWait, func() bool { return b.info(t, second).Connected }, func() string { return lastLines(second.Log()) })
	t.Logf("the second daemon was linked after %s", time.Since(start))
	var calls []*flight
	want := []string{"Player", "Title"}
	for i := range 20 {
		for j, daemon := range []*harness.Daemon{b.daemon, second} {
			name := fmt.Sprintf("D%dN%d", j, i)
			want = append(want, name)
			calls = append(calls, launch(b.ctx, t, daemon, "create_node", makeChild(name, "", 0)))
			calls = append(calls, launch(b.ctx, t, daemon, "get_node", args{"node_path": "Player"}))
		}
	}
	for _, f := range calls {
		assert.True(t, f.land(t, 10*time.Second).OK, "%s: %s", text(f.with), f.reply.Raw)
	}
	assert.ElementsMatch(t, want, b.children(t))
	require.NoError(t, second.Stop(3*time.Second))
	b.ok(t, "get_scene_tree", args{})
	info := b.info(t, b.daemon)
	assert.True(t, info.Connected && info.Editor.PID == pid, "the first client's link: %s", info.raw)
}

// testOtherProject: an editor of another project is not taken, even by a daemon that it can reach (BR-095).
func (b *bed) testOtherProject(t *testing.T) {
	b.ready(t)
	other, err := b.kit.NewProject(b.ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	editor, err := b.kit.StartEditor(b.ctx, &harness.Project{Dir: other.Dir, Home: b.project.Home}, harness.EditorOptions{})
	require.NoError(t, err)
	defer editor.Kill()
	eventually(t, startWait, func() bool {
		for _, refusal := range b.info(t, b.daemon).Refused {
			if refusal.Reason == "project_path" && refusal.ProjectPath == other.Dir {
				return refusal.Code == protocol.PeerRejected
			}
		}
		return false
	}, func() string { return "the other editor is refused; its output: " + lastLines(editor.Output()) })
	info := b.info(t, b.daemon)
	assert.Equal(t, b.editor.PID(), info.Editor.PID, "%s", info.raw)
	b.ok(t, "create_node", makeChild("Mine", "", 0))
	reply, took := b.timed(t, b.daemon, "create_node", args{"node_type": "Node", "project": other.Dir})
	failsWith(t, protocol.PathOutsideProject, "a call for the other project", reply)
	assert.LessOrEqual(t, took, soon)
	require.NoError(t, editor.Stop(10*time.Second))
}

// testSecondEditor: a second editor never replaces the first; both sides say why. It is taken when the first ends.
func (b *bed) testSecondEditor(t *testing.T) {
	b.ready(t)
	first := b.editor
	second, err := b.kit.StartEditor(b.ctx, b.project, harness.EditorOptions{})
	require.NoError(t, err)
	defer func() {
		if t.Failed() { // a second editor that stays would take the project over later
			second.Kill()
		}
	}()
	b.top.Cleanup(second.Kill)
	refused := func() bool {
		for _, refusal := range b.info(t, b.daemon).Refused {
			if refusal.Reason == "second_editor" && refusal.ProjectPath == b.project.Dir {
				return true
			}
		}
		return false
	}
	eventually(t, startWait, refused, func() string { return "get_server_info tells of the second editor: " + b.info(t, b.daemon).raw })
	assert.Contains(t, b.daemon.Log(), "second_editor", "the daemon's log")
	told := func() bool {
		_, said, found := strings.Cut(second.Output(), "Drawbridge: ")
		said, _, _ = strings.Cut(said, "\n")
		return found && strings.Contains(said, strconv.Itoa(first.PID()))
	}
	eventually(t, soon, told, func() string { return "the second editor's user is told: " + lastLines(second.Output()) })
	fault := takeFaultHand(t, b.project) // of the second editor, which came up last
	var shown struct {
		Links []struct {
			State  string `json:"state"`
			Reason string `json:"reason"`
		} `json:"links"`
	}
	fault.act(t, "links", nil, &shown)
	assert.Contains(t, text(shown), "second_editor", "what the second addon shows")
	b.ok(t, "create_node", makeChild("Mine", "", 0))
	assert.Equal(t, first.PID(), b.info(t, b.daemon).Editor.PID)

	first.Kill()
	b.editor = second
	t.Logf("the second editor took over after %s", b.linked(t, time.Now(), takeoverWait))
	b.hand, b.fault = takeHand(b.top, b.project), fault
	b.ok(t, "open_scene", args{"scene_path": harness.FixtureRes + "/own_nodes.tscn"})
	b.editor.Kill() // its hand is this test's own
}

// testKilledDaemon: the editor does not mind, keeps its unsaved work, and links to the next daemon by itself.
func (b *bed) testKilledDaemon(t *testing.T) {
	b.ready(t)
	b.ok(t, "create_node", makeChild("Unsaved", "", 0))
	files, dump := b.files(t), b.hand.dump(t)
	b.slowChildren(t, 1200*time.Millisecond)
	write := b.launch(t, "create_node", makeChild("InFlight", "in-flight", 0))
	b.untilBusy(t)
	b.daemon.Kill()
	require.True(t, write.within(soon), "the client notices at once")
	require.ErrorIs(t, write.err, harness.ErrClosed)
	assert.Len(t, b.rendezvousFiles(t), 1, "a killed daemon leaves its file")

	start := time.Now()
	b.startDaemon(t)
	assert.Len(t, b.rendezvousFiles(t), 1, "the next daemon clears away")
	t.Logf("linked to the next daemon after %s", b.linked(t, start, linkWait+1200*time.Millisecond))
	eventually(t, 3*time.Second, func() bool { return b.outcome(t, "in-flight") == "applied" },
		func() string { return "the write that ran when the daemon died" })
	reply := b.ok(t, "create_node", makeChild("InFlight", "in-flight", 0))
	assert.Equal(t, true, reply.Data["deduplicated"], "re-sent to the next daemon: %s", reply.Raw)
	assert.ElementsMatch(t, []string{"Player", "Title", "Unsaved", "InFlight"}, b.children(t))
	assert.Equal(t, files, b.files(t), "no file changed")
	b.ok(t, "undo", args{"count": 2})
	assert.Equal(t, dump, b.hand.dump(t), "the unsaved work")
}

// testKilledEditor: calls in flight end at once, and say truly whether they may have applied (BR-071). The editor
// comes back twice, and the client does not have to do a thing.
func (b *bed) testKilledEditor(t *testing.T) {
	b.ready(t)
	b.slowChildren(t, 5*time.Second)
	write := b.launch(t, "create_node", makeChild("Written", "written", 0))
	read := b.untilBusy(t)
	waiting := b.launch(t, "create_node", makeChild("Waiting", "", 0))
	files := b.files(t)
	killed := time.Now()
	b.editor.Kill()
	failure := failsWith(t, protocol.BridgeDisconnected, "a write in flight", write.land(t, soon))
	assert.True(t, failure.MayHaveApplied, "a write in flight: %s", text(failure))
	failure = failsWith(t, protocol.BridgeDisconnected, "a read in flight", read.land(t, soon))
	assert.False(t, failure.MayHaveApplied, "a read in flight: %s", text(failure))
	reply := waiting.land(t, soon)
	require.False(t, reply.OK, "%s", reply.Raw)
	assert.Contains(t, []protocol.Code{protocol.BridgeDisconnected, protocol.ProjectQuarantined}, reply.Error.Code)
	assert.False(t, reply.Error.MayHaveApplied, "it was never sent: %s", reply.Raw)
	t.Logf("all three calls ended within %s of the kill", time.Since(killed))
	assert.Equal(t, files, b.files(t), "no file changed")
	assert.False(t, b.info(t, b.daemon).Connected)

	// The first editor that comes back opens no scene, the second one the scene that was open when its layout was kept.
	other := harness.FixtureRes + "/second_player.tscn"
	for _, scene := range []string{"", `"` + other + `"`} {
		layout := "[EditorNode]\n\nopen_scenes=PackedStringArray(" + scene + ")\ncurrent_scene=\"" + strings.Trim(scene, `"`) + "\"\n"
		require.NoError(t, os.WriteFile(b.project.Path("res://.godot/editor/editor_layout.cfg"), []byte(layout), 0o600))
		t.Run("back with scene "+scene, b.editorIsBack)
		b.editor.Kill()
	}
}

// editorIsBack: the next editor takes calls as soon as it is linked, and a client that re-reads can go on, whatever was
// in flight when the last one died. What a call did stays, although the editor may still be busy with its start.
func (b *bed) editorIsBack(t *testing.T) {
	up := b.startEditor(t, harness.EditorOptions{})
	t.Logf("linked %s after the editor was back", b.linked(t, up, linkWait))
	scene := harness.FixtureRes + "/own_nodes.tscn"
	for _, c := range []struct {
		tool string
		args args
	}{
		{"find_nodes", args{}},
		{"open_scene", args{"scene_path": scene}},
		{"get_scene_tree", args{}},
		{"set_node_property", args{"node_path": "Player", "property": "z_index", "value": 3}},
	} {
		reply, took := b.timed(t, b.daemon, c.tool, c.args)
		assert.LessOrEqual(t, took, startWait, c.tool)
		needsScene := c.tool == "find_nodes" && !reply.OK && reply.Error.Required == "active_scene"
		require.True(t, reply.OK || needsScene, "%s: %s", c.tool, reply.Raw)
	}
	b.started(t)
	assert.Equal(t, scene, b.hand.look(t).Edited, "open_scene said ok, and is still right when the editor has started")
	var now struct {
		Text string `json:"text"`
	}
	b.fault.act(t, "peek", map[string]any{"node": "Player", "property": "z_index"}, &now)
	assert.Equal(t, "3", now.Text, "what the first edit set")
}
