package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// The states of a call's frame. A frame is written or withdrawn, never both.
const (
	stateQueued int32 = iota
	stateWritten
	stateWithdrawn
)

// call is one request in flight.
type call struct {
	id       string
	apply    bool
	deadline time.Time
	state    atomic.Int32
	done     chan answer // holds the one answer
}

// answer is how a call ended: by the editor's response, or by an error of the link.
type answer struct {
	response *protocol.Response
	err      *protocol.Error
}

// Query reads or previews: phases query and plan, in which the editor changes nothing. The response is the editor's
// own, also when it is a failure; the error is a *protocol.Error and means that there is no response.
func (s *Server) Query(ctx context.Context, project string, r protocol.Request) (*protocol.Response, error) {
	if r.Phase != protocol.PhaseQuery && r.Phase != protocol.PhasePlan {
		return nil, protocol.Fail(protocol.InternalError, "a query cannot have phase %q", string(r.Phase))
	}
	return s.call(ctx, project, r)
}

// Send carries out the command that the permit holds. Permits are spent by it, whatever becomes of the call.
func (s *Server) Send(ctx context.Context, project string, permit *safety.Permit) (*protocol.Response, error) {
	r, err := permit.Spend()
	if err != nil {
		return nil, protocol.Fail(protocol.InternalError, "sending a command: %v", err)
	}
	if r.Phase != protocol.PhaseApply {
		return nil, protocol.Fail(protocol.InternalError, "a permit cannot have phase %q", string(r.Phase))
	}
	return s.call(ctx, project, r)
}

// Outcome is what an editor's ledger says about a call. State unknown also means that this editor never saw it:
// compare Editor with the one that the call went to.
type Outcome struct {
	State  protocol.OutcomeState `json:"state"`
	Result *protocol.Result      `json:"result,omitempty"`
	Error  *protocol.Error       `json:"error,omitempty"`
	Editor string                `json:"-"`
}

