package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"drawbridge/daemon/internal/tool"
)

// stream is the SDK's way to the client, in the place of the SDK's own mcp.IOTransport: that one ends the session at
// the first line that it cannot use, and takes 32 KiB each for several looks at every line. Here a bad line is
// answered, and the session goes on. The end of the input is held back until the replies are written.
//
// Goroutines: the reader of lines (start), which ends with the input or when the stream is closed.
type stream struct {
	in   io.ReadCloser
	out  io.Writer
	hold time.Duration
	log  *slog.Logger

	plain    *plainCalls          // takes calls past the SDK
	messages chan jsonrpc.Message // what the SDK reads; closed at the end of the input
	done     chan struct{}        // closed when the reader of lines has ended
	closed   chan struct{}
	once     sync.Once

	calls     context.Context // ends when no call may go on waiting
	stopCalls context.CancelFunc

	writeMu sync.Mutex

	slots chan struct{} // one for each call that may be open

	mu    sync.Mutex
	open  int           // calls that were passed on and not answered
	empty chan struct{} // closed when open is 0 and the input has ended
	eof   bool
}

func newStream(in io.ReadCloser, out io.Writer, hold time.Duration, log *slog.Logger) *stream {
	s := &stream{
		in: in, out: out, hold: hold, log: log, messages: make(chan jsonrpc.Message),
		done: make(chan struct{}), closed: make(chan struct{}), empty: make(chan struct{}),
	}
	s.slots = make(chan struct{}, maxOpen)
	s.calls, s.stopCalls = context.WithCancel(context.Background())
	return s
}

// start begins to read lines.
func (s *stream) start() {
	go func() {
		defer close(s.done)
		defer close(s.messages)
		if err := s.pump(); err != nil {
			s.log.Warn("the client's input ended", "error", err)
		}
		s.drain()
	}()
}

// wait waits until the reader of lines has ended. A read that cannot be interrupted is given up after limit.
func (s *stream) wait(limit time.Duration) {
	select {
	case <-s.done:
	case <-time.After(limit):
		s.log.Debug("the input could not be interrupted")
	}
}

// Connect makes the stream the SDK's connection; there is one client, so it is called once.
func (s *stream) Connect(context.Context) (mcp.Connection, error) { return s, nil }

// SessionID is empty: a pair of streams has no sessions.
func (s *stream) SessionID() string { return "" }

// Read gives the SDK the next message.
func (s *stream) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message, more := <-s.messages:
		if !more {
			return nil, io.EOF
		}
		return message, nil
	case <-s.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends one message to the client.
func (s *stream) Write(_ context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err == nil {
		err = s.write(append(text, '\n'))
	}
	if _, isReply := message.(*jsonrpc.Response); isReply {
		s.answered()
	}
	return err
}

// Close ends the stream; the client's input is closed with it, its output is not ours to close.
func (s *stream) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		err = s.in.Close()
	})
	return err
}

// pump passes usable lines on and answers the others, until the input ends.
func (s *stream) pump() error {
	reader := bufio.NewReaderSize(s.in, 64<<10)
	for {
		line, tooLong, err := readLine(reader)
		if len(bytes.TrimSpace(line)) > 0 || tooLong {
			if ferr := s.pass(line, tooLong); ferr != nil {
				return ferr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading from the client: %w", err)
		}
	}
}

// readLine reads up to the next newline. Of a line that is too long only the beginning is kept: the rest is read and
// dropped, so that the next line is found.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			tooLong, line = true, line[:min(len(line), maxHead)]
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// pass hands one line to the SDK, or answers it when the SDK could not.
func (s *stream) pass(line []byte, tooLong bool) error {
	if tooLong {
		return s.refuse(headID(line), jsonrpc.CodeInvalidRequest, fmt.Sprintf("the line is longer than %d bytes", maxLine))
	}
	line = bytes.TrimSpace(line)
	switch {
	case !utf8.Valid(line):
		return s.refuse(jsonrpc.ID{}, jsonrpc.CodeParseError, "the line is not valid UTF-8")
	case !json.Valid(line) && tooDeep(line):
		return s.refuse(headID(line), jsonrpc.CodeInvalidRequest, fmt.Sprintf("the line is nested deeper than %d", maxDepth))
	case !json.Valid(line):
		return s.refuse(jsonrpc.ID{}, jsonrpc.CodeParseError, "the line is not valid JSON")
	case line[0] == '[':
		return s.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "batches are not supported")
	}
	message, err := decode(line)
	if err != nil {
		return s.refuse(idOf(line), jsonrpc.CodeInvalidRequest, "the line is no JSON-RPC 2.0 message")
	}
	if request, ok := message.(*jsonrpc.Request); ok {
		if request.IsCall() && !s.begin() {
			return io.ErrClosedPipe
		}
		s.plain.cancel(request)
		if s.plain.take(s, request) {
			return nil
		}
	}
	select {
	case s.messages <- message:
		return nil
	case <-s.closed:
		return io.ErrClosedPipe
	}
}

