package gate

import (
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// Journal is where what is done gets written down; *audit.Log is one.
type Journal interface {
	// Intent is written before an effect; an error means that nothing may be done.
	Intent(e audit.Entry) (audit.Mark, error)
	// Outcome is written for every call. Without a mark there was no intent.
	Outcome(m audit.Mark, e audit.Entry, durable bool) error
	// Dangling are the intents of daemons that ended, of which nobody knows what became; Recheck looks anew.
	Dangling() ([]audit.Entry, error)
	Recheck() ([]audit.Entry, error)
}

// remember takes the project for one in doubt when an earlier daemon ended in the middle of a write: nobody knows
// whether it was applied. It reads the log when the first call needs to know.
func (p *place) remember() *protocol.Error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.remembered || p.Audit == nil {
		return nil
	}
	list, err := p.Audit.Dangling()
	if err != nil {
		return auditUnavailable(err.Error())
	}
	p.remembered = true
	p.line.suspect(p.Dir, list)
	return nil
}

// bereft takes the project for one in doubt after another daemon died while it held the project's lock.
func (p *place) bereft() *protocol.Error {
	if p.Audit == nil {
		return auditUnavailable("there is none")
	}
	list, err := p.Audit.Recheck()
	if err != nil {
		return auditUnavailable(err.Error())
	}
	p.line.suspect(p.Dir, list)
	return nil
}

// suspect takes up the intents of a project that have no end. One log may be for several projects.
func (l *line) suspect(project string, list []audit.Entry) {
	for _, e := range list {
		if e.Project == project || e.Project == "" {
			l.distrust(doubt{
				tool: e.Tool, requestID: e.RequestID, key: e.IdempotencyKey, editor: e.Editor, intents: []audit.Mark{e.Mark()},
			})
		}
	}
}

// trust settles the doubt that was there at the mark, and writes that down.
func (c *call) trust(mark int) {
	settled := c.place.line.trust(mark)
	if settled == nil || c.place.Audit == nil {
		return
	}
	for _, intent := range settled.intents {
		// That it could not be written only means that the next daemon is as careful once more.
		_ = c.place.Audit.Outcome(intent, audit.Entry{
			Tool: settled.tool, RequestID: settled.requestID, Project: c.project, Outcome: audit.OutcomeUnknown, Code: "SETTLED_BY_READ",
		}, false)
	}
}

// intend writes down what is about to be done. Without that nothing is.
func (g *Gate) intend(c *call) *protocol.Error {
	if c.place.Audit == nil {
		return auditUnavailable("there is none")
	}
	c.id = g.opts.Link.NewID()
	e := g.entry(c)
	e.Durable = c.durable()
	mark, err := c.place.Audit.Intent(e)
	if err != nil {
		return auditUnavailable(err.Error())
	}
	c.mark = mark
	return nil
}

func auditUnavailable(why string) *protocol.Error {
	return protocol.Fail(protocol.AuditUnavailable, "what is done could not be written down, so nothing was done: %s", why)
}

// intents are the marks of what the call is about to do; an entry's is its batch's.
func (c *call) intents() []audit.Mark {
	switch {
	case c.of != nil:
		return c.of.intents()
	case c.mark == nil:
		return nil
	}
	return []audit.Mark{c.mark}
}

// durable tells whether what is written down about the call has to survive a power cut: for what cannot be undone.
func (c *call) durable() bool {
	return c.class() == safety.Destructive || slices.Contains(c.effects(), safety.TouchesDisk)
}

// record writes down how a call ended. A read is answered even when that fails; a write had its intent written, so
// that the gap shows.
func (g *Gate) record(c *call, failure *protocol.Error, took time.Duration) {
	defer func() { // the call is over: its reply must not be lost
		if fault := recover(); fault != nil {
			g.faulted(c, fault, debug.Stack())
		}
	}()
	journal := g.opts.Audit
	if c.place != nil {
		journal = c.place.Audit
	}
	if journal == nil {
		return
	}
	e := g.entry(c)
	e.Outcome, e.DurationMS = outcomeOf(c, failure), took.Milliseconds()
	if failure != nil {
		e.Code, e.MayHaveApplied = string(failure.Code), failure.MayHaveApplied
	}
	durable := e.Outcome != outcomeRead && e.Outcome != outcomeDenied && e.Outcome != outcomeSimulated && c.durable()
	if err := journal.Outcome(c.mark, e, durable); err != nil {
		g.opts.Log.Error("an outcome could not be written down", "tool", c.name, "error", err)
	}
}

// outcomeOf names how a call ended.
func outcomeOf(c *call, failure *protocol.Error) string {
	switch {
	case failure == nil:
		return outcome(c)
	case failure.MayHaveApplied:
		return outcomeUnknown
	case c.failedThere():
		return outcomeFailed
	}
	return outcomeDenied
}

// entry is what is written down of a call: never a value or a token, only their digest.
func (g *Gate) entry(c *call) audit.Entry {
	e := audit.Entry{
		ClientName: c.client.Name, Client: c.client.ID, Project: c.project, Tool: c.name, Class: string(c.class()),
		Mode: string(c.mode), RequestID: c.id, Editor: c.editor.Hello.Editor, Approval: strings.Join(c.yes, ", "),
	}
	if c.tool == nil {
		return e
	}
	e.Tool, e.IdempotencyKey, e.Targets = c.tool.Name(), c.args.IdempotencyKey(), c.touched()
	if !c.tool.Writes() {
		return e
	}
	if digest, err := c.args.Digest(); err == nil {
		e.ArgsDigest = digest
	}
	return e
}

// touched are the targets of a call, of a batch those of all its calls.
func (c *call) touched() []string {
	if c.batch == nil {
		return c.targets()
	}
	var list []string
	for _, e := range c.batch.entries {
		list = append(list, e.targets()...)
	}
	return unique(list)
}
