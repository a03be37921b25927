package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

const (
	// multiRound is the first protocol revision in which a question is the result of the call, and its answer comes
	// with the same call sent again. Before it the server asks while the call is open.
	multiRound = "2026-07-28"
	// questionID names our one question among the input requests of a result.
	questionID = "approval"
	// maxAsked is how many questions may be open at a client of an old revision. Each holds one of maxOpen calls, and
	// answers are read behind further calls, so there have to be fewer. Nobody answers 32 dialogs at once.
	maxAsked = 32
)

// approveSchema is the form that the human fills in. What is not ticked is a no.
const approveSchema = `{"type":"object","properties":{"approve":{"type":"boolean","title":"Approve",` +
	`"description":"Tick to allow this call, once.","default":false}},"required":["approve"]}`

// Why there is no answer of the human's; the words that a client may say are session.Accepted, declined and dismissed.
const (
	declined    = "decline"   // the human said no
	dismissed   = "cancel"    // the human closed the question
	unreadable  = "malformed" // the client sent something else
	unanswered  = "timeout"   // nobody answered in time
	withdrawn   = "cancelled" // the call was cancelled, or the session ended
	failed      = "failed"    // the client failed, or answered with an error
	overwhelmed = "busy"      // too many questions are open already
)

// canElicit tells whether the client said that it can show a form. One that names no kind of form means all.
func canElicit(request *mcp.CallToolRequest) bool {
	can := request.ClientCapabilities()
	if can == nil || can.Elicitation == nil {
		return false
	}
	return can.Elicitation.Form != nil || can.Elicitation.URL == nil
}

// asksInResult tells whether the client takes questions as results, the way in which the SDK decides it too.
func asksInResult(request *mcp.CallToolRequest) bool {
	opening := request.Session.InitializeParams()
	return opening == nil || opening.ProtocolVersion >= multiRound
}

// broughtAnswer is the answer that a call of a new revision brings along. Without a state it belongs to nothing, and
// is ignored; whether the state is one of ours is the gate's to say. A client of an old revision has no way to bring
// one: it is asked while its call is open.
func broughtAnswer(request *mcp.CallToolRequest) (session.Answer, bool) {
	if request.Params.RequestState == "" || !asksInResult(request) {
		return session.Answer{}, false
	}
	given, _ := request.Params.InputResponses[questionID].(*mcp.ElicitResult)
	return answerFrom(request.Params.RequestState, given), true
}

// answerFrom reads a filled-in form. Only accept with a true approve is a yes; words of the client's own are dropped.
func answerFrom(state string, given *mcp.ElicitResult) session.Answer {
	a := session.Answer{State: state, Action: unreadable}
	if given == nil {
		return a
	}
	switch given.Action {
	case declined, dismissed:
		a.Action = given.Action
	case session.Accepted:
		if ticked, isBool := given.Content["approve"].(bool); isBool {
			a.Action, a.Approve = session.Accepted, ticked
		}
	}
	return a
}

// asker asks clients of old revisions, which are asked while their call is open.
type asker struct {
	wait time.Duration
	open chan struct{} // one for each open question
}

func newAsker(wait time.Duration) *asker {
	return &asker{wait: wait, open: make(chan struct{}, maxAsked)}
}

// ask puts the gate's question to the client. In a new revision that ends this call. In an old one the gate is called
// again, once and whatever came back, so that it can tell the outcome; the SDK's own way of serving old clients would
// end the call with a protocol error when anything but a well-formed answer comes.
func (c *carrier) ask(ctx context.Context, request *mcp.CallToolRequest, question *tool.Elicit) (*mcp.CallToolResult, error) {
	if !canElicit(request) {
		return result(unasked("the client cannot be asked"), nil)
	}
	form := &mcp.ElicitParams{
		Mode: "form", Message: question.Message, RequestedSchema: json.RawMessage(approveSchema),
	}
	if asksInResult(request) {
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{questionID: form}, RequestState: question.State,
		}, nil
	}
	answer := c.asker.put(ctx, request.Session, form, question)
	reply, err := c.carry(session.WithAnswer(ctx, answer), request.Params.Name, request.Params.Arguments)
	if err == nil && reply.Ask != nil {
		reply = unasked("the question was asked, and would be asked again")
	}
	return result(reply, err)
}

// put asks and waits, until the question expires or the call ends.
func (a *asker) put(ctx context.Context, client *mcp.ServerSession, form *mcp.ElicitParams, q *tool.Elicit) session.Answer {
	select {
	case a.open <- struct{}{}:
		defer func() { <-a.open }()
	default:
		return session.Answer{State: q.State, Action: overwhelmed}
	}
	expires := q.Expires
	if expires.IsZero() {
		expires = time.Now().Add(a.wait)
	}
	waiting, stop := context.WithDeadline(ctx, expires)
	defer stop()
	given, err := client.Elicit(waiting, form)
	switch {
	case ctx.Err() != nil: // whatever came with it
		return session.Answer{State: q.State, Action: withdrawn}
	case errors.Is(waiting.Err(), context.DeadlineExceeded):
		return session.Answer{State: q.State, Action: unanswered}
	case err != nil:
		return session.Answer{State: q.State, Action: failed}
	}
	return answerFrom(q.State, given)
}

// unasked is the reply to a call that needs an answer which cannot be had. The gate does not let such a call come
// here; if it does, nothing has happened.
func unasked(why string) tool.Reply {
	failure := protocol.Fail(protocol.ApprovalUnavailable, "%s", why)
	body, err := json.Marshal(map[string]any{
		"ok": false, "error": failure, "safety": map[string]any{"executed": false},
	})
	if err != nil {
		body = json.RawMessage(`{"ok":false}`)
	}
	return tool.Reply{Body: body, Text: failure.Error(), Failed: true}
}
