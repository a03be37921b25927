package contract

import (
	"bufio"
	"context"
	"net"
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

const (
	faultHandRes = "res://addons/faulthand"
	faultPortRes = "res://.godot/faulthand_port"
	// startWait bounds the start of an editor on a busy machine; an idle one needs 3 s, a drawn one 5 s.
	startWait = 90 * time.Second
	// linkWait is how soon the link is there once both sides run.
	linkWait = 2 * time.Second
	// soon is how fast a fault must be answered.
	soon = time.Second
)

// bed is a rig whose processes come and go: each test starts and ends what it needs. All of them end, the hard way if
// need be, when the top test does.
type bed struct {
	*rig
	fault *hand
	top   *testing.T
	// broken: the addon in this bed was broken on purpose.
	broken bool
}

// newKit makes the workshop of one top test.
func newKit(t *testing.T) (context.Context, *harness.Kit) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	t.Cleanup(cancel)
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, kit.Close()) })
	return ctx, kit
}

// newBed makes a project with both hands in it. Nothing runs yet.
func newBed(ctx context.Context, t *testing.T, kit *harness.Kit) *bed {
	t.Helper()
	project, err := kit.NewProject(ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	installHand(t, project)
	installFaultHand(t, project)
	require.NoError(t, os.MkdirAll(project.Path(workRes), 0o755))
	b := &bed{rig: &rig{ctx: ctx, kit: kit, project: project}, top: t}
	b.learnTools(t)
	return b
}

// installFaultHand puts the fault hand's plugin into the project, after the test hand's.
func installFaultHand(t *testing.T, p *harness.Project) {
	t.Helper()
	require.NoError(t, os.MkdirAll(p.Path(faultHandRes), 0o755))
	script, err := os.ReadFile(p.Path("res://gd/fault_hand.gd"))
	require.NoError(t, err)
	cfg := "[plugin]\n\nname=\"Fault hand\"\ndescription=\"For tests only.\"\nauthor=\"Drawbridge\"\nversion=\"1\"\nscript=\"plugin.gd\"\n"
	require.NoError(t, os.WriteFile(p.Path(faultHandRes+"/plugin.cfg"), []byte(cfg), 0o600))
	require.NoError(t, os.WriteFile(p.Path(faultHandRes+"/plugin.gd"), script, 0o600))
	editSettings(t, p, `"`+handRes+`/plugin.cfg"`, `"`+handRes+`/plugin.cfg", "`+faultHandRes+`/plugin.cfg"`)
}

// editSettings replaces a text of project.godot that must be there.
func editSettings(t *testing.T, p *harness.Project, from, to string) {
	t.Helper()
	editFile(t, p.Path("res://project.godot"), from, to)
}

// editFile replaces a text of a file that must be there, once.
func editFile(t *testing.T, path, from, to string) {
	t.Helper()
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(old), from, path)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(old), from, to, 1)), 0o600))
}

// newDaemon starts one more daemon, with all that it can log, and opens its session. It is killed at the end.
func (b *bed) newDaemon(t *testing.T, env ...string) *harness.Daemon {
	t.Helper()
	daemon := b.unopened(t, env...)
	b.opened(t, daemon)
	return daemon
}

// unopened is a daemon without a session.
func (b *bed) unopened(t *testing.T, env ...string) *harness.Daemon {
	t.Helper()
	daemon, err := b.kit.StartDaemon(b.ctx, b.project, harness.DaemonOptions{
		Args: []string{"serve", "--project", b.project.Dir, "--verbose"}, Env: env,
	})
	require.NoError(t, err)
	b.top.Cleanup(func() {
		daemon.Kill()
		assert.Empty(b.top, daemon.Garbage(), "lines of a daemon's output that are not JSON-RPC, at its highest log level")
		assert.NotContains(b.top, daemon.Log(), "panic", "a daemon's log")
	})
	return daemon
}

// opened opens a daemon's session.
func (b *bed) opened(t *testing.T, daemon *harness.Daemon) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	_, err := daemon.Initialize(ctx)
	require.NoError(t, err, "%s", daemon.Log())
}

// startDaemon makes a new daemon the one that calls go to.
func (b *bed) startDaemon(t *testing.T) {
	t.Helper()
	b.daemon = b.newDaemon(t)
}

