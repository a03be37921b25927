package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lineSeeds are inputs of a client: good lines, bad ones, and both mixed.
func lineSeeds() []string {
	return []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_node","arguments":{}}}` + "\n",
		`{"jsonrpc":"2.0","id":"a","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"result":{}}` + "\r\n", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":1}`, `{"jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, `{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[]`, `{}`, `null`, `1`, `"x"`, `{`, `{"a":`, "\n\n\n", "  \t \r\n", "\x00\n", "\xff\xfe\n",
		"\ufeff{}", `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, strings.Repeat("[", 12000), strings.Repeat(`{"a":`, 3000),
		"Content-Length: 2\r\n\r\n{}", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", strings.Repeat("x", 70_000) + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	}
}

// FuzzLines: each line of a client either goes on to the SDK as one message or is answered with one refusal, in one
// line of JSON; a line that cannot be used never ends the session or eats the next one.
func FuzzLines(f *testing.F) {
	for _, seed := range lineSeeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(checkLines)
}

// TestDamagedLines is a short look around the seeds, in each run of the tests.
func TestDamagedLines(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var input []byte
		for _, seed := range rapid.SliceOfN(rapid.SampledFrom(lineSeeds()[:30]), 1, 4).Draw(r, "lines") {
			line := []byte(seed)
			at := rapid.IntRange(0, len(line)).Draw(r, "at")
			more := rapid.SampledFrom([]string{"", "\"", "{", "}", ",", "null", "\x00", "\xff", "\n", `"id":2,`}).Draw(r, "more")
			end := min(len(line), at+rapid.IntRange(0, 3).Draw(r, "less"))
			input = slices.Concat(input, line[:at], []byte(more), line[end:], []byte("\n"))
		}
		checkLines(t, input)
	})
}

// checkLines gives a stream what a client wrote.
func checkLines(t *testing.T, input []byte) {
	t.Helper()
	var out bytes.Buffer
	s := newStream(io.NopCloser(bytes.NewReader(input)), &out, time.Second, slog.New(slog.DiscardHandler))
	s.plain = newPlainCalls(Options{}, nil)
	s.start()
	passed := 0
	for message := range s.messages {
		passed++
		if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
			s.answered()
		}
	}
	<-s.done
	require.NoError(t, s.Close())
	s.stopCalls()
	refused := 0
	for line := range bytes.Lines(out.Bytes()) {
		refused++
		checkRefusal(t, line)
	}
	assert.Equal(t, linesIn(input), passed+refused, "each line is passed on or refused, once")
}

func checkRefusal(t *testing.T, line []byte) {
	t.Helper()
	var refusal struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	require.True(t, utf8.Valid(line) && bytes.HasSuffix(line, []byte("\n")))
	require.NoError(t, json.Unmarshal(line, &refusal))
	assert.Equal(t, "2.0", refusal.JSONRPC)
	assert.NotEmpty(t, refusal.ID)
	assert.Contains(t, []int{jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest}, refusal.Error.Code)
}

// linesIn counts the lines with something in them.
func linesIn(input []byte) int {
	count := 0
	for line := range bytes.SplitSeq(input, []byte("\n")) {
		if len(bytes.TrimSpace(line)) > 0 {
			count++
		}
	}
	return count
}

// FuzzReadLine: the lines that are read are those that were sent, whatever the size of the buffer.
func FuzzReadLine(f *testing.F) {
	for i, seed := range lineSeeds() {
		f.Add([]byte(seed), uint8(i))
	}
	f.Fuzz(func(t *testing.T, input []byte, size uint8) {
		reader := bufio.NewReaderSize(bytes.NewReader(input), int(size))
		var read []byte
		for {
			line, tooLong, err := readLine(reader)
			require.False(t, tooLong)
			read = append(read, line...)
			if err != nil {
				require.ErrorIs(t, err, io.EOF)
				break
			}
			require.Equal(t, len(line)-1, bytes.IndexByte(line, '\n'), "one line at a time")
		}
		assert.True(t, bytes.Equal(input, read))
	})
}
