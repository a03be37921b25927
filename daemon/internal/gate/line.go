package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/session"
	"drawbridge/protocol"
)

// line is the queue of one project's writes: first come, first served, one at a time. It also knows of a write whose
// outcome nobody knows, which holds up all others until it is settled.
type line struct {
	mu      sync.Mutex
	holder  string // the tool whose turn it is; empty: nobody's
	since   time.Time
	waiting []chan struct{}
	doubt   *doubt
	doubts  int // counts the doubts ever, so that a read knows whether it began after this one
}

// doubt is a write with an unknown outcome.
type doubt struct {
	tool      string
	requestID string
	key       string
	editor    string       // the run of the editor that it was sent to
	intents   []audit.Mark // of it, and of those before it, in the audit
}

// enter waits for the turn, at most for wait.
func (l *line) enter(ctx context.Context, tool string, wait time.Duration) *protocol.Error {
	l.mu.Lock()
	if l.holder == "" {
		l.holder, l.since = tool, time.Now()
		l.mu.Unlock()
		session.Placed(ctx)
		return nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	session.Placed(ctx)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	var refusal *protocol.Error
	select {
	case <-turn:
		l.hold(tool)
		return nil
	case <-timer.C:
		refusal = l.locked()
	case <-ctx.Done():
		refusal = neverSent()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, turn); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		return refusal
	}
	l.pass() // the turn came at the same moment; the next one gets it
	return refusal
}

func (l *line) hold(tool string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holder, l.since = tool, time.Now()
}

// leave gives the turn to the next.
func (l *line) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass()
}

// pass hands the turn on; the lock is held. The holder stays set when there is a next one, so that nobody who comes
// now can slip in between.
func (l *line) pass() {
	if len(l.waiting) == 0 {
		l.holder = ""
		return
	}
	close(l.waiting[0])
	l.waiting = l.waiting[1:]
}

func (l *line) locked() *protocol.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return protocol.Fail(protocol.ProjectWriteLocked, "another write holds the project: %s", l.holder).
		With("holder", l.holder).With("held_ms", time.Since(l.since).Milliseconds())
}

// neverSent is the end of a call whose caller has gone before anything was sent.
func neverSent() *protocol.Error {
	return protocol.Fail(protocol.Timeout, "the caller gave up before the call was sent").
		With("cancelled", true).With("never_started", true)
}

// distrust holds up writes until the doubt is settled.
func (l *line) distrust(d doubt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doubt != nil { // one that is known is settled with the others: by a read
		d.intents = append(d.intents, l.doubt.intents...)
	}
	l.doubt = &d
	l.doubts++
}

// outlived tells whether the write in doubt was sent to an earlier run of the editor than this one: it can then not be
// carried out any more, and no ledger will ever know of it.
func (l *line) outlived(editor string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.doubt != nil && editor != "" && l.doubt.editor != "" && l.doubt.editor != editor
}

// concerns tells whether the write in doubt is the one with this request id, or with this key.
func (l *line) concerns(requestID, key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doubt == nil {
		return false
	}
	return (requestID != "" && requestID == l.doubt.requestID) || (key != "" && key == l.doubt.key)
}

// mark tells how many doubts there were; trust(mark) settles one that was there then and is still the last.
func (l *line) mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.doubts
}

func (l *line) trust(mark int) (settled *doubt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doubts != mark {
		return nil
	}
	settled, l.doubt = l.doubt, nil
	return settled
}

// doubtful refuses a write while an earlier one is in doubt, unless it is the same one, sent again under its key (a
// batch has one for each of its calls): the
// addon's ledger then sees to it that it applies once.
func (l *line) doubtful(keys ...string) *protocol.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doubt == nil || (l.doubt.key != "" && slices.Contains(keys, l.doubt.key)) {
		return nil
	}
	return protocol.Fail(protocol.ProjectQuarantined, "it is not known whether an earlier %s was applied", l.doubt.tool).
		With("tool", l.doubt.tool).With("request_id", l.doubt.requestID)
}
