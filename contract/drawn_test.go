package contract

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testDrawn is the lane in a drawn editor, under Xvfb with software GL: what only happens there, and those parts of
// the suite that save, switch scenes and walk through histories.
func testDrawn(t *testing.T) {
	ctx, kit := newKit(t)
	b := newBed(ctx, t, kit)
	b.startDaemon(t)
	up := b.startEditor(t, harness.EditorOptions{Drawn: true})
	t.Logf("linked %s after the editor's plugins came up", b.linked(t, up, startWait))
	require.False(t, b.info(t, b.daemon).Editor.Headless, "this lane is drawn")
	t.Cleanup(func() { b.lookOver(t) })
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"calls during saves", b.testSavesReenter},
		{"an editor that is not in front", b.testUnfocused},
		{"dirty marks", b.testDirtyMarks},
		{"a dialog is open", b.testModal},
		{"save as a new file", b.saveAs},
		{"save as never writes onto another file unasked", b.saveAsExisting},
		{"a scene changed on disk", b.diskChanged},
		{"a touched but equal file is no change", b.sameBytes},
		{"exported values survive a script that does not parse", b.brokenScript},
		{"scenes", b.testScenes},
		{"undo order", b.testUndoOrder},
	} {
		if !t.Run(part.name, part.run) || ended(b.editor.Done()) {
			require.False(t, ended(b.editor.Done()), "the editor is gone after %q: %s", part.name, lastLines(b.editor.Output()))
		}
	}
}

// plainLine is the property in a saved scene.
var plainLine = regexp.MustCompile(`(?m)^plain = (\d+)$`)

// testSavesReenter: a drawn editor draws frames in the middle of a save. Calls that come then wait; none is lost, none
// runs inside the save, and what is saved is what was there.
func (b *bed) testSavesReenter(t *testing.T) {
	path := b.troubleScene(t)
	b.ok(t, "set_node_property", args{"node_path": ".", "property": "plain", "value": 1})
	b.save(t)
	other := b.newDaemon(t)
	eventually(t, linkWait, func() bool { return b.info(t, other).Connected }, func() string { return "the second daemon is not linked" })
	version := b.hand.look(t).SceneVersion
	b.fault.act(t, "count_reentry", map[string]any{"on": true}, nil)
	value, edits := 1, int64(0)
	for round := range 5 {
		low := value
		save := b.launch(t, "save_scene", args{"confirm": true})
		var reads []*flight
		for range 20 {
			reads = append(reads, b.launch(t, "get_node", args{"node_path": "Player"}))
		}
		for done := false; !done || value == low; edits++ {
			done = !save.open()
			value++
			reply, took := b.timed(t, other, "set_node_property", args{"node_path": ".", "property": "plain", "value": value})
			require.True(t, reply.OK, "round %d: %s", round, reply.Raw)
			require.LessOrEqual(t, took, 3*time.Second)
		}
		require.True(t, save.land(t, protocol.FileDeadline).OK, "%s", save.reply.Raw)
		for _, read := range reads {
			require.True(t, read.land(t, protocol.DefaultDeadline).OK, "%s", read.reply.Raw)
		}
		saved := plainLine.FindStringSubmatch(b.file(t, path))
		require.NotNil(t, saved)
		in, err := strconv.Atoi(saved[1])
		require.NoError(t, err)
		assert.True(t, in >= low && in <= value, "round %d: the file has %d, set were %d to %d meanwhile", round, in, low, value)
	}
	var seen struct{ Frames, Changes int }
	b.fault.act(t, "count_reentry", map[string]any{"on": false}, &seen)
	t.Logf("%d frames began inside 5 saves, %d edits came from the other client", seen.Frames, edits)
	assert.Positive(t, seen.Frames, "no frame began inside a save: this proves nothing")
	assert.Zero(t, seen.Changes, "edits ran inside a save")
	assert.Equal(t, edits, b.hand.look(t).SceneVersion-version, "every edit is one action")
	require.NoError(t, other.Stop(endWait))
}

