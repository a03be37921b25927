package gate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"drawbridge/daemon/internal/recovery"
	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// keep keeps the bytes of the files that the plan named, before anything is written; without them kept nothing is.
// The hashes of what was kept become what the addon expects, so that it writes just these files, and only as they
// are now. It is done while the project is held: an earlier write in the queue may have changed them rightly.
func (g *Gate) keep(ctx context.Context, c *call) *protocol.Error {
	if len(c.files) == 0 {
		return nil
	}
	if g.opts.Recovery == nil {
		return notKept(errors.New("there is no store for them"))
	}
	permit, failure := g.keepPermit(c, recovery.CommandKeep, recovery.Order{Tool: c.tool.Name(), Files: c.files})
	if failure != nil {
		return failure
	}
	sums, err := g.opts.Recovery.Keep(ctx, c.project, permit)
	if err != nil {
		return notKept(err)
	}
	c.expect = sums
	return nil
}

// keepPermit gives the permit for an order to the store: what was decided on is what is kept.
func (g *Gate) keepPermit(c *call, command string, order recovery.Order) (*safety.Permit, *protocol.Error) {
	params, err := json.Marshal(order)
	if err != nil {
		return nil, protocol.Fail(protocol.InternalError, "%v", err)
	}
	permit, err := safety.Mint(safety.Decision{
		Tool: c.tool.Name(), Effects: c.args.Effects(), Confirmed: c.args.Confirmed(),
		Request: protocol.Request{
			ID: g.opts.Link.NewID(), Command: command, Phase: protocol.PhaseApply, Params: params,
			Effects: safety.Names(c.args.Effects()), Confirmed: c.args.Confirmed(),
		},
	})
	if err != nil {
		return nil, protocol.Fail(protocol.InternalError, "%v", err)
	}
	return permit, nil
}

// notKept refuses a write because what it would destroy could not be kept.
func notKept(err error) *protocol.Error {
	return protocol.Fail(protocol.PreconditionFailed, "the old bytes could not be kept, so nothing was written: %v", err).
		Needs("recovery_store").
		WithHint("make the folder that the message names usable: it is where old bytes are kept")
}

// foreseeCheckpoint tells what a checkpoint would hold, for the dry run, and refuses what could not be made.
func (g *Gate) foreseeCheckpoint(ctx context.Context, c *call) *protocol.Error {
	if failure := checkName(c.args.Text("name")); failure != nil {
		return failure
	}
	if g.opts.Recovery == nil {
		return notKept(errors.New("there is no store for them"))
	}
	if !c.dryRun() {
		return nil
	}
	survey, err := g.opts.Recovery.Survey(ctx, c.project, c.args.Text("name"))
	return c.tellCheckpoint(survey, err)
}

// checkpoint carries out the tool that only the daemon has a part in: it keeps the project's files.
func (g *Gate) checkpoint(ctx context.Context, c *call) *protocol.Error {
	list, err := g.opts.Recovery.Checkpoints(c.project)
	if err == nil && slices.ContainsFunc(list, func(one recovery.Checkpoint) bool { return one.Name == c.args.Text("name") }) {
		err = recovery.ErrTaken
	}
	if err != nil {
		return c.tellCheckpoint(recovery.Checkpoint{}, err)
	}
	order := recovery.Order{Tool: c.tool.Name(), Name: c.args.Text("name"), Edits: g.editsNow(ctx, c.project)}
	permit, failure := g.keepPermit(c, recovery.CommandCheckpoint, order)
	if failure != nil {
		return failure
	}
	made, err := g.opts.Recovery.Checkpoint(ctx, c.project, permit)
	return c.tellCheckpoint(made, err)
}

// checkName refuses a name that could not be shown on one line.
func checkName(name string) *protocol.Error {
	if name != "" && len(name) <= 100 && strings.TrimSpace(name) == name &&
		strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return nil
	}
	return protocol.Fail(protocol.ValidationError, "a checkpoint's name is 1 to 100 printable characters on one line").
		With("param", "name")
}

const (
	filesOnly = "a checkpoint holds files as they are on disk: what is unsaved in the editor is not in it; of the " +
		"editor's undo history it knows how far it was"
)

func (c *call) tellCheckpoint(made recovery.Checkpoint, err error) *protocol.Error {
	if errors.Is(err, recovery.ErrTaken) {
		return protocol.Fail(protocol.AlreadyExists, "there is a checkpoint %q already", c.args.Text("name")).With("param", "name").
			WithHint("choose another name; list_checkpoints shows those in use")
	}
	if err != nil {
		return notKept(err)
	}
	text, err := encode(struct {
		recovery.Checkpoint
		Targets  []string `json:"targets"`
		Undoable bool     `json:"undoable"`
		Note     string   `json:"note"`
	}{made, []string{"res://"}, false, filesOnly})
	if err != nil {
		return protocol.Fail(protocol.InternalError, "encoding the answer: %v", err)
	}
	c.data = text
	return nil
}
