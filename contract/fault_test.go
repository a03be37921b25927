package contract

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testFaults: every fault gets its code within a second or its own deadline, nothing is lost or half done, the link
// lives, and other calls go on. The parts share one project; each repairs what the one before it broke.
func testFaults(t *testing.T) {
	ctx, kit := newKit(t)
	b := newBed(ctx, t, kit)
	var before map[string]string
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a daemon without an editor, and then with one", b.testDaemonFirst},
		{"what is there before", func(t *testing.T) { before = b.files(t) }},
		{"bad calls among good ones", b.testBadCalls},
		{"large values towards the editor", b.testLargeValues},
		{"large answers", b.testLargeAnswers},
		{"a user's script that dies", b.testDyingScript},
		{"time-outs that the ledger settles", b.testSettled},
		{"cancelling", b.testCancel},
		{"a dialog is open", b.testModal},
		{"a blocked editor", b.testBlocked},
		{"strangers at the door", b.testStrangers},
		{"connections that say nothing", b.testIdleConnections},
		{"an impostor that the editor dials", b.testImpostor},
		{"two daemons", b.testTwoDaemons},
		{"an editor of another project", b.testOtherProject},
		{"the addon switched off and on", b.testSwitchedOff},
		{"a killed daemon", b.testKilledDaemon},
		{"a killed editor", b.testKilledEditor},
		{"a second editor", b.testSecondEditor},
		{"the ends of a daemon", b.testEnds},
		{"nothing is left in the project", func(t *testing.T) { b.checkNothingLeft(t, before) }},
	} {
		if !t.Run(part.name, part.run) && b.daemon != nil {
			t.Logf("editor: %s\ndaemon: %s", lastLines(b.editorOutput()), lastLines(b.daemon.Log()))
		}
	}
	t.Run("lines that are no calls", func(t *testing.T) { testLines(t, b) })
	t.Run("an addon that is broken in places", func(t *testing.T) { testBrokenAddon(ctx, t, kit) })
	t.Run("an addon of another version", func(t *testing.T) { testOtherVersion(ctx, t, kit) })
	t.Run("no traces in output and settings", func(t *testing.T) { testTraces(ctx, t, kit) })
	t.Run("a fresh checkout", func(t *testing.T) { testCheckout(ctx, t, kit) })
}

// editorOutput is the output of the editor, if there ever was one.
func (b *bed) editorOutput() string {
	if b.editor == nil {
		return "none"
	}
	return b.editor.Output()
}

// testDaemonFirst: the daemon waits for the editor in any order, and says what is missing meanwhile (BR-084).
func (b *bed) testDaemonFirst(t *testing.T) {
	b.startDaemon(t)
	for _, c := range []struct {
		tool string
		args args
	}{
		{"get_scene_tree", args{}},
		{"create_node", args{"node_type": "Node", "timeout_seconds": 20}},
	} {
		// A young daemon waits for the editor for 3 s; after that the answer comes at once.
		reply, took := b.timed(t, b.daemon, c.tool, c.args)
		failure := failsWith(t, protocol.BridgeDisconnected, c.tool, reply)
		assert.Equal(t, "bridge_connected", failure.Required)
		assert.Contains(t, failure.Hint, "Drawbridge", "the hint says what to do")
		assert.False(t, failure.MayHaveApplied, "%s was never sent", c.tool)
		assert.LessOrEqual(t, took, protocol.GraceForLink+soon, c.tool)
	}
	reply, took := b.timed(t, b.daemon, "get_scene_tree", args{})
	failsWith(t, protocol.BridgeDisconnected, "without an editor", reply)
	assert.LessOrEqual(t, took, soon, "after the grace")
	info := b.info(t, b.daemon)
	assert.False(t, info.Connected)
	assert.Equal(t, "bridge_connected", info.Required)

	up := b.startEditor(t, harness.EditorOptions{})
	t.Logf("linked %s after the editor's plugins came up", b.linked(t, up, startWait))
}

// testSwitchedOff: an addon that is disabled lets go of everything, and comes back by itself when it is enabled.
func (b *bed) testSwitchedOff(t *testing.T) {
	b.ready(t)
	settings := b.file(t, "res://project.godot")
	var was, now struct {
		Usec int `json:"usec"`
	}
	b.ok(t, "get_scene_tree", args{})
	b.fault.act(t, "sleep", nil, &was)
	b.fault.act(t, "plugin", map[string]any{"name": "drawbridge", "enabled": false}, nil)
	b.fault.act(t, "sleep", nil, &now)
	assert.Equal(t, 6900, now.Usec, "the editor's own sleep is back (it was %d while calls came)", was.Usec)
	eventually(t, soon, func() bool { return !b.info(t, b.daemon).Connected }, func() string { return "the link is still there" })
	reply, took := b.timed(t, b.daemon, "get_scene_tree", args{})
	failsWith(t, protocol.BridgeDisconnected, "with the addon off", reply)
	assert.LessOrEqual(t, took, protocol.GraceForLink+soon)

	b.fault.act(t, "plugin", map[string]any{"name": "drawbridge", "enabled": true}, nil)
	b.linked(t, time.Now(), linkWait)
	// The editor writes its settings anew, in its own form, some time after a plugin was switched.
	eventually(t, 10*time.Second, func() bool { return strings.Contains(b.file(t, "res://project.godot"), harness.AddonRes) },
		func() string { return "the editor did not save that the addon is on" })
	require.NoError(t, os.WriteFile(b.project.Path("res://project.godot"), []byte(settings), 0o600))
	b.setText(t, "Title", "text", 1<<20)
}

// checkNothingLeft: the addon leaves nothing in the project beside itself.
func (b *bed) checkNothingLeft(t *testing.T, before map[string]string) {
	for _, path := range changedFiles(before, b.files(t)) {
		ours := func(folder string) bool { return strings.HasPrefix(path, folder+"/") }
		if !slices.ContainsFunc([]string{workRes, handRes, faultHandRes}, ours) { // what the tests themselves made
			assert.Fail(t, "a file was left or changed", path)
		}
	}
}
