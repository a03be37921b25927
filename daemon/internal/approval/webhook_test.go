package approval

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reply is an answer on its way; a test changes what it wants to see refused.
type reply struct {
	status          int
	id, stamp       string
	signature, body string
	secret          string // signs when signature is empty
	header          http.Header
	fields          map[string]any // become the body when body is empty
}

// receiver is the other side of a webhook, written from the standard's text and not with the code under test.
type receiver struct {
	*httptest.Server
	t      *testing.T
	secret string
	change func(*reply)
	asked  atomic.Int32

	mu   sync.Mutex
	last map[string]any // the last question
}

func secretOf(letter string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, 32)))
}

func signature(secret, id, stamp, body string) string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + stamp + "." + body))
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func newReceiver(t *testing.T, change func(*reply)) *receiver {
	t.Helper()
	r := &receiver{t: t, secret: secretOf("a"), change: change}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	n := r.asked.Add(1)
	body, err := io.ReadAll(request.Body)
	assert.NoError(r.t, err)
	id, stamp := request.Header.Get("webhook-id"), request.Header.Get("webhook-timestamp")
	assert.Contains(r.t, strings.Fields(request.Header.Get("webhook-signature")), signature(r.secret, id, stamp, string(body)))
	assert.Equal(r.t, http.MethodPost, request.Method)
	assert.True(r.t, request.Close, "no connection is kept")
	assert.Equal(r.t, "application/json", request.Header.Get("Content-Type"))
	assert.LessOrEqual(r.t, len(body), 64<<10)
	question := map[string]any{}
	assert.NoError(r.t, json.Unmarshal(body, &question))
	r.mu.Lock()
	r.last = question
	r.mu.Unlock()
	a := &reply{
		status: 200, id: fmt.Sprintf("answer-%d", n), stamp: strconv.FormatInt(time.Now().Unix(), 10), secret: r.secret,
		header: http.Header{}, fields: map[string]any{
			"approval_id": question["approval_id"], "args_sha256": question["args_sha256"], "decision": "approve", "by": "Ada",
		},
	}
	if r.change != nil {
		r.change(a)
	}
	if a.body == "" {
		text, err := json.Marshal(a.fields)
		assert.NoError(r.t, err)
		a.body = string(text)
	}
	if a.signature == "" {
		a.signature = signature(a.secret, a.id, a.stamp, a.body)
	}
	w.Header().Set("webhook-id", a.id)
	w.Header().Set("webhook-timestamp", a.stamp)
	w.Header().Set("webhook-signature", a.signature)
	for name, values := range a.header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

func (r *receiver) webhook(change ...func(*WebhookOptions)) Backend {
	r.t.Helper()
	o := WebhookOptions{URL: r.URL + "/hook?x=1", Secrets: []string{r.secret}}
	for _, f := range change {
		f(&o)
	}
	b, err := NewWebhook(o)
	require.NoError(r.t, err)
	return b
}

func aQuestion() Question {
	return Question{
		ID: NewID(), Tool: "delete_node", Class: "destructive", Project: "/p", Client: "c", Targets: []string{"A/B"},
		Preview: json.RawMessage(`{"removes":1}`), ArgsSHA256: strings.Repeat("ab", 32),
		Expires: time.Now().Add(time.Minute),
	}
}

func TestASignedYesIsAYes(t *testing.T) {
	r := newReceiver(t, nil)
	b := r.webhook()
	assert.Equal(t, "webhook", b.Name())
	q := aQuestion()
	for range 2 {
		assert.Equal(t, Verdict{Yes: true, Reachable: true, By: "Ada"}, b.Ask(t.Context(), q))
	}
	assert.Equal(t, q.ID, r.last["approval_id"])
	assert.Equal(t, "delete_node", r.last["tool"])
	assert.Equal(t, []any{"A/B"}, r.last["targets"])
	assert.Equal(t, map[string]any{"removes": 1.0}, r.last["preview"])
	q.Expires = time.Time{}
	assert.True(t, b.Ask(t.Context(), q).Yes)
	assert.NotContains(t, r.last, "expires_at")
}

// wrongAnswer changes an answer, and says what comes of it.
type wrongAnswer struct {
	change    func(*reply)
	reachable bool
	reason    string
}

func wrongAnswers() map[string]wrongAnswer {
	const reachable, unreachable = true, false
	at := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
	with := func(name string, value any) func(*reply) { return func(a *reply) { a.fields[name] = value } }
	status := func(n int) func(*reply) { return func(a *reply) { a.status = n } }
	text := func(body string) func(*reply) { return func(a *reply) { a.body = body } }
	return map[string]wrongAnswer{
		"deny":                {with("decision", "deny"), reachable, "a human said no"},
		"deny with a word":    {func(a *reply) { a.fields["decision"], a.fields["reason"] = "deny", "not\x1b now" }, reachable, "not now"},
		"unknown decision":    {with("decision", "yes"), reachable, "malformed"},
		"empty decision":      {with("decision", ""), reachable, "malformed"},
		"decision as bool":    {with("decision", true), reachable, "malformed"},
		"no decision":         {func(a *reply) { delete(a.fields, "decision") }, reachable, "malformed"},
		"another case":        {func(a *reply) { delete(a.fields, "decision"); a.fields["Decision"] = "approve" }, reachable, "malformed"},
		"unknown key":         {with("ttl", "1"), reachable, "malformed"},
		"no digest":           {func(a *reply) { delete(a.fields, "args_sha256") }, reachable, "malformed"},
		"other digest":        {with("args_sha256", strings.Repeat("ac", 32)), reachable, "another question"},
		"digest in capitals":  {with("args_sha256", strings.Repeat("AB", 32)), reachable, "another question"},
		"other approval":      {with("approval_id", "x"), reachable, "another question"},
		"not JSON":            {text("approve"), reachable, "malformed"},
		"a list":              {text(`[]`), reachable, "malformed"},
		"null":                {text(`null`), reachable, "malformed"},
		"two objects":         {text(`{} {}`), reachable, "malformed"},
		"nested":              {text(`{"decision":{"decision":"approve"}}`), reachable, "malformed"},
		"a key twice":         {text(`{"decision":"deny","decision":"approve"}`), reachable, "malformed"},
		"empty":               {func(a *reply) { a.body, a.signature = " ", "" }, reachable, "malformed"},
		"500":                 {status(500), unreachable, "status 500"},
		"503":                 {status(503), unreachable, "status 503"},
		"404":                 {status(404), reachable, "status 404"},
		"403":                 {status(403), reachable, "status 403"},
		"201":                 {status(201), reachable, "status 201"},
		"unsigned":            {func(a *reply) { a.signature = "v1," }, unreachable, "signature"},
		"other secret":        {func(a *reply) { a.secret = secretOf("b") }, unreachable, "signature"},
		"other version":       {func(a *reply) { a.signature = "v2" + signature(a.secret, a.id, a.stamp, a.body)[2:] }, unreachable, "signature"},
		"signature cut":       {func(a *reply) { a.signature = signature(a.secret, a.id, a.stamp, "{}")[:20] }, unreachable, "signature"},
		"too many signatures": {func(a *reply) { a.signature = strings.Repeat("v1,AAAA ", 17) }, unreachable, "signature"},
		"body changed":        {func(a *reply) { a.signature = signature(a.secret, a.id, a.stamp, `{"decision":"approve"}`) }, unreachable, "signature"},
		"no id":               {func(a *reply) { a.id = "" }, unreachable, "signature"},
		"id with a dot":       {func(a *reply) { a.id = "a.1" }, unreachable, "signature"},
		"endless id":          {func(a *reply) { a.id = strings.Repeat("x", 129) }, unreachable, "signature"},
		"id twice":            {func(a *reply) { a.header["webhook-id"] = []string{a.id, "other"} }, unreachable, "signature"},
		"stale":               {func(a *reply) { a.stamp = at(-5*time.Minute - 5*time.Second) }, reachable, "stale"},
		"of the future":       {func(a *reply) { a.stamp = at(5*time.Minute + 5*time.Second) }, reachable, "stale"},
		"no time":             {func(a *reply) { a.stamp = "" }, reachable, "stale"},
		"time as text":        {func(a *reply) { a.stamp = "now" }, reachable, "stale"},
		"time with a plus":    {func(a *reply) { a.stamp = "+" + a.stamp }, reachable, "stale"},
		"time far below":      {func(a *reply) { a.stamp = "-9223372036854775808" }, reachable, "stale"},
		"time far above":      {func(a *reply) { a.stamp = "9223372036854775807" }, reachable, "stale"},
		"too long":            {func(a *reply) { a.fields["by"] = strings.Repeat("x", 65<<10) }, unreachable, "64 KiB"},
		"endless headers":     {func(a *reply) { a.header.Set("x", strings.Repeat("x", 1<<20)) }, unreachable, "cannot be reached"},
	}
}

func TestEverythingElseIsANo(t *testing.T) {
	for name, c := range wrongAnswers() {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t, c.change)
			v := r.webhook().Ask(t.Context(), aQuestion())
			assert.False(t, v.Yes)
			assert.Equal(t, c.reachable, v.Reachable, v.Reason)
			assert.Contains(t, v.Reason, c.reason)
			assert.Equal(t, int32(1), r.asked.Load(), "one attempt")
			assert.NotContains(t, v.Reason, "hook?x=1")
		})
	}
}

