package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"drawbridge/protocol"
)

// NewRevision is the first MCP revision in which a question is the result of the call, and its answer comes with the
// same call sent again. In that revision there is no session to open.
const NewRevision = "2026-07-28"

// ErrNotAsked is the error for a question that was expected and did not come.
var ErrNotAsked = errors.New("the server asked nothing")

// Human is the person in front of the client. It gets the params of the server's question and gives the result of the
// answer as it goes onto the wire, nonsense included; nil leaves the question open. It is called by the goroutine that
// reads, and must not wait.
type Human func(question json.RawMessage) json.RawMessage

// Seat puts a person in front of the client, or another one. Before Initialize it makes the client say that it can show
// a form.
func (c *Client) Seat(who Human) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.human = who
}

// seated is the person in front of the client; nil when there is none.
func (c *Client) seated() Human {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.human
}

// capabilities are what the client says of itself.
func (c *Client) capabilities() map[string]any {
	if c.seated() == nil {
		return map[string]any{}
	}
	return map[string]any{"elicitation": map[string]any{}}
}

// Question is a call of the new revision that ended with a question.
type Question struct {
	// State is what the server wants back with the answer.
	State string
	// Params are what the person gets to see.
	Params json.RawMessage

	client *Client
	call   map[string]any
	name   string
}

// CallNew makes a call in the way of the new revision, as a client that can show a form. It gives a reply, or the
// question that has to be answered first.
func (c *Client) CallNew(ctx context.Context, tool string, args any) (Reply, *Question, error) {
	const reserved = "io.modelcontextprotocol/"
	call := map[string]any{"name": tool, "arguments": args, "_meta": map[string]any{
		reserved + "protocolVersion":    NewRevision,
		reserved + "clientCapabilities": map[string]any{"elicitation": map[string]any{}},
		reserved + "clientInfo":         map[string]any{"name": "drawbridge-harness", "version": protocol.ProductVersion},
	}}
	result, err := c.Request(ctx, "tools/call", call)
	if err != nil {
		return Reply{}, nil, err
	}
	var outer struct {
		Type     string `json:"resultType"`
		State    string `json:"requestState"`
		Requests map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
	}
	if err := json.Unmarshal(result, &outer); err != nil {
		return Reply{}, nil, fmt.Errorf("reading a tool's result: %w", err)
	}
	if outer.Type != "input_required" {
		reply, err := ParseReply(result)
		return reply, nil, err
	}
	for name, request := range outer.Requests {
		if request.Method == "elicitation/create" {
			return Reply{}, &Question{State: outer.State, Params: request.Params, client: c, call: call, name: name}, nil
		}
	}
	return Reply{}, nil, ErrNotAsked
}

// Answer sends the call again, with an answer and a state: the question's own, or another.
func (q *Question) Answer(ctx context.Context, state string, answer json.RawMessage) (Reply, error) {
	call := map[string]any{"requestState": state, "inputResponses": map[string]any{q.name: answer}}
	for key, value := range q.call {
		call[key] = value
	}
	result, err := q.client.Request(ctx, "tools/call", call)
	if err != nil {
		return Reply{}, err
	}
	return ParseReply(result)
}
