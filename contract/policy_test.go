package contract

import (
	"encoding/json"
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

// TestPolicy holds what the operator's settings and the record of what is done promise, on a real daemon and editor.
func TestPolicy(t *testing.T) {
	t.Parallel()
	ctx, kit := newKit(t)
	b := newBed(ctx, t, kit)
	b.startDaemon(t)
	b.startEditor(t, harness.EditorOptions{})
	b.ready(t)
	runParts(t, []part{
		{"read only", b.testReadOnly},
		{"dry run", b.testDryRunMode},
		{"suggest", b.testSuggestMode},
		{"a toolset that is off", b.testToolsetOff},
		{"a policy that cannot be used", b.testUnusablePolicy},
		{"guarded", b.testGuarded},
		{"guarded without a pin", b.testUnpinned},
		{"a human by webhook", b.testWebhook},
		{"a human at the client", b.testElicitation},
		{"a human who is asked", b.testAsked},
		{"a human who is asked in the new revision", b.testAskedNew},
		{"an editor that is not allowed", b.testNotAllowed},
		{"no audit", b.testNoAudit},
		{"two daemons that write", b.testTwoWriters},
		{"a daemon killed in a write", b.testKilledInAWrite},
		{"hostile scenes", b.testHostileScenes},
		{"a daemon that talks nonsense", b.testBadDaemon},
		{"two projects", b.testTwoProjects},
		{"an editor that was restarted", b.testRestartedEditor}, // last: it is another editor from here on
	})
}

// operated starts a new daemon under a policy file and an environment, instead of the one that runs. The policy is gone
// when the test ends.
func (b *bed) operated(t *testing.T, policy args, env ...string) {
	t.Helper()
	b.governed(t, policy, env...)
	b.opened(t, b.daemon)
}

// governed is operated without an open session.
func (b *bed) governed(t *testing.T, policy args, env ...string) {
	t.Helper()
	if b.daemon != nil && !ended(b.daemon.Done()) {
		require.NoError(t, b.daemon.Stop(10*time.Second))
	}
	b.writePolicy(t, policy)
	b.daemon = b.unopened(t, env...)
}

// writePolicy writes the operator's policy file, for as long as the test runs.
func (b *bed) writePolicy(t *testing.T, policy args) {
	t.Helper()
	if policy == nil {
		return
	}
	file := filepath.Join(b.configDir(), "policy.json")
	require.NoError(t, os.WriteFile(file, []byte(text(policy)), 0o600))
	t.Cleanup(func() { assert.NoError(t, os.Remove(file)) })
}

// linkedHere waits until the daemon has the editor.
func (b *bed) linkedHere(t *testing.T) {
	t.Helper()
	b.linked(t, time.Now(), 20*time.Second)
}

// raw calls a tool by its own name, listed or not, and without the checks that every reply passes elsewhere.
func (b *bed) raw(t *testing.T, tool string, with any) harness.Reply {
	t.Helper()
	result, err := b.daemon.Request(b.ctx, "tools/call", args{"name": tool, "arguments": with})
	require.NoError(t, err, "%s %s", tool, text(with))
	reply, err := harness.ParseReply(result)
	require.NoError(t, err, "%s: %s", tool, result)
	return reply
}

// hiddenAndRefused calls a tool that the daemon does not list: it is refused with the code.
func (b *bed) hiddenAndRefused(t *testing.T, code protocol.Code, tool string, with any) {
	t.Helper()
	result, err := b.daemon.Request(b.ctx, "tools/call", args{"name": tool, "arguments": with})
	require.NoError(t, err, "%s %s", tool, text(with))
	reply, err := harness.ParseReply(result)
	require.NoError(t, err, "%s: %s", tool, result)
	failsWith(t, code, tool, reply)
}

// untouched is the project's files and the edited scene, to compare later.
func (b *bed) untouched(t *testing.T) func(about string) {
	t.Helper()
	files, dump, seen := b.files(t), b.hand.dump(t), b.hand.look(t)
	return func(about string) {
		t.Helper()
		assert.Equal(t, files, b.files(t), "%s: files", about)
		assert.Equal(t, dump, b.hand.dump(t), "%s: the scene", about)
		assert.Equal(t, seen, b.hand.look(t), "%s: the editor", about)
	}
}

// testReadOnly: what changes something is hidden, refused by its name, in a batch and through carriers, and nothing is
// changed (BR-107).
func (b *bed) testReadOnly(t *testing.T) {
	b.operated(t, nil, "GODOT_MCP_READ_ONLY=1")
	b.linkedHere(t)
	same := b.untouched(t)
	listed, err := b.daemon.Tools(b.ctx)
	require.NoError(t, err)
	for _, tool := range listed {
		assert.Equal(t, "read_only", b.byName[tool.Name].Class, "%s is listed", tool.Name)
	}
	tried := 0
	for _, tool := range b.tools {
		if tool.Class == "read_only" || tool.Carries {
			continue
		}
		tried++
		inner := args{"tool": tool.Name, "arguments": json.RawMessage(tool.ExampleArguments)}
		b.hiddenAndRefused(t, protocol.ReadOnlyMode, tool.Name, json.RawMessage(tool.ExampleArguments))
		b.hiddenAndRefused(t, protocol.ReadOnlyMode, "call_tool", inner)
		b.hiddenAndRefused(t, protocol.ReadOnlyMode, "call_edit_tool", inner)
		b.hiddenAndRefused(t, protocol.ReadOnlyMode, "run_commands", args{"commands": []any{inner}})
		assert.False(t, b.raw(t, "preview_tool", inner).OK, "%s previewed", tool.Name)
		assert.False(t, b.raw(t, "call_read_tool", inner).OK, "%s as a read", tool.Name)
	}
	assert.Greater(t, tried, 20)
	same("a read-only daemon")
	b.ok(t, "get_scene_tree", args{})
}

// testDryRunMode: changes end as their dry run.
func (b *bed) testDryRunMode(t *testing.T) {
	b.operated(t, nil, "GODOT_MCP_DRY_RUN=1")
	b.linkedHere(t)
	same := b.untouched(t)
	for _, c := range []struct {
		tool string
		args args
	}{
		{"create_node", makeChild("Never", "", 0)},
		{"delete_node", args{"node_path": "Player", "confirm": true}},
		{"save_scene", args{"confirm": true}},
		{"scripts_create", args{"script_path": workRes + "/never.gd", "content": "extends Node\n", "confirm": true}},
		{"run_commands", args{"commands": []any{args{"tool": "create_node", "arguments": makeChild("Never", "", 0)}}}},
	} {
		reply := b.raw(t, c.tool, c.args)
		require.True(t, reply.OK, "%s: %s", c.tool, reply.Raw)
		assert.False(t, reply.Safety.Executed, c.tool)
		assert.Equal(t, "simulated", reply.Safety.Outcome, c.tool)
	}
	same("a daemon that only simulates")
}

// testSuggestMode: an agent that goes ahead by itself is refused.
func (b *bed) testSuggestMode(t *testing.T) {
	b.operated(t, args{"mode": "suggest"}, "GODOT_MCP_MODE=execute")
	b.linkedHere(t)
	same := b.untouched(t)
	failsWith(t, protocol.ModeForbids, "confirm", b.raw(t, "delete_node", args{"node_path": "Player", "confirm": true}))
	reply := b.raw(t, "delete_node", args{"node_path": "Player"})
	require.True(t, reply.OK, "%s", reply.Raw)
	assert.False(t, reply.Safety.Executed)
	assert.Contains(t, string(b.raw(t, "get_server_info", args{}).Raw), "suggest", "the file's ceiling holds")
	same("a daemon that suggests")
}

// testToolsetOff: a toolset that the operator switched off is off by name too.
func (b *bed) testToolsetOff(t *testing.T) {
	b.operated(t, nil, "GODOT_MCP_TOOLSETS=-scripts")
	b.linkedHere(t)
	same := b.untouched(t)
	made := args{"script_path": workRes + "/never.gd", "content": "extends Node\n", "confirm": true}
	inner := args{"tool": "scripts_create", "arguments": made}
	b.hiddenAndRefused(t, protocol.ToolsetDisabled, "scripts_create", made)
	b.hiddenAndRefused(t, protocol.ToolsetDisabled, "call_tool", inner)
	failsWith(t, protocol.ToolsetDisabled, "in a batch", b.raw(t, "run_commands", args{"commands": []any{inner}}))
	same("a toolset that is off")
}

// testUnusablePolicy: a daemon whose policy file is not exactly right does not start, and says why.
func (b *bed) testUnusablePolicy(t *testing.T) {
	binary, err := b.kit.Binary(b.ctx)
	require.NoError(t, err)
	file := filepath.Join(b.configDir(), "policy.json")
	write := func(content string, mode os.FileMode) func() {
		return func() {
			require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
			require.NoError(t, os.Chmod(file, mode))
		}
	}
	for name, make := range map[string]func(){
		"world-writable":     write(`{}`, 0o666),
		"readable by others": write(`{}`, 0o644),
		"of a group":         write(`{}`, 0o660),
		"an unknown key":     write(`{"mode":"read_only","moed":"execute"}`, 0o600),
		"a key twice":        write(`{"mode":"read_only","mode":"execute"}`, 0o600),
		"a key in capitals":  write(`{"Mode":"read_only"}`, 0o600),
		"an unknown mode":    write(`{"mode":"dangerous"}`, 0o600),
		"an unknown profile": write(`{"profile":"none"}`, 0o600),
		"a wrong type":       write(`{"rate_limit":"5000"}`, 0o600),
		"more than one":      write(`{}{"mode":"execute"}`, 0o600),
		"half of one":        write(`{"mode":`, 0o600),
		"nothing":            write(``, 0o600),
		"null":               write(`null`, 0o600),
		"a list":             write(`[{"mode":"read_only"}]`, 0o600),
		"comments":           write("// mine\n{}", 0o600),
		"a byte order mark":  write("\ufeff{}", 0o600),
		"no text":            write("\xff\xfe{\x00}\x00", 0o600),
		"too long":           write(`{"mode":"execute"`+strings.Repeat(" ", 64<<10)+`}`, 0o600),
		"a way out by http":  write(`{"approval":{"webhook":"http://a.example/","secrets":["whsec_`+strings.Repeat("A", 44)+`"]}}`, 0o600),
		"a webhook unsigned": write(`{"approval":{"webhook":"https://a.example/"}}`, 0o600),
		"a link": func() {
			target := filepath.Join(t.TempDir(), "policy.json")
			require.NoError(t, os.WriteFile(target, []byte(`{}`), 0o600))
			require.NoError(t, os.Symlink(target, file))
		},
		"a dangling link": func() { require.NoError(t, os.Symlink(filepath.Join(t.TempDir(), "none"), file)) },
		"a folder":        func() { require.NoError(t, os.Mkdir(file, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			make()
			defer func() { require.NoError(t, os.RemoveAll(file)) }()
			cmd := exec.CommandContext(b.ctx, binary, "serve", "--project", b.project.Dir)
			cmd.Env = b.project.Env()
			var out, log strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &log
			require.Error(t, cmd.Run(), "it does not start")
			assert.Empty(t, out.String())
			assert.Contains(t, log.String(), "CONFIG_INVALID")
			assert.Contains(t, log.String(), "policy", "it says why: %s", log.String())
		})
	}
}

// pinned is a policy of the guarded profile that allows the project under its name.
func (b *bed) pinned(name string) args {
	return args{"profile": "guarded", "allowed_projects": []any{args{"path": b.project.Dir, "name": name}}}
}

// prepared runs a call dry and gives its token.
func (b *bed) prepared(t *testing.T, tool string, call args) args {
	t.Helper()
	reply := b.raw(t, "preview_tool", args{"tool": tool, "arguments": call})
	require.True(t, reply.OK, "%s", reply.Raw)
	var told struct {
		Safety struct {
			Token string `json:"confirm_token"`
		} `json:"safety"`
	}
	require.NoError(t, json.Unmarshal(reply.Raw, &told))
	require.NotEmpty(t, told.Safety.Token, "%s", reply.Raw)
	return with(call, "confirm_token", told.Safety.Token)
}

// testGuarded: what was prepared runs once, and not after a change in between (BR-111).
func (b *bed) testGuarded(t *testing.T) {
	b.operated(t, b.pinned("Fixture"))
	b.linkedHere(t)
	for _, name := range []string{"One", "Two", "Three"} {
		b.ok(t, "create_node", makeChild(name, "", 0))
	}
	call := func(node string) args { return args{"node_path": node, "confirm": true} }
	failure := failsWith(t, protocol.PreconditionFailed, "no token", b.raw(t, "delete_node", call("One")))
	assert.Equal(t, "confirm_token", failure.Required)

	one := b.prepared(t, "delete_node", call("One"))
	reply := b.raw(t, "delete_node", one)
	require.True(t, reply.OK, "%s", reply.Raw)
	assert.NotContains(t, b.children(t), "One")
	b.ok(t, "undo", args{})
	failsWith(t, protocol.ConfirmTokenInvalid, "twice", b.raw(t, "delete_node", one))

	other := b.prepared(t, "delete_node", call("Two"))
	failsWith(t, protocol.ConfirmTokenArgs, "another node", b.raw(t, "delete_node", with(other, "node_path", "Three")))
	failsWith(t, protocol.ConfirmTokenInvalid, "burnt", b.raw(t, "delete_node", other))

	stale := b.prepared(t, "delete_node", call("Two"))
	b.hand.set(t, "Two", "editor_description", "by hand", "Hand: describe")
	failsWith(t, protocol.StateChanged, "a person changed it", b.raw(t, "delete_node", stale))

	file := workRes + "/guarded.gd"
	save := b.prepared(t, "scripts_create", args{"script_path": file, "content": "extends Node\n", "confirm": true})
	require.NoError(t, os.WriteFile(b.project.Path(file), []byte("# by hand\n"), 0o600))
	reply = b.raw(t, "scripts_create", save)
	require.False(t, reply.OK, "a file appeared: %s", reply.Raw)
	assert.Equal(t, "# by hand\n", b.file(t, file))
	require.NoError(t, os.Remove(b.project.Path(file)))

	kept := b.prepared(t, "delete_node", call("Two"))
	children := b.children(t)
	b.fault.act(t, "plugin", args{"name": "drawbridge", "enabled": false}, nil)
	eventually(t, 5*time.Second, func() bool { return !b.info(t, b.daemon).Connected }, func() string { return "the link is still there" })
	b.fault.act(t, "plugin", args{"name": "drawbridge", "enabled": true}, nil)
	b.linkedHere(t)
	failsWith(t, protocol.ConfirmTokenContext, "over another link", b.raw(t, "delete_node", kept))
	assert.Equal(t, children, b.children(t))

	lost := b.prepared(t, "delete_node", call("Two"))
	second := b.newDaemon(t)
	first := b.daemon
	b.daemon = second
	b.linkedHere(t)
	failsWith(t, protocol.ConfirmTokenInvalid, "at another daemon", b.raw(t, "delete_node", lost))
	b.daemon = first
	require.NoError(t, second.Stop(10*time.Second))
	assert.Equal(t, children, b.children(t))
}

// testRestartedEditor: what was prepared in one run of the editor is nothing in the next one (BR-111).
func (b *bed) testRestartedEditor(t *testing.T) {
	b.operated(t, b.pinned("Fixture"))
	b.linkedHere(t)
	scene := args{"scene_path": harness.FixtureRes + "/own_nodes.tscn"}
	b.ok(t, "open_scene", scene)
	lost := b.prepared(t, "delete_node", args{"node_path": "Player", "confirm": true})
	b.editor.Kill()
	b.startEditor(t, harness.EditorOptions{})
	b.linkedHere(t)
	b.started(t)
	b.ok(t, "open_scene", scene)
	failsWith(t, protocol.ConfirmTokenContext, "in the next run", b.raw(t, "delete_node", lost))
	b.ok(t, "get_node", args{"node_path": "Player"})
}

// testUnpinned: under the guarded profile, a project that nobody pinned is only read.
func (b *bed) testUnpinned(t *testing.T) {
	b.operated(t, args{"profile": "guarded"})
	b.linkedHere(t)
	same := b.untouched(t)
	failure := failsWith(t, protocol.PreconditionFailed, "no pin", b.raw(t, "create_node", makeChild("Never", "", 0)))
	assert.Equal(t, "project_pin", failure.Required)
	b.ok(t, "get_scene_tree", args{})
	same("a project without a pin")
}

// testNotAllowed: the editor of a project that is not allowed, or that has another name than the pin, is refused at its
// hello, and the daemon tells of it (BR-095).
func (b *bed) testNotAllowed(t *testing.T) {
	for name, allowed := range map[string]args{
		"another name":    {"path": b.project.Dir, "name": "Another"},
		"another project": {"path": filepath.Dir(b.project.Dir)},
	} {
		t.Run(name, func(t *testing.T) {
			same := b.untouched(t)
			b.operated(t, args{"allowed_projects": []any{allowed}})
			eventually(t, 20*time.Second, func() bool {
				for _, refusal := range b.info(t, b.daemon).Refused {
					if refusal.Reason == "not_allowed" && refusal.Code == protocol.PeerRejected {
						return true
					}
				}
				return false
			}, func() string { return "the editor is refused: " + b.info(t, b.daemon).raw })
			assert.False(t, b.info(t, b.daemon).Connected)
			assert.False(t, b.raw(t, "create_node", makeChild("Never", "", 0)).OK)
			assert.False(t, b.raw(t, "get_scene_tree", args{}).OK)
			same(name)
		})
	}
}
