package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
)

// askingGate is a gate that does nothing without a yes of the human at the client.
type askingGate struct {
	expires func() time.Time // of its questions
	rude    bool             // asks without looking at what the client can
	nagging bool             // asks again after an answer
	second  func()           // runs in a pass with an answer

	mu      sync.Mutex
	states  map[string]bool // open questions
	n       int
	passes  []pass
	applied int
	clients map[string]string // ID -> Name
}

// pass is what the gate saw of a call.
type pass struct {
	name      string
	can       bool
	answer    session.Answer
	answered  bool
	withdrawn bool
}

const question = "Create the node Player?"

func (g *askingGate) Call(ctx context.Context, client *session.Client, name string, raw json.RawMessage) tool.Reply {
	answer, answered := session.AnswerOf(ctx)
	can := session.CanElicit(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.passes = append(g.passes, pass{name, can, answer, answered, ctx.Err() != nil})
	if g.clients == nil {
		g.clients, g.states = map[string]string{}, map[string]bool{}
	}
	g.clients[client.ID] = client.Name
	switch {
	case name == "get_node":
		return fine(ctx, name, raw)
	case !can && !g.rude:
		return refuse("APPROVAL_UNAVAILABLE")
	case !answered || g.nagging:
		g.n++
		state := fmt.Sprintf("state-%d", g.n)
		g.states[state] = true
		ask := &tool.Elicit{Message: question, State: state}
		if g.expires != nil {
			ask.Expires = g.expires()
		}
		return tool.Reply{Ask: ask}
	}
	if g.second != nil {
		g.second()
	}
	if !g.states[answer.State] || !answer.Yes() {
		delete(g.states, answer.State)
		return refuse("APPROVAL_DENIED")
	}
	delete(g.states, answer.State)
	g.applied++
	return fine(ctx, name, raw)
}

func refuse(code string) tool.Reply {
	return tool.Reply{
		Body: json.RawMessage(fmt.Sprintf(`{"ok":false,"error":{"code":%q}}`, code)), Text: code + ": no", Failed: true,
	}
}

// seen gives the passes so far, and how often something was done.
func (g *askingGate) seen() (passes []pass, applied int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]pass(nil), g.passes...), g.applied
}

// eras are a protocol revision of each kind, and an old one without kinds of elicitation.
func eras() []string { return []string{"2026-07-28", "2025-11-25", "2025-06-18"} }

func old(era string) bool { return era < "2026-07-28" }

type human = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)

// connect connects the SDK's client to a server with a gate. Without a human the client cannot be asked.
func connect(t *testing.T, era string, gate mcpserver.Gate, who human, wait time.Duration) *mcp.ClientSession {
	t.Helper()
	tools, err := catalog.New()
	require.NoError(t, err)
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcpserver.Serve(context.Background(), mcpserver.Options{
			Gate: gate, Tools: tools.All(), Elicits: true, ElicitWait: wait, EOFHold: 200 * time.Millisecond,
		}, inRead, outWrite)
		_ = outWrite.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "sdk\x1b", Version: "1"}, &mcp.ClientOptions{ElicitationHandler: who})
	cs, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: outRead, Writer: inWrite},
		&mcp.ClientSessionOptions{ProtocolVersion: era})
	require.NoError(t, err)
	require.Equal(t, era, cs.InitializeResult().ProtocolVersion)
	t.Cleanup(func() {
		_ = inWrite.Close()
		assert.NoError(t, <-done)
		_ = cs.Close()
	})
	return cs
}

func create(ctx context.Context, cs *mcp.ClientSession) (*mcp.CallToolResult, error) {
	return cs.CallTool(ctx, &mcp.CallToolParams{Name: "create_node", Arguments: map[string]any{"node_type": "Node"}})
}

func text(r *mcp.CallToolResult) string {
	if r == nil || len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].(*mcp.TextContent).Text
}

func says(action string, content map[string]any) human {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}
}

func yes() human { return says("accept", map[string]any{"approve": true}) }

func TestAYesLetsTheCallPassOnceInEveryRevision(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			g := &askingGate{}
			asked := 0
			cs := connect(t, era, g, func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				_, applied := g.seen()
				assert.Equal(t, asked, applied, "nothing happens before the answer")
				asked++
				assert.Equal(t, question, r.Params.Message)
				form, err := json.Marshal(r.Params.RequestedSchema)
				assert.NoError(t, err)
				assert.Contains(t, string(form), `"required":["approve"]`)
				assert.Contains(t, string(form), `"boolean"`)
				return yes()(ctx, r)
			}, 0)
			for range 2 {
				r, err := create(t.Context(), cs)
				require.NoError(t, err)
				assert.False(t, r.IsError, text(r))
				assert.False(t, r.NeedsInput())
			}
			passes, applied := g.seen()
			assert.Equal(t, 2, applied)
			assert.Equal(t, 2, asked, "each call is asked for anew")
			require.Len(t, passes, 4)
			for i, p := range passes {
				assert.True(t, p.can)
				assert.Equal(t, i%2 == 1, p.answered)
			}
			require.Len(t, g.clients, 1, "both passes are the same client's")
			for id, name := range g.clients {
				assert.NotEmpty(t, id)
				assert.Equal(t, "sdk 1", name)
			}
		})
	}
}

