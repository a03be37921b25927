package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"drawbridge/daemon/internal/rendezvous"
	"drawbridge/protocol"
)

// Server listens for editors and carries calls to them. It is safe for concurrent use.
type Server struct {
	opts    Options
	entry   *rendezvous.Entry
	http    *http.Server
	host    string // the only Host that a request may name
	nonces  nonceBook
	editors *registry

	ctx     context.Context // ends when the server does; sockets live by it
	cancel  context.CancelFunc
	unwatch func() bool

	nextID atomic.Uint64
	served chan struct{} // closed when the HTTP server has returned

	mu      sync.Mutex // guards closing and the growth of links
	closing bool
	count   int
	links   sync.WaitGroup

	closeOnce sync.Once
	closeErr  error
}

// Listen opens the listener and publishes it. The server ends with ctx or at Close, which must be called in any
// case.
func Listen(ctx context.Context, o Options) (*Server, error) {
	if o.ConfigDir == "" {
		return nil, errors.New("listening for editors: no configuration folder given")
	}
	lc := net.ListenConfig{}
	listener, err := lc.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for editors: %w", err)
	}
	host := listener.Addr().String()
	entry, err := rendezvous.Publish(ctx, o.ConfigDir, "ws://"+host+protocol.LinkPath)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("publishing the link: %w", err), listener.Close())
	}
	s := &Server{
		opts: o.withDefaults(), entry: entry, host: host, served: make(chan struct{}),
		nonces: nonceBook{renew: entry.Renew, max: maxNonces, spent: map[string]struct{}{}},
	}
	s.editors = newRegistry(s.opts)
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.http = s.newHTTP()
	go s.serve(endingListener{listener})
	s.unwatch = context.AfterFunc(ctx, func() { _ = s.Close() })
	s.opts.Log.Info("listening for editors", "address", host, "boot", entry.BootID())
	return s, nil
}

// newHTTP makes the HTTP server with its time limits; whatever it would print goes nowhere, because strangers can
// cause it.
func (s *Server) newHTTP() *http.Server {
	waiting := &waitingRoom{max: maxPendingHandshakes}
	server := &http.Server{
		Handler:           http.HandlerFunc(s.handle),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       headerTimeout,
		WriteTimeout:      headerTimeout,
		IdleTimeout:       headerTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(io.Discard, "", 0),
		ConnState:         waiting.track,
		ConnContext:       withConn,
	}
	server.SetKeepAlivesEnabled(false)
	return server
}

func (s *Server) serve(listener net.Listener) {
	defer close(s.served)
	if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		s.opts.Log.Error("the listener for editors ended", "error", err)
	}
}

// handle decides about one request and, if it is an addon's, keeps its link until it ends.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	clientNonce, status, reason := s.vet(r)
	if status != 0 {
		s.opts.Log.Info("refused a connection", "status", status, "reason", reason)
		w.WriteHeader(status)
		return
	}
	if !s.enter() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	conn, err := upgrade(w, r, protocol.Subprotocol)
	if err != nil {
		s.opts.Log.Info("refused a connection", "reason", "upgrade", "error", err)
		return
	}
	s.keep(conn, clientNonce)
}

// enter counts one more socket, unless the server ends or has too many.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || s.count >= maxLinks {
		return false
	}
	s.count++
	s.links.Add(1)
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	s.count--
	s.mu.Unlock()
	s.links.Done()
}

// NewID gives a request id that no other daemon and no other call uses: addons keep one ledger for all daemons.
func (s *Server) NewID() string {
	return s.entry.BootID()[:12] + "-" + strconv.FormatUint(s.nextID.Add(1), 10)
}

// Address is host and port of the listener.
func (s *Server) Address() string { return s.host }

// Close takes the rendezvous away, says goodbye to the editors, ends every call, and waits until all is over.
func (s *Server) Close() error {
	s.closeOnce.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Server) close() error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.unwatch()
	err := s.entry.Close()
	if cerr := s.http.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("closing the listener: %w", cerr))
	}
	<-s.served
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.links.Wait()
	}()
	for _, l := range s.editors.all() {
		go l.bye() // ends with the link, which is waited for
	}
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-gone:
	case <-timer.C:
	}
	s.cancel()
	<-gone
	s.editors.wake()
	return err
}
