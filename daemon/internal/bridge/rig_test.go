package bridge_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// soon is far longer than anything here takes, also under the race detector on a busy machine; atOnce is far shorter
// than the deadline of any call that is asserted to end without waiting for it.
const (
	soon   = time.Minute
	atOnce = 10 * time.Second
)

// rig is a server with one allowed project, and what it takes to play addon to it.
type rig struct {
	t       *testing.T
	server  *bridge.Server
	config  string
	project string
	log     *syncText
}

// syncText is a log that can be read while it grows.
type syncText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *syncText) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *syncText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func newRig(t *testing.T, change ...func(*bridge.Options)) *rig {
	t.Helper()
	r := &rig{t: t, config: t.TempDir(), project: projectDir(t), log: &syncText{}}
	o := bridge.Options{
		ConfigDir: r.config, Projects: func() []string { return []string{r.project} }, Grace: -1,
		BlockedAfter: soon, // these addons do not beat
		Log:          slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&o)
	}
	server, err := bridge.Listen(t.Context(), o)
	require.NoError(t, err)
	r.server = server
	t.Cleanup(func() { assert.NoError(t, server.Close()) })
	return r
}

// projectDir makes an empty folder and gives its canonical path.
func projectDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// rendezvous reads what an addon would: the daemon's file and the secret.
func (r *rig) rendezvous() (protocol.Rendezvous, string) {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.config, "drawbridge", "daemons", "*.json"))
	require.NoError(r.t, err)
	require.Len(r.t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(r.t, err)
	var found protocol.Rendezvous
	require.NoError(r.t, json.Unmarshal(text, &found))
	secret, err := os.ReadFile(filepath.Join(r.config, "drawbridge", found.SecretFile))
	require.NoError(r.t, err)
	return found, string(secret)
}

// upgrade is a dial as an addon makes it, before changes.
type upgrade struct {
	url     string
	host    string
	header  http.Header
	subs    []string
	nonce   string
	welcome string // the daemon's proof that this dial must get
}

func (r *rig) upgrade() *upgrade {
	found, secret := r.rendezvous()
	raw := make([]byte, protocol.NonceBytes)
	_, _ = rand.Read(raw)
	nonce := hex.EncodeToString(raw)
	proof := protocol.AddonProof(secret, found.BootNonce, nonce)
	return &upgrade{
		url: found.URL, nonce: nonce, subs: []string{protocol.Subprotocol},
		header:  http.Header{protocol.ProofHeader: {nonce + " " + proof}},
		welcome: protocol.DaemonProof(secret, found.BootNonce, nonce),
	}
}

// dial opens the socket, or gives the status of the refusal.
func (r *rig) dial(u *upgrade) (*websocket.Conn, int) {
	r.t.Helper()
	conn, _, status := r.dialRaw(u)
	return conn, status
}

// dialRaw also gives the connection under the socket.
func (r *rig) dialRaw(u *upgrade) (*websocket.Conn, net.Conn, int) {
	r.t.Helper()
	var raw net.Conn
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		raw = conn
		return conn, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dial}}
	ctx, cancel := context.WithTimeout(r.t.Context(), soon)
	defer cancel()
	conn, response, err := websocket.Dial(ctx, u.url, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: u.header, Host: u.host, Subprotocols: u.subs,
	})
	if err != nil {
		require.NotNil(r.t, response, "%v", err)
		return nil, raw, response.StatusCode
	}
	conn.SetReadLimit(2 * protocol.MaxFrame)
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	return conn, raw, http.StatusSwitchingProtocols
}

// peer is a fake addon.
type peer struct {
	t    *testing.T
	conn *websocket.Conn
	raw  net.Conn
}

// hello is a valid hello for a project.
func hello(project string) map[string]any {
	return map[string]any{
		"protocol": protocol.Version, "addon_version": "0.1.0", "addon_hash": strings.Repeat("ab", 32),
		"godot_version": "4.6.3", "project_path": project, "project_name": "Game",
		"editor": strings.Repeat("e", 32), "pid": 42, "addon_path": "res://addons/drawbridge",
		"commands": []string{"get_node"}, "headless": true, "scene": "res://main.tscn",
	}
}

// greet goes as far as the welcome.
func (r *rig) greet() *peer {
	r.t.Helper()
	u := r.upgrade()
	conn, raw, status := r.dialRaw(u)
	require.Equal(r.t, http.StatusSwitchingProtocols, status)
	p := &peer{r.t, conn, raw}
	var w struct{ Welcome protocol.Welcome }
	require.NoError(r.t, json.Unmarshal(p.read(), &w))
	require.Equal(r.t, u.welcome, w.Welcome.Proof)
	return p
}

