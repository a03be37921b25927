package contract

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wire is a daemon seen as two streams of lines, for what is no proper call.
type wire struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string // everything that came out; closed at its end
	done  chan struct{}
	log   *syncBuffer
}

// syncBuffer is a buffer that can be read while it grows.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends.
func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

// String gives all so far.
func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// newWire starts a daemon on the bed's project. stdin nil: a pipe.
func newWire(t *testing.T, b *bed, stdin io.Reader) *wire {
	t.Helper()
	binary, err := b.kit.Binary(b.ctx)
	require.NoError(t, err)
	w := &wire{
		cmd:   exec.Command(binary, "serve", "--project", b.project.Dir, "--verbose"),
		lines: make(chan string, 1<<15), done: make(chan struct{}), log: &syncBuffer{},
	}
	w.cmd.Env, w.cmd.Dir, w.cmd.Stderr, w.cmd.WaitDelay = b.project.Env(), b.project.Dir, w.log, time.Second
	if w.cmd.Stdin = stdin; stdin == nil {
		w.in, err = w.cmd.StdinPipe()
		require.NoError(t, err)
	}
	read, write := io.Pipe()
	w.cmd.Stdout = write
	require.NoError(t, w.cmd.Start())
	go func() { // ends with the output
		defer close(w.lines)
		out := bufio.NewReaderSize(read, 1<<20)
		for {
			line, err := out.ReadString('\n')
			if line != "" {
				w.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	go func() { // ends with the process
		_ = w.cmd.Wait() // how it ended is in ProcessState
		_ = write.Close()
		close(w.done)
	}()
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // it may be gone
		<-w.done
	})
	return w
}

// send writes lines.
func (w *wire) send(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(w.in, line+"\n")
		require.NoError(t, err, "%s", lastLines(w.log.String()))
	}
}

// until gives the first line for which found is true, and checks that everything before is JSON-RPC.
func (w *wire) until(t *testing.T, limit time.Duration, found func(rpcLine) bool) rpcLine {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for {
		select {
		case line, more := <-w.lines:
			require.True(t, more, "the daemon ended: %s", lastLines(w.log.String()))
			if got := parseLine(t, line); found(got) {
				return got
			}
		case <-ctx.Done():
			require.Fail(t, "the awaited line did not come", "within %s; log: %s", limit, lastLines(w.log.String()))
		}
	}
}

// rpcLine is a line of the daemon's output.
type rpcLine struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// parseLine checks that a line of the output is JSON-RPC 2.0 (BR-143).
func parseLine(t *testing.T, line string) rpcLine {
	t.Helper()
	var got rpcLine
	require.NoError(t, json.Unmarshal([]byte(line), &got), "a line that is not JSON: %s", clipped(line))
	require.Equal(t, "2.0", got.Version, "%s", clipped(line))
	require.True(t, got.Method != "" || got.Result != nil || got.Error != nil, "neither request nor answer: %s", clipped(line))
	return got
}

// answers is true for the answer to this id.
func answers(id string) func(rpcLine) bool {
	return func(l rpcLine) bool { return string(l.ID) == id && l.Method == "" }
}

// refusal is true for the answer to a line that had no id to answer to.
func refusal(l rpcLine) bool { return l.Error != nil && (l.ID == nil || string(l.ID) == "null") }

// pingLine is a ping; its answer shows that the daemon lives.
func pingLine(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

// initLines open a session.
func initLines() []string {
	return []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
	}
}

