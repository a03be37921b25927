package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/session"
)

// These clients write their lines themselves, to say what the SDK's client would not.

// openOld opens a session of an old revision with capabilities.
func openOld(t *testing.T, g *askingGate, capabilities string, change ...func(*mcpserver.Options)) *peer {
	t.Helper()
	elicits := func(o *mcpserver.Options) { o.Elicits = true }
	p := dialGate(t, g, append([]func(*mcpserver.Options){elicits}, change...)...)
	p.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":`+capabilities, 1), initialized)
	require.Nil(t, p.next().Error)
	return p
}

// callNew is a call of the new revision; extra are further members of its params.
func callNew(id int, name, capabilities, extra string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":%s,`+
		`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"2"}}%s}}`, id, name, capabilities, extra)
}

// asked is what a question looks like on the wire: a request of the server in old revisions, a result in the new one.
type asked struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Mode, Message string
	} `json:"params"`
	Result struct {
		ResultType string `json:"resultType"`
		State      string `json:"requestState"`
		Requests   map[string]struct {
			Method string
			Params struct {
				Mode, Message   string
				RequestedSchema json.RawMessage
			}
		} `json:"inputRequests"`
	} `json:"result"`
}

func (p *peer) question() asked {
	p.t.Helper()
	m := p.next()
	var a asked
	require.NoError(p.t, json.Unmarshal([]byte(m.line), &a), m.line)
	return a
}

const canAsk = `{"elicitation":{}}`

func ticked(state string) string {
	return fmt.Sprintf(`,"requestState":%q,"inputResponses":{"approval":{"action":"accept","content":{"approve":true}}}`, state)
}

func TestTheQuestionOfANewRevisionIsAResult(t *testing.T) {
	g := &askingGate{}
	p := dialGate(t, g)
	p.send(callNew(1, "create_node", canAsk, ""))
	q := p.question()
	assert.Equal(t, "input_required", q.Result.ResultType)
	assert.Equal(t, "state-1", q.Result.State)
	require.Len(t, q.Result.Requests, 1)
	assert.Equal(t, "elicitation/create", q.Result.Requests["approval"].Method)
	assert.Equal(t, "form", q.Result.Requests["approval"].Params.Mode)
	assert.Equal(t, question, q.Result.Requests["approval"].Params.Message)
	assert.JSONEq(t, `{"type":"object","properties":{"approve":{"type":"boolean","title":"Approve",
		"description":"Tick to allow this call, once.","default":false}},"required":["approve"]}`,
		string(q.Result.Requests["approval"].Params.RequestedSchema))
	p.send(callNew(2, "create_node", canAsk, ticked("state-1")))
	yes := p.next()
	assert.False(t, yes.Result.IsError, yes.line)
	assert.Contains(t, yes.line, `"resultType":"complete"`)

	p.send(callNew(3, "create_node", canAsk, ticked("state-1"))) // the same answer once more
	no := p.next()
	assert.True(t, no.Result.IsError)
	assert.Contains(t, no.line, "APPROVAL_DENIED")
	_, applied := g.seen()
	assert.Equal(t, 1, applied)
	for _, name := range g.clients {
		assert.Equal(t, "raw 2", name)
	}
}

func TestAnswersToNothingAreIgnoredAndForgedOnesAreTheGatesToJudge(t *testing.T) {
	const tick = `{"action":"accept","content":{"approve":true}}`
	for name, c := range map[string]struct {
		extra  string
		answer session.Answer
		passed bool
	}{
		"no state":             {`,"inputResponses":{"approval":` + tick + `}`, session.Answer{}, false},
		"empty state":          {`,"requestState":"","inputResponses":{"approval":` + tick + `}`, session.Answer{}, false},
		"null state":           {`,"requestState":null,"inputResponses":{"approval":` + tick + `}`, session.Answer{}, false},
		"forged state":         {ticked("forged"), session.Answer{State: "forged", Action: "accept", Approve: true}, true},
		"state without answer": {`,"requestState":"s"`, session.Answer{State: "s", Action: "malformed"}, true},
		"null answers":         {`,"requestState":"s","inputResponses":null`, session.Answer{State: "s", Action: "malformed"}, true},
		"another question's": {
			`,"requestState":"s","inputResponses":{"other":` + tick + `}`, session.Answer{State: "s", Action: "malformed"}, true,
		},
		"another kind's": {
			`,"requestState":"s","inputResponses":{"approval":{"role":"user","model":"m","content":{"type":"text","text":"yes"}}}`,
			session.Answer{State: "s", Action: "malformed"},
			true,
		},
		"a text for a tick": {
			`,"requestState":"s","inputResponses":{"approval":{"action":"accept","content":{"approve":"true"}}}`,
			session.Answer{State: "s", Action: "malformed"},
			true,
		},
		"a tick with decline": {
			`,"requestState":"s","inputResponses":{"approval":{"action":"decline","content":{"approve":true}}}`,
			session.Answer{State: "s", Action: "decline"},
			true,
		},
		"words of its own": {
			`,"requestState":"s","inputResponses":{"approval":{"action":"x\ny","content":{"approve":true}}}`,
			session.Answer{State: "s", Action: "malformed"},
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := &askingGate{}
			p := dialGate(t, g)
			p.send(callNew(1, "create_node", canAsk, c.extra))
			p.next()
			passes, applied := g.seen()
			assert.Zero(t, applied)
			require.Len(t, passes, 1)
			assert.Equal(t, c.passed, passes[0].answered)
			assert.Equal(t, c.answer, passes[0].answer)
		})
	}
}

