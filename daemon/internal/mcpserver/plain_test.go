package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
)

// aroundTheSDK and throughTheSDK are the same call; the metadata of the second is the SDK's to read.
const (
	aroundTheSDK  = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`
	throughTheSDK = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,` +
		`"_meta":{"io.modelcontextprotocol/x":1}}}`
)

func TestAPlainCallIsAnsweredAsTheSDKWould(t *testing.T) {
	replies := map[string]tool.Reply{
		"get_node": {Body: json.RawMessage(`{"ok":true,"data":{"n":1.0,"big":9223372036854775807,"s":"<&>\u2028é\\\""}}`)},
		"undo": {
			Body: json.RawMessage(`{"ok":false,"error":{"code":"X","message":"<"}}`), Text: "X: <\n\u2028", Failed: true,
		},
		"redo":           {Body: json.RawMessage("{\n \"ok\": true,\n \"data\": {}\n}")},
		"get_scene_tree": {Body: json.RawMessage(`{"ok":true,"data":"` + strings.Repeat(`é\"`, 100_000) + `"}`)},
	}
	p := open(t, func(_ context.Context, name string, _ json.RawMessage) tool.Reply {
		reply := replies[name]
		if !reply.Failed {
			reply.Text = string(reply.Body)
		}
		return reply
	})
	for name := range replies {
		for _, id := range []string{`7`, `"x<y"`, `-1`} {
			p.send(fmt.Sprintf(throughTheSDK, id, name, `{}`))
			want := p.next().line
			p.send(fmt.Sprintf(aroundTheSDK, id, name, `{}`))
			assert.JSONEq(t, want, p.next().line)
		}
	}
}

func TestOnlyAPlainCallGoesAroundTheSDK(t *testing.T) {
	tools, err := catalog.New()
	require.NoError(t, err)
	var unlisted string
	for _, tl := range tools.All() {
		if !tl.Listed() {
			unlisted = tl.Name()
		}
	}
	p := open(t, fine)
	for line, code := range map[string]int{
		fmt.Sprintf(aroundTheSDK, `1`, "no_such_tool", `{}`):                                     -32602,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`:                     -32602,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`:                             -32602,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_node","_meta":[]}}`: -32602,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_node","_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2999-01-01"}}}`: -32602,
	} {
		p.send(line)
		got := p.next()
		if assert.NotNil(t, got.Error, line) {
			assert.Equal(t, code, got.Error.Code, line)
		}
	}
	for _, params := range []string{
		`{"name":"` + unlisted + `","arguments":{}}`, // which is not in the list, and still goes to the gate
		`{"name":"get_node"}`, `{"name":"get_node","arguments":null}`,
		`{"name":"get_node","arguments":{},"_meta":{"progressToken":1}}`,
		`{"name":"get_node","arguments":{},"_meta":null}`, `{"name":"get_node","arguments":{},"other":1}`,
	} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
		assert.Nil(t, p.next().Error, params)
	}
}

func TestACallBeforeTheSessionIsOpenIsRefused(t *testing.T) {
	p := dial(t, fine)
	p.send(call(1, "get_node", `{}`))
	assert.NotNil(t, p.next().Error)
	p.send(initialize)
	assert.Nil(t, p.next().Error)
	p.send(call(1, "get_node", `{}`))
	assert.Nil(t, p.next().Error)
}

func TestAnIDInUseIsRefusedAndFreeAfterwards(t *testing.T) {
	entered, release := make(chan struct{}, 2), make(chan struct{})
	p := open(t, func(ctx context.Context, name string, raw json.RawMessage) tool.Reply {
		entered <- struct{}{}
		<-release
		return fine(ctx, name, raw)
	})
	p.send(call(1, "get_node", `{}`))
	<-entered
	p.send(call(1, "get_node", `{}`))
	refusal := p.next()
	require.NotNil(t, refusal.Error)
	assert.Equal(t, -32600, refusal.Error.Code)
	assert.Nil(t, refusal.ID)
	close(release)
	assert.Equal(t, float64(1), p.next().ID)
	p.send(call(1, "get_node", `{}`))
	assert.Nil(t, p.next().Error)
}

func TestCallsBeginInTheirOrderAndThenOverlap(t *testing.T) {
	const n = 200
	var mu sync.Mutex
	var order []string
	all := make(chan struct{})
	p := open(t, func(ctx context.Context, name string, raw json.RawMessage) tool.Reply {
		mu.Lock()
		order = append(order, string(raw))
		if len(order) == n/2 {
			close(all)
		}
		mu.Unlock()
		if name == "create_node" { // takes a place and waits; the others end at once
			session.Placed(ctx)
			session.Placed(ctx)
			<-all
		}
		return fine(ctx, name, raw)
	})
	var want []string
	go func() {
		for i := range n {
			p.send(call(i, []string{"create_node", "get_node"}[i%2], fmt.Sprintf(`{"i":%d}`, i)))
		}
	}()
	for i := range n {
		want = append(want, fmt.Sprintf(`{"i":%d}`, i))
		p.next()
	}
	assert.Equal(t, want, order)
}

func TestAClientThatTakesNoAnswersEndsTheSession(t *testing.T) {
	p := open(t, fine)
	require.NoError(t, p.outEnd.CloseWithError(errors.New("gone")))
	p.send(call(1, "get_node", `{}`))
	select {
	case err := <-p.done:
		assert.NoError(t, err)
	case <-time.After(3 * time.Second):
		t.Error("the server did not end")
	}
	p.done <- nil
}
