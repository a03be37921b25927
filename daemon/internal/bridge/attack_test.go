package bridge_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// knock is a request as it goes over the wire. Each row changes one thing of an addon's own.
type knock struct {
	line    string // the request line
	host    string // the Host header's value; "" leaves it out
	upgrade string
	proof   string
	subs    string
	extra   string // more header lines, each ended
	body    string
}

func (k knock) text() string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s\r\n", k.line)
	if k.host != "" {
		fmt.Fprintf(b, "Host: %s\r\n", k.host)
	}
	fmt.Fprintf(b, "%sSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", k.upgrade)
	fmt.Fprintf(b, "Sec-WebSocket-Protocol: %s\r\n%s: %s\r\n%s\r\n%s", k.subs, protocol.ProofHeader, k.proof, k.extra, k.body)
	return b.String()
}

// knock sends a request by hand and gives the status; 0 means that the connection ended without an answer.
func (r *rig) knock(t *testing.T, k knock) (status int, body string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.server.Address())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(2*soon)))
	_, _ = io.WriteString(conn, k.text()) // it may be hung up on before all is said
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return response.StatusCode, ""
	}
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

// addonsKnock is a rig's own addon's request, with a proof that was not used yet.
func (r *rig) addonsKnock() knock {
	u := r.upgrade()
	return knock{
		line: "GET " + protocol.LinkPath + " HTTP/1.1", host: r.server.Address(), subs: protocol.Subprotocol,
		upgrade: "Upgrade: websocket\r\nConnection: Upgrade\r\n", proof: u.header.Get(protocol.ProofHeader),
	}
}

