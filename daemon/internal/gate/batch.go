package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/uuid"

	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// The states of a batch's calls.
const (
	entrySuccess = "success"
	entryFailed  = "failed"
	entrySkipped = "skipped"
)

// batch is a list of calls, in the order in which they run. Each is judged by itself, before the first one runs.
type batch struct {
	entries []*call
	results []entryResult
	stop    bool // at the first failure
	atomic  bool // all or nothing, as one undo action
	done    *protocol.Done
	dirty   bool // the edited scene was unsaved after the last write
	applied bool // something was written
	fresh   bool // and not all of it by an earlier sending of the same batch
	doubt   bool // something may have been written
}

// entryResult is one call in a batch's answer.
type entryResult struct {
	Tool        string          `json:"tool"`
	Status      string          `json:"status"`
	Key         string          `json:"idempotency_key,omitempty"` // under which command_outcome knows it
	Data        json.RawMessage `json:"data,omitempty"`
	Error       *protocol.Error `json:"error,omitempty"`
	Persistence any             `json:"persistence,omitempty"`
	// DependsOn is the earlier call without whose effect this one cannot be foretold.
	DependsOn *int   `json:"depends_on_entry,omitempty"`
	Why       string `json:"why,omitempty"`
}

// unfold decodes the calls of a batch. Nothing is carried that is a carrier itself, and no class but those stated.
func (g *Gate) unfold(c *call, t *tool.Tool, args tool.Args) *protocol.Error {
	c.tool, c.args = t, args
	c.batch = &batch{stop: args.Bool("stop_on_error"), atomic: args.Bool("atomic")}
	digest, err := args.Digest()
	if err != nil {
		return asFailure(err)
	}
	for i, command := range args.Commands("commands") {
		e := &call{client: c.client, name: command.Tool, raw: command.Arguments, of: c, shadow: c.shadow}
		if failure := g.decodeEntry(e, t, args.DryRun()); failure != nil {
			return ofEntry(failure, i, e)
		}
		if key := args.IdempotencyKey(); key != "" && e.tool.Writes() && !c.batch.atomic {
			// The digest is the whole batch's: under one key only the very same list is the same call.
			e.key, e.digest = fmt.Sprintf("%s#%d", key, i), digest
		}
		c.batch.entries = append(c.batch.entries, e)
	}
	return nil
}

func (g *Gate) decodeEntry(e *call, carrier *tool.Tool, dry bool) *protocol.Error {
	inner, ok := g.opts.Tools.Lookup(e.name)
	switch {
	case !ok:
		return protocol.Fail(protocol.ValidationError, "there is no tool %q", e.name).
			WithHint("find_tools shows the tools there are")
	case inner.Carries():
		return protocol.Fail(protocol.ValidationError, "%s cannot be called inside of %s", e.name, carrier.Name()).
			WithHint("name the tool that you mean, without another one around it")
	case !inner.InEditor() || inner.Settles():
		return protocol.Fail(protocol.ValidationError, "%s is no command of the editor", e.name).
			WithHint("call it by its own name")
	case !slices.Contains(carrier.Calls(), inner.Class()):
		return protocol.Fail(protocol.ValidationError, "%s is %s, which %s does not call", e.name, inner.Class(), carrier.Name()).
			With("class", inner.Class()).WithHint("%s", g.wayTo(inner))
	}
	args, err := inner.Decode(e.raw)
	e.tool = inner
	if err != nil {
		return asFailure(err)
	}
	e.args = args
	if args.DryRun() || args.IdempotencyKey() != "" || args.ConfirmToken() != "" {
		return protocol.Fail(protocol.ValidationError,
			"dry_run, confirm_token and idempotency_key are arguments of the batch, not of one call in it").
			WithHint("give them beside commands")
	}
	if dryArgs, has := args.AsDryRun(); dry && has {
		e.args = dryArgs
	}
	return nil
}

