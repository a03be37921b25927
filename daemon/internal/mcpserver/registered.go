package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
)

// listWait bounds how long Registered waits for the list; it takes a few milliseconds.
const listWait = 5 * time.Second

// Registered gives the list of tools as a client of a server with these options gets it: the result of tools/list, to
// the byte. It asks a server of its own, over the same streams, that cannot call anything.
func Registered(ctx context.Context, o Options) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	o.Gate, o.Log, o.EOFHold = nobody{}, nil, time.Millisecond
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- errors.Join(Serve(ctx, o, in, out), out.Close()) }() // ends with its input
	list, err := askForList(ask, answers)
	err = errors.Join(err, ask.Close(), answers.Close())
	if end := <-served; err != nil {
		return nil, errors.Join(fmt.Errorf("listing the registered tools: %w", err), end)
	}
	return list, nil
}

// askForList opens a session and asks for the list.
func askForList(ask io.Writer, answers io.Reader) (json.RawMessage, error) {
	lines := bufio.NewReader(answers)
	for _, request := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
			`"clientInfo":{"name":"contract","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		if _, err := io.WriteString(ask, request+"\n"); err != nil {
			return nil, fmt.Errorf("asking: %w", err)
		}
	}
	for range 2 {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("reading: %w", err)
		}
		var answer struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, fmt.Errorf("reading: %w", err)
		}
		if answer.ID == 2 && answer.Result != nil {
			return answer.Result, nil
		}
	}
	return nil, errors.New("no list came")
}

// nobody is a gate that calls nothing.
type nobody struct{}

func (nobody) Call(context.Context, *session.Client, string, json.RawMessage) tool.Reply {
	return tool.Reply{Body: json.RawMessage(`{"ok":false}`), Failed: true}
}

// contractURI is the address of the safety contract.
const contractURI = "safety://contract"

// addContract registers the safety contract, the one resource there is. It is there before the first client is, and
// stays, so that no list ever changes.
func addContract(server *mcp.Server, document func() json.RawMessage) {
	server.AddResource(&mcp.Resource{
		URI: contractURI, Name: "safety_contract", Title: "Safety contract", MIMEType: "application/json",
		Description: "What every tool can do and what it demands, for programs that decide what to approve.",
	}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
			URI: contractURI, MIMEType: "application/json", Text: string(document()),
		}}}, nil
	})
}
