package bridge

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"drawbridge/protocol"
)

// frameSeeds are frames as an addon, a broken addon or an impostor may send them.
func frameSeeds() []string {
	return []string{
		`{"id":"a","ok":true,"result":{"data":{"x":1}}}`,
		`{"id":"a","ok":false,"error":{"code":"RESOURCE_NOT_FOUND","message":"x","hint":"y"}}`,
		`{"answers":[{"id":"a","ok":true,"result":{}},{"id":"b","ok":true,"result":{}}]}`,
		`{"event":"scene_changed","data":{"scene":"res://a.tscn","rev":7}}`,
		`{"event":"beat"}`, `{"event":"beat","data":null}`, `{"event":1}`,
		`{"id":"a","ok":true,"result":{},"error":{"code":"TIMEOUT"}}`, `{"id":"a","ok":true}`, `{"id":"a"}`, `{"ok":true,"result":{}}`,
		`{"id":"a","ok":false,"result":{}}`, `{"id":null,"ok":true,"result":{}}`, `{"id":1,"ok":true,"result":{}}`,
		`{"id":"a","ok":"true","result":{}}`, `{"id":"a","ok":true,"result":[]}`, `{"id":"a","ok":true,"result":null}`,
		`{"answers":[]}`, `{"answers":null}`, `{"answers":[{"answers":[]}]}`, `{"answers":[{"event":"beat"}]}`, `{"answers":{}}`,
		`{"id":"a","answers":[{"id":"a","ok":true,"result":{}}]}`, `{"answers":[null]}`,
		`{"id":"a","ok":false,"error":{"code":"MADE_UP","message":"x"}}`, `{"id":"a","ok":false,"error":{"code":"","message":""}}`,
		`{"id":"a","ok":false,"error":{"code":"TIMEOUT","message":"x","may_have_applied":true}}`,
		`{"id":"a","ok":true,"result":{"data":NaN}}`, `{"id":"a","ok":true,"result":{"data":inf}}`,
		`{"id":"a","ok":true,"result":{"data":1e999}}`, "{\"id\":\"a\",\"ok\":true,\"result\":{\"data\":\"\x01\"}}",
		`{"id":"other","ok":true,"result":{}}`, `{"id":"late","ok":true,"result":{}}`, `{"id":"a\n{\"id\":\"b\"}","ok":true,"result":{}}`,
		`{"id":"a","id":"b","ok":true,"result":{}}`, `{"ID":"a","OK":true,"Result":{}}`, `{"id":"a","command":"delete_node","phase":"apply"}`,
		``, `null`, `[]`, `1`, `"a"`, `{`, `{}{}`, `{"id":"a",`, "\xff\xfe", "\ufeff{}", `{"hello":{}}`, `{"reject":{"code":"PEER_REJECTED"}}`,
		strings.Repeat(`[`, 20000), strings.Repeat(`{"a":`, 5000), `{"id":"` + strings.Repeat("a", 70_000) + `","ok":true,"result":{}}`,
	}
}

// FuzzFrames: whatever an editor sends, it ends at most the calls that it names, with an answer of the protocol's form,
// or it breaks the link. It never ends another call, and nothing gets out of the closed set of codes.
func FuzzFrames(f *testing.F) {
	for _, seed := range frameSeeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(checkFrame)
}

// TestDamagedFrames is a short look around the seeds, in each run of the tests.
func TestDamagedFrames(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		frame := []byte(rapid.SampledFrom(frameSeeds()[:46]).Draw(r, "frame"))
		for range rapid.IntRange(1, 4).Draw(r, "changes") {
			at := rapid.IntRange(0, len(frame)).Draw(r, "at")
			more := rapid.SampledFrom([]string{"", "\"", "{", "}", ",", "null", "\x00", "\xff", `"id":"b",`, `"ok":false,`}).Draw(r, "more")
			end := min(len(frame), at+rapid.IntRange(0, 3).Draw(r, "less"))
			frame = slices.Concat(frame[:at], []byte(more), frame[end:])
		}
		checkFrame(t, frame)
	})
}

// checkFrame gives a link with two calls in flight a frame.
func checkFrame(t *testing.T, frame []byte) {
	t.Helper()
	mine, other := &call{id: "a", done: make(chan answer, 1)}, &call{id: "b", apply: true, done: make(chan answer, 1)}
	l := &link{
		log:     slog.New(slog.DiscardHandler),
		pending: map[string]*call{"a": mine, "b": other}, late: map[string]struct{}{"late": {}},
	}
	broken := l.receive(append([]byte{}, frame...))
	for _, c := range []*call{mine, other} {
		select {
		case got := <-c.done:
			require.Nil(t, got.err)
			checkAnswer(t, c, got.response, frame)
			assert.NotContains(t, l.pending, c.id)
		default:
			assert.Same(t, c, l.pending[c.id], "it still waits")
		}
	}
	if broken != nil {
		var why *brokenFrame
		require.ErrorAs(t, broken, &why)
		assert.NotZero(t, why.status)
	}
}

func checkAnswer(t *testing.T, c *call, r *protocol.Response, frame []byte) {
	t.Helper()
	require.NotNil(t, r)
	assert.Equal(t, c.id, r.ID)
	assert.Equal(t, r.OK, r.Result != nil)
	assert.Equal(t, r.OK, r.Error == nil)
	assert.True(t, json.Valid(protocol.RepairJSON(frame)), "what is no JSON answers nobody")
	if r.Error != nil {
		_, known := protocol.LookupCode(r.Error.Code)
		assert.True(t, known, string(r.Error.Code))
	}
}

// FuzzHead: the id in the head of a frame that is too large is the one that a whole reading finds, or none.
func FuzzHead(f *testing.F) {
	for _, seed := range frameSeeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		id := idInHead(frame[:min(len(frame), headOfFrame)])
		var whole map[string]json.RawMessage
		if id == "" || json.Unmarshal(frame, &whole) != nil || strings.Count(string(frame), `"id"`) > 1 {
			return
		}
		var want string
		if json.Unmarshal(whole["id"], &want) == nil {
			assert.Equal(t, want, id)
		}
	})
}