// OutcomeKey names a call to the ledger: by its request id or by the client's key. Exactly one is set.
type OutcomeKey struct {
	RequestID      string `json:"request_id,omitempty"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
}

// Outcome asks the editor's ledger what became of a call, after a time-out or a lost link.
func (s *Server) Outcome(ctx context.Context, project string, key OutcomeKey) (Outcome, error) {
	params, err := json.Marshal(key)
	if err != nil {
		return Outcome{}, fmt.Errorf("encoding the outcome's key: %w", err)
	}
	response, err := s.Query(ctx, project, protocol.Request{
		Command: "command_outcome", Phase: protocol.PhaseQuery, Params: params,
		DeadlineUnixMS: time.Now().Add(protocol.GraceForLink + time.Second).UnixMilli(),
	})
	if err != nil {
		return Outcome{}, err
	}
	if !response.OK {
		return Outcome{}, response.Error
	}
	out := Outcome{State: protocol.OutcomeUnknown}
	if err := json.Unmarshal(response.Result.Data, &out); err != nil {
		return Outcome{}, protocol.Fail(protocol.BridgeProtocolError, "the editor's ledger gave no outcome")
	}
	if e, ok := s.Editor(project); ok {
		out.Editor = e.Hello.Editor
	}
	return out, nil
}

// call sends a request to the project's editor and waits for its end.
func (s *Server) call(ctx context.Context, project string, r protocol.Request) (*protocol.Response, error) {
	if r.ID == "" {
		r.ID = s.NewID()
	}
	if r.DeadlineUnixMS == 0 {
		r.DeadlineUnixMS = time.Now().Add(protocol.DefaultDeadline).UnixMilli()
	}
	frame, failure := encode(r)
	if failure != nil {
		return nil, failure
	}
	c := &call{
		id: r.ID, apply: r.Phase == protocol.PhaseApply,
		deadline: time.UnixMilli(r.DeadlineUnixMS), done: make(chan answer, 1),
	}
	timer := time.NewTimer(time.Until(c.deadline))
	defer timer.Stop()
	l, failure := s.editors.wait(ctx, project, timer.C)
	if failure != nil {
		return nil, failure
	}
	response, failure := l.do(ctx, c, frame, timer.C)
	if failure != nil {
		return nil, failure
	}
	return response, nil
}

// encode makes the frame of a request, which must fit the editor's buffer.
func encode(r protocol.Request) ([]byte, *protocol.Error) {
	if len(r.Params) == 0 {
		r.Params = json.RawMessage("{}")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, protocol.Fail(protocol.InternalError, "encoding a request: %v", err)
	}
	frame := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(frame) > protocol.MaxFrame {
		return nil, protocol.Fail(protocol.ValidationError, "the arguments are larger than one frame may be").
			With("reason", "payload_too_large").With("bytes", len(frame)).With("limit", protocol.MaxFrame)
	}
	return frame, nil
}

// do queues the frame and waits for the answer, the deadline or the caller's end. The deadline lives here and never
// in the socket's context, because a context that ends during a read or write closes the whole link.
func (l *link) do(ctx context.Context, c *call, frame []byte, late <-chan time.Time) (*protocol.Response, *protocol.Error) {
	if failure := l.enter(c); failure != nil {
		return nil, failure
	}
	queue := l.out
	for {
		select {
		case queue <- outbound{frame: frame, call: c}:
			queue = nil // once; from now on only ends are waited for
		case a := <-c.done:
			return a.response, a.err
		case <-ctx.Done():
			if l.giveUp(c) {
				return nil, l.withdraw(c, ctx.Err())
			}
			ctx = context.WithoutCancel(ctx) // the answer is there already
		case <-late:
			if l.giveUp(c) {
				return nil, l.overdue(c)
			}
			late = nil
		}
	}
}

// enter adds the call to the books.
func (l *link) enter(c *call) *protocol.Error {
	if silence := l.silence(); silence > l.opts.BlockedAfter {
		return protocol.Fail(protocol.EditorBlocked, "the editor has said nothing for %d ms", silence.Milliseconds()).
			With("last_heartbeat_ms", silence.Milliseconds()).With("suspected", "main_thread")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending == nil {
		return c.broken(l.cause, 1)
	}
	if _, twice := l.pending[c.id]; twice {
		return protocol.Fail(protocol.InternalError, "request id %q is in flight already", c.id)
	}
	l.pending[c.id] = c
	return nil
}

// overdue ends a call at its deadline.
func (l *link) overdue(c *call) *protocol.Error {
	c.state.CompareAndSwap(stateQueued, stateWithdrawn)
	failure := c.fail(protocol.Timeout, "the editor did not answer before the deadline").
		With("last_heartbeat_ms", l.silence().Milliseconds())
	if c.state.Load() == stateWithdrawn {
		failure.With("never_started", true)
	}
	return failure
}

// withdraw ends a call whose caller has gone: a frame that was not written never is, a written one is cancelled.
func (l *link) withdraw(c *call, why error) *protocol.Error {
	message := "the caller gave up before the editor answered"
	if errors.Is(why, context.DeadlineExceeded) {
		message = "the caller's time ran out before the editor answered"
	}
	if c.state.CompareAndSwap(stateQueued, stateWithdrawn) {
		return c.fail(protocol.Timeout, "%s", message).With("cancelled", true).With("never_started", true)
	}
	if frame, err := json.Marshal(protocol.Cancel{Cancel: c.id}); err == nil {
		select {
		case l.out <- outbound{frame: frame}:
		default: // a full queue means a stuck editor: the deadline in the frame withdraws it as well
		}
	}
	return c.fail(protocol.Timeout, "%s", message).With("cancelled", true)
}

// finish gives the call its one answer. Whoever took the call out of the books calls it.
func (c *call) finish(r *protocol.Response, err *protocol.Error) { c.done <- answer{r, err} }

// fail makes an error of this call: it may have applied when it is an apply and its frame was written.
func (c *call) fail(code protocol.Code, format string, args ...any) *protocol.Error {
	e := protocol.Fail(code, format, args...).With("request_id", c.id)
	e.MayHaveApplied = c.apply && c.state.Load() == stateWritten
	return e
}

// broken is the end of a call by the end of its link, on which inFlight calls were waiting. An oversized frame
// answers one of them, so it is the whole truth only for a call that was alone.
func (c *call) broken(why cause, inFlight int) *protocol.Error {
	c.state.CompareAndSwap(stateQueued, stateWithdrawn)
	switch {
	case why.code == protocol.BridgeProtocolError:
		return c.fail(why.code, "the editor sent something that is not the protocol: %s", why.why)
	case why.code == protocol.ResponseTooLarge && inFlight == 1:
		return c.fail(why.code, "the editor's answer is larger than one frame may be").With("limit", protocol.MaxFrame)
	}
	e := c.fail(protocol.BridgeDisconnected, "the link to the editor was lost: %s", why.why)
	if e.MayHaveApplied {
		e = e.WithHint("call command_outcome once the editor is linked again: it tells what became of the write")
	}
	return e.Needs(requiredLink)
}
