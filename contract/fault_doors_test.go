package contract

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// door is the daemon's listener as its rendezvous file describes it.
type door struct {
	protocol.Rendezvous
	host   string
	secret string
}

// doorOf reads the rendezvous of the one daemon that runs, and the secret, as an addon does.
func (b *bed) doorOf(t *testing.T) door {
	t.Helper()
	files := b.rendezvousFiles(t)
	require.Len(t, files, 1)
	raw, err := os.ReadFile(files[0])
	require.NoError(t, err)
	var d door
	require.NoError(t, json.Unmarshal(raw, &d.Rendezvous))
	where, err := url.Parse(d.URL)
	require.NoError(t, err)
	d.host = where.Host
	secret, err := os.ReadFile(filepath.Join(b.configDir(), d.SecretFile))
	require.NoError(t, err)
	d.secret = string(secret)
	return d
}

// knock sends one HTTP request as it stands and gives status and body. The connection is closed.
func (d door) knock(t *testing.T, request string) (int, string) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", d.host, 5*time.Second)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(5*time.Second)))
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err, "%s", request)
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return response.StatusCode, ""
	}
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

// dial is the request by which an addon opens its link, with changes: a header to add, or "" for none.
func (d door) dial(path, host, proof, extra string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
		"Sec-WebSocket-Protocol: " + protocol.Subprotocol + "\r\n" + protocol.ProofHeader + ": " + proof + "\r\n" + extra + "\r\n"
}

// proof is a good proof over a fresh nonce.
func (d door) proof(n int) string {
	nonce := fmt.Sprintf("%0*x", 2*protocol.NonceBytes, 0xfa0000+n)
	return nonce + " " + protocol.AddonProof(d.secret, d.BootNonce, nonce)
}

// testStrangers: whatever a browser or a stranger could send is refused before the upgrade, even with the right proof
// (BR-098). The editor's link does not notice.
func (b *bed) testStrangers(t *testing.T) {
	b.ready(t)
	d := b.doorOf(t)
	_, port, err := net.SplitHostPort(d.host)
	require.NoError(t, err)
	link := protocol.LinkPath
	spent := d.proof(1000)
	n := 0
	good := func() string { n++; return d.proof(n) }
	for _, c := range []struct {
		name, request string
		status        int
	}{
		{"the addon's own request", d.dial(link, d.host, spent, ""), http.StatusSwitchingProtocols},
		{"the same proof again", d.dial(link, d.host, spent, ""), http.StatusUnauthorized},
		{"no proof", d.dial(link, d.host, "", ""), http.StatusUnauthorized},
		{"a proof of another secret", d.dial(link, d.host, strings.Repeat("ab", 16)+" "+strings.Repeat("cd", 32), ""), http.StatusUnauthorized},
		{"a foreign origin", d.dial(link, d.host, good(), "Origin: https://evil.example\r\n"), http.StatusForbidden},
		{"a local origin", d.dial(link, d.host, good(), "Origin: http://"+d.host+"\r\n"), http.StatusForbidden},
		{"an empty origin", d.dial(link, d.host, good(), "Origin:\r\n"), http.StatusForbidden},
		{"origin null", d.dial(link, d.host, good(), "origin: null\r\n"), http.StatusForbidden},
		{"a cookie", d.dial(link, d.host, good(), "Cookie: a=b\r\n"), http.StatusForbidden},
		{"fetch metadata", d.dial(link, d.host, good(), "Sec-Fetch-Site: cross-site\r\n"), http.StatusForbidden},
		{"fetch mode", d.dial(link, d.host, good(), "sec-fetch-mode: websocket\r\n"), http.StatusForbidden},
		{"another host", d.dial(link, "evil.example:"+port, good(), ""), http.StatusForbidden},
		{"another port", d.dial(link, "127.0.0.1:1", good(), ""), http.StatusForbidden},
		{"another host and path", d.dial("/health", "evil.example:"+port, good(), ""), http.StatusForbidden},
		{"another path", d.dial("/health", d.host, good(), ""), http.StatusNotFound},
		{"a query", d.dial(link+"?a=b", d.host, good(), ""), http.StatusNotFound},
		{"a plain GET", "GET " + link + " HTTP/1.1\r\nHost: " + d.host + "\r\n\r\n", http.StatusBadRequest},
		{"a simple POST", "POST " + link + " HTTP/1.1\r\nHost: " + d.host + "\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", http.StatusBadRequest},
	} {
		status, body := d.knock(t, c.request)
		assert.Equal(t, c.status, status, c.name)
		assert.Empty(t, body, "%s: a refusal tells nothing", c.name)
	}
	b.ok(t, "get_scene_tree", args{})
	assert.Equal(t, b.editor.PID(), b.info(t, b.daemon).Editor.PID)
}

