package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"drawbridge/protocol"
)

// admitBatch asks everything of each call that can be asked before a word goes to the editor. What the calls demand
// together is what the batch demands.
func (g *Gate) admitBatch(ctx context.Context, c *call) *protocol.Error {
	failOpen := true
	for i, e := range c.batch.entries {
		if failure := g.admit(ctx, e); failure != nil {
			return ofEntry(failure, i, e)
		}
		if c.place != nil && c.place != e.place {
			return ofEntry(protocol.Fail(protocol.ValidationError, "the calls of a batch are for one project"), i, e)
		}
		c.enter(e.place)
		c.editor = e.editor
		c.code = c.code || e.code
		c.ruling.SpendToken = c.ruling.SpendToken || e.ruling.SpendToken
		c.ruling.AskHuman = c.ruling.AskHuman || e.ruling.AskHuman
		c.ruling.IssueToken = c.ruling.IssueToken || e.ruling.IssueToken
		c.ruling.Simulate = c.ruling.Simulate || e.ruling.Simulate
		failOpen = failOpen && (e.ruling.FailOpen || !e.ruling.AskHuman)
	}
	if failure := c.limitNamed(); failure != nil {
		return failure
	}
	c.ruling.FailOpen = failOpen
	if c.ruling.Simulate {
		dry, ok := c.args.AsDryRun()
		if !ok {
			return protocol.Fail(protocol.ModeForbids, "%s has no dry run", c.tool.Name())
		}
		c.args = dry
	}
	if c.args.ConfirmToken() != "" && c.dryRun() {
		return protocol.Fail(protocol.ValidationError, "the call cannot be both a dry run and the real run that a token is for")
	}
	// A token that is given is looked at, whatever the calls demand.
	c.ruling.SpendToken = c.ruling.SpendToken || c.args.ConfirmToken() != ""
	return nil
}

// clearBatch asks for the token and the approval of the whole batch: one question. Both are for what a rehearsal shows,
// and when somebody has looked at that it has to be true still once the project is held.
func (g *Gate) clearBatch(ctx context.Context, c *call) (func(), *protocol.Error) {
	asked := c.ruling.SpendToken || c.ruling.AskHuman
	if asked {
		if failure := g.rehearseBatch(ctx, c); failure != nil {
			return nil, failure
		}
	}
	leave, failure := g.clear(ctx, c)
	if failure != nil || !asked {
		return leave, failure
	}
	shown := c.state
	if failure = g.rehearseBatch(ctx, c); failure == nil {
		failure = c.unchanged(shown)
	}
	if failure != nil {
		leave()
		return nil, failure
	}
	return leave, nil
}

// rehearseBatch runs the batch dry, for the preview and for the state that it is made on. A call that fails there would
// fail later.
func (g *Gate) rehearseBatch(ctx context.Context, c *call) *protocol.Error {
	shadow := &call{client: c.client, name: c.name, raw: c.raw, mode: c.mode, shadow: true}
	dry, ok := c.args.AsRehearsal()
	if !ok {
		return protocol.Fail(protocol.InternalError, "%s has no dry run", c.tool.Name())
	}
	if failure := g.unfold(shadow, c.tool, dry); failure != nil {
		return failure
	}
	if failure := g.runBatch(ctx, shadow); failure != nil {
		return failure
	}
	for i, r := range shadow.batch.results {
		if r.Status == entryFailed {
			return ofEntry(r.Error, i, shadow.batch.entries[i])
		}
	}
	c.preview, c.state = shadow.data, shadow.batch.state()
	c.pin(shadow.batch)
	return nil
}

// pin has the first frame that changes something expect the state of the rehearsal. Later ones cannot: the batch itself
// changes the state, and what its own writes set off in the editor does so at a time of its own.
func (c *call) pin(rehearsed *batch) {
	for i, e := range c.batch.entries {
		if !e.tool.Writes() {
			continue
		}
		state := rehearsed.entries[i].shown
		if c.batch.atomic && state != nil {
			c.asked = &protocol.Fingerprint{Editor: state.Editor, Rev: state.Rev} // the one frame has no targets of its own
		} else {
			e.asked = state
		}
		return
	}
}

// prepareBatch gives the token of a batch's dry run, if all of it could be foretold or is only skipped.
func (g *Gate) prepareBatch(c *call) *protocol.Error {
	if c.shadow || !c.ruling.IssueToken || c.batch.count(entryFailed) > 0 {
		return nil
	}
	c.state = c.batch.state()
	return g.issue(c)
}

// state is the hash of what the batch's calls were planned on, together.
func (b *batch) state() string {
	all, known := sha256.New(), false
	for _, e := range b.entries {
		fmt.Fprintln(all, e.state) // a hash takes everything
		known = known || e.state != ""
	}
	if !known {
		return ""
	}
	return hex.EncodeToString(all.Sum(nil))
}
