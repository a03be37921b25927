package gate

import (
	"context"
	"encoding/json"
	"time"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/session"
	"drawbridge/protocol"
)

// request builds the frame of a call.
func (g *Gate) request(c *call, phase protocol.Phase) (protocol.Request, *protocol.Error) {
	params, err := c.params()
	if err != nil {
		return protocol.Request{}, asFailure(err)
	}
	timeout, _ := c.args.Timeout()
	r := protocol.Request{
		ID: g.frameID(c, phase), Command: c.tool.Name(), Phase: phase, Params: params, Scene: c.scene,
		DeadlineUnixMS: time.Now().Add(timeout).UnixMilli(),
	}
	if !c.tool.Writes() {
		return r, nil
	}
	r.Effects, r.Action = safety.Names(c.effects()), c.args.Action()
	if c.batch != nil {
		r.Action = c.batch.action()
	}
	if phase != protocol.PhaseApply {
		if c.dryRun() {
			return r, nil
		}
		return c.keyed(r)
	}
	r.Confirmed = c.confirmed()
	r.Expect = c.expected()
	return c.keyed(r)
}

// frameID is the id of a frame. That of the one that changes something was written down with the intent.
func (g *Gate) frameID(c *call, phase protocol.Phase) string {
	if phase == protocol.PhaseApply && c.id != "" {
		return c.id
	}
	return g.opts.Link.NewID()
}

// keyed marks a frame with the call's key. The plan of a call that is sent again carries it too: what it was to make is
// there by now, so only the first plan still tells what was decided on.
func (c *call) keyed(r protocol.Request) (protocol.Request, *protocol.Error) {
	if c.key != "" {
		r.IdempotencyKey, r.Digest = c.key, c.digest
		return r, nil
	}
	r.IdempotencyKey = c.args.IdempotencyKey()
	if r.IdempotencyKey == "" {
		return r, nil
	}
	// What the client wrote is hashed, not the scene that it implied: a call that is sent again after the daemon died
	// must find its own outcome.
	digest, err := c.args.Digest()
	if err != nil {
		return protocol.Request{}, asFailure(err)
	}
	r.Digest = digest
	return r, nil
}

// params are what the handler gets.
func (c *call) params() (json.RawMessage, error) {
	if c.batch != nil {
		return c.batch.atomicParams()
	}
	params, err := c.args.Wire()
	if err != nil {
		return nil, err
	}
	return withKept(params, c.kept)
}

// noScene is what the addon requires when no scene is open.
const noScene = "active_scene"

// read asks the editor. A read that began after a doubtful write and succeeds shows the state anew, and so settles it.
func (g *Gate) read(ctx context.Context, c *call) *protocol.Error {
	r, failure := g.request(c, protocol.PhaseQuery)
	if failure != nil {
		return failure
	}
	_ = c.place.remember() // so that this read can settle it; what cannot be found out keeps writes away
	line := &c.place.line
	mark := line.mark()
	session.Placed(ctx)
	if failure := c.take(g.opts.Link.Query(ctx, c.project, r)); failure != nil {
		if failure.Required == noScene {
			// The scenes that the write may have reached are closed: there is nothing left to be read.
			c.trust(mark)
		}
		return failure
	}
	if !c.tool.Settles() || c.settles(line) {
		c.trust(mark)
	}
	return c.finish()
}

// settles tells whether the ledger has said what became of the write in doubt, and not of another one; or whether it
// never can, because the run of the editor that had the write is over.
func (c *call) settles(l *line) bool {
	if l.outlived(c.editor.Hello.Editor) {
		return true
	}
	return settled(c.result.Data) && l.concerns(c.args.Text("request_id"), c.args.Text("idempotency_key"))
}

// settled tells whether a ledger's answer is a final one.
func settled(data json.RawMessage) bool {
	var answer struct {
		State protocol.OutcomeState `json:"state"`
	}
	if json.Unmarshal(data, &answer) != nil {
		return false
	}
	switch answer.State {
	case protocol.OutcomeApplied, protocol.OutcomeFailed, protocol.OutcomeNeverStarted:
		return true
	}
	return false
}

// plan asks what the call would do. What it would write must be contained like what the arguments name.
func (g *Gate) plan(ctx context.Context, c *call) *protocol.Error {
	r, failure := g.request(c, protocol.PhasePlan)
	if failure != nil {
		return failure
	}
	session.Placed(ctx)
	if failure := c.take(g.opts.Link.Query(ctx, c.project, r)); failure != nil {
		return failure
	}
	if c.result.Plan == nil {
		return protocol.Fail(protocol.BridgeProtocolError, "the editor gave no plan for %s", c.tool.Name())
	}
	if failure := g.limit(c); failure != nil {
		return failure
	}
	for _, file := range c.result.Plan.Files {
		if failure := c.containPlanned(file.Path); failure != nil {
			return failure
		}
		c.files = append(c.files, file.Path)
	}
	if !c.dryRun() {
		return nil
	}
	return c.finish()
}

