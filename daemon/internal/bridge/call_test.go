package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

func TestAnAnswerIsPassedThrough(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	call := r.query(t.Context(), soon)
	request := p.request()
	assert.Equal(t, "get_node", request.Command)
	assert.JSONEq(t, `{}`, string(request.Params), "params are always an object")
	p.send(good(request.ID, `{"big":9223372036854775807,"f":1.0,"esc":"`+"\x1b"+`"}`))
	e := r.end(call)
	require.Nil(t, e.err)
	assert.Equal(t, `{"big":9223372036854775807,"f":1.0,"esc":"\u001b"}`, string(e.response.Result.Data))
}

func TestAFailureIsAResponse(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	for code, want := range map[string]protocol.Code{
		"RESOURCE_NOT_FOUND": protocol.ResourceNotFound, "MADE_UP": protocol.InternalError,
	} {
		call := r.query(t.Context(), soon)
		p.send(`{"id":"` + p.request().ID + `","ok":false,"error":{"code":"` + code + `","message":"m","may_have_applied":true}}`)
		e := r.end(call)
		require.Nil(t, e.err)
		assert.Equal(t, want, e.response.Error.Code)
		assert.True(t, e.response.Error.MayHaveApplied)
	}
}

func TestPermitsAreForOneSend(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	request := protocol.Request{ID: r.server.NewID(), Command: "create_node", Phase: protocol.PhaseApply, Effects: []string{"edits_memory"}}
	permit, err := safety.Mint(safety.Decision{Tool: "create_node", Effects: []safety.Effect{safety.EditsMemory}, Request: request})
	require.NoError(t, err)
	call := r.start(func() (*protocol.Response, error) { return r.server.Send(t.Context(), r.project, permit) })
	p.send(good(p.request().ID, `{}`))
	require.Nil(t, r.end(call).err)
	for name, permit := range map[string]*safety.Permit{"spent": permit, "zero": {}, "none": nil} {
		_, err = r.server.Send(t.Context(), r.project, permit)
		require.ErrorContains(t, err, "permit", name)
	}
	request.Phase = protocol.PhaseApply
	_, err = r.server.Query(t.Context(), r.project, request)
	require.ErrorContains(t, err, "phase", "a query cannot apply")
	assert.Equal(t, uint64(1), r.editor().FramesSent)
}

func TestEveryCallEndsWhenTheLinkDoes(t *testing.T) {
	tests := map[string]struct {
		break_ func(p *peer)
		code   protocol.Code
		status []int // the close codes that the peer may see; none: it closed itself
	}{
		"socket closed":       {func(p *peer) { _ = p.conn.CloseNow() }, protocol.BridgeDisconnected, nil},
		"polite close":        {func(p *peer) { _ = p.conn.Close(1000, "") }, protocol.BridgeDisconnected, nil},
		"half an object":      {func(p *peer) { p.send(`{"id":1,`) }, protocol.BridgeProtocolError, []int{1007}},
		"no object":           {func(p *peer) { p.send(`[1]`) }, protocol.BridgeProtocolError, []int{1002}},
		"null":                {func(p *peer) { p.send(`null`) }, protocol.BridgeProtocolError, []int{1002}},
		"empty frame":         {func(p *peer) { p.send(``) }, protocol.BridgeProtocolError, []int{1007}},
		"id of wrong type":    {func(p *peer) { p.send(`{"id":1,"ok":true,"result":{"data":{}}}`) }, protocol.BridgeProtocolError, []int{1002}},
		"neither":             {func(p *peer) { p.send(`{}`) }, protocol.BridgeProtocolError, []int{1002}},
		"ok without a result": {func(p *peer) { p.send(`{"id":"x","ok":true}`) }, protocol.BridgeProtocolError, []int{1002}},
		"no without an error": {func(p *peer) { p.send(`{"id":"x","ok":false}`) }, protocol.BridgeProtocolError, []int{1002}},
		"both":                {func(p *peer) { p.send(`{"id":"x","ok":true,"result":{},"error":{"code":"TIMEOUT"}}`) }, protocol.BridgeProtocolError, []int{1002}},
		"no answers":          {func(p *peer) { p.send(`{"answers":[]}`) }, protocol.BridgeProtocolError, []int{1002}},
		"answers and answer":  {func(p *peer) { p.send(`{"id":"x","answers":[` + good("x", `{}`) + `]}`) }, protocol.BridgeProtocolError, []int{1002}},
		"event as answer":     {func(p *peer) { p.send(`{"answers":[{"event":"beat"}]}`) }, protocol.BridgeProtocolError, []int{1002}},
		"answers in answers":  {func(p *peer) { p.send(`{"answers":[{"answers":[` + good("x", `{}`) + `]}]}`) }, protocol.BridgeProtocolError, []int{1002}},
		"broken among good":   {func(p *peer) { p.send(`{"answers":[` + good("x", `{}`) + `,{"id":"y"}]}`) }, protocol.BridgeProtocolError, []int{1002}},
		"binary frame":        {func(p *peer) { p.write(2, []byte(`{}`)) }, protocol.BridgeProtocolError, []int{1002}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			p := r.link(r.project)
			read := r.query(t.Context(), 2*soon)
			p.request()
			write := r.apply(t.Context(), 2*soon)
			p.request()
			broke := time.Now()
			tt.break_(p)
			a, b := r.end(read), r.end(write)
			assert.Less(t, time.Since(broke), atOnce)
			assert.Equal(t, tt.code, a.err.Code)
			assert.Equal(t, tt.code, b.err.Code)
			assert.False(t, a.err.MayHaveApplied, "a read")
			assert.True(t, b.err.MayHaveApplied, "a write that was sent")
			if b.err.Code == protocol.BridgeDisconnected {
				assert.Contains(t, b.err.Hint, "command_outcome", "where to learn what became of it")
			}
			if tt.status != nil {
				assert.Contains(t, tt.status, int(p.closed()))
			}
			r.unlinked()
			again := r.link(r.project)
			call := r.query(t.Context(), soon)
			again.send(good(again.request().ID, `{}`))
			assert.Nil(t, r.end(call).err, "the link comes back")
		})
	}
}

