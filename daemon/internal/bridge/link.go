package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"drawbridge/protocol"
)

// link is one accepted editor: its socket, the calls in flight on it, and what it said about itself.
type link struct {
	conn    socket
	project string
	hello   protocol.Hello
	since   time.Time
	opts    Options
	log     *slog.Logger

	out  chan outbound
	over chan struct{} // closed when the link is over

	lastFrame atomic.Int64 // UnixNano of the last frame from the editor
	sent      atomic.Uint64
	received  atomic.Uint64
	dropped   atomic.Uint64

	mu      sync.Mutex
	pending map[string]*call // nil once the link is over
	late    map[string]struct{}
	cause   cause
	scene   string
	rev     int64
}

// outbound is one frame for the writer. call is nil for a cancel frame.
type outbound struct {
	frame []byte
	call  *call
}

// cause says why a link ended, what its calls are told, and how the socket closes.
type cause struct {
	why    string
	code   protocol.Code
	status websocket.StatusCode // 0: close without a handshake
}

// lost is the end of a link whose socket is gone or is not worth a goodbye.
var lost = cause{why: "the socket closed", code: protocol.BridgeDisconnected}

func newLink(conn socket, project string, hello protocol.Hello, o Options) *link {
	conn.SetReadLimit(discardLimit)
	l := &link{
		conn: conn, project: project, hello: hello, since: time.Now(), opts: o,
		log:     o.Log.With("project", project, "editor", hello.Editor),
		out:     make(chan outbound, writeQueue),
		over:    make(chan struct{}),
		pending: map[string]*call{},
		late:    map[string]struct{}{},
		scene:   hello.Scene,
	}
	l.heard(l.since)
	return l
}

// run reads and writes until the socket ends or the peer breaks the protocol. gone is called before the calls in
// flight are told, so that a caller who tries again at once waits for the next link instead of finding this one.
func (l *link) run(ctx context.Context, gone func(*link)) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		l.write(ctx)
	}()
	why := l.read(ctx)
	gone(l)
	l.end(why)
	if why.status != 0 {
		l.conn.goodbye(why.status, why.why, rejectGrace)
	}
	_ = l.conn.CloseNow()
	<-written
}

// read takes frames until it cannot.
func (l *link) read(ctx context.Context) cause {
	var buf []byte
	for {
		frame, size, err := l.readFrame(ctx, buf)
		if err != nil {
			return causeOf(err)
		}
		l.heard(time.Now())
		l.received.Add(1)
		if size > protocol.MaxFrame {
			if !l.tooLarge(frame, size) {
				return cause{"a frame over the limit", protocol.ResponseTooLarge, websocket.StatusMessageTooBig}
			}
		} else if err := l.receive(frame); err != nil && l.conn.ended() {
			return lost // the frame was cut off
		} else if err != nil {
			l.log.Warn("the editor broke the protocol", "error", err)
			return causeOf(err)
		}
		if buf = frame[:0]; cap(buf) > 1<<20 {
			buf = nil // one large frame must not hold its memory for the link's life
		}
	}
}

// errNotText is a binary frame.
var errNotText = errors.New("not a text frame")

// readFrame reads one frame into buf. Of a frame over the limit only the head is kept, and its size is given; the
// rest is thrown away, so that one oversized answer costs one call and not the link.
func (l *link) readFrame(ctx context.Context, buf []byte) ([]byte, int64, error) {
	kind, r, err := l.conn.Reader(ctx)
	if err != nil {
		return nil, 0, err
	}
	if kind != websocket.MessageText {
		return nil, 0, errNotText
	}
	buf, err = readUpTo(r, buf[:0], protocol.MaxFrame+1)
	if err != nil || len(buf) <= protocol.MaxFrame {
		return buf, int64(len(buf)), err
	}
	rest, err := io.Copy(io.Discard, r)
	return buf[:headOfFrame], int64(len(buf)) + rest, err
}

// readUpTo appends at most limit bytes of r to buf.
func readUpTo(r io.Reader, buf []byte, limit int) ([]byte, error) {
	for len(buf) < limit {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(max(4096, 2*cap(buf)), limit))
			copy(grown, buf)
			buf = grown
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), limit)])
		buf = buf[:len(buf)+n]
		// Bare: the frame's end. An EOF inside another error is the end of a connection in the middle of a frame.
		if err == io.EOF { //nolint:errorlint // see above
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// causeOf turns a read's error into the end of the link.
func causeOf(err error) cause {
	var broken *brokenFrame
	switch {
	case errors.As(err, &broken):
		return cause{broken.problem, protocol.BridgeProtocolError, broken.status}
	case errors.Is(err, errNotText):
		return cause{errNotText.Error(), protocol.BridgeProtocolError, websocket.StatusProtocolError}
	case errors.Is(err, websocket.ErrMessageTooBig):
		return cause{why: "a frame over the limit", code: protocol.ResponseTooLarge}
	case websocket.CloseStatus(err) == websocket.StatusMessageTooBig:
		return cause{why: "the editor refused a frame as too big", code: protocol.BridgeDisconnected}
	}
	return lost
}

// write is the link's one writer. A frame whose call was withdrawn meanwhile is never sent.
func (l *link) write(ctx context.Context) {
	for {
		select {
		case <-l.over:
			return
		case o := <-l.out:
			if o.call != nil && !o.call.state.CompareAndSwap(stateQueued, stateWritten) {
				continue
			}
			l.sent.Add(1) // before its answer can come
			if err := l.writeOne(ctx, o.frame); err != nil {
				l.log.Warn("writing to the editor failed", "error", err)
				_ = l.conn.CloseNow() // the reader sees it and ends the link
				return
			}
		}
	}
}

func (l *link) writeOne(ctx context.Context, frame []byte) error {
	ctx, cancel := context.WithTimeout(ctx, l.opts.WriteTimeout)
	defer cancel()
	if err := l.conn.Write(ctx, websocket.MessageText, frame); err != nil {
		return fmt.Errorf("writing a frame: %w", err)
	}
	return nil
}

// end closes the books once: no call can be added any more, and each call in flight gets its answer.
func (l *link) end(why cause) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending == nil {
		return
	}
	l.cause = why
	for _, c := range l.pending {
		c.finish(nil, c.broken(why, len(l.pending)))
	}
	l.pending = nil
	close(l.over)
}

// bye closes the socket politely; the reader ends the link when the editor answers or the server gives up.
func (l *link) bye() {
	l.conn.goodbye(websocket.StatusGoingAway, "the daemon ends", closeGrace)
}

func (l *link) why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause.why
}

// heard notes that the editor said something.
func (l *link) heard(at time.Time) { l.lastFrame.Store(at.UnixNano()) }

// silence is how long the editor has said nothing.
func (l *link) silence() time.Duration { return time.Since(time.Unix(0, l.lastFrame.Load())) }
