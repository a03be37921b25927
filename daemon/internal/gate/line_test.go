package gate

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/session"
	"drawbridge/protocol"
)

func TestWritesOfAProjectQueueAndReadsDoNot(t *testing.T) {
	r := newRig(t)
	started, release := make(chan string, 8), make(chan struct{})
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		if q.Phase == protocol.PhaseApply {
			started <- q.Action
			<-release
		}
		return good(q), nil
	}
	var all sync.WaitGroup
	write := func() { all.Go(func() { assert.True(t, r.call("create_node", makeNode).OK) }) }
	write()
	<-started
	write()
	require.True(t, r.call("get_node", readNode).OK, "a read does not wait")
	assert.Empty(t, started, "the second write waits for the first")
	close(release)
	all.Wait()
	assert.Len(t, started, 1)
}

func TestTheQueueIsFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{}
		require.Nil(t, l.enter(t.Context(), "first", time.Second))
		var order []string
		for _, name := range []string{"a", "b", "c"} {
			go func() {
				if l.enter(context.Background(), name, time.Minute) == nil {
					order = append(order, name)
					l.leave()
				}
			}()
			synctest.Wait()
		}
		l.leave()
		synctest.Wait()
		assert.Equal(t, []string{"a", "b", "c"}, order)
		assert.Nil(t, l.enter(t.Context(), "later", time.Second))
	})
}

func TestAWaiterGivesUpAfterTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		line := &r.gate.places[0].line
		require.Nil(t, line.enter(t.Context(), "save_scene", time.Second))
		start := time.Now()
		failure := r.refused(protocol.ProjectWriteLocked, "create_node", makeNode)
		assert.Equal(t, 10*time.Second, time.Since(start))
		assert.Equal(t, "save_scene", failure.Details["holder"])
		start = time.Now()
		r.refused(protocol.ProjectWriteLocked, "create_node", `{"node_type":"Node","timeout_seconds":2}`)
		assert.Equal(t, 2*time.Second, time.Since(start))
		line.leave()
		assert.True(t, r.call("create_node", makeNode).OK)
	})
}

func TestACallerWhoGivesUpWhileWaitingSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		line := &r.gate.places[0].line
		require.Nil(t, line.enter(t.Context(), "save_scene", time.Second))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan reply)
		go func() { done <- r.read(r.gate.Call(ctx, r.client, "create_node", json.RawMessage(makeNode))) }()
		synctest.Wait()
		cancel()
		got := <-done
		assert.Equal(t, protocol.Timeout, got.Error.Code)
		assert.False(t, got.Error.MayHaveApplied)
		assert.Empty(t, r.link.sent())
		line.leave()
		assert.True(t, r.call("create_node", makeNode).OK)
	})
}

func TestAWriteSaysThatItHasItsPlaceWhileItWaitsForItsTurn(t *testing.T) {
	l := &line{}
	require.Nil(t, l.enter(context.Background(), "first", time.Second))
	placed, done := make(chan struct{}), make(chan *protocol.Error, 1)
	go func() {
		done <- l.enter(session.WithPlace(context.Background(), func() { close(placed) }), "second", 5*time.Second)
	}()
	<-placed
	l.leave()
	require.Nil(t, <-done)
	assert.Equal(t, "second", l.holder)
}