func TestAFrameThatIsCutOffIsALostLink(t *testing.T) {
	for name, frame := range map[string][]byte{
		"after its head":           {0x81, 0xfe, 0x00, 0x80, 1, 2, 3, 4},
		"in the middle":            {0x81, 0x85, 0, 0, 0, 0, '{', '"'},
		"in the head":              {0x81, 0xfe},
		"between two of its parts": {0x01, 0x81, 0, 0, 0, 0, '{'},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			p := r.link(r.project)
			call := r.query(t.Context(), 2*soon)
			p.request()
			_, err := p.raw.Write(frame)
			require.NoError(t, err)
			require.NoError(t, p.raw.Close())
			assert.Equal(t, protocol.BridgeDisconnected, r.end(call).err.Code)
		})
	}
}

func TestAnUnknownAnswerIsDroppedAndTheLinkStays(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	call := r.query(t.Context(), soon)
	id := p.request().ID
	p.send(good("nobody", `{}`))
	p.send(good(id, `{}`))
	p.send(good(id, `{"again":true}`))
	require.Nil(t, r.end(call).err)
	eventually(t, "both strays are counted", func() bool { return r.editor().RepliesDropped == 2 })
}

func TestSeveralAnswersInOneFrame(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	first, second := r.query(t.Context(), soon), r.query(t.Context(), soon)
	a, b := p.request().ID, p.request().ID
	p.send(`{"answers":[` + good(b, `{}`) + `,` + good("nobody", `{}`) + `,` + good(a, `{}`) + `]}`)
	for _, call := range []<-chan ended{first, second} {
		e := r.end(call)
		require.Nil(t, e.err)
		assert.Contains(t, []string{a, b}, e.response.ID)
	}
	assert.Equal(t, uint64(1), r.editor().RepliesDropped)
}

func TestFrameSizes(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	for _, size := range []int{32768, 32769, 4 << 20, protocol.MaxFrame - 1, protocol.MaxFrame, protocol.MaxFrame + 1, protocol.MaxFrame + 70_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			call := r.query(t.Context(), 2*soon)
			id := p.request().ID
			text := strings.Repeat("x", size-len(good(id, `""`)))
			p.send(good(id, `"`+text+`"`))
			e := r.end(call)
			if size > protocol.MaxFrame {
				assert.Equal(t, protocol.ResponseTooLarge, e.err.Code)
				assert.EqualValues(t, size, e.err.Details["bytes"])
				return
			}
			require.Nil(t, e.err)
			assert.Len(t, e.response.Result.Data, len(text)+2)
		})
	}
	call := r.query(t.Context(), soon)
	p.send(good(p.request().ID, `{}`))
	assert.Nil(t, r.end(call).err, "the link still serves")
}