func TestAnAnswerWithinTheToleranceIsTaken(t *testing.T) {
	for _, off := range []time.Duration{-4*time.Minute - 50*time.Second, 4*time.Minute + 50*time.Second} {
		r := newReceiver(t, func(a *reply) { a.stamp = strconv.FormatInt(time.Now().Add(off).Unix(), 10) })
		assert.True(t, r.webhook().Ask(t.Context(), aQuestion()).Yes)
	}
}

func TestAnAnswerIsGoodOnce(t *testing.T) {
	r := newReceiver(t, func(a *reply) { a.id = "the-same" })
	b := r.webhook()
	assert.True(t, b.Ask(t.Context(), aQuestion()).Yes)
	v := b.Ask(t.Context(), aQuestion()) // its own ids and digest are right
	assert.Equal(t, no("the answer was used before"), v)

	var first string
	replay := newReceiver(t, func(a *reply) {
		if first == "" {
			text, _ := json.Marshal(a.fields)
			first = string(text)
		}
		a.id, a.body = "one", first // the first answer as a whole
	})
	b = replay.webhook()
	assert.True(t, b.Ask(t.Context(), aQuestion()).Yes)
	assert.False(t, b.Ask(t.Context(), aQuestion()).Yes)
}

func TestAQuestionIsNoAnswer(t *testing.T) {
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			w.Header().Set(name, r.Header.Get(name))
		}
		_, _ = io.Copy(w, r.Body)
	}))
	defer mirror.Close()
	b, err := NewWebhook(WebhookOptions{URL: mirror.URL, Secrets: []string{secretOf("a")}})
	require.NoError(t, err)
	assert.False(t, b.Ask(t.Context(), aQuestion()).Yes)
	// Nor may an answer take the question's own id.
	lazy := newReceiver(t, nil)
	lazy.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		id := request.Header.Get("webhook-id")
		lazy.change = func(a *reply) { a.id = id }
		lazy.ServeHTTP(w, request)
	})
	assert.Equal(t, no("the answer was used before"), lazy.webhook().Ask(t.Context(), aQuestion()))
}

