package bridge

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// socket is a WebSocket with the connection under it: a close handshake waits for the peer, and only closing what
// is under it ends that wait.
type socket struct {
	*websocket.Conn
	raw net.Conn
}

// goodbye closes with a status and waits for the peer's own close, but not for long.
func (s socket) goodbye(status websocket.StatusCode, reason string, limit time.Duration) {
	timer := time.AfterFunc(limit, func() { _ = s.raw.Close() })
	defer timer.Stop()
	_ = s.Close(status, reason)
}

// ended tells whether the connection under it has ended. A frame whose head came and nothing else reads like an empty
// one then.
func (s socket) ended() bool {
	noting, ok := s.raw.(*endingConn)
	return ok && noting.over.Load()
}

// endingListener gives connections that note their end.
type endingListener struct{ net.Listener }

func (l endingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &endingConn{Conn: conn}, nil
}

// endingConn notes when there is no more to be read. A read that only timed out is no end.
type endingConn struct {
	net.Conn
	over atomic.Bool
}

func (c *endingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.over.Store(true)
	}
	return n, err
}

// connKey is the context key of a request's connection.
type connKey struct{}

// withConn keeps the connection in the request's context.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// upgrade accepts the WebSocket of a request that was let in.
func upgrade(w http.ResponseWriter, r *http.Request, subprotocol string) (socket, error) {
	raw, _ := r.Context().Value(connKey{}).(net.Conn)
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}})
	return socket{Conn: conn, raw: raw}, err
}
