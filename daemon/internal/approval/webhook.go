package approval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// defaultTimeout and maxTimeout are the design's 30 s and 120 s.
	defaultTimeout = 30 * time.Second
	maxTimeout     = 120 * time.Second
	// maxBody bounds a question and an answer. A question that does not fit is not shortened: nobody shall say yes to
	// what they were not shown.
	maxBody = 64 << 10
	// maxHeader bounds an answer's headers.
	maxHeader = 16 << 10
)

// WebhookOptions configure a webhook.
type WebhookOptions struct {
	// URL is https, or http to this machine.
	URL string
	// Secrets sign both ways: each is "whsec_" and the base64 of 24 to 64 bytes. Several are for changing them: each
	// question carries a signature for each, and an answer may be signed with any.
	Secrets []string
	// Timeout is how long one question takes at most, up to 120 s. Default 30 s.
	Timeout time.Duration
	// Now tells the time. Default time.Now.
	Now func() time.Time
}

// webhook asks by one signed POST whose answer is signed in the same way, over its own body.
type webhook struct {
	url       string
	secrets   [][]byte
	timeout   time.Duration
	now       func() time.Time
	transport *http.Transport

	mu   sync.Mutex
	seen map[string]time.Time // ids of messages, and when each was seen
}

// NewWebhook makes a webhook. An error says which setting cannot be used, and repeats neither a secret nor the URL,
// which may hold one.
func NewWebhook(o WebhookOptions) (Backend, error) {
	w, err := newWebhook(o, net.DefaultResolver)
	if err != nil {
		return nil, fmt.Errorf("setting up the approval webhook: %w", err)
	}
	return w, nil
}

func newWebhook(o WebhookOptions, names *net.Resolver) (*webhook, error) {
	plain, err := checkURL(o.URL)
	if err != nil {
		return nil, err
	}
	secrets, err := parseSecrets(o.Secrets)
	if err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Timeout < 0 || o.Timeout > maxTimeout {
		return nil, fmt.Errorf("the timeout has to be at most %v", maxTimeout)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	dialer := &net.Dialer{Timeout: o.Timeout, Resolver: names}
	if plain {
		dialer.Control = loopbackOnly
	}
	return &webhook{
		url: o.URL, secrets: secrets, timeout: o.Timeout, now: o.Now, seen: map[string]time.Time{},
		// Proxy stays nil: no environment decides where a question goes. Each question has a connection of its own, as
		// the transport sends some requests again when a kept one turns out to be dead.
		transport: &http.Transport{
			DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true,
			MaxResponseHeaderBytes: maxHeader, TLSHandshakeTimeout: o.Timeout,
		},
	}, nil
}

// checkURL tells whether a URL is one of plain http, which may lead to this machine only.
func checkURL(text string) (plain bool, err error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return false, errors.New("the URL cannot be read")
	case u.User != nil:
		return false, errors.New("the URL holds a user name or password")
	case u.Fragment != "":
		return false, errors.New("the URL has a fragment")
	case u.Scheme == "https":
		return false, nil
	case u.Scheme != "http":
		return false, errors.New("the URL is neither https nor http")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	address, err := netip.ParseAddr(host)
	isName := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if !isName && (err != nil || !address.Unmap().IsLoopback()) {
		return false, errors.New("http leads to this machine only; use https")
	}
	return true, nil
}

// loopbackOnly refuses a connection to another machine, whatever a name led to.
func loopbackOnly(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !to.Addr().Unmap().IsLoopback() {
		return errors.New("not an address of this machine")
	}
	return nil
}

// Name is "webhook".
func (w *webhook) Name() string { return "webhook" }

// Ask sends the question, once.
func (w *webhook) Ask(ctx context.Context, q Question) Verdict {
	if q.ID == "" || q.ArgsSHA256 == "" {
		return no("the question has no id or no digest")
	}
	body, err := json.Marshal(q)
	switch {
	case err != nil:
		return no("the question cannot be written as JSON")
	case len(body) > maxBody:
		return no("the question is too large to be shown; split the call")
	}
	now := w.now()
	if !q.Expires.IsZero() && !now.Before(q.Expires) {
		return no("the question has expired")
	}
	waiting, stop := context.WithTimeout(ctx, w.timeout)
	defer stop()
	open := waiting
	if !q.Expires.IsZero() {
		var cancel context.CancelFunc
		open, cancel = context.WithTimeout(waiting, q.Expires.Sub(now))
		defer cancel()
	}
	status, header, text, err := w.post(open, now, body)
	switch {
	case ctx.Err() != nil: // the caller may have brought that about
		return no("the call ended before the webhook answered")
	case err != nil && waiting.Err() == nil && open.Err() != nil:
		return no("the question expired before the webhook answered")
	case waiting.Err() != nil:
		return lost("the webhook did not answer in time")
	case errors.Is(err, errTooLong):
		return lost("the answer is malformed: it is longer than 64 KiB")
	case err != nil:
		return lost("the webhook cannot be reached")
	case status >= 500:
		return lost(fmt.Sprintf("the webhook answered with status %d", status))
	case status != http.StatusOK: // redirects too
		return no(fmt.Sprintf("the webhook answered with status %d", status))
	}
	return w.judge(q, header, text)
}

// errTooLong says that an answer is longer than maxBody.
var errTooLong = errors.New("the answer is too long")

// post sends one request and reads its answer. It goes to the transport itself: no redirect is followed.
func (w *webhook) post(ctx context.Context, now time.Time, body []byte) (status int, header http.Header, text []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, fmt.Errorf("asking the webhook: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "drawbridge")
	id := "msg_" + NewID()
	w.first(id, now)
	sign(request.Header, w.secrets, id, now, body)
	response, err := w.transport.RoundTrip(request)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("asking the webhook: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err = io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return 0, nil, nil, fmt.Errorf("reading the webhook's answer: %w", err)
	}
	if len(text) > maxBody {
		return 0, nil, nil, errTooLong
	}
	return response.StatusCode, response.Header, text, nil
}

// judge reads an answer. What is not signed could be anybody's, and counts as none; what is signed and yet wrong is a
// no that nothing lifts.
func (w *webhook) judge(q Question, header http.Header, body []byte) Verdict {
	if !signed(header, w.secrets, body) {
		return lost("the answer's signature is wrong")
	}
	a, err := parseAnswer(body)
	now := w.now()
	switch {
	case err != nil:
		return no("the answer is malformed") // somebody who knows the secret said something else than yes
	case !fresh(header, now):
		return no("the answer is stale")
	case !w.first(header.Get(headerID), now):
		return no("the answer was used before")
	case a.ApprovalID != q.ID || a.ArgsSHA256 != q.ArgsSHA256:
		return no("the answer is for another question")
	case !q.Expires.IsZero() && !now.Before(q.Expires):
		return no("the answer came too late")
	case !a.Approve:
		return Verdict{Reachable: true, By: said(a.By), Reason: reasonOf(a)}
	}
	return Verdict{Yes: true, Reachable: true, By: said(a.By)}
}

func reasonOf(a answer) string {
	if reason := said(a.Reason); reason != "" {
		return reason
	}
	return "a human said no"
}

// first tells whether a message with that id was never seen. Ids are kept for as long as an answer could be fresh, and
// only those of messages that know the secret.
func (w *webhook) first(id string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for old, at := range w.seen {
		if now.Sub(at) > 2*tolerance {
			delete(w.seen, old)
		}
	}
	if _, before := w.seen[id]; before {
		return false
	}
	w.seen[id] = now
	return true
}
