package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
)

// reservedMeta begins the metadata that changes what a request means; it is the SDK's to read.
const reservedMeta = "io.modelcontextprotocol/"

// plainCalls carries calls of tools to the gate past the SDK, whose way takes 70 kB of garbage, four goroutines and
// most of the daemon's time for each. Only a call that is nothing but a call is taken, in a session that the SDK has
// opened; whatever else there is stays the SDK's, and so does a call for which a human may have to be asked. The answer
// says the same as the SDK's would.
//
// Goroutines: one for each call, which ends with its answer.
type plainCalls struct {
	carrier *carrier
	tools   map[string]bool // those whose plain calls are taken
	opened  func() bool     // whether the session may call tools

	mu      sync.Mutex
	over    bool
	placed  chan struct{} // closed when the newest call has its place among the client's calls
	open    map[jsonrpc.ID]context.CancelFunc
	running sync.WaitGroup
}

func newPlainCalls(o Options, c *carrier) *plainCalls {
	p := &plainCalls{
		carrier: c, tools: map[string]bool{}, opened: func() bool { return false },
		open: map[jsonrpc.ID]context.CancelFunc{}, placed: make(chan struct{}),
	}
	close(p.placed)
	for _, t := range o.Tools {
		p.tools[t.Name()] = o.Listed(t) && (!o.Elicits || t.Class() == safety.ReadOnly)
	}
	return p
}

// take begins the call that a request is. It is false for whatever is not a plain call, or comes at the end.
func (p *plainCalls) take(s *stream, r *jsonrpc.Request) bool {
	if r.Method != "tools/call" || !r.IsCall() || !p.opened() {
		return false
	}
	name, arguments, plain := plainCall(r.Params)
	if !plain || !p.tools[name] {
		return false
	}
	c, err := p.begin(s.calls, r.ID)
	if err != nil {
		s.settle(s.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, err.Error()))
		return true
	}
	go func() {
		defer p.running.Done()
		<-c.before
		reply, err := p.carrier.carry(session.WithPlace(c.ctx, c.placed), name, arguments)
		if err == nil && reply.Ask != nil {
			reply = unasked("this call came a way on which nobody can be asked")
		}
		c.placed()
		p.close(r.ID)
		s.settle(s.answer(r.ID, reply, err))
	}()
	return true
}

// plainRun is one call. It begins when the call before it has its place, and says when it has its own.
type plainRun struct {
	ctx    context.Context
	before <-chan struct{}
	placed func()
}

// begin enters a call under its id.
func (p *plainCalls) begin(ctx context.Context, id jsonrpc.ID) (plainRun, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return plainRun{}, errors.New("the session is over")
	}
	if p.open[id] != nil {
		return plainRun{}, fmt.Errorf("request id %v is in use", id.Raw())
	}
	ctx, p.open[id] = context.WithCancel(ctx)
	before, own := p.placed, make(chan struct{})
	p.placed = own
	p.running.Add(1)
	return plainRun{ctx, before, sync.OnceFunc(func() { close(own) })}, nil
}

// close forgets a call, so that the client may use its id again.
func (p *plainCalls) close(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[id]()
	delete(p.open, id)
}

// cancel tells a call to stop when the request is about one of these.
func (p *plainCalls) cancel(r *jsonrpc.Request) {
	if r.Method != "notifications/cancelled" {
		return
	}
	var about struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(r.Params, &about) != nil {
		return
	}
	id, err := decodeID(about.ID)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if stop := p.open[id]; stop != nil {
		stop()
	}
}

// wait takes no more calls and waits for those that run.
func (p *plainCalls) wait() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.running.Wait()
}

// plainCall reads name and arguments of a call; plain is false when there is more to it.
func plainCall(params json.RawMessage) (name string, arguments json.RawMessage, plain bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil || json.Unmarshal(fields["name"], &name) != nil {
		return "", nil, false
	}
	for key := range fields {
		switch key {
		case "name", "arguments":
		case "_meta":
			if !plainMeta(fields[key]) {
				return "", nil, false
			}
		default:
			return "", nil, false
		}
	}
	return name, fields["arguments"], true
}

// plainMeta tells whether metadata changes nothing.
func plainMeta(raw json.RawMessage) bool {
	var meta map[string]json.RawMessage
	if json.Unmarshal(raw, &meta) != nil {
		return false
	}
	for key := range meta {
		if strings.HasPrefix(key, reservedMeta) {
			return false
		}
	}
	return true
}

// answerLine is the answer to a call as one line, made in one go: large results are not encoded over and over.
func answerLine(id jsonrpc.ID, reply tool.Reply) ([]byte, error) {
	body := reply.Body
	b := &bytes.Buffer{}
	if bytes.IndexByte(body, '\n') >= 0 { // it would end the line
		if err := json.Compact(b, body); err != nil {
			return nil, fmt.Errorf("encoding a reply: %w", err)
		}
		body = bytes.Clone(b.Bytes())
		b.Reset()
	}
	b.Grow(len(`{"jsonrpc":"2.0"}`) + 2*len(body) + len(body)/2 + 256)
	b.WriteString(`{"jsonrpc":"2.0","id":`)
	if err := put(b, id.Raw()); err != nil {
		return nil, err
	}
	b.WriteString(`,"result":{"content":[{"type":"text","text":`)
	if err := put(b, reply.Text); err != nil {
		return nil, err
	}
	b.WriteString(`}],"structuredContent":`)
	b.Write(body)
	if reply.Failed {
		b.WriteString(`,"isError":true`)
	}
	b.WriteString("}}\n")
	return b.Bytes(), nil
}

// put writes a value as JSON that is meant to be read: "<" stays "<".
func put(b *bytes.Buffer, value any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("encoding a reply: %w", err)
	}
	b.Truncate(b.Len() - 1) // the line break
	return nil
}
