package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"drawbridge/daemon/internal/session"
)

func TestEveryClientHasAnIDOfItsOwn(t *testing.T) {
	a, b := session.New("same"), session.New("same")
	assert.NotEmpty(t, a.ID)
	assert.NotEqual(t, a.ID, b.ID)
	assert.Equal(t, "same", a.Name)
	assert.Empty(t, (&session.Client{}).ID)
}

func TestALabelIsOneShortPrintableLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		" claude-code 2.1 ":            "claude-code 2.1",
		"a\r\nb\x00c\x1b[31m":          "abc[31m",
		"left\u202eright\u2066\u200b":  "leftright",
		"bad \xff byte":                "bad  byte",
		strings.Repeat("é", 81):        strings.Repeat("é", 79) + "…",
		strings.Repeat("é", 80) + "\n": strings.Repeat("é", 80),
	} {
		assert.Equal(t, want, session.Label(text), "%q", text)
		assert.Equal(t, want, session.New(text).Name)
	}
}

func TestAClientRemembersTheSceneOfEachProject(t *testing.T) {
	c := &session.Client{}
	assert.Empty(t, c.Scene("p"))
	c.Saw("p", "")
	c.Saw("p", "a.tscn")
	c.Saw("p", "")
	assert.Equal(t, "a.tscn", c.Scene("p"))
	assert.Empty(t, c.Scene("q"))
}

func TestOnlyAnAcceptedTickIsAYes(t *testing.T) {
	for _, action := range []string{"", "decline", "cancel", "Accept", "accept ", "yes", session.Accepted} {
		for _, tick := range []bool{false, true} {
			want := action == "accept" && tick
			assert.Equal(t, want, session.Answer{State: "s", Action: action, Approve: tick}.Yes(), "%q %v", action, tick)
		}
	}
}

func TestWhatNobodySaidIsNotInTheContext(t *testing.T) {
	ctx := t.Context()
	_, there := session.AnswerOf(ctx)
	assert.False(t, there)
	assert.False(t, session.CanElicit(ctx))
	answer := session.Answer{State: "s", Action: session.Accepted, Approve: true}
	ctx = session.WithElicitation(session.WithAnswer(ctx, answer), true)
	got, there := session.AnswerOf(ctx)
	assert.True(t, there)
	assert.Equal(t, answer, got)
	assert.True(t, session.CanElicit(ctx))
	assert.False(t, session.CanElicit(session.WithElicitation(ctx, false)))
}

func TestAPlaceIsSaidToWhoeverAsked(t *testing.T) {
	session.Placed(t.Context()) // nobody asked
	n := 0
	session.Placed(session.WithPlace(t.Context(), func() { n++ }))
	assert.Equal(t, 1, n)
}