// startEditor starts the project's editor and waits for its plugins. It gives the moment at which both hands were
// there: the addon under test comes up in the same frame, so this is the earliest moment at which it can link.
func (b *bed) startEditor(t *testing.T, o harness.EditorOptions) time.Time {
	t.Helper()
	for _, port := range []string{portRes, faultPortRes} {
		require.NoError(t, os.RemoveAll(b.project.Path(port)))
	}
	editor, err := b.kit.StartEditor(b.ctx, b.project, o)
	require.NoError(t, err)
	b.top.Cleanup(func() {
		editor.Kill()
		if !b.broken {
			assert.Empty(b.top, addonErrors(editor.Output()), "script errors of the addon in an editor's output")
		}
	})
	b.editor = editor
	eventually(t, startWait, func() bool {
		text, err := os.ReadFile(b.project.Path(faultPortRes))
		return err == nil && strings.HasSuffix(string(text), "\n")
	}, func() string { return "the fault hand did not come up: " + lastLines(editor.Output()) })
	up := time.Now()
	b.hand = takeHand(b.top, b.project)
	b.fault = takeFaultHand(b.top, b.project)
	return up
}

// takeFaultHand connects to the fault hand in the running editor.
func takeFaultHand(t *testing.T, p *harness.Project) *hand {
	t.Helper()
	port, err := os.ReadFile(p.Path(faultPortRes))
	require.NoError(t, err)
	conn, err := net.DialTimeout("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)), handWait)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &hand{conn: conn, in: bufio.NewReaderSize(conn, 1<<20)}
}

// linked waits until this daemon has this editor, within the limit after the moment from which both could meet.
func (b *bed) linked(t *testing.T, from time.Time, limit time.Duration) time.Duration {
	t.Helper()
	var last string
	for {
		info := b.info(t, b.daemon)
		if info.Connected && info.Editor.PID == b.editor.PID() {
			took := time.Since(from)
			require.LessOrEqual(t, took, limit, "the link took %s, allowed are %s", took, limit)
			return took
		}
		last = info.raw
		require.Less(t, time.Since(from), limit+10*time.Second, "the editor did not link: %s\neditor: %s\ndaemon: %s",
			last, lastLines(b.editor.Output()), lastLines(b.daemon.Log()))
		time.Sleep(5 * time.Millisecond) // between two polls; the loop has a deadline
	}
}

// serverInfo is what get_server_info says about the link.
type serverInfo struct {
	Connected bool   `json:"connected"`
	Required  string `json:"required"`
	Editor    struct {
		State           string   `json:"state"`
		PID             int      `json:"pid"`
		Headless        bool     `json:"headless"`
		MissingCommands []string `json:"missing_commands"`
		AddonDrift      string   `json:"addon_drift"`
	} `json:"editor"`
	Refused []struct {
		ProjectPath string         `json:"project_path"`
		Code        protocol.Code  `json:"code"`
		Reason      string         `json:"reason"`
		Details     map[string]any `json:"details"`
	} `json:"refused_editors"`
	Quarantine map[string]string `json:"quarantine"`

	raw string
}

// info asks a daemon for get_server_info.
func (b *bed) info(t *testing.T, daemon *harness.Daemon) serverInfo {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	reply, err := daemon.Call(ctx, "get_server_info", args{})
	require.NoError(t, err, "%s", lastLines(daemon.Log()))
	require.True(t, reply.OK, "%s", reply.Raw)
	var info serverInfo
	decodeData(t, reply, &info)
	info.raw = string(reply.Raw)
	return info
}

// troubleScene writes a scene whose root is contract/gd/fault_node.gd, and opens it.
func (b *bed) troubleScene(t *testing.T) string {
	t.Helper()
	b.copies++
	path := workRes + "/trouble_" + text(b.copies) + ".tscn"
	scene := "[gd_scene load_steps=2 format=3]\n\n[ext_resource type=\"Script\" path=\"res://gd/fault_node.gd\" id=\"1\"]\n\n" +
		"[node name=\"Trouble\" type=\"Node2D\"]\nscript = ExtResource(\"1\")\n\n" +
		"[node name=\"Player\" type=\"Node2D\" parent=\".\"]\n\n[node name=\"Title\" type=\"Label\" parent=\".\"]\n"
	require.NoError(t, os.WriteFile(b.project.Path(path), []byte(scene), 0o600))
	editor := b.editor
	b.ok(t, "list_open_scenes", args{}) // a daemon that ended in the middle of a write left a doubt; a read settles it
	b.ok(t, "open_scene", args{"scene_path": path})
	require.Equal(t, path, b.hand.look(t).Edited, "open_scene said ok")
	t.Cleanup(func() {
		if b.editor == editor && !ended(editor.Done()) {
			b.closeScene(t, path)
		}
	})
	return path
}

// timed runs a call on a daemon and says how long the answer took. What the answer is like is for the caller to say.
func (b *bed) timed(t *testing.T, daemon *harness.Daemon, tool string, with any) (harness.Reply, time.Duration) {
	t.Helper()
	start := time.Now()
	reply, err := daemon.Call(b.ctx, tool, with)
	require.NoError(t, err, "%s %s", tool, text(with))
	return reply, time.Since(start)
}

// failsWith checks a failure's code and gives the failure.
func failsWith(t *testing.T, code protocol.Code, about string, reply harness.Reply) *protocol.Error {
	t.Helper()
	require.False(t, reply.OK, "%s: should be %s, but: %s", about, code, clipped(string(reply.Raw)))
	require.Equal(t, code, reply.Error.Code, "%s: %s", about, clipped(string(reply.Raw)))
	return reply.Error
}

// children are the names of the children of the edited scene's root, as the addon reads them.
func (b *bed) children(t *testing.T) []string {
	t.Helper()
	reply := b.ok(t, "get_scene_tree", args{"max_depth": 1, "limit": 5000})
	var tree struct {
		Rows [][]any `json:"rows"`
	}
	decodeData(t, reply, &tree)
	var names []string
	for _, row := range tree.Rows {
		if name, ok := row[0].(string); ok && name != "." {
			names = append(names, name)
		}
	}
	return names
}

// rendezvousFiles are the daemons' files in the project's HOME.
func (b *bed) rendezvousFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(b.configDir(), "daemons", "*.json"))
	require.NoError(t, err)
	return files
}

