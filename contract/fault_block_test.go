package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

const (
	// blockedFor is how long the fault hand holds the editor's main thread up.
	blockedFor = 6500 * time.Millisecond
	// settleWait is what the ledger gets after a deadline, before the daemon gives up.
	settleWait = time.Second + 500*time.Millisecond
)

// outcome is what command_outcome says about a key.
func (b *bed) outcome(t *testing.T, key string) string {
	t.Helper()
	reply := b.ok(t, "command_outcome", args{"idempotency_key": key})
	state, _ := reply.Data["state"].(string)
	return state
}

// slowChildren makes each new child of the scene's root hold the editor up.
func (b *bed) slowChildren(t *testing.T, delay time.Duration) {
	t.Helper()
	b.ok(t, "set_node_property", args{"node_path": ".", "property": "child_delay_msec", "value": delay.Milliseconds()})
}

// makeChild is a create_node below the root.
func makeChild(name, key string, timeout int) args {
	call := args{"node_type": "Node", "node_name": name}
	if key != "" {
		call["idempotency_key"] = key
	}
	if timeout > 0 {
		call["timeout_seconds"] = timeout
	}
	return call
}

// testSettled: a write that ends after its deadline is never applied twice, and never in doubt for long (BR-080).
func (b *bed) testSettled(t *testing.T) {
	b.ready(t)
	version := b.hand.look(t).SceneVersion

	// The write ends shortly after the deadline: the ledger says so in time.
	b.slowChildren(t, 1500*time.Millisecond)
	reply, took := b.timed(t, b.daemon, "create_node", makeChild("Settled", "settled", 1))
	require.True(t, reply.OK, "applied after its deadline, settled by the ledger: %s", reply.Raw)
	assert.LessOrEqual(t, took, time.Second+settleWait)
	assert.Equal(t, "applied", b.outcome(t, "settled"))

	// The write ends long after: nobody can tell yet.
	b.slowChildren(t, 3500*time.Millisecond)
	call := makeChild("Doubtful", "doubtful", 1)
	reply, took = b.timed(t, b.daemon, "create_node", call)
	failure := failsWith(t, protocol.Timeout, "a slow write", reply)
	assert.LessOrEqual(t, took, time.Second+settleWait)
	assert.True(t, failure.MayHaveApplied, "%s", text(failure))
	assert.True(t, reply.Safety.MayHaveApplied, "%s", reply.Raw)
	assert.NotEmpty(t, failure.Details["request_id"], "%s", text(failure))
	reply, took = b.timed(t, b.daemon, "create_node", makeChild("Other", "other", 0))
	failsWith(t, protocol.ProjectQuarantined, "another write meanwhile", reply)
	assert.LessOrEqual(t, took, soon)
	assert.NotEmpty(t, b.info(t, b.daemon).Quarantine, "get_server_info tells of the doubt")

	// The same call again, under its key: it waits for the first one and gets its result.
	reply, _ = b.timed(t, b.daemon, "create_node", makeChild("Doubtful", "doubtful", 10))
	require.True(t, reply.OK, "re-sent: %s", reply.Raw)
	assert.Equal(t, true, reply.Data["deduplicated"], "%s", reply.Raw)
	assert.Equal(t, "applied", b.outcome(t, "doubtful"))
	reply, _ = b.timed(t, b.daemon, "create_node", makeChild("SomethingElse", "doubtful", 10))
	failsWith(t, protocol.ValidationError, "the key with other arguments", reply)
	assert.Empty(t, b.info(t, b.daemon).Quarantine, "the doubt is over")

	b.slowChildren(t, 0)
	assert.ElementsMatch(t, []string{"Player", "Title", "Settled", "Doubtful"}, b.children(t))
	assert.Equal(t, int64(5), b.hand.look(t).SceneVersion-version, "three settings and two nodes are five actions")
}

