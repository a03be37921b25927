package approval

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These tests are about where a question may go.

func TestOnlyHTTPSOrThisMachine(t *testing.T) {
	for text, fine := range map[string]bool{
		"https://approve.example/hook?x=1": true,
		"https://10.0.0.1":                 true,
		"http://127.0.0.1:8080/":           true,
		"http://127.1.2.3":                 true,
		"http://[::1]:8080":                true,
		"http://[::ffff:127.0.0.1]":        true,
		"http://localhost:8080":            true,
		"http://LOCALHOST.":                true,
		"http://desk.localhost":            true,
		"":                                 false,
		"approve.example":                  false,
		"/hook":                            false,
		"http://":                          false,
		"http://approve.example":           false,
		"http://10.0.0.1":                  false,
		"http://0.0.0.0":                   false,
		"http://[::]":                      false,
		"http://169.254.169.254":           false,
		"http://2130706433":                false,
		"http://127.1":                     false,
		"http://localhost.example":         false,
		"http://notlocalhost":              false,
		"http://127.0.0.1@example.com":     false,
		"https://user:secret@a.example":    false,
		"https://a.example/#x":             false,
		"ftp://127.0.0.1":                  false,
		"file:///etc/passwd":               false,
		"unix:///run/x":                    false,
		"http:127.0.0.1":                   false,
		"https://a\x00b":                   false,
	} {
		_, err := NewWebhook(WebhookOptions{URL: text, Secrets: []string{secretOf("a")}})
		assert.Equal(t, fine, err == nil, "%q: %v", text, err)
		if err != nil {
			assert.NotContains(t, err.Error(), "secret@")
		}
	}
}

func TestSettingsThatCannotBeUsed(t *testing.T) {
	good := func() WebhookOptions {
		return WebhookOptions{URL: "https://a.example", Secrets: []string{secretOf("a")}}
	}
	_, err := NewWebhook(good())
	require.NoError(t, err)
	bytesOf := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for name, change := range map[string]func(*WebhookOptions){
		"no secret":        func(o *WebhookOptions) { o.Secrets = nil },
		"too many":         func(o *WebhookOptions) { o.Secrets = strings.Fields(strings.Repeat(secretOf("a")+" ", 9)) },
		"no prefix":        func(o *WebhookOptions) { o.Secrets = []string{secretOf("a")[6:]} },
		"no base64":        func(o *WebhookOptions) { o.Secrets = []string{"whsec_hunter2hunter2hunter2hunter2!"} },
		"too short":        func(o *WebhookOptions) { o.Secrets = []string{bytesOf(23)} },
		"too long":         func(o *WebhookOptions) { o.Secrets = []string{bytesOf(65)} },
		"one of two wrong": func(o *WebhookOptions) { o.Secrets = []string{secretOf("a"), ""} },
		"endless":          func(o *WebhookOptions) { o.Timeout = 121 * time.Second },
		"negative":         func(o *WebhookOptions) { o.Timeout = -1 },
	} {
		o := good()
		change(&o)
		_, err := NewWebhook(o)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "hunter2")
		assert.NotContains(t, err.Error(), secretOf("a")[6:])
	}
	o := good()
	o.Secrets = []string{bytesOf(24), bytesOf(64)}
	o.Timeout = 120 * time.Second
	_, err = NewWebhook(o)
	assert.NoError(t, err)
}

func TestNoRedirectIsFollowed(t *testing.T) {
	target := newReceiver(t, nil)
	for _, status := range []int{301, 302, 303, 307, 308} {
		r := newReceiver(t, func(a *reply) {
			a.status = status
			a.header.Set("Location", target.URL)
		})
		v := r.webhook().Ask(t.Context(), aQuestion())
		assert.False(t, v.Yes)
		assert.True(t, v.Reachable, "an answer that sends elsewhere is none to wave a call through")
	}
	assert.Zero(t, target.asked.Load())
}