// testLines: lines that are too long, no JSON, or odd JSON-RPC cost an error answer each, and nothing else (BR-147).
func testLines(t *testing.T, b *bed) {
	w := newWire(t, b, nil)
	w.send(t, initLines()...)
	w.until(t, 20*time.Second, answers("1"))
	start := time.Now()
	w.send(t, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"`+strings.Repeat("x", 20<<20)+`"}}`)
	got := w.until(t, 5*time.Second, answers("7"))
	require.NotNil(t, got.Error)
	assert.Equal(t, -32600, got.Error.Code, "a line of 20 MB: %s", got.Error.Message)
	t.Logf("20 MB were refused in %s", time.Since(start))
	assert.LessOrEqual(t, time.Since(start), 3*soon, "20 MB have to be read first")

	for _, junk := range []string{
		"this is no JSON", `{"jsonrpc":"2.0","id":8,"method":`, "\x00\x01\x02\xff\xfe", "\xc3\x28", "{}{}", `"text"`, "17", "nul",
		`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`, strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":10,"method":"ping"}}`,
	} {
		start = time.Now()
		w.send(t, junk)
		got := w.until(t, 5*time.Second, refusal)
		assert.Contains(t, []int{-32700, -32600}, got.Error.Code, "%.40q: %s", junk, got.Error.Message)
		assert.LessOrEqual(t, time.Since(start), soon, "%.40q", junk)
	}
	w.send(t, `{"method":"ping","id":13,"params":`+nested(20_000)+`}`)
	assert.Equal(t, -32600, w.until(t, 5*time.Second, answers("13")).Error.Code, "nested too deep")
	w.send(t, `{"method":"ping","params":{"x":"`+strings.Repeat("x", 17<<20)+`"},"id":14}`)
	assert.Equal(t, -32600, w.until(t, 5*time.Second, refusal).Error.Code, "an id behind 17 MB is not looked for")
	t.Run("binary junk", func(t *testing.T) { w.binaryJunk(t) })
	t.Run("10,000 odd messages", func(t *testing.T) { w.oddMessages(t) })
	w.send(t, `{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"get_server_info","arguments":{"foo":1}}}`)
	got = w.until(t, 5*time.Second, answers(`"last"`))
	assert.Contains(t, string(got.Result), "VALIDATION_ERROR")
	assert.Contains(t, string(got.Result), `"foo"`, "the unknown key is named")
	assert.NotContains(t, w.log.String(), "panic", "the daemon's log")
}

// binaryJunk: a megabyte of random bytes, newlines among them.
func (w *wire) binaryJunk(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	junk := make([]byte, 1<<20)
	for i := range junk {
		junk[i] = byte(random.Uint32())
	}
	w.send(t, string(junk), pingLine(11))
	assert.Nil(t, w.until(t, 10*time.Second, answers("11")).Error)
}

// oddMessages: the process lives after all of them, and answers.
func (w *wire) oddMessages(t *testing.T) {
	const seed, count = 20261130, 10_000
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	start := time.Now()
	sent := make(chan error, 1)
	go func() { // ends when all is written: the lines are read meanwhile
		var all strings.Builder
		for i := range count {
			all.WriteString(oddMessage(random, i) + "\n")
		}
		_, err := io.WriteString(w.in, all.String()+pingLine(12)+"\n")
		sent <- err
	}()
	assert.Nil(t, w.until(t, 60*time.Second, answers("12")).Error)
	require.NoError(t, <-sent)
	t.Logf("%d messages in %s", count, time.Since(start))
}

// oddMessage is a message that is JSON, and perhaps JSON-RPC.
func oddMessage(random *rand.Rand, n int) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	id := pick(`,"id":null`, `,"id":1.5`, `,"id":true`, `,"id":{}`, `,"id":[]`, `,"id":""`, fmt.Sprintf(`,"id":%d`, 1000+n),
		fmt.Sprintf(`,"id":"s%d"`, n), ``, ``, `,"id":-1`, `,"id":9223372036854775807`, `,"id":1e400`)
	method := pick(`"ping"`, `"initialize"`, `"notifications/initialized"`, `"notifications/cancelled"`, `"tools/list"`, `"tools/call"`,
		`"tools/call"`, `"resources/list"`, `"prompts/get"`, `"completion/complete"`, `"logging/setLevel"`, `"no/such"`, `""`, `5`, `null`,
		`"notifications/progress"`, `"server/discover"`)
	params := pick(``, `,"params":{}`, `,"params":[]`, `,"params":null`, `,"params":5`, `,"params":"x"`,
		`,"params":{"name":"get_server_info"}`, `,"params":{"name":"get_server_info","arguments":[]}`,
		`,"params":{"name":"get_server_info","arguments":{"a":1,"a":2}}`, `,"params":{"name":5,"arguments":{}}`,
		`,"params":{"name":"no_such_tool","arguments":{}}`, `,"params":{"name":"get_node","arguments":{"node_path":5}}`,
		`,"params":{"name":"find_tools","arguments":{"query":"\ud800"}}`, `,"params":{"requestId":1}`, `,"params":{"requestId":null}`,
		`,"params":{"cursor":"x"}`, `,"params":{"_meta":5}`, `,"params":{"_meta":{"progressToken":{}}}`, `,"params":`+nested(random.IntN(200)))
	version := pick(`"2.0"`, `"2.0"`, `"2.0"`, `"2.0"`, `"1.0"`, `2`, `null`)
	extra := pick(``, ``, ``, `,"result":{}`, `,"error":{}`, `,"error":{"code":"x"}`, `,"x":1`, `,"method":"ping"`)
	return `{"jsonrpc":` + version + id + `,"method":` + method + params + extra + `}`
}

// nested is an object in an object and so on.
func nested(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
}