// link plays the whole handshake.
func (r *rig) link(project string) *peer {
	r.t.Helper()
	p := r.greet()
	p.sendJSON(map[string]any{"hello": hello(project)})
	var a struct{ Accept *protocol.Accept }
	require.NoError(r.t, json.Unmarshal(p.read(), &a))
	require.NotNil(r.t, a.Accept)
	return p
}

// reject reads the refusal and the close after it.
func (p *peer) reject() (protocol.Reject, websocket.StatusCode) {
	p.t.Helper()
	var a struct{ Reject *protocol.Reject }
	require.NoError(p.t, json.Unmarshal(p.read(), &a))
	require.NotNil(p.t, a.Reject)
	return *a.Reject, p.closed()
}

func (p *peer) read() []byte {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), soon)
	defer cancel()
	_, frame, err := p.conn.Read(ctx)
	require.NoError(p.t, err)
	return frame
}

// request reads the next request.
func (p *peer) request() protocol.Request {
	p.t.Helper()
	var r protocol.Request
	require.NoError(p.t, json.Unmarshal(p.read(), &r))
	return r
}

// closed reads until the socket closes and gives the status; -1 when it closed without one.
func (p *peer) closed() websocket.StatusCode {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), soon)
	defer cancel()
	for {
		if _, _, err := p.conn.Read(ctx); err != nil {
			require.NoError(p.t, ctx.Err(), "the socket stayed open")
			return websocket.CloseStatus(err)
		}
	}
}

func (p *peer) send(frame string) {
	p.t.Helper()
	p.write(websocket.MessageText, []byte(frame))
}

func (p *peer) write(kind websocket.MessageType, frame []byte) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), soon)
	defer cancel()
	require.NoError(p.t, p.conn.Write(ctx, kind, frame))
}

func (p *peer) sendJSON(v any) {
	p.t.Helper()
	text, err := json.Marshal(v)
	require.NoError(p.t, err)
	p.send(string(text))
}

// good is a successful answer.
func good(id, data string) string {
	return `{"id":"` + id + `","ok":true,"result":{"data":` + data + `}}`
}

// ended is how a call ended.
type ended struct {
	response *protocol.Response
	err      *protocol.Error
	after    time.Duration
}

// query starts a read.
func (r *rig) query(ctx context.Context, deadline time.Duration) <-chan ended {
	return r.start(func() (*protocol.Response, error) {
		return r.server.Query(ctx, r.project, protocol.Request{
			Command: "get_node", Phase: protocol.PhaseQuery, DeadlineUnixMS: time.Now().Add(deadline).UnixMilli(),
		})
	})
}

// apply starts a write.
func (r *rig) apply(ctx context.Context, deadline time.Duration) <-chan ended {
	effects := []safety.Effect{safety.EditsMemory}
	permit, err := safety.Mint(safety.Decision{Tool: "create_node", Effects: effects, Request: protocol.Request{
		ID: r.server.NewID(), Command: "create_node", Phase: protocol.PhaseApply, Effects: safety.Names(effects),
		DeadlineUnixMS: time.Now().Add(deadline).UnixMilli(),
	}})
	require.NoError(r.t, err)
	return r.start(func() (*protocol.Response, error) { return r.server.Send(ctx, r.project, permit) })
}

func (r *rig) start(call func() (*protocol.Response, error)) <-chan ended {
	out := make(chan ended, 1)
	began := time.Now()
	go func() {
		response, err := call()
		e := ended{response: response, after: time.Since(began)}
		if err != nil {
			var ok bool
			if e.err, ok = err.(*protocol.Error); !ok {
				e.err = &protocol.Error{Message: "not a protocol error: " + err.Error()}
			}
		}
		out <- e
	}()
	return out
}

// end waits for the end of a call.
func (r *rig) end(c <-chan ended) ended {
	r.t.Helper()
	select {
	case e := <-c:
		return e
	case <-time.After(soon):
		require.Fail(r.t, "the call never ended")
		return ended{}
	}
}

// eventually waits for a condition that another goroutine brings about.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	require.Eventually(t, f, soon, 2*time.Millisecond, what)
}

// editor gives the linked editor.
func (r *rig) editor() bridge.Editor {
	r.t.Helper()
	e, ok := r.server.Editor(r.project)
	require.True(r.t, ok)
	return e
}

// unlinked waits until the project has no editor.
func (r *rig) unlinked() {
	r.t.Helper()
	eventually(r.t, "the link ends", func() bool {
		_, ok := r.server.Editor(r.project)
		return !ok
	})
}
