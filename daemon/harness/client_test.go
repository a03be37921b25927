package harness_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// serve plays a server that answers each line by reply; it ends when the client closes its side.
func serve(t *testing.T, reply func(line string) string) *harness.Client {
	t.Helper()
	requests, toServer, err := os.Pipe()
	require.NoError(t, err)
	fromServer, answers, err := os.Pipe()
	require.NoError(t, err)
	client := harness.NewClient(toServer, fromServer)
	go func() {
		defer answers.Close()
		defer requests.Close()
		lines := bufio.NewScanner(requests)
		for lines.Scan() {
			if text := reply(lines.Text()); text != "" {
				fmt.Fprintln(answers, text)
			}
		}
	}()
	t.Cleanup(func() {
		assert.NoError(t, client.Close())
		<-client.Ended()
	})
	return client
}

func TestClientReadsReplies(t *testing.T) {
	const structured = `{"ok":false,"error":{"code":"PRECONDITION_FAILED","message":"m","required":"confirm","details":{"a":1}},` +
		`"safety":{"class":"destructive","mode":"execute","executed":false},"persistence":{"target":"A","persisted":false,"reason":"not_stored"}}`
	client := serve(t, func(line string) string {
		var request struct {
			ID     int64  `json:"id"`
			Method string `json:"method"`
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil || request.Method != "tools/call" {
			return "not JSON-RPC"
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"isError":true,"content":[{"type":"text","text":"T"}],"structuredContent":%s}}`,
			request.ID, structured)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()

	first, err := client.Start("a", nil)
	require.NoError(t, err)
	second, err := client.Start("b", json.RawMessage(`{"x":9223372036854775807}`))
	require.NoError(t, err)
	for _, pending := range []*harness.Pending{second, first} {
		reply, err := pending.Wait(ctx)
		require.NoError(t, err)
		assert.True(t, reply.IsError)
		assert.False(t, reply.OK)
		assert.Equal(t, "confirm", reply.Error.Required)
		assert.Equal(t, "destructive", reply.Safety.Class)
		require.Len(t, reply.Persistence, 1)
		assert.False(t, *reply.Persistence[0].Persisted)
		assert.JSONEq(t, structured, string(reply.Raw))
	}
	require.NoError(t, client.Notify("odd", nil))
	require.Eventually(t, func() bool { return len(client.Garbage()) == 1 }, 5*time.Second, time.Millisecond)
}

func TestClientAnswersTheServersRequests(t *testing.T) {
	got := make(chan string, 4)
	client := serve(t, func(line string) string {
		got <- line
		if line == "hello" {
			return `{"jsonrpc":"2.0","id":"s1","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":"s2","method":"roots/list"}` +
				"\n" + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"n":1}}`
		}
		return ""
	})
	require.NoError(t, client.SendRaw([]byte("hello")))
	assert.Equal(t, "hello", <-got)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":"s1","result":{}}`, <-got)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":"s2","error":{"code":-32601,"message":"method not found"}}`, <-got)
	require.Eventually(t, func() bool { return len(client.Notifications()) == 1 }, 5*time.Second, time.Millisecond)
}

func TestClientFailsOpenRequestsWhenTheServerEnds(t *testing.T) {
	requests, toServer, err := os.Pipe()
	require.NoError(t, err)
	fromServer, answers, err := os.Pipe()
	require.NoError(t, err)
	client := harness.NewClient(toServer, fromServer)
	done := make(chan error, 1)
	go func() {
		_, err := client.Call(t.Context(), "x", nil)
		done <- err
	}()
	_, err = bufio.NewReader(requests).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, answers.Close())
	assert.ErrorIs(t, <-done, harness.ErrClosed)
	<-client.Ended()
	_, err = client.Call(t.Context(), "x", nil)
	assert.ErrorIs(t, err, harness.ErrClosed)
	require.NoError(t, client.Close())
	require.NoError(t, requests.Close())
}

func TestClientStopsWaitingAtTheDeadline(t *testing.T) {
	client := serve(t, func(string) string { return "" })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := client.Call(ctx, "x", nil)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