func TestTwoSecretsWorkWhileTheyAreChanged(t *testing.T) {
	both := func(o *WebhookOptions) { o.Secrets = []string{secretOf("a"), secretOf("b")} }
	for _, letter := range []string{"a", "b"} { // the other side has only one of them
		r := newReceiver(t, nil)
		r.secret = secretOf(letter)
		assert.True(t, r.webhook(both).Ask(t.Context(), aQuestion()).Yes)
	}
	r := newReceiver(t, func(a *reply) { // it signs with an old one, a new one, and in ways that we do not know
		text, _ := json.Marshal(a.fields)
		a.body = string(text)
		a.signature = "v1a,xyz " + signature(secretOf("z"), a.id, a.stamp, a.body) + " " + signature(secretOf("b"), a.id, a.stamp, a.body)
	})
	assert.True(t, r.webhook(both).Ask(t.Context(), aQuestion()).Yes)
	assert.False(t, r.webhook().Ask(t.Context(), aQuestion()).Yes, "without the second one")
}

func TestASlowWebhookIsLeftBehind(t *testing.T) {
	release := make(chan struct{})
	r := newReceiver(t, func(*reply) { <-release })
	defer close(release)
	quick := func(o *WebhookOptions) { o.Timeout = 50 * time.Millisecond }
	assert.Equal(t, lost("the webhook did not answer in time"), r.webhook(quick).Ask(t.Context(), aQuestion()))

	// What the client brings about is never a reason to wave a call through.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	v := r.webhook().Ask(ctx, aQuestion())
	assert.Equal(t, no("the call ended before the webhook answered"), v)
	q := aQuestion()
	q.Expires = time.Now().Add(50 * time.Millisecond)
	assert.Equal(t, no("the question expired before the webhook answered"), r.webhook().Ask(t.Context(), q))
}

