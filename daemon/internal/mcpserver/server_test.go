package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gateFunc is a gate that answers by a function.
type gateFunc func(ctx context.Context, name string, arguments json.RawMessage) tool.Reply

func (f gateFunc) Call(ctx context.Context, _ *session.Client, name string, raw json.RawMessage) tool.Reply {
	return f(ctx, name, raw)
}

func fine(context.Context, string, json.RawMessage) tool.Reply {
	return tool.Reply{Body: json.RawMessage(`{"ok":true,"data":{}}`), Text: `{"ok":true,"data":{}}`}
}

// peer is a client of a server that runs in this process.
type peer struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	outEnd *io.PipeReader
	done   chan error
	cancel context.CancelFunc
}

func dial(t *testing.T, gate gateFunc, change ...func(*mcpserver.Options)) *peer {
	t.Helper()
	return dialGate(t, gate, change...)
}

func dialGate(t *testing.T, gate mcpserver.Gate, change ...func(*mcpserver.Options)) *peer {
	t.Helper()
	tools, err := catalog.New()
	require.NoError(t, err)
	o := mcpserver.Options{Gate: gate, Tools: tools.All()}
	for _, f := range change {
		f(&o)
	}
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	p := &peer{
		t: t, in: inWrite, out: bufio.NewReaderSize(outRead, 1<<20), outEnd: outRead,
		done: make(chan error, 1), cancel: cancel,
	}
	go func() {
		err := mcpserver.Serve(ctx, o, inRead, outWrite)
		_ = outWrite.Close()
		p.done <- err
	}()
	t.Cleanup(func() {
		_ = inWrite.Close()
		_ = outRead.Close()
		cancel()
		<-p.done
	})
	return p
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(p.in, line+"\n")
		require.NoError(p.t, err)
	}
}