// apply sends the one frame that changes something, under a permit. From here on the client's going away changes
// nothing: the outcome is waited for.
func (g *Gate) apply(ctx context.Context, c *call) *protocol.Error {
	if ctx.Err() != nil {
		return neverSent()
	}
	ctx = context.WithoutCancel(ctx)
	r, failure := g.request(c, protocol.PhaseApply)
	if failure != nil {
		return failure
	}
	permit, err := safety.Mint(safety.Decision{
		Tool: c.tool.Name(), Effects: c.effects(), Confirmed: c.confirmed(), Request: r,
	})
	if err != nil {
		return protocol.Fail(protocol.InternalError, "%v", err)
	}
	line := &c.place.line
	mark := line.mark()
	c.sent, c.result = true, nil
	response, err := g.opts.Link.Send(ctx, c.project, permit)
	if err != nil {
		if failure := g.settle(ctx, c, r, asFailure(err)); failure != nil {
			c.there = true
			return failure
		}
	} else if failure := c.take(response, nil); failure != nil {
		return failure
	}
	c.trust(mark) // only the doubtful call itself, sent again, gets here while there is a doubt
	return c.finish()
}

// settle finds out what became of a write whose answer did not come: nil means that it was applied, and that
// c.result is what the ledger kept.
func (g *Gate) settle(ctx context.Context, c *call, r protocol.Request, lost *protocol.Error) *protocol.Error {
	if !lost.MayHaveApplied {
		return lost
	}
	if lost.Code == protocol.Timeout || lost.Code == protocol.ResponseTooLarge {
		ctx, cancel := context.WithTimeout(ctx, g.opts.SettleWait)
		defer cancel()
		outcome, err := g.opts.Link.Outcome(ctx, c.project, bridge.OutcomeKey{RequestID: r.ID})
		if err == nil {
			if failure, known := c.judge(outcome, lost); known {
				return failure
			}
		}
	}
	c.place.line.distrust(doubt{
		tool: c.tool.Name(), requestID: r.ID, key: r.IdempotencyKey, editor: c.editor.Hello.Editor,
		intents: c.intents(),
	})
	return lost.With("request_id", r.ID)
}

// judge turns the ledger's word into the call's end, and tells whether it was a final word.
func (c *call) judge(o bridge.Outcome, lost *protocol.Error) (*protocol.Error, bool) {
	switch o.State {
	case protocol.OutcomeApplied:
		if o.Result == nil {
			return nil, false
		}
		return c.take(&protocol.Response{OK: true, Result: o.Result}, nil), true
	case protocol.OutcomeFailed:
		if o.Error == nil {
			return nil, false
		}
		return o.Error, true
	case protocol.OutcomeNeverStarted:
		lost.MayHaveApplied = false
		return lost.With("never_started", true), true
	}
	return nil, false
}

// take keeps a response's result, or gives its failure. An answer without either, or with a code that is not ours, is
// no answer.
func (c *call) take(response *protocol.Response, err error) *protocol.Error {
	failure := c.read(response, err)
	c.there = c.there || failure != nil
	return failure
}

func (c *call) read(response *protocol.Response, err error) *protocol.Error {
	switch {
	case err != nil:
		return asFailure(err)
	case response == nil || (response.OK && response.Result == nil) || (!response.OK && response.Error == nil):
		return protocol.Fail(protocol.BridgeProtocolError, "the editor's answer is empty")
	case response.OK:
		c.result = response.Result
		return nil
	}
	if _, known := protocol.LookupCode(response.Error.Code); !known {
		return protocol.Fail(protocol.BridgeProtocolError, "the editor answered with the unknown code %q", string(response.Error.Code))
	}
	return response.Error
}

// finish builds the data of the reply and remembers the scene that the client has seen.
func (c *call) finish() *protocol.Error {
	data, err := withExtras(c.result.Data, extras(c.result, c.dryRun()))
	if err != nil {
		return protocol.Fail(protocol.BridgeProtocolError, "%v", err)
	}
	c.data = data
	if c.dryRun() {
		return nil
	}
	scene := c.result.Scene
	if scene == "" && c.tool.Opens() != "" {
		scene = c.args.Text(c.tool.Opens())
	}
	if c.tool.InScene() || c.tool.Opens() != "" {
		c.client.Saw(c.project, scene)
	}
	return nil
}
