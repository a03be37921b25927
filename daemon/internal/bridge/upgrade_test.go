package bridge_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/protocol"
)

func TestStrangersAreRefusedBeforeTheUpgrade(t *testing.T) {
	r := newRig(t)
	_, port, err := net.SplitHostPort(r.server.Address())
	require.NoError(t, err)
	set := func(name, value string) func(*upgrade) {
		return func(u *upgrade) { u.header[name] = []string{value} }
	}
	tests := map[string]struct {
		change func(*upgrade)
		want   int
	}{
		"as an addon":          {func(*upgrade) {}, 101},
		"foreign origin":       {set("Origin", "https://evil.example"), 403},
		"own origin":           {set("Origin", "http://"+r.server.Address()), 403},
		"null origin":          {set("Origin", "null"), 403},
		"empty origin":         {set("Origin", ""), 403},
		"cookie":               {set("Cookie", "a=b"), 403},
		"empty cookie":         {set("Cookie", ""), 403},
		"fetch metadata":       {set("Sec-Fetch-Site", "same-origin"), 403},
		"other fetch metadata": {set("Sec-Fetch-Mode", "websocket"), 403},
		"rebound host":         {func(u *upgrade) { u.host = "evil.example:" + port }, 403},
		"rebound host with origin": {func(u *upgrade) {
			u.host = "evil.example:" + port
			u.header["Origin"] = []string{"http://evil.example:" + port}
		}, 403},
		"name instead of address": {func(u *upgrade) { u.host = "localhost:" + port }, 403},
		"host without port":       {func(u *upgrade) { u.host = "127.0.0.1" }, 403},
		"other path":              {func(u *upgrade) { u.url = strings.TrimSuffix(u.url, "link") }, 404},
		"path with more":          {func(u *upgrade) { u.url += "/x" }, 404},
		"path with query":         {func(u *upgrade) { u.url += "?x=1" }, 404},
		"no subprotocol":          {func(u *upgrade) { u.subs = nil }, 400},
		"other subprotocol":       {func(u *upgrade) { u.subs = []string{"drawbridge.v2"} }, 400},
		"no proof":                {func(u *upgrade) { u.header.Del(protocol.ProofHeader) }, 401},
		"empty proof":             {set(protocol.ProofHeader, ""), 401},
		"nonce alone":             {func(u *upgrade) { u.header[protocol.ProofHeader] = []string{u.nonce} }, 401},
		"proof for another nonce": {func(u *upgrade) { swapNonce(u, strings.Repeat("0", 32)) }, 401},
		"short nonce":             {func(u *upgrade) { swapNonce(u, "ab") }, 401},
		"nonce that is not hex":   {func(u *upgrade) { swapNonce(u, strings.Repeat("x", 32)) }, 401},
		"two proofs": {func(u *upgrade) {
			v := u.header[protocol.ProofHeader]
			u.header[protocol.ProofHeader] = append(v, v[0])
		}, 401},
		"the daemon's proof mirrored": {func(u *upgrade) { u.header[protocol.ProofHeader] = []string{u.nonce + " " + u.welcome} }, 401},
		"proof with another secret": {func(u *upgrade) {
			found, _ := r.rendezvous()
			u.header[protocol.ProofHeader] = []string{u.nonce + " " + protocol.AddonProof("other", found.BootNonce, u.nonce)}
		}, 401},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			u := r.upgrade()
			tt.change(u)
			_, status := r.dial(u)
			assert.Equal(t, tt.want, status)
		})
	}
}

func swapNonce(u *upgrade, nonce string) {
	_, proof, _ := strings.Cut(u.header[protocol.ProofHeader][0], " ")
	u.header[protocol.ProofHeader] = []string{nonce + " " + proof}
}

func TestAProofIsGoodOnce(t *testing.T) {
	r := newRig(t)
	u := r.upgrade()
	_, status := r.dial(u)
	require.Equal(t, http.StatusSwitchingProtocols, status)
	_, status = r.dial(u)
	assert.Equal(t, http.StatusUnauthorized, status)
	swapNonce(u, strings.ToUpper(u.nonce))
	_, status = r.dial(u)
	assert.Equal(t, http.StatusUnauthorized, status, "the same nonce in capitals")
}

func TestRefusalsSayNothing(t *testing.T) {
	r := newRig(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.server.Address())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\nHost: " + r.server.Address() + "\r\n\r\n"))
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(soon)))
	var text strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		text.Write(buf[:n])
		if err != nil {
			break
		}
	}
	head, body, _ := strings.Cut(text.String(), "\r\n\r\n")
	assert.Contains(t, head, "404")
	assert.NotContains(t, strings.ToLower(head), "server:")
	assert.Empty(t, body)
}

func TestHalfOpenConnectionsDoNotStarveAddons(t *testing.T) {
	r := newRig(t)
	linked := r.link(r.project)
	var open []net.Conn
	for range 200 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.server.Address())
		require.NoError(t, err)
		open = append(open, conn)
	}
	call := r.query(t.Context(), soon)
	linked.send(good(linked.request().ID, `{}`))
	require.Nil(t, r.end(call).err)
	_, status := r.dial(r.upgrade())
	assert.Equal(t, http.StatusSwitchingProtocols, status, "an addon still gets in")

	closed := 0
	for _, conn := range open {
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(2*soon)))
		if _, err := conn.Read(make([]byte, 1)); err != nil && !isTimeout(err) {
			closed++
		}
		require.NoError(t, conn.Close())
	}
	assert.Equal(t, len(open), closed, "idle connections are dropped within the deadline")
}

func isTimeout(err error) bool {
	ne, ok := err.(net.Error)
	return ok && ne.Timeout()
}

func TestASilentSocketIsDroppedAfterTheWelcome(t *testing.T) {
	r := newRig(t, func(o *bridge.Options) { o.HelloTimeout = 50 * time.Millisecond })
	p := r.greet()
	p.closed()
	assert.Empty(t, r.server.Editors())
}

func TestALinkNeedsTheSubprotocolTheServerChose(t *testing.T) {
	r := newRig(t)
	u := r.upgrade()
	u.subs = []string{"other", protocol.Subprotocol}
	conn, status := r.dial(u)
	require.Equal(t, http.StatusSwitchingProtocols, status)
	assert.Equal(t, protocol.Subprotocol, conn.Subprotocol())
	assert.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
}

func TestTheServerEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(t)
	server, err := bridge.Listen(ctx, bridge.Options{ConfigDir: r.config})
	require.NoError(t, err)
	cancel()
	eventually(t, "the listener closes", func() bool {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Address())
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	assert.NoError(t, server.Close())
	_, _ = r.rendezvous() // fails unless only the living daemon's file is there
}