// message is one line of the server.
type message struct {
	ID     any `json:"id"`
	Result struct {
		IsError    bool            `json:"isError"`
		Structured json.RawMessage `json:"structuredContent"`
		Tools      []mcpTool       `json:"tools"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	line string
}

type mcpTool struct {
	Name        string          `json:"name"`
	Meta        map[string]any  `json:"_meta"`
	Annotations map[string]bool `json:"annotations"`
	Input       map[string]any  `json:"inputSchema"`
	Output      map[string]any  `json:"outputSchema"`
}

// next reads a line, which must be a JSON-RPC message whatever happens.
func (p *peer) next() message {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(p.t, err)
	var rpc struct {
		Version string `json:"jsonrpc"`
	}
	require.NoError(p.t, json.Unmarshal([]byte(line), &rpc), line)
	require.Equal(p.t, "2.0", rpc.Version)
	m := message{line: line}
	require.NoError(p.t, json.Unmarshal([]byte(line), &m))
	return m
}

const (
	initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func call(id any, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
}

func open(t *testing.T, gate gateFunc, change ...func(*mcpserver.Options)) *peer {
	t.Helper()
	p := dial(t, gate, change...)
	p.send(initialize)
	first := p.next()
	require.Nil(t, first.Error)
	assert.NotContains(t, first.line, `"logging"`)
	assert.Contains(t, first.line, "get_server_info")
	p.send(initialized)
	return p
}

func TestTheListIsSmallCompleteAndAlwaysTheSame(t *testing.T) {
	p := open(t, fine)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	first := p.next()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	assert.Equal(t, first.line, p.next().line)
	assert.LessOrEqual(t, len(first.line), 30_000)
	assert.LessOrEqual(t, len(first.Result.Tools), 40)
	t.Logf("tools/list: %d bytes, %d tools", len(first.line), len(first.Result.Tools))
	tools, err := catalog.New()
	require.NoError(t, err)
	for _, got := range first.Result.Tools {
		tl, known := tools.Lookup(got.Name)
		require.True(t, known)
		assert.Equal(t, string(tl.Class()), got.Meta["safety_class"])
		hints := tl.Annotations()
		assert.Equal(t, map[string]bool{
			"readOnlyHint": hints.ReadOnly, "destructiveHint": hints.Destructive,
			"idempotentHint": hints.Idempotent, "openWorldHint": hints.OpenWorld,
		}, got.Annotations, "all four, always")
		assert.Equal(t, "object", got.Input["type"])
		assert.Equal(t, false, got.Input["additionalProperties"])
		assert.Equal(t, []any{"ok"}, got.Output["required"])
	}
}

func TestArgumentsReachTheGateAsTheyWereWritten(t *testing.T) {
	raw := make(chan string, 1)
	p := open(t, func(ctx context.Context, name string, arguments json.RawMessage) tool.Reply {
		raw <- string(arguments)
		return fine(ctx, name, arguments)
	})
	arguments := `{"node_path":"A","value":9223372036854775807,"value":1.0}`
	p.send(call(1, "set_node_property", arguments))
	require.Nil(t, p.next().Error)
	assert.Equal(t, arguments, <-raw)
}

func TestAFailureIsAToolErrorWithTextAndStructure(t *testing.T) {
	p := open(t, func(context.Context, string, json.RawMessage) tool.Reply {
		return tool.Reply{Body: json.RawMessage(`{"ok":false,"error":{"code":"X"}}`), Text: "X: no", Failed: true}
	})
	p.send(call(1, "get_node", `{}`))
	got := p.next()
	assert.True(t, got.Result.IsError)
	assert.JSONEq(t, `{"ok":false,"error":{"code":"X"}}`, string(got.Result.Structured))
	assert.Contains(t, got.line, `"content":[{"type":"text","text":"X: no"}]`)
}

func TestBadLinesAreAnsweredAndTheSessionGoesOn(t *testing.T) {
	p := open(t, fine)
	cases := []struct {
		line string
		code int
		id   any
	}{
		{`{`, -32700, nil},
		{`not json`, -32700, nil},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, -32700, nil},
		{`[]`, -32600, nil},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, nil},
		{`1`, -32600, nil},
		{`null`, -32600, nil},
		{`{}`, -32600, nil},
		{`{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600, float64(7)},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":"s","method":5}`, -32600, "s"},
		{strings.Repeat("[", 12_000), -32600, nil},
		{`{"jsonrpc":"2.0","id":"deep","method":"ping","params":` + strings.Repeat("[", 12_000) + strings.Repeat("]", 12_000) + `}`, -32600, "deep"},
		{`{"jsonrpc":"2.0","id":"behind","params":` + strings.Repeat("[", 12_000) + strings.Repeat("]", 12_000) + `,"method":"ping"}`, -32600, nil},
	}
	for _, c := range cases {
		p.send(c.line)
		got := p.next()
		if assert.NotNil(t, got.Error, c.line) {
			assert.Equal(t, c.code, got.Error.Code, c.line)
		}
		assert.Equal(t, c.id, got.ID, c.line)
		p.send("", "   ", call(2, "get_node", `{}`))
		assert.Equal(t, float64(2), p.next().ID, "after %s", c.line)
	}
}

func TestALineOfTwentyMegabytesIsRefusedAndTheNextOneWorks(t *testing.T) {
	p := open(t, fine)
	huge := call(1, "get_node", `{"x":"`+strings.Repeat("x", 20<<20)+`"}`)
	go p.send(huge, call(2, "get_node", `{}`))
	refusal := p.next()
	require.NotNil(t, refusal.Error)
	assert.Contains(t, refusal.Error.Message, "longer than")
	assert.Equal(t, float64(1), refusal.ID, "it stands in the beginning of the line")
	assert.Equal(t, float64(2), p.next().ID)
}

func TestALineJustWithinTheBoundIsPassedOn(t *testing.T) {
	p := open(t, fine)
	go p.send(call(1, "get_node", `{"x":"`+strings.Repeat("x", 15<<20)+`"}`))
	got := p.next()
	assert.Nil(t, got.Error)
	assert.Equal(t, float64(1), got.ID)
}

func TestOddButLegalMessagesDoNotEndTheSession(t *testing.T) {
	p := open(t, fine)
	p.send(
		`{"jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","id":5,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","method":"notifications/unheard_of"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_node"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}`,
	)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"no/such/method"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"no_such_tool"}}`,
		`{"jsonrpc":"2.0","id":6,"method":""}`,
	} {
		p.send(line)
		assert.NotNil(t, p.next().Error, line)
	}
	p.send(call(9, "get_node", `{}`))
	assert.Equal(t, float64(9), p.next().ID)
}

func TestAPanicInTheGateIsAnAnswer(t *testing.T) {
	p := open(t, func(ctx context.Context, name string, raw json.RawMessage) tool.Reply {
		if name == "get_node" {
			panic("boom")
		}
		return fine(ctx, name, raw)
	})
	p.send(call(1, "get_node", `{}`))
	got := p.next()
	assert.Contains(t, got.line, "INTERNAL_ERROR")
	assert.NotContains(t, got.line, "boom")
	p.send(call(2, "undo", `{}`))
	assert.Nil(t, p.next().Error)
}
