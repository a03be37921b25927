package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"drawbridge/protocol"
)

// ProtocolRevision is the MCP revision that the client asks for.
const ProtocolRevision = "2025-11-25"

// Tool is one entry of tools/list.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  map[string]any  `json:"inputSchema"`
	OutputSchema map[string]any  `json:"outputSchema,omitempty"`
	Annotations  map[string]any  `json:"annotations,omitempty"`
	Meta         map[string]any  `json:"_meta,omitempty"`
	Raw          json.RawMessage `json:"-"`
}

// Reply is what a tool answered. Error is nil when OK.
type Reply struct {
	OK          bool
	Data        map[string]any
	Error       *protocol.Error
	Safety      Safety
	Persistence []protocol.Verdict
	// Text is the text content, which holds the same JSON, or the text form of the failure.
	Text    string
	IsError bool
	// Raw is the structured content as it came, for exact numbers and byte comparisons.
	Raw json.RawMessage
}

// Safety is the reply's safety block.
type Safety struct {
	Class          string `json:"class"`
	Mode           string `json:"mode"`
	Executed       bool   `json:"executed"`
	DryRun         bool   `json:"dry_run"`
	Outcome        string `json:"outcome"`
	MayHaveApplied bool   `json:"may_have_applied"`
}

// Initialize opens the MCP session and returns the server's answer.
func (c *Client) Initialize(ctx context.Context) (json.RawMessage, error) {
	result, err := c.Request(ctx, "initialize", map[string]any{
		"protocolVersion": ProtocolRevision,
		"capabilities":    c.capabilities(),
		"clientInfo":      map[string]any{"name": "drawbridge-harness", "version": protocol.ProductVersion},
	})
	if err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return result, c.Notify("notifications/initialized", map[string]any{})
}

// Tools lists all listed tools, page by page.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var all []Tool
	cursor := ""
	for {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		result, err := c.Request(ctx, "tools/list", params)
		if err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(result, &page); err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		for _, raw := range page.Tools {
			tool := Tool{Raw: raw}
			if err := json.Unmarshal(raw, &tool); err != nil {
				return nil, fmt.Errorf("tools/list: %w", err)
			}
			all = append(all, tool)
		}
		if cursor = page.NextCursor; cursor == "" {
			return all, nil
		}
	}
}

// Call runs a tool and waits. The error is about the connection or the protocol (RPCError); what the tool itself
// answered, failures included, is in the Reply. args may be raw JSON.
func (c *Client) Call(ctx context.Context, tool string, args any) (Reply, error) {
	p, err := c.Start(tool, args)
	if err != nil {
		return Reply{}, err
	}
	return p.Wait(ctx)
}

// Start sends a tool call without waiting; calls may be pipelined. A tool that is not listed is called as clients do it,
// through its carrier.
func (c *Client) Start(tool string, args any) (*Pending, error) {
	if args == nil {
		args = map[string]any{}
	}
	name, args, err := c.reach(tool, args)
	if err != nil {
		return nil, err
	}
	return c.start("tools/call", map[string]any{"name": name, "arguments": args})
}

// Wait gives the answer of a call begun with Start.
func (p *Pending) Wait(ctx context.Context) (Reply, error) {
	result, err := p.result(ctx)
	if err != nil {
		return Reply{}, err
	}
	return ParseReply(result)
}

// ParseReply reads the result of tools/call.
func ParseReply(result json.RawMessage) (Reply, error) {
	var outer struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if err := json.Unmarshal(result, &outer); err != nil {
		return Reply{}, fmt.Errorf("reading a tool's result: %w", err)
	}
	reply := Reply{IsError: outer.IsError, Raw: outer.Structured}
	for _, part := range outer.Content {
		if part.Type == "text" {
			reply.Text += part.Text
		}
	}
	if reply.Raw == nil {
		return reply, fmt.Errorf("a tool's result has no structured content: %s", result)
	}
	return reply, reply.fill()
}

// fill reads the structured content.
func (r *Reply) fill() error {
	var body struct {
		OK          bool            `json:"ok"`
		Data        map[string]any  `json:"data"`
		Error       *protocol.Error `json:"error"`
		Safety      Safety          `json:"safety"`
		Persistence json.RawMessage `json:"persistence"`
	}
	if err := json.Unmarshal(r.Raw, &body); err != nil {
		return fmt.Errorf("reading a reply: %w", err)
	}
	r.OK, r.Data, r.Error, r.Safety = body.OK, body.Data, body.Error, body.Safety
	verdicts, err := parseVerdicts(body.Persistence)
	r.Persistence = verdicts
	return err
}

// parseVerdicts takes one verdict or a list of them: a reply has the first for one target.
func parseVerdicts(raw json.RawMessage) ([]protocol.Verdict, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil, nil
	}
	var list []protocol.Verdict
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("reading persistence: %w", err)
		}
		return list, nil
	}
	var one protocol.Verdict
	if err := json.Unmarshal(raw, &one); err != nil {
		return nil, fmt.Errorf("reading persistence: %w", err)
	}
	return []protocol.Verdict{one}, nil
}
