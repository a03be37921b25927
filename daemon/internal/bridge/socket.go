package bridge

import (
	"context"
	"net"
	"net/http"
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