// ofEntry says which of a batch's calls a failure is about.
func ofEntry(failure *protocol.Error, i int, e *call) *protocol.Error {
	return failure.With("entry", i).With("entry_tool", e.name)
}

// keys are the idempotency keys under which a call's writes are sent.
func (c *call) keys() []string {
	if c.batch == nil {
		return []string{c.args.IdempotencyKey()}
	}
	keys := []string{c.args.IdempotencyKey()} // of an atomic batch
	for _, e := range c.batch.entries {
		keys = append(keys, e.key)
	}
	return keys
}

// worst is the class of the farthest-reaching call: the batch's own class is only what it may carry at most.
func (b *batch) worst() safety.Class {
	class := safety.ReadOnly
	for _, e := range b.entries {
		if e.tool.Class().Rank() > class.Rank() {
			class = e.tool.Class()
		}
	}
	return class
}

// runBatch asks everything that can be asked of each call before the first one goes to the editor, and then runs them
// one after the other, under one hold of the project.
func (g *Gate) runBatch(ctx context.Context, c *call) *protocol.Error {
	b := c.batch
	if failure := g.admitBatch(ctx, c); failure != nil {
		return failure
	}
	if b.atomic {
		if failure := g.checkAtomic(c); failure != nil {
			return failure
		}
	}
	if !c.dryRun() && b.worst() != safety.ReadOnly {
		leave, failure := g.clearBatch(ctx, c)
		if failure != nil {
			return failure
		}
		defer leave()
	}
	if b.atomic && !c.dryRun() {
		return g.runAtomic(ctx, c)
	}
	stopped := -1
	for i, e := range b.entries {
		switch {
		case stopped >= 0:
			b.add(entryResult{Tool: e.name, Status: entrySkipped})
		case c.dryRun():
			if failed := g.rehearse(ctx, b, i); failed && b.stop {
				stopped = i
			}
		default:
			failure := g.runEntry(ctx, e)
			b.note(e, failure)
			if failure != nil && (b.stop || failure.MayHaveApplied || failure.Code == protocol.StateChanged) {
				stopped = i
			}
		}
	}
	if failure := b.tell(c, stopped); failure != nil || !c.dryRun() {
		return failure
	}
	return g.prepareBatch(c)
}

// runEntry runs one call. A fault of ours ends that call and with it the batch, never the daemon.
func (g *Gate) runEntry(ctx context.Context, e *call) (failure *protocol.Error) {
	defer func() {
		if fault := recover(); fault != nil {
			failure = g.faulted(e, fault, debug.Stack())
		}
	}()
	e.toScene() // a call before this one may have opened another scene
	if !e.tool.Writes() {
		return g.read(ctx, e)
	}
	if failure := g.foresee(ctx, e); failure != nil || e.dryRun() {
		return failure
	}
	return g.change(ctx, e)
}

// rehearse runs one call dry, and tells whether it failed. One that is about something that an earlier call would make
// cannot be foretold: it is marked, and is no failure.
func (g *Gate) rehearse(ctx context.Context, b *batch, i int) bool {
	e := b.entries[i]
	if earlier := b.opener(i); earlier >= 0 {
		b.depends(i, earlier, "which scene is edited by then is decided by that call")
		return false
	}
	failure := g.runEntry(ctx, e)
	if failure == nil {
		b.note(e, nil)
		return false
	}
	if earlier := b.maker(i, failure); earlier >= 0 {
		b.depends(i, earlier, failure.Message)
		return false
	}
	b.note(e, failure)
	return true
}

// opener is the earlier call that opens another scene than the one that this call would be for; -1: none.
func (b *batch) opener(i int) int {
	e := b.entries[i]
	if !e.tool.InScene() {
		return -1
	}
	for at := i - 1; at >= 0; at-- {
		if b.entries[at].tool.Opens() != "" {
			return at
		}
	}
	return -1
}

