// Package gate is the chokepoint: every call of every client passes Call, and only what passes reaches the editor.
// It alone imports the effect ports. What a call may do is decided by package safety from the tool's facts; the gate
// asks in a fixed order, and every answer that is not a clear yes refuses.
package gate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"drawbridge/daemon/internal/approval"
	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/contract"
	"drawbridge/daemon/internal/recovery"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// Link is what the gate needs of the editors' link; *bridge.Server is one.
type Link interface {
	NewID() string
	Editor(project string) (bridge.Editor, bool)
	Refusals() []bridge.Refusal
	Query(ctx context.Context, project string, r protocol.Request) (*protocol.Response, error)
	Send(ctx context.Context, project string, permit *safety.Permit) (*protocol.Response, error)
	Outcome(ctx context.Context, project string, key bridge.OutcomeKey) (bridge.Outcome, error)
}

// Tools is the table of tools.
type Tools interface {
	All() []*tool.Tool
	Lookup(name string) (*tool.Tool, bool)
}

// Options configure a Gate.
type Options struct {
	Tools Tools
	Link  Link
	// Projects are those that are served; none is allowed.
	Projects []Project
	// Audit gets the calls that are for no project. Nil: they leave no trace.
	Audit Journal
	// Locks keep other daemons from writing to a project at the same time. Nil: writes are refused.
	Locks Locks
	// Mode is the operator's mode where no project's is known. Default read_only.
	Mode safety.Mode
	// Off are the toolsets that are switched off where no project's policy is known.
	Off []string
	// Rate is how many calls a client may make each second; twice as many at once. Default 5,000.
	Rate int
	// AddonHash is the hash of the addon that belongs to this daemon; empty: drift is not looked for.
	AddonHash string
	// Recovery keeps the bytes of files before they are changed. Nil: a call that writes files is refused.
	Recovery *recovery.Store
	// Sources say where each setting came from, and Warnings which were not understood; get_server_info shows both.
	Sources  any
	Warnings []string
	// Front gives what clients get of the tools, for the check of the safety contract. Nil: that is not looked at.
	Front func() contract.Front
	// Log gets what people need to look into a fault. Nil: nothing is logged.
	Log *slog.Logger
	// LockWait is how long a write waits for its turn. Default 10 s.
	LockWait time.Duration
	// SettleWait is how long the ledger is asked after a time-out. Default 1 s.
	SettleWait time.Duration
}

// Gate is the chokepoint of one daemon. It is safe for concurrent use.
type Gate struct {
	opts   Options
	places []*place
	epoch  string // of the policy: tokens of another run of the daemon are nobody's
	sealer *approval.Sealer
	rates  *rates
}