// strangers are requests that a browser, a proxy, a scanner or an impostor could make, each with a good proof unless
// that is what it lacks. None gets a link.
func strangers(port string) map[string]struct {
	change func(*knock)
	want   []int
} {
	const forbidden, bad, unauthorized, missing = http.StatusForbidden, http.StatusBadRequest, http.StatusUnauthorized, http.StatusNotFound
	type row = struct {
		change func(*knock)
		want   []int
	}
	host := func(h string) row { return row{func(k *knock) { k.host = h }, []int{forbidden, bad}} }
	header := func(h string) row { return row{func(k *knock) { k.extra = h + "\r\n" }, []int{forbidden}} }
	line := func(l string, want ...int) row { return row{func(k *knock) { k.line = l }, want} }
	proof := func(change func(string) string) row {
		return row{func(k *knock) { k.proof = change(k.proof) }, []int{unauthorized, bad}}
	}
	link := protocol.LinkPath
	return map[string]row{
		// Names that lead to this machine, or look as if they did: a rebound name has one of them.
		"host localhost":            host("localhost:" + port),
		"host localhost, rooted":    host("localhost.:" + port),
		"host of this machine, six": host("[::1]:" + port),
		"host of four in six":       host("[::ffff:127.0.0.1]:" + port),
		"host of all addresses":     host("0.0.0.0:" + port),
		"host, another loopback":    host("127.0.0.2:" + port),
		"host, short":               host("127.1:" + port),
		"host, one number":          host("2130706433:" + port),
		"host in hex":               host("0x7f000001:" + port),
		"host in octal":             host("0177.0.0.1:" + port),
		"host by a name service":    host("127.0.0.1.nip.example:" + port),
		"host with a user":          host("evil.example@127.0.0.1:" + port),
		"host with a blank":         host("127.0.0.1 :" + port),
		"host with two ports":       host("127.0.0.1:" + port + ":" + port),
		"host with a zero before":   host("127.0.0.1:0" + port),
		"host with another port":    host("127.0.0.1:1"),
		"host with a path":          host("127.0.0.1:" + port + "/link"),
		"host in two":               {func(k *knock) { k.extra = "Host: evil.example\r\n" }, []int{bad}},
		"no host":                   {func(k *knock) { k.host = "" }, []int{bad}},
		"another site's address":    line("GET http://evil.example"+link+" HTTP/1.1", forbidden),
		"another site by its port":  line("GET http://evil.example:"+port+link+" HTTP/1.1", forbidden),

		// What only a browser sends.
		"origin of an extension":    header("Origin: chrome-extension://abc"),
		"origin of a file":          header("Origin: file://"),
		"origin of this machine":    header("Origin: http://localhost"),
		"origin in small letters":   header("origin: https://evil.example"),
		"origin in capitals":        header("ORIGIN: null"),
		"origin folded":             header("Origin:\t"),
		"two origins":               header("Origin: http://127.0.0.1\r\nOrigin: https://evil.example"),
		"fetch destination":         header("Sec-Fetch-Dest: websocket"),
		"fetch user":                header("sec-fetch-user: ?1"),
		"a cookie in small letters": header("cookie: session=1"),

		// Other requests.
		"POST":                   line("POST "+link+" HTTP/1.1", bad),
		"PUT":                    line("PUT "+link+" HTTP/1.1", bad),
		"DELETE":                 line("DELETE "+link+" HTTP/1.1", bad),
		"OPTIONS":                line("OPTIONS "+link+" HTTP/1.1", bad),
		"OPTIONS of all":         line("OPTIONS * HTTP/1.1", bad, missing, http.StatusOK),
		"HEAD":                   line("HEAD "+link+" HTTP/1.1", bad),
		"TRACE":                  line("TRACE "+link+" HTTP/1.1", bad),
		"CONNECT":                line("CONNECT 127.0.0.1:"+port+" HTTP/1.1", bad, missing),
		"get in small letters":   line("get "+link+" HTTP/1.1", bad),
		"a made-up method":       line("BREW "+link+" HTTP/1.1", bad),
		"HTTP 1.0":               line("GET "+link+" HTTP/1.0", bad, http.StatusUpgradeRequired),
		"HTTP 2":                 line("PRI * HTTP/2.0", bad, missing, 0),
		"HTTP 0.9":               line("GET "+link, bad, 0),
		"another protocol":       line("SSH-2.0-x", bad, 0),
		"the root":               line("GET / HTTP/1.1", missing),
		"a slash at the end":     line("GET "+link+"/ HTTP/1.1", missing),
		"two slashes":            line("GET /"+link+" HTTP/1.1", missing),
		"a way up":               line("GET /x/.."+link+" HTTP/1.1", missing),
		"another case":           line("GET "+strings.ToUpper(link)+" HTTP/1.1", missing),
		"a query":                line("GET "+link+"?proof=x HTTP/1.1", missing),
		"the MCP endpoint":       line("GET /mcp HTTP/1.1", missing),
		"health":                 line("GET /health HTTP/1.1", missing),
		"debugging":              line("GET /debug/pprof/ HTTP/1.1", missing),
		"a NUL in the path":      line("GET "+link+"%00 HTTP/1.1", missing, bad),
		"a line in the path":     line("GET "+link+"%0d%0aX:1 HTTP/1.1", missing, bad),
		"no upgrade":             {func(k *knock) { k.upgrade = "" }, []int{bad}},
		"another upgrade":        {func(k *knock) { k.upgrade = "Upgrade: h2c\r\nConnection: Upgrade\r\n" }, []int{bad}},
		"half of an upgrade":     {func(k *knock) { k.upgrade = "Upgrade: websocket\r\n" }, []int{bad, http.StatusUpgradeRequired}},
		"a body of two lengths":  {func(k *knock) { k.extra = "Content-Length: 1\r\nContent-Length: 2\r\n"; k.body = "xx" }, []int{bad}},
		"a body in chunks, too":  {func(k *knock) { k.extra = "Transfer-Encoding: x\r\nContent-Length: 1\r\n" }, []int{bad, http.StatusNotImplemented}},
		"a header of a megabyte": {func(k *knock) { k.extra = "X: " + strings.Repeat("x", 1<<20) + "\r\n" }, []int{431, 0}},
		"a thousand headers":     {func(k *knock) { k.extra = strings.Repeat("X: y\r\n", 20_000) }, []int{431, 0}},
		"a header with a NUL":    {func(k *knock) { k.extra = "X: a\x00b\r\n" }, []int{bad}},
		"a header without name":  {func(k *knock) { k.extra = ": x\r\n" }, []int{bad}},
		"another subprotocol":    {func(k *knock) { k.subs = "mcp" }, []int{bad}},
		"part of ours":           {func(k *knock) { k.subs = "drawbridge" }, []int{bad}},
		"ours in capitals":       {func(k *knock) { k.subs = strings.ToUpper(protocol.Subprotocol) }, []int{bad}},

		// What proves nothing.
		"no proof":               proof(func(string) string { return "" }),
		"half a proof":           proof(func(p string) string { return p[:len(p)/2] }),
		"a longer proof":         proof(func(p string) string { return p + "00" }),
		"a proof with a comma":   proof(func(p string) string { return p + ", " + p }),
		"the proof first":        proof(func(p string) string { n, m, _ := strings.Cut(p, " "); return m + " " + n }),
		"a proof in capitals":    proof(func(p string) string { n, m, _ := strings.Cut(p, " "); return n + " " + strings.ToUpper(m) }),
		"the nonce in capitals":  proof(func(p string) string { n, m, _ := strings.Cut(p, " "); return "AB" + strings.ToUpper(n[2:]) + " " + m }),
		"a proof of zeros":       proof(func(p string) string { n, _, _ := strings.Cut(p, " "); return n + " " + strings.Repeat("0", 64) }),
		"two blanks":             proof(func(p string) string { return strings.Replace(p, " ", "  ", 1) }),
		"a bearer":               proof(func(p string) string { return "Bearer " + p }),
		"the proof as a word":    proof(func(p string) string { return "\"" + p + "\"" }),
		"the proof encoded":      proof(func(p string) string { return strings.Replace(p, " ", "%20", 1) }),
		"the proof under a name": {func(k *knock) { k.extra = "Authorization: " + k.proof + "\r\n"; k.proof = "" }, []int{unauthorized}},
		"the proof as a query": {func(k *knock) {
			k.line, k.proof = "GET "+link+"?"+strings.ReplaceAll(k.proof, " ", "+")+" HTTP/1.1", ""
		}, []int{missing}},
		"the proof as subprotocol": {func(k *knock) {
			k.subs, k.proof = k.subs+", "+strings.ReplaceAll(k.proof, " ", "."), ""
		}, []int{unauthorized}},
	}
}

