package approval

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// laid puts a question on a desk and gives the way to its verdict.
func laid(ctx context.Context, d *Desk, q Question) chan Verdict {
	verdict := make(chan Verdict, 1)
	go func() { verdict <- d.Ask(ctx, q) }()
	return verdict
}

func TestAQuestionLiesOnTheDeskUntilItIsAnsweredOnce(t *testing.T) {
	for _, yes := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := NewDesk()
			assert.Equal(t, "page", d.Name())
			assert.Empty(t, d.Pending())
			first, second := aQuestion(), aQuestion()
			a := laid(t.Context(), d, first)
			synctest.Wait()
			b := laid(t.Context(), d, second)
			synctest.Wait()
			assert.Equal(t, []Question{first, second}, d.Pending(), "oldest first")
			require.NoError(t, d.Answer(first.ID, yes, "Ada\x1b"))
			v := <-a
			assert.Equal(t, yes, v.Yes)
			assert.True(t, v.Reachable)
			assert.Equal(t, "Ada", v.By)
			assert.Equal(t, yes, v.Reason == "")
			require.ErrorIs(t, d.Answer(first.ID, true, "x"), ErrNotPending)
			require.ErrorIs(t, d.Answer("unknown", true, "x"), ErrNotPending)
			require.ErrorIs(t, d.Answer("", true, "x"), ErrNotPending)
			assert.Equal(t, []Question{second}, d.Pending())
			require.NoError(t, d.Answer(second.ID, false, ""))
			assert.False(t, (<-b).Yes)
			assert.Empty(t, d.Pending())
		})
	}
}

func TestNobodyAtTheDeskIsANo(t *testing.T) {
	for name, expires := range map[string]time.Duration{"its own end": time.Minute, "the desk's": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, q, start := NewDesk(), aQuestion(), time.Now()
				want := 120 * time.Second
				q.Expires = time.Time{}
				if expires != 0 {
					want = expires
					q.Expires = start.Add(expires)
				}
				v := d.Ask(t.Context(), q)
				assert.Equal(t, no("nobody answered in time"), v, "and no unreachable back end")
				assert.Equal(t, want, time.Since(start))
				assert.Empty(t, d.Pending())
				require.ErrorIs(t, d.Answer(q.ID, true, "x"), ErrNotPending)
			})
		})
	}
}

func TestACallThatEndsTakesItsQuestionAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, q := NewDesk(), aQuestion()
		ctx, cancel := context.WithCancel(t.Context())
		v := laid(ctx, d, q)
		synctest.Wait()
		cancel()
		assert.Equal(t, no("the call ended before somebody answered"), <-v)
		assert.Empty(t, d.Pending())
	})
}

func TestADeskTakesOnlyQuestionsThatCanBeAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, q := NewDesk(), aQuestion()
		ctx, cancel := context.WithCancel(t.Context())
		for _, bad := range []Question{{ArgsSHA256: "x"}, {ID: "x"}} {
			assert.Equal(t, no("the question has no id or no digest"), d.Ask(ctx, bad))
		}
		var open sync.WaitGroup
		open.Go(func() { d.Ask(ctx, q) })
		synctest.Wait()
		assert.Equal(t, no("the question is open already"), d.Ask(ctx, q))
		assert.Len(t, d.Pending(), 1, "the first one is still there")
		for range 63 {
			open.Go(func() { d.Ask(ctx, aQuestion()) })
		}
		synctest.Wait()
		assert.Equal(t, no("too many questions are open"), d.Ask(ctx, aQuestion()))
		cancel()
		open.Wait()
	})
}

func TestAnExpiredQuestionIsNotOpenAlthoughItStillLiesThere(t *testing.T) {
	d, q := NewDesk(), aQuestion()
	q.Expires = time.Now().Add(-1)
	require.Empty(t, d.lay(&paper{q, make(chan Verdict, 1)}))
	assert.Empty(t, d.Pending())
	require.ErrorIs(t, d.Answer(q.ID, true, "x"), ErrNotPending)
}

func TestAnAnswerAtTheLastMomentIsOneOrTheOther(t *testing.T) {
	for range 100 {
		d, q := NewDesk(), aQuestion()
		q.Expires = time.Now().Add(time.Millisecond)
		v := laid(t.Context(), d, q)
		var taken atomic.Bool
		for range 20 {
			taken.Store(taken.Load() || d.Answer(q.ID, true, "x") == nil)
			time.Sleep(100 * time.Microsecond)
		}
		verdict := <-v
		assert.True(t, taken.Load() || !verdict.Yes, "a yes that nobody said")
	}
}
