package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testNoAudit: what cannot be written down is not done; reads go on.
func (b *bed) testNoAudit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Chmod(file, 0o666)) // others can write it: it is no record
	b.operated(t, nil, "GODOT_MCP_AUDIT_LOG="+file)
	b.linkedHere(t)
	same := b.untouched(t)
	failsWith(t, protocol.AuditUnavailable, "a write", b.raw(t, "create_node", makeChild("Never", "", 0)))
	failsWith(t, protocol.AuditUnavailable, "a save", b.raw(t, "save_scene", args{"confirm": true}))
	b.ok(t, "get_scene_tree", args{})
	same("without an audit")
}

// audit runs drawbridge audit on the project's log.
func (b *bed) audit(t *testing.T, command string, more ...string) string {
	t.Helper()
	binary, err := b.kit.Binary(b.ctx)
	require.NoError(t, err)
	cmd := exec.CommandContext(b.ctx, binary, append([]string{"audit", command, "--project", b.project.Dir}, more...)...)
	cmd.Env = b.project.Env()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "audit %s: %s", command, out)
	return string(out)
}

// written lists the kinds of the audit's lines about a call, by its key.
func (b *bed) written(t *testing.T, key string) []string {
	t.Helper()
	kinds := []string{}
	for line := range strings.Lines(b.audit(t, "show", "--json", "-n", "40")) {
		var entry struct {
			Kind string `json:"kind"`
			Key  string `json:"idempotency_key"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &entry), line)
		if entry.Key == key {
			kinds = append(kinds, entry.Kind)
		}
	}
	return kinds
}

// testTwoWriters: two daemons on one project never write at once: each write that succeeds is one action, and each that
// does not says that the other one has the project.
func (b *bed) testTwoWriters(t *testing.T) {
	b.operated(t, nil)
	b.linkedHere(t)
	b.call(t, "get_scene_tree", args{})
	first := b.daemon
	second := b.newDaemon(t)
	b.daemon = second
	b.linkedHere(t)
	b.daemon = first
	before := b.hand.look(t).SceneVersion
	var calls []*flight
	for i := range 60 {
		for j, daemon := range []*harness.Daemon{first, second} {
			calls = append(calls, launch(b.ctx, t, daemon, "create_node", makeChild(fmt.Sprintf("W%dN%d", j, i), "", 20)))
		}
	}
	done := int64(0)
	for _, f := range calls {
		reply := f.land(t, 30*time.Second)
		if reply.OK {
			done++
			continue
		}
		assert.Equal(t, protocol.ProjectWriteLocked, reply.Error.Code, "%s", reply.Raw)
		assert.False(t, reply.Error.MayHaveApplied, "%s", reply.Raw)
	}
	assert.Equal(t, done, b.hand.look(t).SceneVersion-before, "one action for each write that succeeded")
	t.Logf("%d of %d writes were done", done, len(calls))
	require.NoError(t, second.Stop(10*time.Second))
	assert.Contains(t, b.audit(t, "verify"), "whole", "one chain of two writers")
}

// testKilledInAWrite: the lock is free at once, the audit shows an intent without an outcome, the next daemon writes
// nothing until the project was read, and nothing is half done.
func (b *bed) testKilledInAWrite(t *testing.T) {
	b.operated(t, nil)
	b.linkedHere(t)
	b.call(t, "get_scene_tree", args{})
	b.slowChildren(t, 1500*time.Millisecond)
	files := b.files(t)
	b.launch(t, "create_node", makeChild("CutShort", "cut-short", 0))
	b.untilBusy(t)
	b.daemon.Kill()
	b.audit(t, "verify")
	assert.Equal(t, []string{"intent"}, b.written(t, "cut-short"), "an intent, and no outcome")
	b.startDaemon(t)
	b.linkedHere(t)
	start := time.Now()
	failure := failsWith(t, protocol.ProjectQuarantined, "before a read", b.raw(t, "create_node", makeChild("Early", "", 0)))
	assert.NotEmpty(t, failure.Details["request_id"])
	assert.Less(t, time.Since(start), 5*time.Second, "the dead daemon's lock is free")
	b.settled(t)
	require.True(t, b.raw(t, "create_node", makeChild("CutShort", "cut-short", 10)).OK, "sent again")
	children := b.children(t)
	assert.NotContains(t, children, "Early")
	seen := 0
	for _, name := range children {
		if strings.HasPrefix(name, "CutShort") {
			seen++
		}
	}
	assert.Equal(t, 1, seen, "once, and whole: %v", children)
	assert.Equal(t, []string{"intent", "outcome"}, b.written(t, "cut-short")[:2], "what became of it is written down by now")
	b.ok(t, "set_node_property", args{"node_path": ".", "property": "child_delay_msec", "value": 0})
	assert.Equal(t, files, b.files(t))
	b.audit(t, "verify")
}

// testTwoProjects: a call says which project it is for, and goes there and nowhere else (BR-093).
func (b *bed) testTwoProjects(t *testing.T) {
	require.NoError(t, b.daemon.Stop(10*time.Second))
	other, err := b.kit.NewProject(b.ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	there := &harness.Project{Dir: other.Dir, Home: b.project.Home}
	b.daemon, err = b.kit.StartDaemon(b.ctx, b.project, harness.DaemonOptions{
		Args: []string{"serve", "--project", b.project.Dir, "--project", other.Dir},
	})
	require.NoError(t, err)
	b.top.Cleanup(b.daemon.Kill)
	_, err = b.daemon.Initialize(b.ctx)
	require.NoError(t, err)
	editor, err := b.kit.StartEditor(b.ctx, there, harness.EditorOptions{})
	require.NoError(t, err)
	defer editor.Kill()
	scene := harness.FixtureRes + "/second_player.tscn"
	eventually(t, startWait, func() bool {
		time.Sleep(100 * time.Millisecond) // each try is written down
		return b.raw(t, "open_scene", args{"scene_path": scene, "project": other.Dir}).OK &&
			b.raw(t, "get_scene_tree", args{"project": b.project.Dir}).OK
	}, func() string { return "both editors link: " + lastLines(editor.Output()) })

	same := b.untouched(t)
	for _, call := range []args{makeChild("Nowhere", "", 0), with(makeChild("Nowhere", "", 0), "project", filepath.Dir(other.Dir))} {
		reply := b.raw(t, "create_node", call)
		require.False(t, reply.OK, "%s", reply.Raw)
		assert.Contains(t, []protocol.Code{protocol.SessionAmbiguous, protocol.PathOutsideProject}, reply.Error.Code)
		assert.Contains(t, string(reply.Raw), other.Dir, "the choices")
	}
	reply := b.raw(t, "create_node", with(makeChild("There", "", 0), "project", other.Dir))
	require.True(t, reply.OK, "%s", reply.Raw)
	same("what was done in the other project")
	reply = b.raw(t, "get_node", args{"node_path": "There", "project": other.Dir})
	require.True(t, reply.OK, "%s", reply.Raw)
	require.True(t, b.raw(t, "create_node", with(makeChild("Here", "", 0), "project", b.project.Dir)).OK)

	here := b.audit(t, "show", "--json", "-n", "3")
	assert.NotContains(t, here, `"There"`)
	assert.Contains(t, here, "create_node")
	binary, err := b.kit.Binary(b.ctx)
	require.NoError(t, err)
	cmd := exec.CommandContext(b.ctx, binary, "audit", "show", "--project", other.Dir, "--json")
	cmd.Env = b.project.Env()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "There")
	assert.NotContains(t, string(out), `"Here"`)
	assert.False(t, b.raw(t, "get_node", args{"node_path": "Here", "project": other.Dir}).OK)
	require.NoError(t, b.daemon.Stop(10*time.Second))
}