// testIdleConnections: a scanner that opens connections and says nothing starves nobody (BR-092).
func (b *bed) testIdleConnections(t *testing.T) {
	b.ready(t)
	d := b.doorOf(t)
	var conns []net.Conn
	for range 150 {
		conn, err := net.DialTimeout("tcp", d.host, 5*time.Second)
		require.NoError(t, err)
		defer conn.Close()
		conns = append(conns, conn)
	}
	opened := time.Now()
	for range 50 {
		reply, took := b.timed(t, b.daemon, "get_node", args{"node_path": "Player"})
		require.True(t, reply.OK, "%s", reply.Raw)
		assert.LessOrEqual(t, took, soon)
	}
	for i, conn := range conns {
		require.NoError(t, conn.SetReadDeadline(opened.Add(6*time.Second)))
		_, err := conn.Read(make([]byte, 1))
		var timeout net.Error
		require.False(t, err == nil || errors.As(err, &timeout) && timeout.Timeout(),
			"connection %d is still open %s after it was made", i, time.Since(opened))
	}
	b.daemonKeepsEditor(t)
}

// daemonKeepsEditor checks that the link is the one that it was.
func (b *bed) daemonKeepsEditor(t *testing.T) {
	t.Helper()
	info := b.info(t, b.daemon)
	assert.True(t, info.Connected && info.Editor.PID == b.editor.PID(), "%s", info.raw)
	b.ok(t, "get_scene_tree", args{})
}

// testImpostor: something else that has the port, or a file of its own beside the daemons', learns no secret from the
// editor and cannot command it (BR-102).
func (b *bed) testImpostor(t *testing.T) {
	b.ready(t)
	before := b.state(t)
	d := b.doorOf(t)
	impostor := newImpostor(t)
	forged := d.Rendezvous
	forged.URL = "ws://" + impostor.listener.Addr().String() + protocol.LinkPath
	forged.BootID = strings.Repeat("f", 32)
	raw, err := json.Marshal(forged)
	require.NoError(t, err)
	file := filepath.Join(b.configDir(), "daemons", forged.BootID+".json")
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	t.Cleanup(func() { assert.NoError(t, os.Remove(file)) })

	caught := impostor.wait(t)
	assert.NotContains(t, caught.request, strings.TrimSpace(d.secret), "the secret in the request")
	assert.Contains(t, caught.request, protocol.ProofHeader, "the editor dialled, or this proves nothing")
	for _, frame := range caught.frames {
		assert.Equal(t, byte(wsClose), frame.opcode, "the editor says nothing to an impostor, but: %s", clipped(frame.text))
	}
	var shown struct {
		Links []struct {
			File, State, Reason string
		} `json:"links"`
	}
	eventually(t, 3*time.Second, func() bool {
		b.fault.act(t, "links", nil, &shown)
		for _, link := range shown.Links {
			if strings.Contains(link.File, forged.BootID) && link.Reason == "auth" {
				return true
			}
		}
		return false
	}, func() string { return "the addon shows why it hung up: " + text(shown) })
	b.same(t, before, "commands of an impostor")
	b.daemonKeepsEditor(t)
}