// testUnfocused: an editor whose window is not in front sleeps 100 ms a frame, and calls do not notice (BR-081).
func (b *bed) testUnfocused(t *testing.T) {
	b.troubleScene(t)
	var sleep struct {
		Usec int `json:"usec"`
	}
	b.fault.act(t, "focus_out", nil, &sleep)
	require.GreaterOrEqual(t, sleep.Usec, 50_000, "the editor did not take itself for unfocused: this proves nothing")
	start := time.Now()
	for range 100 {
		b.ok(t, "get_node", args{"node_path": "Player"})
	}
	took := time.Since(start)
	t.Logf("100 reads in a row: %s", took)
	assert.LessOrEqual(t, took, 2*time.Second, "100 reads of an unfocused editor, which by itself draws 10 frames a second")

	// The editor sets its sleep anew with each change of focus; the addon follows.
	b.fault.act(t, "focus_in", nil, nil)
	b.fault.act(t, "focus_out", nil, nil)
	start = time.Now()
	for range 20 {
		b.ok(t, "set_node_property", args{"node_path": "Player", "property": "z_index", "value": 1})
	}
	assert.LessOrEqual(t, time.Since(start), time.Second, "20 edits")
	b.fault.act(t, "focus_in", nil, nil)
}

// testDirtyMarks: the mark in the tab's title and scene_dirty of the replies say the same, through edit, undo and save.
func (b *bed) testDirtyMarks(t *testing.T) {
	b.troubleScene(t)
	b.save(t)
	marked := func(about string, reply harness.Reply, want bool) {
		t.Helper()
		assert.Equal(t, want, reply.Data["scene_dirty"], "scene_dirty after %s: %s", about, reply.Raw)
		eventually(t, soon, func() bool { return len(b.hand.look(t).Starred) > 0 == want },
			func() string { return "after " + about + " the tab's mark should be " + strconv.FormatBool(want) })
	}
	set := args{"node_path": "Player", "property": "z_index", "value": 5}
	marked("a set", b.ok(t, "set_node_property", set), true)
	marked("its undo", b.ok(t, "undo", args{}), false)
	marked("its redo", b.ok(t, "redo", args{}), true)
	marked("a save", b.ok(t, "save_scene", args{"confirm": true}), false)
	marked("an undo over the save", b.ok(t, "undo", args{}), true)
	marked("the redo back to the saved state", b.ok(t, "redo", args{}), false)
	marked("a create", b.ok(t, "create_node", makeChild("Made", "", 0)), true)
	marked("another save", b.ok(t, "save_scene", args{"confirm": true}), false)
	marked("a delete", b.ok(t, "delete_node", args{"node_path": "Made", "confirm": true}), true)
}

// testModal: a dialog that is open holds up nobody: what works works, and what does not is said.
func (b *bed) testModal(t *testing.T) {
	first := b.troubleScene(t)
	second := b.troubleScene(t)
	var dialog struct {
		Visible bool `json:"visible"`
	}
	b.fault.act(t, "modal", map[string]any{"open": true}, &dialog)
	require.True(t, dialog.Visible)
	defer b.fault.act(t, "modal", map[string]any{"open": false}, nil)
	for _, c := range []struct {
		tool string
		args args
	}{
		{"get_scene_tree", args{}},
		{"set_node_property", args{"node_path": "Player", "property": "z_index", "value": 2}},
		{"undo", args{}},
		{"redo", args{}},
		{"save_scene", args{"confirm": true}},
		{"open_scene", args{"scene_path": first}},
	} {
		reply, took := b.timed(t, b.daemon, c.tool, c.args)
		assert.LessOrEqual(t, took, 3*time.Second, "%s beside a dialog", c.tool)
		if !reply.OK {
			assert.Contains(t, string(reply.Raw), "Fault hand", "%s: the failure names the dialog: %s", c.tool, reply.Raw)
		}
		if c.tool == "save_scene" && assert.False(t, reply.OK, "a save beside a dialog") {
			assert.Equal(t, "no_dialog", reply.Error.Required)
		}
	}
	edited := b.hand.look(t).Edited
	assert.Contains(t, []string{first, second}, edited)
	assert.Equal(t, "linked", b.info(t, b.daemon).Editor.State)
}