// maker is the earlier call that would make what this one did not find; -1: none.
func (b *batch) maker(i int, failure *protocol.Error) int {
	if failure.Code != protocol.ResourceNotFound {
		return -1
	}
	for at := range i {
		for _, made := range b.entries[at].made() {
			for _, detail := range failure.Details {
				if lacking, ok := detail.(string); ok && isAtOrBelow(lacking, made) {
					return at
				}
			}
		}
	}
	return -1
}

// made are the nodes and files that a planned call would make, or move to.
func (c *call) made() []string {
	if c.result == nil || c.result.Plan == nil {
		return nil
	}
	made := slices.Clone(c.result.Plan.Targets)
	for _, f := range c.result.Plan.Files {
		made = append(made, f.Path)
	}
	var data map[string]json.RawMessage
	if json.Unmarshal(c.result.Data, &data) == nil {
		var path string
		if json.Unmarshal(data["path"], &path) == nil && path != "" {
			made = append(made, path)
		}
	}
	return slices.DeleteFunc(made, func(path string) bool { return path == "." })
}

func isAtOrBelow(path, above string) bool {
	return path == above || strings.HasPrefix(path, above+"/")
}

func (b *batch) depends(i, earlier int, why string) {
	b.add(entryResult{Tool: b.entries[i].name, Status: entrySkipped, DependsOn: &earlier, Why: why})
}

func (b *batch) add(r entryResult) { b.results = append(b.results, r) }

// note takes down how a call ended.
func (b *batch) note(e *call, failure *protocol.Error) {
	if failure != nil {
		b.doubt = b.doubt || failure.MayHaveApplied
		b.add(entryResult{Tool: e.name, Status: entryFailed, Key: e.key, Error: capped(failure)})
		return
	}
	if e.tool.Writes() && !e.dryRun() {
		b.applied = true
		if e.result != nil && e.result.Done != nil {
			b.dirty = e.result.Done.SceneDirty
			b.fresh = b.fresh || !e.result.Done.Deduplicated
		}
	}
	b.add(entryResult{Tool: e.name, Status: entrySuccess, Key: e.key, Data: e.data, Persistence: e.verdicts()})
}

// verdicts are those of all calls that went well.
func (b *batch) verdicts() []protocol.Verdict {
	all := []protocol.Verdict{}
	for i, r := range b.results {
		if e := b.entries[i]; r.Status == entrySuccess && e.result != nil && e.result.Plan != nil {
			all = append(all, e.result.Plan.Persistence...)
		}
	}
	return all
}

// outcome is what became of the batch as a whole.
func (b *batch) outcome() string {
	switch {
	case b.doubt:
		return outcomeUnknown
	case b.applied:
		return outcomeApplied
	case b.count(entryFailed) > 0:
		return outcomeFailed
	}
	return outcomeRead
}

func (b *batch) count(status string) int {
	n := 0
	for _, r := range b.results {
		if r.Status == status {
			n++
		}
	}
	return n
}

// failedThere tells whether the call failed in the editor, or on the way to it, and was not refused here.
func (c *call) failedThere() bool {
	return c.there || c.sent || c.batch != nil && slices.ContainsFunc(c.batch.entries, (*call).failedThere)
}

// hasSent tells whether an apply frame may be on the wire, or may have been.
func (c *call) hasSent() bool {
	return c.sent || c.batch != nil && slices.ContainsFunc(c.batch.entries, func(e *call) bool { return e.sent })
}

// faulted answers for a fault in our own code. The process lives; what was sent may have been done.
func (g *Gate) faulted(c *call, fault any, stack []byte) *protocol.Error {
	incident := uuid.NewString()
	g.opts.Log.Error("a call panicked", "tool", c.name, "incident", incident, "fault", fault, "stack", string(stack))
	e := protocol.Fail(protocol.InternalError, "a fault inside Drawbridge; its log has it as incident %s", incident).
		With("incident", incident)
	if c.hasSent() {
		e.MayHaveApplied = true
		c.place.line.distrust(doubt{tool: c.name, editor: c.editor.Hello.Editor, intents: c.intents()})
	}
	return e
}
