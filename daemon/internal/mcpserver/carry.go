package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// carrier carries the calls of one client to the gate, and the gate's questions to the client.
type carrier struct {
	gate   Gate
	client *session.Client
	// calls ends when no call may go on waiting.
	calls context.Context
	// opening gives what the client said when it opened the session; nil before.
	opening func() *mcp.InitializeParams
	named   sync.Once
	asker   *asker
}

func newCarrier(o Options, calls context.Context) *carrier {
	return &carrier{
		gate: o.Gate, client: session.New(""), calls: calls,
		opening: func() *mcp.InitializeParams { return nil },
		asker:   newAsker(o.ElicitWait),
	}
}

// carry carries one call to the gate. The gate recovers by itself; the recovery here is for a fault in that.
func (c *carrier) carry(ctx context.Context, name string, arguments json.RawMessage) (reply tool.Reply, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s: a fault inside Drawbridge", protocol.InternalError)
		}
	}()
	c.named.Do(c.name) // before the gate sees the client for the first time
	return c.gate.Call(ctx, c.client, name, arguments), nil
}

// name takes over what the client calls itself.
func (c *carrier) name() {
	if opening := c.opening(); opening != nil && opening.ClientInfo != nil {
		c.client.Name = session.Label(opening.ClientInfo.Name + " " + opening.ClientInfo.Version)
	}
}

// handler carries calls of one tool to the gate: those that are not plain (see plainCalls).
func (c *carrier) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.calls, cancel)()
		ctx = session.WithElicitation(ctx, canElicit(request))
		if answer, there := broughtAnswer(request); there {
			ctx = session.WithAnswer(ctx, answer)
		}
		reply, err := c.carry(ctx, name, request.Params.Arguments)
		if err == nil && reply.Ask != nil {
			return c.ask(ctx, request, reply.Ask)
		}
		return result(reply, err)
	}
}

// result is a reply in the SDK's form.
func result(reply tool.Reply, err error) (*mcp.CallToolResult, error) {
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: reply.Text}},
		StructuredContent: reply.Body,
		IsError:           reply.Failed,
	}, nil
}
