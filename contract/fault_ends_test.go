package contract

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// endWait is how soon a daemon is gone once it should be.
const endWait = 3 * time.Second

// testEnds: a daemon ends when its input does, at a signal, and at the end of a file; answers that are under way are
// written first, its rendezvous is gone, and the editor goes on (BR-142).
func (b *bed) testEnds(t *testing.T) {
	b.ready(t)
	if b.daemon != nil {
		require.NoError(t, b.daemon.Stop(endWait))
	}
	signal := func(s syscall.Signal) func(*testing.T, *harness.Daemon) {
		return func(t *testing.T, d *harness.Daemon) { require.NoError(t, d.Signal(s)) }
	}
	for name, end := range map[string]func(*testing.T, *harness.Daemon){
		"the end of its input": func(t *testing.T, d *harness.Daemon) { require.NoError(t, d.Close()) },
		"SIGTERM":              signal(syscall.SIGTERM),
		"SIGINT":               signal(syscall.SIGINT),
	} {
		t.Run(name+", idle", func(t *testing.T) {
			b.startDaemon(t)
			b.linked(t, time.Now(), linkWait)
			b.checkEnd(t, end)
		})
		t.Run(name+", during a call", func(t *testing.T) {
			b.startDaemon(t)
			b.linked(t, time.Now(), linkWait)
			b.troubleScene(t)
			b.slowChildren(t, time.Second)
			f := b.launch(t, "create_node", makeChild("Last", "last-"+name, 0))
			b.untilBusy(t)
			b.checkEnd(t, end)
			require.True(t, f.within(soon))
			if name == "the end of its input" {
				require.NoError(t, f.err, "the answer is written before the end")
				assert.True(t, f.reply.OK, "%s", f.reply.Raw)
			}
		})
	}
	t.Run("the end of a file", b.fileAsInput)
	t.Run("the editor goes on", func(t *testing.T) {
		b.startDaemon(t)
		b.linked(t, time.Now(), linkWait)
		b.ok(t, "get_scene_tree", args{})
	})
}

// checkEnd ends the bed's daemon and looks at what is left of it.
func (b *bed) checkEnd(t *testing.T, end func(*testing.T, *harness.Daemon)) {
	t.Helper()
	start := time.Now()
	end(t, b.daemon)
	select {
	case <-b.daemon.Done():
	case <-time.After(endWait):
		require.Fail(t, "the daemon is still there", "after %s: %s", endWait, lastLines(b.daemon.Log()))
	}
	t.Logf("gone after %s", time.Since(start))
	<-b.daemon.Ended()
	assert.Empty(t, b.daemon.Garbage(), "its output was JSON-RPC to the end")
	assert.Empty(t, b.rendezvousFiles(t), "its rendezvous is gone")
	locks, err := filepath.Glob(filepath.Join(b.configDir(), "daemons", "*"))
	require.NoError(t, err)
	assert.Empty(t, locks, "its lock is gone")
	assert.False(t, ended(b.editor.Done()), "the editor goes on")
}

// fileAsInput: a daemon whose input is a file answers everything that is in it, then ends.
func (b *bed) fileAsInput(t *testing.T) {
	lines := append(initLines(), pingLine(2),
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_server_info","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/list"}`)
	path := filepath.Join(b.project.Home, "input.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600)) // no newline at the end
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	start := time.Now()
	w := newWire(t, b, file)
	select {
	case <-w.done:
	case <-time.After(endWait + soon): // the process also starts in this time
		require.Fail(t, "the daemon is still there", "%s", lastLines(w.log.String()))
	}
	t.Logf("answered and gone after %s", time.Since(start))
	assert.True(t, w.cmd.ProcessState.Success(), "%s: %s", w.cmd.ProcessState, lastLines(w.log.String()))
	got := map[string]bool{}
	for line := range w.lines {
		answer := parseLine(t, line)
		assert.NotNil(t, answer.Result, "%s", clipped(line))
		got[string(answer.ID)] = true
	}
	assert.Equal(t, map[string]bool{"1": true, "2": true, "3": true, "4": true}, got)
}