func TestAnOversizedFrameThatAnswersNobodyEndsTheLink(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	call := r.query(t.Context(), 2*soon)
	p.request()
	p.send(`{"x":"` + strings.Repeat("x", protocol.MaxFrame) + `"}`)
	assert.Equal(t, protocol.ResponseTooLarge, r.end(call).err.Code)
	assert.EqualValues(t, 1009, p.closed())
}

func TestArgumentsThatDoNotFitAreRefusedAndTheLinkStays(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	send := func(size int) <-chan ended {
		request := protocol.Request{
			ID: "id", Command: "echo", Phase: protocol.PhaseQuery, Params: json.RawMessage(`{"x":""}`),
			DeadlineUnixMS: time.Now().Add(2 * soon).UnixMilli(),
		}
		empty, err := json.Marshal(request)
		require.NoError(t, err)
		request.Params = json.RawMessage(`{"x":"` + strings.Repeat("<", size-len(empty)) + `"}`)
		return r.start(func() (*protocol.Response, error) { return r.server.Query(t.Context(), r.project, request) })
	}
	call := send(protocol.MaxFrame)
	frame := p.read()
	assert.Len(t, frame, protocol.MaxFrame)
	p.send(good("id", `{}`))
	require.Nil(t, r.end(call).err)
	e := r.end(send(protocol.MaxFrame + 1))
	assert.Equal(t, protocol.ValidationError, e.err.Code)
	assert.Equal(t, "payload_too_large", e.err.Details["reason"])
	assert.Equal(t, uint64(1), r.editor().FramesSent)
}

func TestTheDeadlineEndsTheCallAndNotTheLink(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	read, write := r.query(t.Context(), 100*time.Millisecond), r.apply(t.Context(), 100*time.Millisecond)
	first, second := p.request(), p.request()
	a, b := r.end(read), r.end(write)
	assert.Equal(t, protocol.Timeout, a.err.Code)
	assert.False(t, a.err.MayHaveApplied)
	assert.True(t, b.err.MayHaveApplied)
	assert.NotEmpty(t, b.err.Details["request_id"])
	assert.Less(t, b.after, atOnce)

	p.send(good(first.ID, `{}`))
	p.send(good(second.ID, `{}`))
	call := r.query(t.Context(), soon)
	p.send(good(p.request().ID, `{}`))
	assert.Nil(t, r.end(call).err)
	assert.Zero(t, r.editor().RepliesDropped, "late answers are no strays")
	assert.Zero(t, r.editor().Pending)
}

func TestACancelledCallIsWithdrawn(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	ctx, cancel := context.WithCancel(t.Context())
	call := r.apply(ctx, soon)
	request := p.request()
	cancel()
	e := r.end(call)
	assert.Equal(t, protocol.Timeout, e.err.Code)
	assert.True(t, e.err.MayHaveApplied)
	assert.JSONEq(t, `{"cancel":"`+request.ID+`"}`, string(p.read()))
}

func TestACallCancelledBeforeItWasSentNeverIs(t *testing.T) {
	r := newRig(t)
	r.link(r.project)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := r.end(r.apply(ctx, soon))
	// The writer may be faster than the caller's end; what is claimed has to agree with what was sent.
	sent := r.editor().FramesSent > 0
	assert.Equal(t, sent, e.err.MayHaveApplied)
	assert.Equal(t, !sent, e.err.Details["never_started"] == true)
}

func TestABlockedEditorIsNamedAtOnce(t *testing.T) {
	r := newRig(t, func(o *bridge.Options) { o.BlockedAfter = 60 * time.Millisecond })
	p := r.link(r.project)
	running := r.query(t.Context(), soon)
	id := p.request().ID
	eventually(t, "the editor counts as blocked", func() bool { return r.editor().State == bridge.StateBlocked })
	e := r.end(r.query(t.Context(), soon))
	assert.Equal(t, protocol.EditorBlocked, e.err.Code)
	assert.GreaterOrEqual(t, e.err.Details["last_heartbeat_ms"], int64(60))
	assert.Less(t, e.after, atOnce)
	p.send(good(id, `{}`))
	assert.Nil(t, r.end(running).err, "a running call keeps its deadline")
	eventually(t, "the answer counts as life", func() bool { return r.editor().State == bridge.StateLinked })
}

