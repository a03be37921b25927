package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Client is a raw JSON-RPC client over newline-delimited text: it sends what it is told, also nonsense, and shows
// what came back byte for byte. Calls may overlap freely. One goroutine reads until the stream ends.
type Client struct {
	out    io.WriteCloser
	ended  chan struct{}
	sendMu sync.Mutex
	// carriers names the carrier of each tool that is not listed.
	carriers func() (map[string]string, error)

	mu      sync.Mutex
	nextID  int64
	pending map[string]chan arrival
	notes   []Notification
	garbage []string
	human   Human
	err     error
}

// Notification is a message without an answer that the server sent.
type Notification struct {
	Method string
	Params json.RawMessage
}

// RPCError is a JSON-RPC error: the request itself failed, not the tool.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error says code and message.
func (e *RPCError) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", e.Code, e.Message) }

// ErrClosed is given to every request that is open when the server's output ends.
var ErrClosed = errors.New("the server's output ended")

// arrival is the line of an answer, and when it was there.
type arrival struct {
	line []byte
	at   time.Time
}

// message is any JSON-RPC message; ID is kept raw because the server may use strings.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *RPCError       `json:"error,omitempty"`
}

// NewClient starts reading in, which it closes at its end, and returns. Close ends the client's side.
func NewClient(out io.WriteCloser, in io.ReadCloser) *Client {
	c := &Client{out: out, ended: make(chan struct{}), pending: map[string]chan arrival{}}
	c.carriers = sync.OnceValues(carriersOfUnlisted)
	go c.read(in)
	return c
}

// Close closes the server's input; a server that obeys ends and so ends the reader.
func (c *Client) Close() error {
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	return c.out.Close()
}

// Ended is closed when the server's output has ended.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Garbage lists lines of the server's output that are not JSON-RPC; there must be none.
func (c *Client) Garbage() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.garbage...)
}

// Notifications lists what the server sent unasked, oldest first.
func (c *Client) Notifications() []Notification {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Notification(nil), c.notes...)
}

// SendRaw writes one line as it is; the newline is added.
func (c *Client) SendRaw(line []byte) error {
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	if _, err := c.out.Write(append(line[:len(line):len(line)], '\n')); err != nil {
		return fmt.Errorf("writing to the server: %w", err)
	}
	return nil
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) error {
	return c.sendJSON(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// Request sends a request and waits for its answer.
func (c *Client) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	p, err := c.start(method, params)
	if err != nil {
		return nil, err
	}
	return p.result(ctx)
}

// Pending is a request that was sent and not answered yet.
type Pending struct {
	// ID is the request's id, for notifications/cancelled.
	ID int64

	client *Client
	answer chan arrival
	got    *arrival
}

// start registers and sends a request.
func (c *Client) start(method string, params any) (*Pending, error) {
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return nil, c.err
	}
	c.nextID++
	p := &Pending{ID: c.nextID, client: c, answer: make(chan arrival, 1)}
	c.pending[p.key()] = p.answer
	c.mu.Unlock()
	err := c.sendJSON(map[string]any{"jsonrpc": "2.0", "id": p.ID, "method": method, "params": params})
	if err != nil {
		c.forget(p.key())
		return nil, err
	}
	return p, nil
}

// key is the id as it stands in an answer.
func (p *Pending) key() string { return strconv.FormatInt(p.ID, 10) }

// Arrived waits until the answer is there and tells since when. It is not looked into: that is left to Wait, so that
// a measurement ends with the answer's arrival.
func (p *Pending) Arrived(ctx context.Context) (time.Time, error) {
	if p.got != nil {
		return p.got.at, nil
	}
	select {
	case got, ok := <-p.answer:
		if !ok {
			return time.Time{}, ErrClosed
		}
		p.got = &got
		return got.at, nil
	case <-ctx.Done():
		p.client.forget(p.key())
		return time.Time{}, fmt.Errorf("waiting for answer %d: %w", p.ID, ctx.Err())
	}
}

// result waits for the answer, the stream's end or ctx.
func (p *Pending) result(ctx context.Context) (json.RawMessage, error) {
	if _, err := p.Arrived(ctx); err != nil {
		return nil, err
	}
	var m message
	if err := json.Unmarshal(p.got.line, &m); err != nil {
		return nil, fmt.Errorf("reading answer %d: %w", p.ID, err)
	}
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

// forget drops a request whose answer nobody waits for any more.
func (c *Client) forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, key)
}

// sendJSON encodes and writes one message.
func (c *Client) sendJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	return c.SendRaw(line)
}

// read takes in lines until the stream ends, then fails everything that is open.
func (c *Client) read(in io.ReadCloser) {
	defer close(c.ended)
	defer in.Close()
	buffered := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := buffered.ReadBytes('\n')
		if len(line) > 1 {
			c.take(line)
		}
		if err != nil {
			c.end()
			return
		}
	}
}

// end closes every waiting request.
func (c *Client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = ErrClosed
	for key, answer := range c.pending {
		close(answer)
		delete(c.pending, key)
	}
}

// take sorts one line of the server's output. An answer of the usual form goes unread to whoever waits for it: only so
// does the reader keep up with large ones.
func (c *Client) take(line []byte) {
	got := arrival{line, time.Now()}
	if c.deliver(headID(line), got) {
		return
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil || (m.Method == "" && m.ID == nil) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.garbage = append(c.garbage, string(line))
		return
	}
	if m.Method != "" {
		c.takeCall(m)
		return
	}
	_ = c.deliver(string(m.ID), got)
}

// headID is the id of a line that begins like an answer; empty for any other line.
func headID(line []byte) string {
	rest, usual := bytes.CutPrefix(line, []byte(`{"jsonrpc":"2.0","id":`))
	id, _, found := bytes.Cut(rest[:min(len(rest), 32)], []byte(`,"result":`))
	if !usual || !found {
		return ""
	}
	return string(id)
}

// deliver gives an answer to the request with this id; false when there is none.
func (c *Client) deliver(id string, got arrival) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer, ok := c.pending[id]
	if ok {
		delete(c.pending, id)
		answer <- got
	}
	return ok
}

// takeCall notes a notification, answers a ping and what the person in front answers, and refuses any other request.
func (c *Client) takeCall(m message) {
	if m.ID == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.notes = append(c.notes, Notification{Method: m.Method, Params: m.Params})
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	who := c.seated()
	switch {
	case m.Method == "ping":
		answer["result"] = map[string]any{}
	case m.Method == "elicitation/create" && who != nil:
		said := who(m.Params)
		if said == nil {
			return
		}
		answer["result"] = said
	default:
		answer["error"] = RPCError{Code: -32601, Message: "method not found"}
	}
	// A server that is gone cannot take the answer; the reader notices its end.
	_ = c.sendJSON(answer)
}
