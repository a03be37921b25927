package gate

import (
	"context"
	"strings"
	"time"

	"drawbridge/daemon/internal/approval"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// askFor is how long a question stays open when the operator does not say.
const askFor = 2 * time.Minute

// openFor is how long the call's question stays open: as long as the operator says, and no longer than the call may
// take when its caller said so.
func (c *call) openFor() time.Duration {
	open := c.place.Policy.Approval.Timeout
	if open == 0 {
		open = askFor
	}
	if timeout, given := c.args.Timeout(); given {
		open = min(open, timeout)
	}
	return open
}

// approve asks the humans whose yes the operator wants; all of them. Anything but a clear yes ends the call.
func (g *Gate) approve(ctx context.Context, c *call) *protocol.Error {
	if !c.ruling.AskHuman {
		return nil
	}
	policy := c.place.Policy.Approval
	question, failure := c.question()
	if failure != nil {
		return failure
	}
	session.Placed(ctx)
	if policy.Elicit {
		if failure := g.elicit(ctx, c, question); failure != nil {
			return failure
		}
	}
	for _, backend := range policy.Backends {
		if failure := c.askBackend(ctx, backend, question); failure != nil {
			return failure
		}
	}
	if len(c.yes) == 0 {
		return protocol.Fail(protocol.ApprovalUnavailable, "there is nobody to ask").With("reason", "no_backend")
	}
	return nil
}

// askBackend asks one back end.
func (c *call) askBackend(ctx context.Context, backend approval.Backend, q approval.Question) *protocol.Error {
	verdict := backend.Ask(ctx, q)
	switch {
	case verdict.Reachable && verdict.Yes:
		c.yes = append(c.yes, backend.Name())
	case verdict.Reachable:
		return protocol.Fail(protocol.ApprovalDenied, "%s said no", backend.Name()).
			With("backend", backend.Name()).With("reason", verdict.Reason)
	case c.place.Policy.Approval.FailOpen && c.ruling.FailOpen:
		c.yes = append(c.yes, backend.Name()+": fail_open")
	default:
		return protocol.Fail(protocol.ApprovalUnavailable, "%s gave no valid answer", backend.Name()).
			With("backend", backend.Name()).With("reason", verdict.Reason)
	}
	return nil
}

// elicit has the client ask the person in front of it. The first pass ends with the question; the second brings the
// answer.
func (g *Gate) elicit(ctx context.Context, c *call, q approval.Question) *protocol.Error {
	if c.seen != nil {
		answer, _ := session.AnswerOf(ctx)
		if answer.Action == "accept" && answer.Approve {
			c.yes = append(c.yes, "client")
			return nil
		}
		return protocol.Fail(protocol.ApprovalDenied, "the person in front of the client did not approve").
			With("backend", "client").With("reason", answer.Action)
	}
	if !session.CanElicit(ctx) {
		return protocol.Fail(protocol.ApprovalUnavailable, "the client cannot ask anybody, and the operator demands it").
			With("backend", "client").With("reason", "no_elicitation")
	}
	state, err := g.sealer.Seal(approval.Asked{
		Client: c.client.ID, Tool: q.Tool, ArgsSHA256: q.ArgsSHA256, Project: c.project, Editor: c.link(),
		Fingerprint: c.state, TokenSpent: c.ruling.SpendToken, Expires: q.Expires,
	})
	if err != nil {
		return protocol.Fail(protocol.ApprovalUnavailable, "the question could not be sealed: %v", err)
	}
	c.ask = &tool.Elicit{Message: inWords(q), State: state, Expires: q.Expires}
	return protocol.Fail(protocol.ApprovalUnavailable, "a person has been asked")
}

// question is what a human gets to see of the call: everything that the decision is about.
func (c *call) question() (approval.Question, *protocol.Error) {
	digest, err := c.args.Digest()
	if err != nil {
		return approval.Question{}, asFailure(err)
	}
	q := approval.Question{
		ID: approval.NewID(), Tool: c.tool.Name(), Class: string(c.class()), Project: c.project, Client: c.client.Name,
		Targets: c.targets(), Code: strings.Join(c.args.Code(), "\n"), ArgsSHA256: digest, Expires: time.Now().Add(c.openFor()),
	}
	if c.batch != nil {
		for _, e := range c.batch.entries {
			q.Entries = append(q.Entries, approval.Entry{Tool: e.name, Class: string(e.class()), Targets: e.targets()})
			q.Code = strings.TrimPrefix(q.Code+"\n"+strings.Join(e.args.Code(), "\n"), "\n")
		}
	}
	if c.result != nil {
		data, err := withExtras(c.result.Data, extras(c.result, true))
		if err != nil {
			return q, protocol.Fail(protocol.BridgeProtocolError, "%v", err)
		}
		q.Preview = data
	} else if c.preview != nil {
		q.Preview = c.preview
	}
	return q, nil
}

// targets are what the call is about, as far as it is known: nodes and files of the plan, files that the arguments name.
func (c *call) targets() []string {
	var list []string
	if c.result != nil && c.result.Plan != nil {
		list = append(list, c.result.Plan.Targets...)
		for _, f := range c.result.Plan.Files {
			list = append(list, f.Path)
		}
	}
	for _, p := range c.args.Paths() {
		list = append(list, p.Path)
	}
	if len(list) == 0 {
		if text := c.args.Text("node_path"); text != "" {
			list = append(list, text)
		}
	}
	return unique(list)
}

func unique(list []string) []string {
	seen, out := map[string]bool{}, make([]string, 0, len(list))
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