// decode reads a message. A call or notification of the usual shape is read here; whatever else there is goes to the
// SDK's own decoder, which is dear.
func decode(line []byte) (jsonrpc.Message, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	usual := string(fields["jsonrpc"]) == `"2.0"`
	for key := range fields {
		usual = usual && (key == "jsonrpc" || key == "method" || key == "id" || key == "params")
	}
	var method string
	if !usual || json.Unmarshal(fields["method"], &method) != nil {
		return jsonrpc.DecodeMessage(line)
	}
	id, err := decodeID(fields["id"])
	if err != nil {
		return nil, err
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: fields["params"]}, nil
}

// decodeID reads an id; none and null are the zero ID, that of a notification.
func decodeID(raw json.RawMessage) (jsonrpc.ID, error) {
	var id any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &id); err != nil {
			return jsonrpc.ID{}, err
		}
	}
	return jsonrpc.MakeID(id)
}

// idOf finds the id of a message that cannot be used otherwise; the zero ID is null.
func idOf(line []byte) jsonrpc.ID {
	var message struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &message) != nil {
		return jsonrpc.ID{}
	}
	id, err := decodeID(message.ID)
	if err != nil {
		return jsonrpc.ID{}
	}
	return id
}

// refuse answers a line in the SDK's place.
func (s *stream) refuse(id jsonrpc.ID, code int64, message string) error {
	s.log.Warn("refused a line of the client", "why", message)
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id.Raw(), "error": map[string]any{"code": code, "message": message},
	})
	if err != nil {
		return fmt.Errorf("encoding a refusal: %w", err)
	}
	return s.write(append(text, '\n'))
}

// write writes a whole line, one writer at a time.
func (s *stream) write(line []byte) error {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if _, err := s.out.Write(line); err != nil {
		return fmt.Errorf("writing to the client: %w", err)
	}
	return nil
}

// begin counts a call once there is a slot for it. It is false when the stream is closed.
func (s *stream) begin() bool {
	select {
	case s.slots <- struct{}{}:
	case <-s.closed:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	return true
}

// answer writes the answer to a plain call.
func (s *stream) answer(id jsonrpc.ID, reply tool.Reply, fault error) error {
	line, err := []byte(nil), fault
	if err == nil {
		line, err = answerLine(id, reply)
	}
	if err != nil {
		return s.refuse(id, jsonrpc.CodeInternalError, err.Error())
	}
	return s.write(line)
}

// settle counts the answer to a plain call. A client that takes no answers ends the session.
func (s *stream) settle(err error) {
	s.answered()
	if err != nil {
		s.log.Warn("the client takes no answers", "error", err)
		_ = s.Close() // the reader of lines ends, and with it the session
	}
}

// answered counts a reply that was written.
func (s *stream) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	select {
	case <-s.slots:
	default: // an answer to nothing that was asked
	}
	s.check()
}

// check tells the waiting end of the input that nothing is open any more; the lock is held.
func (s *stream) check() {
	if s.eof && s.open <= 0 {
		select {
		case <-s.empty:
		default:
			close(s.empty)
		}
	}
}

// drain holds the end of the input back until every call is answered. Shortly before it gives up, calls that still
// wait are told to stop, so that they are answered too.
func (s *stream) drain() {
	s.mu.Lock()
	s.eof = true
	s.check()
	s.mu.Unlock()
	last := time.AfterFunc(s.hold*9/10, s.stopCalls)
	defer last.Stop()
	timer := time.NewTimer(s.hold)
	defer timer.Stop()
	select {
	case <-s.empty:
	case <-timer.C:
	case <-s.closed:
	}
}
