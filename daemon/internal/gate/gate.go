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

	"github.com/google/uuid"

	"drawbridge/daemon/internal/bridge"
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
	files   []string          // what the plan would write
	expect  map[string]string // their hashes, taken while the project is held
	sent    bool              // an apply frame may be on the wire
	result  *protocol.Result
	data    json.RawMessage
}

func (c *call) dryRun() bool { return c.tool != nil && c.args.DryRun() }

func (c *call) class() safety.Class {
	if c.tool == nil {
		return ""
	}
	return c.tool.Class()
}

// Call carries out one call of a client and gives its reply, whatever happens.
func (g *Gate) Call(ctx context.Context, client *session.Client, name string, raw json.RawMessage) (reply tool.Reply) {
	c := &call{client: client, name: name, raw: raw}
	start := time.Now()
	defer func() {
		if fault := recover(); fault != nil {
			reply = g.panicked(c, fault)
		}
		g.opts.Log.Debug("call", "tool", name, "failed", reply.Failed, "took", time.Since(start))
	}()
	if err := g.pass(ctx, c); err != nil {
		return failure(c, err)
	}
	return success(c)
}

// pass takes a call through the steps, in the order in which they must be asked: nothing is asked of a human or the
// editor that an earlier step refuses, and nothing is changed before the last one.
func (g *Gate) pass(ctx context.Context, c *call) *protocol.Error {
	// Strict decode and table lookup; a carrier is opened here, so that all later steps judge the carried tool.
	if err := g.decode(c); err != nil {
		return err
	}
	if c.tool.Local() != nil {
		return g.answer(c)
	}
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
	if err := g.confirm(c); err != nil {
		return err
	}
	if !c.tool.Writes() {
		return g.read(ctx, c)
	}
	// Plan: for a dry run, which ends here, and for file writes, whose files must be contained too.
	if c.dryRun() || c.tool.WritesFiles() {
		if err := g.plan(ctx, c); err != nil || c.dryRun() {
			return err
		}
	}
	// Token, approval and audit intent come here, in this order.
	// Project lock.
	leave, err := g.lock(ctx, c)
	if err != nil {
		return err
	}
	defer leave()
	// Keep bytes comes here; until then their hashes alone become expect.files.
	if err := c.expectFiles(); err != nil {
		return err
	}
	// Apply.
	return g.apply(ctx, c)
	// Audit outcome comes here, for every call.
}

// panicked answers for a fault in our own code. The process lives; what was sent may have been done.
func (g *Gate) panicked(c *call, fault any) tool.Reply {
	incident := uuid.NewString()
	g.opts.Log.Error("a call panicked", "tool", c.name, "incident", incident, "fault", fault, "stack", string(debug.Stack()))
	e := protocol.Fail(protocol.InternalError, "a fault inside Drawbridge; its log has it as incident %s", incident).
		With("incident", incident)
	if c.sent {
		e.MayHaveApplied = true
		g.line(c.project).distrust(doubt{tool: c.name, editor: c.editor.Hello.Editor})
	}
	return failure(c, e)
}

// Tools lists the tools, for the local ones.
func (g *Gate) Tools() []*tool.Tool { return g.opts.Tools.All() }

var _ tool.Host = (*Gate)(nil)