// configDir is where daemons and addons of the project's HOME meet.
func (b *bed) configDir() string { return filepath.Join(b.project.Home, ".config", "drawbridge") }

// addonErrors are the script errors that happened in the addon's own files.
func addonErrors(output string) []string {
	var found []string
	lines := strings.Split(output, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "SCRIPT ERROR") && i+1 < len(lines) && strings.Contains(lines[i+1], harness.AddonRes) {
			found = append(found, line+" "+strings.TrimSpace(lines[i+1]))
		}
	}
	return found
}

// lastLines shows the end of a log.
func lastLines(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}

// clipped keeps a failing test's message readable.
func clipped(text string) string {
	if len(text) > 2000 {
		return text[:2000] + "…"
	}
	return text
}

// ready gives the test a daemon and an editor that are linked, with an empty trouble scene open; what an earlier test
// left broken is started anew.
func (b *bed) ready(t *testing.T) {
	t.Helper()
	if b.daemon == nil || ended(b.daemon.Done()) {
		b.startDaemon(t)
	}
	if b.editor == nil || ended(b.editor.Done()) {
		b.startEditor(t, harness.EditorOptions{})
	}
	b.linked(t, time.Now(), 10*time.Second)
	b.started(t)
	if doubt := b.info(t, b.daemon).Quarantine["request_id"]; doubt != "" { // what an earlier test left
		b.call(t, "command_outcome", args{"request_id": doubt})
		b.hand.act(t, "open", map[string]any{"path": harness.FixtureRes + "/own_nodes.tscn"}, nil)
		b.call(t, "get_scene_tree", args{"scene": harness.FixtureRes + "/own_nodes.tscn"})
	}
	b.troubleScene(t)
}

// started waits until the editor has restored its layout and its scenes, which it does some time after its plugins
// came up.
func (b *bed) started(t *testing.T) {
	t.Helper()
	eventually(t, 10*time.Second, func() bool {
		var now struct {
			Started bool `json:"started"`
		}
		b.fault.act(t, "started", nil, &now)
		return now.Started
	}, func() string { return "the editor did not finish its start: " + lastLines(b.editor.Output()) })
}

// ended is true for a process that is gone.
func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// eventually polls until the condition holds; what is wrong is said as it is when the time is up.
func eventually(t *testing.T, limit time.Duration, holds func() bool, wrong func() string) {
	t.Helper()
	for end := time.Now().Add(limit); !holds(); {
		if time.Now().After(end) {
			require.Fail(t, "a condition did not come true", "within %s: %s", limit, wrong())
		}
		time.Sleep(2 * time.Millisecond) // between two polls; the loop has a deadline
	}
}