// testCancel: a call that was cancelled before it was sent is never sent; one that was sent has a known end (BR-144).
func (b *bed) testCancel(t *testing.T) {
	b.ready(t)
	b.slowChildren(t, 1500*time.Millisecond)
	version := b.hand.look(t).SceneVersion

	first := b.launch(t, "create_node", makeChild("First", "", 0))
	read := b.untilBusy(t)
	waiting := b.launch(t, "create_node", makeChild("NeverSent", "never-sent", 0))
	b.cancel(t, waiting)
	assert.True(t, first.land(t, 10*time.Second).OK, "%s", first.reply.Raw)
	assert.True(t, read.land(t, 10*time.Second).OK, "%s", read.reply.Raw)
	if waiting.within(soon) && waiting.err == nil { // the SDK may or may not answer what was cancelled
		failure := failsWith(t, protocol.Timeout, "cancelled", waiting.reply)
		assert.False(t, failure.MayHaveApplied, "%s", text(failure))
	}
	assert.Equal(t, "unknown", b.outcome(t, "never-sent"), "the editor never heard of it")

	sent := b.launch(t, "create_node", makeChild("Sent", "sent", 0))
	read = b.untilBusy(t)
	b.cancel(t, sent)
	assert.True(t, read.land(t, 10*time.Second).OK, "%s", read.reply.Raw)
	assert.Equal(t, "applied", b.outcome(t, "sent"), "cancelled when it ran already")
	if sent.within(soon) && sent.err == nil && !sent.reply.OK {
		assert.True(t, sent.reply.Error.MayHaveApplied, "it was applied: %s", sent.reply.Raw)
	}

	assert.Equal(t, int64(2), b.hand.look(t).SceneVersion-version, "two of three calls did something")
	b.slowChildren(t, 0)
	assert.ElementsMatch(t, []string{"Player", "Title", "First", "Sent"}, b.children(t))
}

// testBlocked: an editor that is held up is named as such, calls in flight keep their deadline, the link stays, and
// what was given up meanwhile is not done afterwards (BR-079).
func (b *bed) testBlocked(t *testing.T) {
	b.ready(t)
	before := b.hand.look(t).SceneVersion
	start := time.Now()
	b.fault.act(t, "block", map[string]any{"msec": blockedFor.Milliseconds()}, nil)
	running := b.untilBusy(t)
	late := b.launch(t, "create_node", makeChild("Late", "late", 1))
	short := b.launch(t, "get_node", args{"node_path": "Player", "timeout_seconds": 1})
	waiting := b.launch(t, "create_node", makeChild("Waiting", "waiting", 5))

	failure := failsWith(t, protocol.Timeout, "a read", short.land(t, time.Second+settleWait))
	assert.False(t, failure.MayHaveApplied, "a read: %s", text(failure))
	assert.LessOrEqual(t, short.took, time.Second+500*time.Millisecond, "a read ends at its deadline")
	failure = failsWith(t, protocol.Timeout, "a write", late.land(t, time.Second+settleWait))
	assert.LessOrEqual(t, late.took, time.Second+settleWait)
	assert.True(t, failure.MayHaveApplied, "nobody knows yet: %s", text(failure))
	failsWith(t, protocol.ProjectQuarantined, "the next write", waiting.land(t, soon))

	eventually(t, protocol.BlockedAfter+2*time.Second, func() bool { return b.info(t, b.daemon).Editor.State == "blocked" },
		func() string { return "the editor never counts as blocked: " + b.info(t, b.daemon).raw })
	assert.InDelta(t, protocol.BlockedAfter.Seconds(), time.Since(start).Seconds(), 1.3, "when the editor counts as blocked")
	reply, took := b.timed(t, b.daemon, "get_scene_tree", args{})
	failure = failsWith(t, protocol.EditorBlocked, "a new call", reply)
	assert.LessOrEqual(t, took, soon)
	assert.GreaterOrEqual(t, failure.Details["last_heartbeat_ms"], float64(protocol.BlockedAfter.Milliseconds()), "%s", text(failure))
	assert.NotEmpty(t, failure.Details["suspected"], "%s", text(failure))
	assert.True(t, running.open(), "a call in flight keeps its deadline of 10 s")

	assert.True(t, running.land(t, blockedFor).OK, "%s", running.reply.Raw)
	assert.Equal(t, b.editor.PID(), b.info(t, b.daemon).Editor.PID, "the link was never lost")
	assert.Equal(t, "never_started", b.outcome(t, "late"))
	assert.Equal(t, "unknown", b.outcome(t, "waiting"), "it was never sent")
	assert.ElementsMatch(t, []string{"Player", "Title"}, b.children(t))
	assert.Equal(t, before, b.hand.look(t).SceneVersion, "nothing was done")
	b.ok(t, "create_node", makeChild("After", "late-again", 0))
}
