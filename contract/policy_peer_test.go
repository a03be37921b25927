package contract

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// badDaemon is a daemon that has the secret, as an older or broken one could, and says each of its frames on a link of
// its own. With none left it asks for the scene tree.
type badDaemon struct {
	door   door
	frames chan []byte
	// hungUp tells for each frame that the editor ended the link, and told what it said before.
	hungUp chan []string
	answer chan string
}

// ServeHTTP is the way that a genuine daemon greets, and then a frame.
func (d *badDaemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol.Subprotocol}})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(protocol.MaxFrame)
	ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
	defer cancel()
	nonce, _, _ := strings.Cut(r.Header.Get(protocol.ProofHeader), " ")
	welcome := protocol.Welcome{
		Proof:  protocol.DaemonProof(d.door.secret, d.door.BootNonce, nonce),
		BootID: d.door.BootID, Protocol: protocol.Version, Version: protocol.ProductVersion,
	}
	say := func(v any) error { return conn.Write(ctx, websocket.MessageText, []byte(text(v))) }
	if say(args{"welcome": welcome}) != nil {
		return
	}
	var hello struct {
		Hello protocol.Hello `json:"hello"`
	}
	if _, raw, err := conn.Read(ctx); err != nil || json.Unmarshal(raw, &hello) != nil {
		return
	}
	if say(args{"accept": protocol.Accept{Project: hello.Hello.ProjectPath}}) != nil {
		return
	}
	d.play(ctx, conn, say)
}

func (d *badDaemon) play(ctx context.Context, conn *websocket.Conn, say func(any) error) {
	frame, more := <-d.frames
	if more {
		_ = conn.Write(ctx, websocket.MessageText, frame) // the editor may hang up in the middle of it
	} else if say(protocol.Request{
		ID: "asked", Command: "get_scene_tree", Phase: protocol.PhaseQuery, Params: json.RawMessage(`{}`),
		DeadlineUnixMS: time.Now().Add(10 * time.Second).UnixMilli(),
	}) != nil {
		return
	}
	var said []string
	for {
		_, raw, err := conn.Read(ctx)
		switch {
		case err != nil && more && ctx.Err() == nil:
			d.hungUp <- said
			return
		case err != nil:
			return
		case !more && strings.Contains(string(raw), `"asked"`):
			select {
			case d.answer <- string(raw):
			default: // the editor dials again as long as the rendezvous is there, and is asked again
			}
			return
		}
		if !strings.Contains(string(raw), `"event"`) {
			said = append(said, string(raw))
		}
	}
}

// testBadDaemon: after a frame that it cannot take, the editor neither obeys nor goes deaf: it hangs up and dials again
// (BR-068, BR-076).
func (b *bed) testBadDaemon(t *testing.T) {
	b.operated(t, nil)
	b.linkedHere(t)
	same := b.untouched(t)
	d := &badDaemon{door: b.doorOf(t), frames: make(chan []byte), hungUp: make(chan []string, 1), answer: make(chan string, 1)}
	d.door.BootID = strings.Repeat("e", 32)
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	forged := d.door.Rendezvous
	forged.URL = "ws" + strings.TrimPrefix(server.URL, "http") + protocol.LinkPath
	file := filepath.Join(b.configDir(), "daemons", forged.BootID+".json")
	require.NoError(t, os.WriteFile(file, []byte(text(forged)), 0o600))
	t.Cleanup(func() { assert.NoError(t, os.Remove(file)) })
	evil := `{"id":"e","command":"create_node","phase":"apply","effects":["edits_memory"],"params":{"node_type":"Node","node_name":"Evil"}}`
	for name, frame := range map[string][]byte{
		"a frame that is too large": []byte(`{"x":"` + strings.Repeat("x", 2*protocol.MaxFrame) + `"}`),
		"half of a command":         []byte(evil[:len(evil)/2]),
		"a list of commands":        []byte(`[` + evil + `]`),
		"a text":                    []byte(`"` + strings.ReplaceAll(evil, `"`, `\"`) + `"`),
		"no JSON":                   []byte("delete_node A"),
	} {
		select {
		case d.frames <- frame:
		case <-time.After(20 * time.Second):
			require.Fail(t, "the editor did not dial", name)
		}
		select {
		case said := <-d.hungUp:
			assert.Empty(t, said, "%s: it is not answered", name)
		case <-time.After(20 * time.Second):
			require.Fail(t, "the editor did not hang up", name)
		}
	}
	close(d.frames)
	select {
	case answer := <-d.answer:
		assert.Contains(t, answer, `"ok":true`, "it hears well")
	case <-time.After(20 * time.Second):
		require.Fail(t, "the editor is deaf")
	}
	same("what a broken daemon said")
	b.daemonKeepsEditor(t)
}