func TestTheProxyEnvironmentDecidesNothing(t *testing.T) {
	proxy := newReceiver(t, nil)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	r := newReceiver(t, nil)
	assert.True(t, r.webhook().Ask(t.Context(), aQuestion()).Yes)
	elsewhere, err := newWebhook(WebhookOptions{
		URL: "https://approve.invalid", Secrets: []string{secretOf("a")}, Timeout: time.Second,
	}, fakeDNS(t, net.IPv4(127, 0, 0, 1)))
	require.NoError(t, err)
	assert.Nil(t, elsewhere.transport.Proxy)
	assert.False(t, elsewhere.Ask(t.Context(), aQuestion()).Yes)
	assert.Zero(t, proxy.asked.Load())
}

// fakeDNS resolves every name to one IPv4 address.
func fakeDNS(t *testing.T, to net.IP) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(dnsReply(buffer[:n], to), from)
		}
	}()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// dnsReply answers the one question of a query: an address for type A, nothing for others (RFC 1035, section 4).
func dnsReply(query []byte, to net.IP) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the root label, type and class
	answer := append([]byte{}, query[:end]...)
	answer[2], answer[3] = 0x81, 0x80
	isA := query[end-3] == 1
	copy(answer[6:12], []byte{0, 0, 0, 0, 0, 0})
	if isA {
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4)
		answer = append(answer, to.To4()...)
	}
	return answer
}

func TestANameOfThisMachineThatLeadsElsewhereIsNotDialled(t *testing.T) {
	r := newReceiver(t, nil)
	u, err := url.Parse(r.URL)
	require.NoError(t, err)
	for _, c := range []struct {
		to   net.IP
		want bool
	}{
		{net.IPv4(127, 0, 0, 1), true},
		{net.IPv4(192, 0, 2, 1), false}, // TEST-NET: a dial would hang until the timeout
		{net.IPv4(0, 0, 0, 0), false},   // a dial would reach this machine, and yet the name is odd
	} {
		b, err := newWebhook(WebhookOptions{
			URL: "http://desk.localhost:" + u.Port(), Secrets: []string{r.secret}, Timeout: 5 * time.Second,
		}, fakeDNS(t, c.to))
		require.NoError(t, err)
		v := b.Ask(t.Context(), aQuestion())
		assert.Equal(t, c.want, v.Yes, c.to)
		if !c.want {
			assert.Equal(t, lost("the webhook cannot be reached"), v)
		}
	}
	assert.Equal(t, int32(1), r.asked.Load())
}

func TestADialIsCheckedByItsAddress(t *testing.T) {
	for address, fine := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:1": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true,
		"10.0.0.1:80": false, "[::]:80": false, "0.0.0.0:80": false, "[fe80::1%lo]:80": false, "localhost:80": false,
		"": false, "127.0.0.1": false, "[::ffff:10.0.0.1]:80": false,
	} {
		assert.Equal(t, fine, loopbackOnly("tcp", address, nil) == nil, address)
	}
}

func TestACertificateThatNobodyKnowsIsRefused(t *testing.T) {
	r := newReceiver(t, nil)
	secure := httptest.NewUnstartedServer(r)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	b, err := newWebhook(WebhookOptions{URL: secure.URL, Secrets: []string{r.secret}}, net.DefaultResolver)
	require.NoError(t, err)
	assert.Equal(t, lost("the webhook cannot be reached"), b.Ask(t.Context(), aQuestion()))
	assert.Zero(t, r.asked.Load())
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	b.transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	assert.True(t, b.Ask(t.Context(), aQuestion()).Yes)
}

func TestAConnectionThatBreaksIsNotTriedAgain(t *testing.T) {
	var tries atomic.Int32
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}))
	defer broken.Close()
	b, err := NewWebhook(WebhookOptions{URL: broken.URL, Secrets: []string{secretOf("a")}})
	require.NoError(t, err)
	for n := range 2 {
		assert.Equal(t, lost("the webhook cannot be reached"), b.Ask(t.Context(), aQuestion()))
		assert.Equal(t, int32(n+1), tries.Load())
	}
}