func TestEverythingElseIsNoYes(t *testing.T) {
	for name, c := range map[string]struct {
		who    human
		action string
	}{
		"decline":             {says("decline", nil), "decline"},
		"decline with a tick": {says("decline", map[string]any{"approve": true}), "decline"},
		"cancel":              {says("cancel", map[string]any{"approve": true}), "cancel"},
		"unticked":            {says("accept", map[string]any{"approve": false}), "accept"},
		"nothing filled in":   {says("accept", nil), "malformed"},
		"unknown action":      {says("ACCEPT", map[string]any{"approve": true}), "malformed"},
		"no action":           {says("", map[string]any{"approve": true}), "malformed"},
		"empty form":          {says("accept", map[string]any{}), ""},
		"a text":              {says("accept", map[string]any{"approve": "true"}), ""},
		"a number":            {says("accept", map[string]any{"approve": 1}), ""},
		"a failure": {func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("no dialog")
		}, ""},
	} {
		for _, era := range eras() {
			t.Run(name+" "+era, func(t *testing.T) {
				g := &askingGate{}
				cs := connect(t, era, g, c.who, 0)
				r, err := create(t.Context(), cs)
				passes, applied := g.seen()
				assert.Zero(t, applied)
				if c.action == "" && !old(era) { // the SDK's client finds the fault and does not call again
					assert.Error(t, err)
					return
				}
				require.NoError(t, err)
				assert.True(t, r.IsError)
				assert.Equal(t, "APPROVAL_DENIED: no", text(r))
				require.Len(t, passes, 2)
				assert.False(t, passes[1].answer.Approve)
				if c.action != "" {
					assert.Equal(t, c.action, passes[1].answer.Action)
				}
				again, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_node"})
				require.NoError(t, err)
				assert.False(t, again.IsError)
			})
		}
	}
}

func TestAClientWithoutTheCapabilityIsNotAsked(t *testing.T) {
	for _, era := range eras() {
		for _, rude := range []bool{false, true} { // a rude gate does not look; the reply says the same
			g := &askingGate{rude: rude}
			cs := connect(t, era, g, nil, 0)
			r, err := create(t.Context(), cs)
			require.NoError(t, err)
			assert.True(t, r.IsError)
			assert.Contains(t, text(r), "APPROVAL_UNAVAILABLE")
			passes, applied := g.seen()
			assert.Zero(t, applied)
			require.Len(t, passes, 1)
			assert.False(t, passes[0].can)
		}
	}
}

func TestAMuteClientIsWaitedForUntilTheQuestionExpires(t *testing.T) {
	const soon = 50 * time.Millisecond
	for name, c := range map[string]struct {
		wait    time.Duration
		expires func() time.Time
	}{
		"the server's bound": {wait: soon},
		"the question's own": {expires: func() time.Time { return time.Now().Add(soon) }},
		"expired already":    {expires: func() time.Time { return time.Now().Add(-time.Hour) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := &askingGate{expires: c.expires}
			cs := connect(t, "2025-11-25", g, func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				<-ctx.Done() // the SDK's client is told that nobody waits any more
				return nil, ctx.Err()
			}, c.wait)
			r, err := create(t.Context(), cs)
			require.NoError(t, err)
			assert.Equal(t, "APPROVAL_DENIED: no", text(r))
			passes, applied := g.seen()
			assert.Zero(t, applied)
			require.Len(t, passes, 2)
			assert.Equal(t, "timeout", passes[1].answer.Action)
		})
	}
}

func TestACancelledCallIsAnsweredWithANo(t *testing.T) {
	g := &askingGate{}
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan struct{})
	cs := connect(t, "2025-11-25", g, func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		cancel()
		<-ctx.Done()
		close(told)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
	}, 0)
	_, err := create(ctx, cs)
	require.ErrorIs(t, err, context.Canceled)
	<-told
	require.Eventually(t, func() bool { passes, _ := g.seen(); return len(passes) == 2 }, 3*time.Second, time.Millisecond)
	passes, applied := g.seen()
	assert.Zero(t, applied)
	assert.Equal(t, "cancelled", passes[1].answer.Action)
	assert.True(t, passes[1].withdrawn)
}

func TestAPanicInTheSecondPassIsAnAnswer(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			g := &askingGate{second: func() { panic("boom") }}
			cs := connect(t, era, g, yes(), 0)
			_, err := create(t.Context(), cs)
			require.Error(t, err)
			assert.Contains(t, err.Error(), "INTERNAL_ERROR")
			assert.NotContains(t, err.Error(), "boom")
			r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_node"})
			require.NoError(t, err)
			assert.False(t, r.IsError)
		})
	}
}

func TestAGateThatAsksAgainEndsTheCall(t *testing.T) {
	for _, era := range eras() {
		g := &askingGate{nagging: true}
		cs := connect(t, era, g, yes(), 0)
		r, err := create(t.Context(), cs)
		_, applied := g.seen()
		assert.Zero(t, applied)
		if old(era) {
			require.NoError(t, err)
			assert.Contains(t, text(r), "APPROVAL_UNAVAILABLE")
		} else {
			assert.Error(t, err, "the SDK's client gives up")
		}
	}
}
