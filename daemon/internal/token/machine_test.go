package token_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"drawbridge/daemon/internal/token"
	"drawbridge/protocol"
)

const (
	machineTTL       = 100 * time.Second
	machinePerClient = 3
)

// issued is what the model knows of a token.
type issued struct {
	id      string
	binding token.Binding
	at      time.Time
	gone    bool // shown, dropped, or pushed out
}

// machine drives a store beside a model that is too simple to be wrong: a list.
type machine struct {
	clock  *clock
	store  *token.Store
	tokens []*issued
}

// bindings draws from few values, so that tokens meet calls that differ in one respect, or in none.
func bindings(t *rapid.T) token.Binding {
	pick := func(label string) string { return rapid.SampledFrom([]string{"a", "b"}).Draw(t, label) }
	return token.Binding{
		Tool: pick("tool"), ArgsDigest: pick("args"), Project: pick("project"), Editor: pick("editor"),
		Client: pick("client"), Epoch: pick("epoch"), Fingerprint: pick("fingerprint"),
	}
}

func (m *machine) issue(t *rapid.T) {
	b := bindings(t)
	id, expires := m.store.Issue(b)
	assert.Equal(t, m.clock.now.Add(machineTTL), expires)
	var own []*issued
	for _, k := range m.tokens {
		if k.binding.Client == b.Client && !k.gone && !m.forgotten(k) {
			own = append(own, k)
		}
		assert.NotEqual(t, k.id, id)
	}
	if len(own) >= machinePerClient {
		own[0].gone = true
	}
	m.tokens = append(m.tokens, &issued{id: id, binding: b, at: m.clock.now})
}

func (m *machine) age(k *issued) time.Duration { return m.clock.now.Sub(k.at) }

func (m *machine) forgotten(k *issued) bool { return m.age(k) >= machineTTL+10*time.Minute }

// spend shows a token with a call: mostly the one that it was made for, with at most one respect changed.
func (m *machine) spend(t *rapid.T) {
	if len(m.tokens) == 0 {
		return
	}
	k := rapid.SampledFrom(m.tokens).Draw(t, "token")
	call := k.binding
	if rapid.Bool().Draw(t, "other call") {
		call = bindings(t)
	}
	fingerprint, failure := m.store.Spend(k.id, call)
	want := m.expected(k, call)
	assert.Equal(t, want, codeOf(failure))
	if want == "" {
		assert.Equal(t, k.binding.Fingerprint, fingerprint)
	} else {
		assert.Empty(t, fingerprint)
	}
	k.gone = true
}

// expected is the code that a showing has to give; none is a success.
func (m *machine) expected(k *issued, call token.Binding) protocol.Code {
	was := k.binding
	was.Fingerprint, call.Fingerprint = "", ""
	switch {
	case k.gone || m.forgotten(k):
		return protocol.ConfirmTokenInvalid
	case m.age(k) >= machineTTL:
		return protocol.ConfirmTokenExpired
	case was.Tool != call.Tool:
		return protocol.ConfirmTokenAction
	case was.ArgsDigest != call.ArgsDigest:
		return protocol.ConfirmTokenArgs
	case was != call:
		return protocol.ConfirmTokenContext
	}
	return ""
}

func (m *machine) wait(t *rapid.T) {
	seconds := rapid.SampledFrom([]int{1, 50, 99, 100, 599, 600, 700}).Draw(t, "seconds")
	m.clock.now = m.clock.now.Add(time.Duration(seconds) * time.Second)
}

func (m *machine) drop(t *rapid.T) {
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")
	byEditor := rapid.Bool().Draw(t, "editor")
	if byEditor {
		m.store.DropEditor(name)
	} else {
		m.store.DropClient(name)
	}
	for _, k := range m.tokens {
		if byEditor && k.binding.Editor == name || !byEditor && k.binding.Client == name {
			k.gone = true
		}
	}
}

func TestNoSequenceSpendsTwiceOrElsewhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		m := &machine{clock: c, store: token.New(token.Options{
			TTL: machineTTL, Now: c.Now, PerClient: machinePerClient,
		})}
		t.Repeat(map[string]func(*rapid.T){
			"issue": m.issue, "spend": m.spend, "wait": m.wait, "drop": m.drop,
		})
	})
}
