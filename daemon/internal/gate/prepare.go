package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/token"
	"drawbridge/protocol"
)

// defaultTokenTTL is how long a confirm token lives (seed 003).
const defaultTokenTTL = 300 * time.Second

// tokenGiven is the token that the call presents; those of a batch are presented by the batch.
func (c *call) tokenGiven() string {
	if c.of != nil {
		return c.of.args.ConfirmToken()
	}
	return c.args.ConfirmToken()
}

// prepare takes down the state that the plan was made on, and gives a dry run's token.
func (g *Gate) prepare(c *call) *protocol.Error {
	if err := g.plannedCode(c); err != nil {
		return err
	}
	c.shown = c.result.Plan.Fingerprint
	c.state = c.planned()
	if !c.dryRun() || !c.ruling.IssueToken || c.of != nil {
		return nil
	}
	return g.issue(c)
}

// planned is the hash of the state that the call's plan was made on; empty when the editor did not tell.
func (c *call) planned() string {
	if c.shown == nil {
		return ""
	}
	text, err := encode(struct {
		State *protocol.Fingerprint `json:"state"`
		Files []protocol.FileState  `json:"files"`
	}{c.shown, c.result.Plan.Files})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// issue gives the token of a dry run. Without a known state there is none.
func (g *Gate) issue(c *call) *protocol.Error {
	if c.state == "" {
		return nil
	}
	bound, failure := g.bind(c)
	if failure != nil {
		return failure
	}
	bound.Fingerprint = c.state
	id, expires := c.place.tokens.Issue(bound)
	c.token, c.expires = id, expires.UTC().Format(time.RFC3339)
	return nil
}

// link names the editor's run and its link: what was prepared over another one is void.
func (c *call) link() string {
	return fmt.Sprintf("%s@%d", c.editor.Hello.Editor, c.editor.LinkedAt.UnixNano())
}

// bind says for which call of whom a token is good.
func (g *Gate) bind(c *call) (token.Binding, *protocol.Error) {
	digest, err := c.args.Digest()
	if err != nil {
		return token.Binding{}, asFailure(err)
	}
	return token.Binding{
		Tool: c.tool.Name(), ArgsDigest: digest, Project: c.project, Editor: c.link(), Client: c.client.ID, Epoch: g.epoch,
	}, nil
}

// spend takes the token that the call presents, which burns it, and sees that the state is still the one that it was
// given for. A call that brings a person's answer presented its token when the question was asked.
func (g *Gate) spend(ctx context.Context, c *call) *protocol.Error {
	if failure := g.resume(ctx, c); failure != nil {
		return failure
	}
	if c.seen != nil {
		if c.ruling.SpendToken && !c.seen.TokenSpent {
			return protocol.Fail(protocol.ConfirmTokenInvalid, "the question was asked without a token")
		}
		return c.unchanged(c.seen.Fingerprint)
	}
	if !c.ruling.SpendToken {
		return nil
	}
	bound, failure := g.bind(c)
	if failure != nil {
		return failure
	}
	state, failure := c.place.tokens.Spend(c.args.ConfirmToken(), bound)
	if failure != nil {
		return failure
	}
	return c.unchanged(state)
}

// resume finds the question that the call brings the answer to. An answer to no question of ours is none; one to a
// question that was forged, used or is another call's ends the call.
func (g *Gate) resume(ctx context.Context, c *call) *protocol.Error {
	answer, given := session.AnswerOf(ctx)
	if !given || answer.State == "" || !c.ruling.AskHuman {
		return nil
	}
	digest, err := c.args.Digest()
	if err != nil {
		return asFailure(err)
	}
	seen, err := g.sealer.Open(answer.State, time.Now(), c.client.ID, c.tool.Name(), digest, c.project)
	if err != nil {
		return protocol.Fail(protocol.ApprovalDenied, "the answer belongs to no open question of this call: %v", err).
			With("reason", "state_invalid")
	}
	if seen.Editor != c.link() {
		return protocol.Fail(protocol.StateChanged, "the editor is another one than when the question was asked")
	}
	c.seen = &seen
	return nil
}

// unchanged refuses when the state is not the one that somebody was shown. What could not be told counts as changed.
func (c *call) unchanged(state string) *protocol.Error {
	if state != "" && state == c.state {
		return nil
	}
	return protocol.Fail(protocol.StateChanged, "the project is not as it was when this was prepared")
}

// expected is what the editor must still find when it carries the call out: what was shown to somebody, and the bytes
// that were kept.
func (c *call) expected() *protocol.Expect {
	expect := protocol.Expect{Files: c.expect}
	state := c.asked
	if state == nil && (c.ruling.SpendToken || len(c.yes) > 0) {
		state = c.shown
	}
	if state != nil {
		expect.Editor, expect.Rev, expect.Target = state.Editor, state.Rev, state.Target
	}
	if expect.Editor == "" && len(expect.Files) == 0 {
		return nil
	}
	return &expect
}
