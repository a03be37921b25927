package contract

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// breakMethod makes a method of the installed addon die: it puts a line that fails at run time at its beginning. The
// project is the test's own copy.
func breakMethod(t *testing.T, p *harness.Project, folder, method string) {
	t.Helper()
	inMethod(t, p, folder, method, func(file, head string) {
		editFile(t, file, head, head+"\tvar nothing_here: Dictionary = {}\n\tvar _gone: int = nothing_here[\"broken_"+method+"\"]\n")
	})
}

// inMethod finds the file below the addon's folder that has the method, and the line that declares it.
func inMethod(t *testing.T, p *harness.Project, folder, method string, change func(file, head string)) {
	t.Helper()
	files, err := filepath.Glob(p.Path(harness.AddonRes + "/" + folder + "/*.gd"))
	require.NoError(t, err)
	for _, file := range files {
		script, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, line := range strings.SplitAfter(string(script), "\n") {
			if strings.HasPrefix(line, "func "+method+"(") && strings.HasSuffix(line, ":\n") {
				change(file, line)
				return
			}
		}
	}
	require.Fail(t, "no such method", "%s in %s of the addon", method, folder)
}

// testBrokenAddon: a handler that dies, a commit that dies and a command that is missing are each named as what they
// are, and everything else goes on.
func testBrokenAddon(ctx context.Context, t *testing.T, kit *harness.Kit) {
	b := newBed(ctx, t, kit)
	b.broken = true
	breakMethod(t, b.project, "handlers", "get_node")
	breakMethod(t, b.project, "handlers", "move_node")
	inMethod(t, b.project, "handlers", "find_nodes", func(file, head string) {
		editFile(t, file, head, strings.Replace(head, "find_nodes", "find_nodes_no_more", 1))
	})
	editFile(t, b.project.Path(harness.AddonRes+"/commit/delete_node.gd"), "func apply(planned: Result, the_call: Call) -> Result:\n",
		"func apply(planned: Result, the_call: Call) -> Result:\n\tvar nothing_here: Dictionary = {}\n\tvar _gone: int = nothing_here[\"broken_apply\"]\n")
	b.startDaemon(t)
	up := b.startEditor(t, harness.EditorOptions{})
	b.linked(t, up, linkWait)
	b.troubleScene(t)
	before := b.state(t)
	for _, c := range []struct {
		tool string
		args args
		may  bool
	}{
		{"get_node", args{"node_path": "Player"}, false},
		{"move_node", args{"node_path": "Player", "new_parent_path": "Title"}, false},
		{"move_node", args{"node_path": "Player", "new_parent_path": "Title", "dry_run": true}, false},
		{"delete_node", args{"node_path": "Player", "confirm": true}, true},
	} {
		reply, took := b.timed(t, b.daemon, c.tool, c.args)
		failure := failsWith(t, protocol.InternalError, c.tool, reply)
		assert.LessOrEqual(t, took, soon, c.tool)
		assert.Equal(t, c.may, failure.MayHaveApplied, "%s: %s", c.tool, text(failure))
		assert.Contains(t, text(failure), "broken_", "%s: the script's error is in the reply: %s", c.tool, text(failure))
		assert.NotEmpty(t, failure.Hint)
		b.ok(t, "get_scene_tree", args{}) // the next call, which also settles what is in doubt
	}
	b.same(t, before, "commands that died")
	b.missingCommand(t)
	b.ok(t, "create_node", makeChild("Fine", "", 0))
	b.daemonKeepsEditor(t)
}

// missingCommand: a command that the linked addon lacks switches its tool off, and no other (BR-088).
func (b *bed) missingCommand(t *testing.T) {
	t.Helper()
	reply, took := b.timed(t, b.daemon, "find_nodes", args{})
	failure := failsWith(t, protocol.AddonVersionMismatch, "find_nodes", reply)
	assert.LessOrEqual(t, took, soon)
	assert.Contains(t, failure.Hint, "install", "%s", text(failure))
	info := b.info(t, b.daemon)
	assert.Equal(t, []string{"find_nodes"}, info.Editor.MissingCommands, "%s", info.raw)
	assert.NotEmpty(t, info.Editor.AddonDrift, "the addon's files are not the daemon's: %s", info.raw)
}

// testOtherVersion: an addon of another protocol is refused, with both versions, and both sides say so (BR-088).
func testOtherVersion(ctx context.Context, t *testing.T, kit *harness.Kit) {
	b := newBed(ctx, t, kit)
	constants := b.project.Path(harness.AddonRes + "/protocol.gd")
	editFile(t, constants, "const VERSION: int = 1\n", "const VERSION: int = 99\n")
	editFile(t, constants, `"`+protocol.ProductVersion+`"`, `"9.9.9"`)
	b.startDaemon(t)
	b.startEditor(t, harness.EditorOptions{})
	var info serverInfo
	eventually(t, 10*time.Second, func() bool {
		info = b.info(t, b.daemon)
		return len(info.Refused) > 0
	}, func() string { return "the daemon refuses the addon: " + lastLines(b.daemon.Log()) })
	assert.False(t, info.Connected)
	refusal := info.Refused[0]
	assert.Equal(t, protocol.PeerRejected, refusal.Code)
	assert.Equal(t, "version", refusal.Reason)
	assert.Equal(t, protocol.ProductVersion, refusal.Details["daemon"], "%s", info.raw)
	assert.Equal(t, "9.9.9", refusal.Details["addon"], "%s", info.raw)
	told := func() bool {
		return strings.Contains(b.editor.Output(), "9.9.9") && strings.Contains(b.editor.Output(), protocol.ProductVersion)
	}
	eventually(t, soon, told, func() string { return "the editor's user is told both versions: " + lastLines(b.editor.Output()) })

	reply, _ := b.timed(t, b.daemon, "get_scene_tree", args{})
	failure := failsWith(t, protocol.BridgeDisconnected, "with an addon that was refused", reply)
	assert.Contains(t, text(failure.Details), "version", "the failure says why nothing is linked: %s", text(failure))
}