func TestCallsWaitForTheLinkAfterTheStartAndAfterALoss(t *testing.T) {
	r := newRig(t, func(o *bridge.Options) { o.Grace = soon })
	early := r.query(t.Context(), 2*soon)
	p := r.link(r.project)
	p.send(good(p.request().ID, `{}`))
	require.Nil(t, r.end(early).err, "editor after daemon")

	require.NoError(t, p.conn.CloseNow())
	r.unlinked()
	between := r.query(t.Context(), 2*soon)
	p = r.link(r.project)
	p.send(good(p.request().ID, `{}`))
	assert.Nil(t, r.end(between).err, "a new link after a lost one")
}

func TestWithoutAnEditorACallFailsAtOnce(t *testing.T) {
	r := newRig(t)
	e := r.end(r.apply(t.Context(), soon))
	assert.Equal(t, protocol.BridgeDisconnected, e.err.Code)
	assert.Equal(t, "bridge_connected", e.err.Required)
	assert.False(t, e.err.MayHaveApplied)
	assert.Less(t, e.after, atOnce)
}

func TestTheWaitForALinkEnds(t *testing.T) {
	r := newRig(t, func(o *bridge.Options) { o.Grace = 100 * time.Millisecond })
	e := r.end(r.query(t.Context(), soon))
	assert.Equal(t, protocol.BridgeDisconnected, e.err.Code)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.NotNil(t, r.end(r.query(ctx, soon)).err)
}

func TestCloseEndsEverything(t *testing.T) {
	r := newRig(t, func(o *bridge.Options) { o.Grace = time.Minute })
	p := r.link(r.project)
	call := r.apply(t.Context(), soon)
	p.request()
	other := r.start(func() (*protocol.Response, error) {
		return r.server.Query(t.Context(), "", protocol.Request{Command: "x", Phase: protocol.PhaseQuery, DeadlineUnixMS: time.Now().Add(time.Hour).UnixMilli()})
	})
	closed := make(chan error, 1)
	go func() { closed <- r.server.Close() }()
	assert.EqualValues(t, 1001, p.closed())
	assert.Equal(t, protocol.BridgeDisconnected, r.end(call).err.Code)
	assert.Equal(t, protocol.BridgeDisconnected, r.end(other).err.Code, "a call that waits for a link")
	assert.NoError(t, <-closed)
	assert.NoError(t, r.server.Close(), "a second Close is fine")
}

func TestCloseDoesNotWaitForADeafEditor(t *testing.T) {
	r := newRig(t)
	r.link(r.project) // never reads, so it never answers the close frame
	began := time.Now()
	require.NoError(t, r.server.Close())
	assert.Less(t, time.Since(began), atOnce)
}

func TestOutcome(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	tests := map[string]struct {
		answer string
		want   protocol.OutcomeState
	}{
		"applied": {`{"state":"applied","result":{"data":{"path":"A"}}}`, protocol.OutcomeApplied},
		"failed":  {`{"state":"failed","error":{"code":"TIMEOUT","message":"m"}}`, protocol.OutcomeFailed},
		"unknown": {`{"state":"unknown"}`, protocol.OutcomeUnknown},
		"nothing": {`{}`, protocol.OutcomeUnknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := make(chan bridge.Outcome, 1)
			go func() {
				o, err := r.server.Outcome(t.Context(), r.project, bridge.OutcomeKey{RequestID: "q-1"})
				assert.NoError(t, err)
				got <- o
			}()
			request := p.request()
			assert.Equal(t, "command_outcome", request.Command)
			assert.JSONEq(t, `{"request_id":"q-1"}`, string(request.Params))
			p.send(good(request.ID, tt.answer))
			o := <-got
			assert.Equal(t, tt.want, o.State)
			assert.Equal(t, r.editor().Hello.Editor, o.Editor)
		})
	}
}

func TestManyCallsAtOnceEachGetTheirOwnAnswer(t *testing.T) {
	r := newRig(t)
	p := r.link(r.project)
	const n = 2000
	calls := make([]<-chan ended, n)
	go func() {
		for range n {
			id := p.request().ID
			p.send(good(id, `"`+id+`"`))
		}
	}()
	for i := range calls {
		id := fmt.Sprint("q-", i)
		calls[i] = r.start(func() (*protocol.Response, error) {
			return r.server.Query(t.Context(), r.project, protocol.Request{
				ID: id, Command: "get_node", Phase: protocol.PhaseQuery, DeadlineUnixMS: time.Now().Add(2 * soon).UnixMilli(),
			})
		})
	}
	for i, call := range calls {
		e := r.end(call)
		require.Nil(t, e.err)
		assert.Equal(t, fmt.Sprintf(`"q-%d"`, i), string(e.response.Result.Data))
	}
	assert.Zero(t, r.editor().Pending)
}