func TestNoStrangerGetsALinkAndTheAddonsGoesOn(t *testing.T) {
	r := newRig(t)
	linked := r.link(r.project)
	_, port, err := net.SplitHostPort(r.server.Address())
	require.NoError(t, err)
	for name, row := range strangers(port) {
		t.Run(name, func(t *testing.T) {
			k := r.addonsKnock()
			row.change(&k)
			status, body := r.knock(t, k)
			assert.Contains(t, row.want, status)
			assert.NotContains(t, body, r.project)
			for _, secret := range []string{"proof", "nonce", "secret", "drawbridge"} {
				assert.NotContains(t, strings.ToLower(body), secret, "a refusal tells nothing")
			}
		})
	}
	assert.Len(t, r.server.Editors(), 1)
	call := r.query(t.Context(), soon)
	linked.send(good(linked.request().ID, `{}`))
	require.Nil(t, r.end(call).err, "the addon's link never noticed")
	status, _ := r.knock(t, r.addonsKnock())
	assert.Equal(t, http.StatusSwitchingProtocols, status, "and one that knocks as it should gets in, or this proves nothing")
	for line := range strings.SplitSeq(strings.TrimSpace(r.log.String()), "\n") {
		assert.True(t, strings.HasPrefix(line, "time="), "a raw line break in the log: %q", line)
	}
}

// A peer that proved who it is may still say something that is not the protocol. That ends
// its link, or is dropped; the call in flight ends as one that nobody answered, and the next peer works.
func TestABrokenPeerEndsItsOwnLinkOnly(t *testing.T) {
	for name, frame := range map[string]string{
		"half of an answer":   `{"id":1,`,
		"no JSON":             `hello`,
		"a list":              `[]`,
		"a number":            `7`,
		"two frames":          `{"event":"beat"}{"event":"beat"}`,
		"neither":             `{"x":1}`,
		"an answer of both":   `{"id":"x","ok":true,"result":{},"error":{"code":"TIMEOUT","message":"x"}}`,
		"an answer of none":   `{"id":"x","ok":true}`,
		"an id that is none":  `{"id":7,"ok":true,"result":{}}`,
		"a command":           `{"id":"x","command":"delete_node","phase":"apply","params":{}}`,
		"another hello":       `{"hello":{"project_path":"/"}}`,
		"answers of nothing":  `{"answers":[]}`,
		"answers in answers":  `{"answers":[{"answers":[]}]}`,
		"an event in answers": `{"answers":[{"event":"beat"}]}`,
		"very deep":           strings.Repeat("[", 50_000),
		"no UTF-8":            "{\"event\":\"\xff\"}",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			p := r.link(r.project)
			call := r.apply(t.Context(), soon)
			p.request()
			p.send(frame)
			e := r.end(call)
			require.NotNil(t, e.err, "nothing that is no answer is one")
			assert.Contains(t, []protocol.Code{protocol.BridgeProtocolError, protocol.BridgeDisconnected, protocol.Timeout}, e.err.Code)
			assert.True(t, e.err.MayHaveApplied, "it was sent")
			if e.err.Code != protocol.Timeout {
				r.unlinked()
				p = r.link(r.project)
			}
			next := r.query(t.Context(), soon)
			p.send(good(p.request().ID, `{}`))
			assert.Nil(t, r.end(next).err, "the next one works")
		})
	}
}
