package approval

import (
	"encoding/base64"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func wasAsked() Asked {
	return Asked{
		Client: "c1", Tool: "delete_node", ArgsSHA256: "ab", Project: "/p", Editor: "e1", Fingerprint: "f1",
		TokenSpent: true, Expires: time.Unix(1_700_000_000, 5),
	}
}

// before is a moment at which the question is still open.
func before() time.Time { return wasAsked().Expires.Add(-1) }

func sealedBy(t *testing.T, s *Sealer, a Asked) string {
	t.Helper()
	state, err := s.Seal(a)
	require.NoError(t, err)
	return state
}

func open(s *Sealer, state string) (Asked, error) {
	return s.Open(state, before(), "c1", "delete_node", "ab", "/p")
}

func TestAStateOpensOnce(t *testing.T) {
	s := NewSealer()
	state := sealedBy(t, s, wasAsked())
	got, err := open(s, state)
	require.NoError(t, err)
	assert.Equal(t, wasAsked(), got)
	got, err = open(s, state)
	require.ErrorIs(t, err, ErrSpent)
	assert.Equal(t, Asked{}, got)
}

func TestAStateTellsTheClientNothing(t *testing.T) {
	s := NewSealer()
	a, b := sealedBy(t, s, wasAsked()), sealedBy(t, s, wasAsked())
	assert.NotEqual(t, a, b)
	box, err := base64.RawURLEncoding.DecodeString(a)
	require.NoError(t, err)
	for _, secret := range []string{"c1", "delete_node", "/p", "f1", "e1"} {
		assert.NotContains(t, string(box), secret)
	}
	assert.Less(t, len(a), 600)
}

func TestAStateIsOnlyForItsOwnCallAndSpentByBeingShown(t *testing.T) {
	end := wasAsked().Expires
	for name, c := range map[string]struct {
		now                         time.Time
		client, tool, args, project string
		want                        error
	}{
		"another client":  {before(), "c2", "delete_node", "ab", "/p", ErrForeign},
		"another tool":    {before(), "c1", "x", "ab", "/p", ErrForeign},
		"other arguments": {before(), "c1", "delete_node", "ac", "/p", ErrForeign},
		"another project": {before(), "c1", "delete_node", "ab", "/q", ErrForeign},
		"nothing said":    {before(), "", "", "", "", ErrForeign},
		"its last moment": {end, "c1", "delete_node", "ab", "/p", ErrExpired},
		"long after":      {end.Add(time.Hour), "c1", "delete_node", "ab", "/p", ErrExpired},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSealer()
			state := sealedBy(t, s, wasAsked())
			got, err := s.Open(state, c.now, c.client, c.tool, c.args, c.project)
			require.ErrorIs(t, err, c.want)
			assert.Equal(t, Asked{}, got)
			_, err = open(s, state)
			require.ErrorIs(t, err, ErrSpent)
		})
	}
}

func TestAForgedStateIsRefused(t *testing.T) {
	s := NewSealer()
	state := sealedBy(t, s, wasAsked())
	other := sealedBy(t, NewSealer(), wasAsked())
	for _, forged := range []string{
		"", "x", state + "A", state[1:], state[:len(state)-1], "=" + state, state + "\n", " " + state, other,
		base64.RawURLEncoding.EncodeToString([]byte(`{"client":"c1","tool":"delete_node"}`)),
		strings.Repeat("A", 1<<20),
	} {
		_, err := open(s, forged)
		require.ErrorIs(t, err, ErrForged, "%.20q", forged)
	}
	box, err := base64.RawURLEncoding.DecodeString(state)
	require.NoError(t, err)
	for i := range box {
		box[i] ^= 1
		_, err := open(s, base64.RawURLEncoding.EncodeToString(box))
		require.ErrorIs(t, err, ErrForged)
		box[i] ^= 1
	}
	_, err = open(s, state)
	assert.NoError(t, err, "all that cost the right one nothing")
}

func TestWhatHasNoEndOrIsTooLongIsNotSealed(t *testing.T) {
	s := NewSealer()
	for _, change := range []func(*Asked){
		func(a *Asked) { a.Expires = time.Time{} },
		func(a *Asked) { a.Fingerprint = strings.Repeat("x", 8<<10) },
	} {
		a := wasAsked()
		change(&a)
		state, err := s.Seal(a)
		require.Error(t, err)
		assert.Empty(t, state)
	}
	state, err := (&Sealer{}).Seal(wasAsked()) // one without a key
	require.Error(t, err)
	assert.Empty(t, state)
	_, err = open(&Sealer{}, sealedBy(t, s, wasAsked()))
	require.ErrorIs(t, err, ErrForged)
}

func TestTheOldestQuestionOfAClientGivesWay(t *testing.T) {
	s := NewSealer()
	other := wasAsked()
	other.Client = "c2"
	others := sealedBy(t, s, other)
	var states []string
	for range 65 {
		states = append(states, sealedBy(t, s, wasAsked()))
	}
	for i, state := range states {
		_, err := open(s, state)
		assert.Equal(t, i == 0, err != nil, "state %d", i)
	}
	_, err := s.Open(others, before(), "c2", "delete_node", "ab", "/p")
	assert.NoError(t, err, "another client's is not touched")
}

func TestTheOldestOfAllGivesWayToManyClients(t *testing.T) {
	s := NewSealer()
	first := sealedBy(t, s, wasAsked())
	for i := range 1024 {
		a := wasAsked()
		a.Client = strings.Repeat("c", i+2)
		a.Fingerprint = ""
		_, err := s.Seal(a)
		require.NoError(t, err)
	}
	assert.Len(t, s.open, 1024)
	_, err := open(s, first)
	require.ErrorIs(t, err, ErrSpent)
}

func TestOfManyThatOpenAtOnceOneSucceeds(t *testing.T) {
	s := NewSealer()
	for range 50 {
		state := sealedBy(t, s, wasAsked())
		var wins atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := open(s, state); err == nil {
					wins.Add(1)
				}
			})
		}
		all.Wait()
		assert.Equal(t, int32(1), wins.Load())
	}
}