// New makes a gate.
func New(o Options) (*Gate, error) {
	if o.Tools == nil || o.Link == nil {
		return nil, errors.New("making the gate: tools and link must be given")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Mode == "" {
		o.Mode = safety.ModeReadOnly
	}
	if o.Rate == 0 {
		o.Rate = defaultRate
	}
	if o.LockWait == 0 {
		o.LockWait = 10 * time.Second
	}
	if o.SettleWait == 0 {
		o.SettleWait = time.Second
	}
	places, err := newPlaces(o.Projects)
	if err != nil {
		return nil, err
	}
	return &Gate{
		opts: o, places: places, epoch: rand.Text(), sealer: approval.NewSealer(), rates: newRates(o.Rate),
	}, nil
}

// call is one call on its way through the gate.
type call struct {
	client  *session.Client
	name    string
	raw     json.RawMessage
	tool    *tool.Tool // the tool that runs; with a carrier, the carried one
	args    tool.Args
	place   *place // nil until it is settled for which project the call is
	project string // its folder
	editor  bridge.Editor
	scene   string
	batch   *batch            // the calls of a batch; nil for any other call
	of      *call             // the batch that this call is one of
	shadow  bool              // the rehearsal of a batch that is asked for
	preview json.RawMessage   // and what it gave
	mode    safety.Mode       // the operator's
	key     string            // the idempotency key that a batch gives to its call
	digest  string            // what goes with that key
	files   []string          // what the plan would write
	reach   reach             // what it would reach, of a batch all of its calls
	kept    json.RawMessage   // kept bytes that the call puts back
	expect  map[string]string // their hashes, taken while the project is held
	ruling  safety.Ruling
	code    bool             // it gives code that the editor will run by itself
	found   []safety.Finding // what the tripwire says of its code
	id      string           // of the frame that changes something
	state   string           // what a token or an approval was given for, as one text
	shown   *protocol.Fingerprint
	asked   *protocol.Fingerprint // of a batch's first write: the state that was looked at when it was asked for
	seen    *approval.Asked       // the question that this call brings the answer to
	yes     []string              // who approved
	ask     *tool.Elicit          // what the client has to ask a person first
	token   string                // what a dry run gave for the real run
	expires string                // and until when
	mark    audit.Mark            // of the intent in the audit
	there   bool                  // the editor, or the way to it, is where the call failed
	sent    bool                  // an apply frame may be on the wire
	result  *protocol.Result
	data    json.RawMessage
}

func (c *call) dryRun() bool { return c.tool != nil && c.args.DryRun() }

func (c *call) class() safety.Class {
	switch {
	case c.tool == nil:
		return ""
	case c.batch != nil:
		return c.batch.worst()
	}
	return c.tool.Class()
}

// Call carries out one call of a client and gives its reply, whatever happens. Each call, a refused one too, is written
// down.
func (g *Gate) Call(ctx context.Context, client *session.Client, name string, raw json.RawMessage) (reply tool.Reply) {
	c := &call{client: client, name: name, raw: raw, mode: g.opts.Mode}
	start := time.Now()
	err := g.guarded(ctx, c)
	switch {
	case c.ask != nil:
		g.record(c, err, time.Since(start)) // that nobody has said yes so far
		return tool.Reply{Ask: c.ask}
	case err != nil:
		reply = failure(c, err)
	default:
		reply = success(c)
	}
	took := time.Since(start)
	g.record(c, err, took)
	g.opts.Log.Debug("call", "tool", name, "failed", reply.Failed, "took", took)
	return reply
}

// guarded passes a call. A fault of ours ends the call, never the daemon.
func (g *Gate) guarded(ctx context.Context, c *call) (err *protocol.Error) {
	defer func() {
		if fault := recover(); fault != nil {
			c.ask = nil
			err = g.faulted(c, fault, debug.Stack())
		}
	}()
	if err := g.rates.take(c.client); err != nil {
		return err
	}
	return g.pass(ctx, c)
}

// pass takes a call through the steps, in the order in which they must be asked: nothing is asked of a human or the
// editor that an earlier step refuses, and nothing is changed before the last one. The calls of a batch go through the
// same steps, in runBatch.
func (g *Gate) pass(ctx context.Context, c *call) *protocol.Error {
	// Strict decode and table lookup; a carrier is opened here, so that all later steps judge the carried tool.
	if err := g.decode(c); err != nil {
		return err
	}
	if c.batch != nil {
		return g.runBatch(ctx, c)
	}
	if err := g.admit(ctx, c); err != nil {
		return err
	}
	switch {
	case c.tool.Local() != nil:
		return g.answer(c)
	case !c.tool.Writes():
		return g.read(ctx, c)
	}
	if err := g.foresee(ctx, c); err != nil || c.dryRun() {
		return err
	}
	return g.write(ctx, c)
}

// admit asks what can be asked before a word goes to the editor. A batch is admitted call by call.
func (g *Gate) admit(ctx context.Context, c *call) *protocol.Error {
	// Project; what the daemon answers itself may be for none.
	if err := g.here(c); err != nil && (c.tool.Local() == nil || c.args.Text(tool.Project) != "") {
		return err
	}
	// Operator mode, toolset.
	if err := g.rule(c); err != nil {
		return err
	}
	if !c.tool.InEditor() {
		if c.place == nil {
			return nil
		}
		return g.confirm(c)
	}
	// Editor and version.
	if err := g.address(ctx, c); err != nil {
		return err
	}
	// Path containment and protected targets.
	if err := g.contain(c); err != nil {
		return err
	}
	// Code tripwire.
	if err := g.tripwire(c); err != nil {
		return err
	}
	return g.confirm(c)
}

// foresee plans: for a dry run, which ends here, for a token and an approval, which are for what the plan shows, and
// for file writes, whose files must be contained too. What a call puts back is fetched before.
func (g *Gate) foresee(ctx context.Context, c *call) *protocol.Error {
	if c.tool.Recovery() == tool.MakesCheckpoint {
		return g.foreseeCheckpoint(ctx, c)
	}
	if !(c.dryRun() || c.ruling.SpendToken || c.ruling.AskHuman || c.tool.WritesFiles()) {
		return nil
	}
	if err := g.fetch(ctx, c); err != nil {
		return err
	}
	if err := g.plan(ctx, c); err != nil {
		return err
	}
	return g.prepare(c)
}

// write asks what is asked last, and then does it.
func (g *Gate) write(ctx context.Context, c *call) *protocol.Error {
	leave, err := g.clear(ctx, c)
	if err != nil {
		return err
	}
	defer leave()
	if c.tool.Recovery() == tool.MakesCheckpoint {
		return g.checkpoint(ctx, c)
	}
	return g.change(ctx, c)
}

// clear asks for the token, then for the approval, writes the intent down and takes the project's lock.
func (g *Gate) clear(ctx context.Context, c *call) (func(), *protocol.Error) {
	if err := g.spend(ctx, c); err != nil {
		return nil, err
	}
	if err := g.approve(ctx, c); err != nil {
		return nil, err
	}
	if err := g.intend(c); err != nil {
		return nil, err
	}
	return g.lock(ctx, c)
}

// change does it, while the project is held.
func (g *Gate) change(ctx context.Context, c *call) *protocol.Error {
	// Keep bytes.
	if err := g.keep(ctx, c); err != nil {
		return err
	}
	// Apply.
	return g.apply(ctx, c)
}

// Tools lists the tools that a client may call in the widest of the projects' modes.
func (g *Gate) Tools() []*tool.Tool {
	return slices.DeleteFunc(g.opts.Tools.All(), func(t *tool.Tool) bool { return !g.Visible(t) })
}

// Visible tells whether a tool is shown at all: not when it could only be refused.
func (g *Gate) Visible(t *tool.Tool) bool {
	if len(g.places) == 0 {
		return !slices.Contains(g.opts.Off, t.Toolset())
	}
	return slices.ContainsFunc(g.places, func(p *place) bool {
		return !slices.Contains(p.Policy.Off, t.Toolset()) &&
			(t.Class() == safety.ReadOnly || p.Policy.Mode != safety.ModeReadOnly)
	})
}

var _ tool.Host = (*Gate)(nil)
