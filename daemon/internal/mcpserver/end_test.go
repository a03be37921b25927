package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/tool"
)

func TestRepliesOfAPipelineAreAllWrittenAfterTheClientClosedItsSide(t *testing.T) {
	const n = 1000
	p := open(t, func(ctx context.Context, name string, raw json.RawMessage) tool.Reply {
		time.Sleep(time.Millisecond)
		return fine(ctx, name, raw)
	})
	go func() {
		var b bytes.Buffer
		for i := range n {
			b.WriteString(call(i, "get_node", `{}`) + "\n")
		}
		_, _ = p.in.Write(b.Bytes())
		_ = p.in.Close()
	}()
	seen := map[any]bool{}
	for range n {
		seen[p.next().ID] = true
	}
	assert.Len(t, seen, n)
	_, err := p.out.ReadString('\n')
	assert.ErrorIs(t, err, io.EOF)
	require.NoError(t, <-p.done)
	p.done <- nil
}

func TestTheEndOfTheInputEndsTheServerAtOnceWhenNothingIsOpen(t *testing.T) {
	p := open(t, fine)
	start := time.Now()
	require.NoError(t, p.in.Close())
	require.NoError(t, <-p.done)
	assert.Less(t, time.Since(start), 2*time.Second)
	p.done <- nil
}

func TestACallThatHangsIsToldToStopBeforeTheHoldEnds(t *testing.T) {
	p := open(t, func(ctx context.Context, _ string, _ json.RawMessage) tool.Reply {
		<-ctx.Done()
		return tool.Reply{Body: json.RawMessage(`{"ok":false}`), Text: "TIMEOUT: x", Failed: true}
	}, func(o *mcpserver.Options) { o.EOFHold = 500 * time.Millisecond })
	p.send(call(1, "get_node", `{}`))
	require.NoError(t, p.in.Close())
	assert.True(t, p.next().Result.IsError)
	require.NoError(t, <-p.done)
	p.done <- nil
}

func TestACallThatNeverEndsDoesNotKeepTheServer(t *testing.T) {
	release := make(chan struct{})
	var calls sync.WaitGroup
	p := open(t, func(context.Context, string, json.RawMessage) tool.Reply {
		defer calls.Done()
		<-release
		return tool.Reply{Body: json.RawMessage(`{}`)}
	}, func(o *mcpserver.Options) { o.EOFHold = 200 * time.Millisecond })
	calls.Add(1)
	p.send(call(1, "get_node", `{}`))
	require.NoError(t, p.in.Close())
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
		t.Error("the server did not end")
	}
	close(release)
	calls.Wait()
	p.done <- nil
}

func TestASignalEndsTheServer(t *testing.T) {
	for name, busy := range map[string]bool{"idle": false, "with a call": true} {
		t.Run(name, func(t *testing.T) {
			entered := make(chan struct{}, 1)
			p := open(t, func(ctx context.Context, name string, raw json.RawMessage) tool.Reply {
				entered <- struct{}{}
				<-ctx.Done()
				return fine(ctx, name, raw)
			})
			if busy {
				p.send(call(1, "get_node", `{}`))
				<-entered
			}
			go func() { _, _ = io.Copy(io.Discard, p.out) }()
			start := time.Now()
			p.cancel()
			require.NoError(t, <-p.done)
			assert.Less(t, time.Since(start), 3*time.Second)
			p.done <- nil
		})
	}
}

func TestACancelledCallIsToldSo(t *testing.T) {
	entered, ended := make(chan struct{}), make(chan struct{})
	p := open(t, func(ctx context.Context, name string, raw json.RawMessage) tool.Reply {
		close(entered)
		<-ctx.Done()
		close(ended)
		return fine(ctx, name, raw)
	})
	p.send(call(1, "get_node", `{}`))
	<-entered
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-ended
	_ = p.next() // the SDK still answers
}

func BenchmarkPipelined1000(b *testing.B) {
	tools, err := catalog.New()
	require.NoError(b, err)
	for b.Loop() {
		var lines bytes.Buffer
		lines.WriteString(initialize + "\n" + initialized + "\n")
		for i := range 1000 {
			lines.WriteString(call(i, "get_node", `{"node_path":"A"}`) + "\n")
		}
		var out bytes.Buffer
		err := mcpserver.Serve(b.Context(), mcpserver.Options{Gate: gateFunc(fine), Tools: tools.All()},
			io.NopCloser(&lines), &out)
		require.NoError(b, err)
		require.Equal(b, 1001, bytes.Count(out.Bytes(), []byte("\n")))
	}
}