func TestABodyThatNeverEndsIsLeftBehind(t *testing.T) {
	drip := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client leaves
		w.WriteHeader(200)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer drip.Close()
	b, err := NewWebhook(WebhookOptions{URL: drip.URL, Secrets: []string{secretOf("a")}, Timeout: 50 * time.Millisecond})
	require.NoError(t, err)
	assert.Equal(t, lost("the webhook did not answer in time"), b.Ask(t.Context(), aQuestion()))
}

func TestNobodyThereIsUnreachable(t *testing.T) {
	r := newReceiver(t, nil)
	b := r.webhook()
	r.Close()
	assert.Equal(t, lost("the webhook cannot be reached"), b.Ask(t.Context(), aQuestion()))
}

func TestQuestionsThatCannotBeAskedAreNotSent(t *testing.T) {
	for name, change := range map[string]func(*Question){
		"no id":       func(q *Question) { q.ID = "" },
		"no digest":   func(q *Question) { q.ArgsSHA256 = "" },
		"expired":     func(q *Question) { q.Expires = time.Now() },
		"too large":   func(q *Question) { q.Code = strings.Repeat("x", 64<<10) },
		"no JSON":     func(q *Question) { q.Preview = json.RawMessage(`{`) },
		"large entry": func(q *Question) { q.Entries = []Entry{{Code: strings.Repeat("x", 64<<10)}} },
	} {
		r := newReceiver(t, nil)
		q := aQuestion()
		change(&q)
		v := r.webhook().Ask(t.Context(), q)
		assert.False(t, v.Yes, name)
		assert.True(t, v.Reachable, "%s: it could be brought about to be waved through", name)
		assert.Zero(t, r.asked.Load(), name)
	}
}

func TestAnAnswerAfterTheQuestionExpiredComesTooLate(t *testing.T) {
	now := time.Now()
	var late atomic.Bool
	r := newReceiver(t, func(*reply) { late.Store(true) })
	b := r.webhook(func(o *WebhookOptions) {
		o.Now = func() time.Time {
			if late.Load() {
				return now.Add(2 * time.Minute)
			}
			return now
		}
	})
	assert.Equal(t, no("the answer came too late"), b.Ask(t.Context(), aQuestion()))
}