func TestAnOldClientCannotBringAnAnswerAlong(t *testing.T) {
	g := &askingGate{}
	p := openOld(t, g, canAsk)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_node"` + ticked("state-1") + `}}`)
	assert.Equal(t, "elicitation/create", p.question().Method)
	passes, _ := g.seen()
	require.Len(t, passes, 1)
	assert.False(t, passes[0].answered)
	// Nor can it, once it knows that a question is open.
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_node"` + ticked("state-1") + `}}`)
	assert.Equal(t, "elicitation/create", p.question().Method)
	_, applied := g.seen()
	assert.Zero(t, applied)
}

func TestAnOldClientThatAnswersTwiceIsHeardOnce(t *testing.T) {
	for first, applied := range map[string]int{"decline": 0, "accept": 1} {
		g := &askingGate{}
		p := openOld(t, g, canAsk)
		p.send(call(1, "create_node", `{}`))
		q := p.question()
		assert.Equal(t, "elicitation/create", q.Method)
		assert.Equal(t, question, q.Params.Message)
		answer := `{"jsonrpc":"2.0","id":%s,"result":{"action":%q,"content":{"approve":true}}}`
		p.send(fmt.Sprintf(answer, q.ID, first))
		assert.Equal(t, float64(1), p.next().ID)
		p.send(fmt.Sprintf(answer, q.ID, "accept"), fmt.Sprintf(answer, `"unheard-of"`, "accept"))
		p.send(call(2, "get_node", `{}`))
		assert.Equal(t, float64(2), p.next().ID, "the session goes on")
		_, got := g.seen()
		assert.Equal(t, applied, got)
	}
}

func TestWhatCountsAsBeingAbleToBeAsked(t *testing.T) {
	for capabilities, want := range map[string]bool{
		`{}`:                                   false,
		`{"elicitation":null}`:                 false,
		`{"elicitation":{}}`:                   true,
		`{"elicitation":{"form":{}}}`:          true,
		`{"elicitation":{"url":{}}}`:           false,
		`{"elicitation":{"form":{},"url":{}}}`: true,
		`{"sampling":{},"roots":{}}`:           false,
	} {
		g := &askingGate{}
		p := openOld(t, g, capabilities)
		p.send(call(1, "create_node", `{}`))
		p.next()
		n := dialGate(t, g)
		n.send(callNew(1, "create_node", capabilities, ""))
		n.next()
		passes, _ := g.seen()
		require.Len(t, passes, 2)
		assert.Equal(t, want, passes[0].can, capabilities)
		assert.Equal(t, want, passes[1].can, capabilities)
	}
}

func TestOnlyReadsGoTheFastWayWhenAHumanMayBeAsked(t *testing.T) {
	for _, elicits := range []bool{false, true} {
		g := &askingGate{rude: true}
		p := openOld(t, g, canAsk, func(o *mcpserver.Options) { o.Elicits = elicits })
		p.send(call(1, "get_node", `{}`))
		assert.Nil(t, p.next().Error)
		p.send(call(2, "create_node", `{}`))
		q := p.question()
		passes, applied := g.seen()
		assert.Zero(t, applied)
		require.Len(t, passes, 2)
		assert.False(t, passes[0].can, "around the SDK nobody can be asked")
		assert.Equal(t, elicits, passes[1].can)
		if elicits {
			assert.Equal(t, "elicitation/create", q.Method)
		} else {
			assert.Equal(t, json.RawMessage(`2`), q.ID, "the gate asked where it may not: a refusal")
		}
	}
}

func TestManyOpenQuestionsDoNotKeepAnswersOut(t *testing.T) {
	const n, most = 200, 32
	g := &askingGate{}
	p := openOld(t, g, canAsk)
	go func() {
		for i := range n {
			p.send(call(i, "create_node", `{}`))
		}
	}()
	var open []json.RawMessage
	for range n { // a question each, or a refusal
		if q := p.question(); q.Method != "" {
			open = append(open, q.ID)
		}
	}
	require.Len(t, open, most)
	for _, id := range open {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"approve":true}}}`, id))
		assert.False(t, p.next().Result.IsError)
	}
	passes, applied := g.seen()
	assert.Equal(t, most, applied)
	busy := 0
	for _, p := range passes {
		if p.answer.Action == "busy" {
			busy++
		}
	}
	assert.Equal(t, n-most, busy)
	p.send(call(n, "create_node", `{}`))
	assert.Equal(t, "elicitation/create", p.question().Method, "their places are free again")
}

func TestTheEndOfTheSessionIsANo(t *testing.T) {
	for name, end := range map[string]func(*peer){
		"end of input": func(p *peer) { _ = p.in.Close() },
		"signal":       func(p *peer) { p.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			g := &askingGate{}
			p := openOld(t, g, canAsk, func(o *mcpserver.Options) { o.EOFHold = 2 * time.Second })
			p.send(call(1, "create_node", `{}`))
			assert.Equal(t, "elicitation/create", p.question().Method)
			answered := make(chan bool, 1)
			go func() {
				defer close(answered)
				for line, err := "", error(nil); err == nil; line, err = p.out.ReadString('\n') {
					if strings.Contains(line, "APPROVAL_DENIED") {
						answered <- true
					}
				}
			}()
			end(p)
			if name == "end of input" {
				assert.True(t, <-answered, "the client is told before the hold ends")
			}
			select {
			case <-p.done:
			case <-time.After(3 * time.Second):
				t.Error("the server did not end")
			}
			p.done <- nil
			require.Eventually(t, func() bool { passes, _ := g.seen(); return len(passes) == 2 }, 3*time.Second, time.Millisecond)
			passes, applied := g.seen()
			assert.Zero(t, applied)
			assert.Equal(t, "cancelled", passes[1].answer.Action)
		})
	}
}
