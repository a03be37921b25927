// Package gate is the chokepoint: every call of every client passes Call, and only what passes reaches the editor.
// It alone imports the effect ports. What a call may do is decided by package safety from the tool's facts; the gate
// asks in a fixed order, and every answer that is not a clear yes refuses.
package gate

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"drawbridge/daemon/internal/bridge"
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
	// Project is the served project's folder, links resolved; empty: there is none.
	Project string
	// Asked is the folder as the user spelled it.
	Asked string
	// AddonHash is the hash of the addon that belongs to this daemon; empty: drift is not looked for.
	AddonHash string
	// Recovery keeps the bytes of files before they are changed. Nil: a call that writes files is refused.
	Recovery *recovery.Store
	// MaxAffected is how many targets or files one file-writing call may have. Default 20.
	MaxAffected int
	// Warnings tell of settings that were not understood; get_server_info shows them.
	Warnings []string
	// Log gets what people need to look into a fault. Nil: nothing is logged.
	Log *slog.Logger
	// LockWait is how long a write waits for its turn. Default 10 s.
	LockWait time.Duration
	// SettleWait is how long the ledger is asked after a time-out. Default 1 s.
	SettleWait time.Duration
}

// Gate is the chokepoint of one daemon. It is safe for concurrent use.
type Gate struct {
	opts Options

	mu    sync.Mutex
	lines map[string]*line // project -> its queue of writes
}

// New makes a gate.
func New(o Options) (*Gate, error) {
	if o.Tools == nil || o.Link == nil {
		return nil, errors.New("making the gate: tools and link must be given")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxAffected == 0 {
		o.MaxAffected = defaultMaxAffected
	}
	if o.LockWait == 0 {
		o.LockWait = 10 * time.Second
	}
	if o.SettleWait == 0 {
		o.SettleWait = time.Second
	}
	return &Gate{opts: o, lines: map[string]*line{}}, nil
}

// call is one call on its way through the gate.
type call struct {
	client  *session.Client
	name    string
	raw     json.RawMessage
	tool    *tool.Tool // the tool that runs; with a carrier, the carried one
	args    tool.Args
	project string
	editor  bridge.Editor
	scene   string
	batch   *batch            // the calls of a batch; nil for any other call
	key     string            // the idempotency key that a batch gives to its call
	digest  string            // what goes with that key
	files   []string          // what the plan would write
	kept    json.RawMessage   // kept bytes that the call puts back
	expect  map[string]string // their hashes, taken while the project is held
	sent    bool              // an apply frame may be on the wire
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

// Call carries out one call of a client and gives its reply, whatever happens.
func (g *Gate) Call(ctx context.Context, client *session.Client, name string, raw json.RawMessage) (reply tool.Reply) {
	c := &call{client: client, name: name, raw: raw}
	start := time.Now()
	defer func() {
		if fault := recover(); fault != nil {
			reply = failure(c, g.faulted(c, fault, debug.Stack()))
		}
		g.opts.Log.Debug("call", "tool", name, "failed", reply.Failed, "took", time.Since(start))
	}()
	if err := g.pass(ctx, c); err != nil {
		return failure(c, err)
	}
	return success(c)
}

// pass takes a call through the steps, in the order in which they must be asked: nothing is asked of a human or the
// editor that an earlier step refuses, and nothing is changed before the last one. The calls of a batch go through the
// same steps, in runBatch.
func (g *Gate) pass(ctx context.Context, c *call) *protocol.Error {
	// Strict decode and table lookup; a carrier is opened here, so that all later steps judge the carried tool.
	if err := g.decode(c); err != nil {
		return err
	}
	switch {
	case c.batch != nil:
		return g.runBatch(ctx, c)
	case c.tool.Local() != nil:
		return g.answer(c)
	case c.tool.Recovery() == tool.MakesCheckpoint:
		return g.checkpoint(ctx, c)
	}
	if err := g.admit(ctx, c); err != nil {
		return err
	}
	if !c.tool.Writes() {
		return g.read(ctx, c)
	}
	if err := g.foresee(ctx, c); err != nil || c.dryRun() {
		return err
	}
	// Token, approval and audit intent come here, in this order.
	// Project lock.
	leave, err := g.lock(ctx, c)
	if err != nil {
		return err
	}
	defer leave()
	return g.change(ctx, c)
	// Audit outcome comes here, for every call.
}

// admit asks what can be asked before a word goes to the editor.
func (g *Gate) admit(ctx context.Context, c *call) *protocol.Error {
	// Project and editor.
	if err := g.address(ctx, c); err != nil {
		return err
	}
	// Operator mode comes here.
	// Toolset (comes later) and version.
	if err := g.version(c); err != nil {
		return err
	}
	// Path containment and protected targets.
	if err := g.contain(c); err != nil {
		return err
	}
	// The code tripwire comes here.
	return g.confirm(c)
}

// foresee plans: for a dry run, which ends here, and for file writes, whose files must be contained too. What a call
// puts back is fetched before.
func (g *Gate) foresee(ctx context.Context, c *call) *protocol.Error {
	if !c.dryRun() && !c.tool.WritesFiles() {
		return nil
	}
	if err := g.fetch(ctx, c); err != nil {
		return err
	}
	return g.plan(ctx, c)
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

// Tools lists the tools, for the local ones.
func (g *Gate) Tools() []*tool.Tool { return g.opts.Tools.All() }

var _ tool.Host = (*Gate)(nil)
