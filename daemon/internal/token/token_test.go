package token_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/token"
	"drawbridge/protocol"
)

// clock is a clock that stands still until it is told to go on.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{now: time.Unix(1_700_000_000, 0)} }

func (c *clock) Now() time.Time { return c.now }

func prepared() token.Binding {
	return token.Binding{
		Tool: "delete_node", ArgsDigest: "a1", Project: "/p", Editor: "e1", Client: "c1", Epoch: "1", Fingerprint: "f1",
	}
}

func codeOf(failure *protocol.Error) protocol.Code {
	if failure == nil {
		return ""
	}
	return failure.Code
}

func TestATokenIsGoodOnceAndGivesTheFingerprintBack(t *testing.T) {
	c := newClock()
	s := token.New(token.Options{Now: c.Now})
	id, expires := s.Issue(prepared())
	assert.Equal(t, c.now.Add(300*time.Second), expires)
	assert.GreaterOrEqual(t, len(id), 26, "at least 128 bits")
	now := prepared()
	now.Fingerprint = "another" // not compared here
	fingerprint, failure := s.Spend(id, now)
	require.Nil(t, failure)
	assert.Equal(t, "f1", fingerprint)
	fingerprint, failure = s.Spend(id, prepared())
	assert.Equal(t, protocol.ConfirmTokenInvalid, codeOf(failure))
	assert.Empty(t, fingerprint)
}

func TestEachDifferenceHasItsCodeAndBurnsTheToken(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*token.Binding)
		want   protocol.Code
		part   string
	}{
		"tool":      {func(b *token.Binding) { b.Tool = "x" }, protocol.ConfirmTokenAction, ""},
		"arguments": {func(b *token.Binding) { b.ArgsDigest = "x" }, protocol.ConfirmTokenArgs, ""},
		"project":   {func(b *token.Binding) { b.Project = "x" }, protocol.ConfirmTokenContext, "project"},
		"editor":    {func(b *token.Binding) { b.Editor = "x" }, protocol.ConfirmTokenContext, "editor"},
		"client":    {func(b *token.Binding) { b.Client = "x" }, protocol.ConfirmTokenContext, "client"},
		"epoch":     {func(b *token.Binding) { b.Epoch = "x" }, protocol.ConfirmTokenContext, "policy"},
		"nothing said": {
			func(b *token.Binding) { *b = token.Binding{} }, protocol.ConfirmTokenAction, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := token.New(token.Options{})
			id, _ := s.Issue(prepared())
			other := prepared()
			c.change(&other)
			fingerprint, failure := s.Spend(id, other)
			assert.Equal(t, c.want, codeOf(failure))
			assert.Empty(t, fingerprint)
			if c.part != "" {
				assert.Equal(t, c.part, failure.Details["differs"])
			}
			_, failure = s.Spend(id, prepared())
			assert.Equal(t, protocol.ConfirmTokenInvalid, codeOf(failure), "it is burnt")
		})
	}
}

func TestWhatWasNeverIssuedIsInvalid(t *testing.T) {
	s := token.New(token.Options{})
	id, _ := s.Issue(prepared())
	for _, wrong := range []string{"", "x", strings.ToLower(id), id + " ", id + "A", id[1:], strings.Repeat("A", 1<<20)} {
		_, failure := s.Spend(wrong, prepared())
		assert.Equal(t, protocol.ConfirmTokenInvalid, codeOf(failure))
	}
	_, failure := s.Spend(id, prepared())
	assert.Nil(t, failure, "wrong guesses cost the right one nothing")
}

func TestATokenExpiresAndIsKnownAsExpiredForTenMinutes(t *testing.T) {
	const ttl = 120 * time.Second
	for after, want := range map[time.Duration]protocol.Code{
		0:                                  "",
		ttl - 1:                            "",
		ttl:                                protocol.ConfirmTokenExpired,
		ttl + 10*time.Minute - 1:           protocol.ConfirmTokenExpired,
		ttl + 10*time.Minute:               protocol.ConfirmTokenInvalid,
		-1 /* the clock runs backwards */ : protocol.ConfirmTokenExpired,
	} {
		c := newClock()
		s := token.New(token.Options{TTL: ttl, Now: c.Now})
		id, _ := s.Issue(prepared())
		c.now = c.now.Add(after)
		_, failure := s.Spend(id, prepared())
		assert.Equal(t, want, codeOf(failure), "after %v", after)
		_, failure = s.Spend(id, prepared())
		assert.Equal(t, protocol.ConfirmTokenInvalid, codeOf(failure), "twice after %v", after)
	}
}

func TestTheOldestTokenOfAClientGivesWay(t *testing.T) {
	s := token.New(token.Options{})
	other := prepared()
	other.Client = "c2"
	others, _ := s.Issue(other)
	var ids []string
	for range 65 {
		id, _ := s.Issue(prepared())
		ids = append(ids, id)
	}
	for i, id := range ids {
		_, failure := s.Spend(id, prepared())
		assert.Equal(t, i == 0, failure != nil, "token %d", i)
	}
	_, failure := s.Spend(others, other)
	assert.Nil(t, failure, "another client's is not touched")
}

func TestAnEditorOrClientThatGoesTakesItsTokensAlong(t *testing.T) {
	s := token.New(token.Options{})
	other := prepared()
	other.Editor, other.Client = "e2", "c2"
	byEditor, _ := s.Issue(prepared())
	kept, _ := s.Issue(other)
	s.DropEditor("e1")
	s.DropEditor("nobody")
	_, failure := s.Spend(byEditor, prepared())
	assert.Equal(t, protocol.ConfirmTokenInvalid, codeOf(failure))
	byClient, _ := s.Issue(prepared())
	s.DropClient("c1")
	_, failure = s.Spend(byClient, prepared())
	assert.Equal(t, protocol.ConfirmTokenInvalid, codeOf(failure))
	_, failure = s.Spend(kept, other)
	assert.Nil(t, failure)
}

func TestOfManyThatSpendAtOnceOneSucceeds(t *testing.T) {
	s := token.New(token.Options{})
	for range 50 {
		id, _ := s.Issue(prepared())
		var wins atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, failure := s.Spend(id, prepared()); failure == nil {
					wins.Add(1)
				}
			})
		}
		all.Wait()
		assert.Equal(t, int32(1), wins.Load())
	}
}

func TestNoFailureRepeatsTheToken(t *testing.T) {
	s := token.New(token.Options{})
	id, _ := s.Issue(prepared())
	other := prepared()
	other.Client = "x"
	_, failure := s.Spend(id, other)
	require.NotNil(t, failure)
	assert.NotContains(t, fmt.Sprintf("%+v", *failure), id)
	assert.NotContains(t, fmt.Sprintf("%+v", *failure), "c1", "nor whose it was")
}
