package mcpserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// unlistedName is the name under which calls of tools that are not in the list go through the SDK, which refuses what it
// has not registered before anybody sees it. The gate has to see every call of a tool that there is: it says why one is
// refused, and writes it down.
const unlistedName = "unlisted"

// calledName is the key of the name that the client gave.
type calledName struct{}

// addUnlisted brings calls of the given tools to the gate. The tool that stands for them is in no list.
func addUnlisted(server *mcp.Server, c *carrier, unlisted map[string]bool) {
	server.AddTool(&mcp.Tool{Name: unlistedName, InputSchema: json.RawMessage(`{"type":"object"}`)}, c.unlisted())
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if p, ok := request.GetParams().(*mcp.CallToolParamsRaw); ok && p != nil && unlisted[p.Name] {
				ctx = context.WithValue(ctx, calledName{}, p.Name)
				p.Name = unlistedName
			}
			result, err := next(ctx, method, request)
			if list, ok := result.(*mcp.ListToolsResult); ok && list != nil {
				list.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool { return t.Name == unlistedName })
			}
			return result, err
		}
	})
}

// unlisted carries a call under the name that the client gave.
func (c *carrier) unlisted() mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		request.Params.Name, _ = ctx.Value(calledName{}).(string)
		return c.handler(request.Params.Name)(ctx, request)
	}
}
