package contract

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// flight is a call that is under way. Its fields may be read when done is closed.
type flight struct {
	tool    string
	with    any
	start   time.Time
	pending *harness.Pending
	done    chan struct{}

	reply harness.Reply
	err   error
	took  time.Duration
}

// launch starts a call. A call that the daemon never answers ends with the daemon, or with ctx.
func launch(ctx context.Context, t *testing.T, daemon *harness.Daemon, tool string, with any) *flight {
	t.Helper()
	start := time.Now()
	pending, err := daemon.Start(tool, with)
	require.NoError(t, err, "%s %s", tool, text(with))
	return track(ctx, tool, with, start, pending)
}

// track follows a call that was started.
func track(ctx context.Context, tool string, with any, start time.Time, pending *harness.Pending) *flight {
	f := &flight{tool: tool, with: with, start: start, pending: pending, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.reply, f.err = pending.Wait(ctx)
		f.took = time.Since(f.start)
	}()
	return f
}

// within says whether the call ends within the time.
func (f *flight) within(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-f.done:
		return true
	case <-timer.C:
		return false
	}
}

// land waits for the answer, which must come within the limit from now.
func (f *flight) land(t *testing.T, limit time.Duration) harness.Reply {
	t.Helper()
	require.True(t, f.within(limit), "%s %s: no answer within %s", f.tool, clipped(text(f.with)), limit)
	require.NoError(t, f.err, "%s %s", f.tool, clipped(text(f.with)))
	return f.reply
}

// open says whether the call is still under way.
func (f *flight) open() bool { return !ended(f.done) }

// launch starts a call on the bed's daemon.
func (b *bed) launch(t *testing.T, tool string, with any) *flight {
	t.Helper()
	return launch(b.ctx, t, b.daemon, tool, with)
}

// untilBusy waits until the editor is held up, which shows in a read that gets no answer for a while, and gives that
// read.
func (b *bed) untilBusy(t *testing.T) *flight {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		f := b.launch(t, "get_node", args{"node_path": "Player"})
		if !f.within(250 * time.Millisecond) {
			return f
		}
		require.NoError(t, f.err)
	}
	require.Fail(t, "the editor never got busy")
	return nil
}

// cancel withdraws a call as a client does.
func (b *bed) cancel(t *testing.T, f *flight) {
	t.Helper()
	require.NoError(t, b.daemon.Notify("notifications/cancelled", map[string]any{
		"requestId": f.pending.ID, "reason": "the user pressed escape",
	}))
}
