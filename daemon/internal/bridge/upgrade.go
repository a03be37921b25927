package bridge

import (
	"container/list"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
	"sync"

	"drawbridge/protocol"
)

// vet decides about a request before anything is upgraded. A status of 0 lets it in, with the client's nonce. A
// browser always sends one of the refused headers on a WebSocket dial, and an addon never does; the proof is looked
// at last, so that a stranger learns nothing from the order.
func (s *Server) vet(r *http.Request) (clientNonce string, status int, reason string) {
	switch {
	case carries(r.Header, "Origin"):
		return "", http.StatusForbidden, "origin"
	case carries(r.Header, "Cookie"):
		return "", http.StatusForbidden, "cookie"
	case carriesPrefix(r.Header, "Sec-Fetch-"):
		return "", http.StatusForbidden, "sec-fetch"
	case r.Host != s.host:
		return "", http.StatusForbidden, "host"
	case r.URL.Path != protocol.LinkPath || r.URL.RawQuery != "":
		return "", http.StatusNotFound, "path"
	case r.Method != http.MethodGet || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		return "", http.StatusBadRequest, "no upgrade"
	case !offersSubprotocol(r.Header):
		return "", http.StatusBadRequest, "subprotocol"
	}
	clientNonce, ok := s.checkProof(r.Header)
	if !ok {
		return "", http.StatusUnauthorized, "auth"
	}
	return clientNonce, 0, ""
}

// carries is true for a header that is there, even when it is empty.
func carries(h http.Header, name string) bool {
	_, ok := h[name]
	return ok
}

func carriesPrefix(h http.Header, prefix string) bool {
	for name := range h {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func offersSubprotocol(h http.Header) bool {
	for _, line := range h["Sec-Websocket-Protocol"] {
		for name := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(name) == protocol.Subprotocol {
				return true
			}
		}
	}
	return false
}

// checkProof compares the proof in constant time, and only then spends the nonce: a stranger cannot fill the book.
func (s *Server) checkProof(h http.Header) (string, bool) {
	lines := h[http.CanonicalHeaderKey(protocol.ProofHeader)]
	if len(lines) != 1 {
		return "", false
	}
	clientNonce, proof, found := strings.Cut(lines[0], " ")
	if raw, err := hex.DecodeString(clientNonce); !found || err != nil || len(raw) != protocol.NonceBytes {
		return "", false
	}
	want := protocol.AddonProof(s.entry.Secret(), s.entry.BootNonce(), clientNonce)
	if subtle.ConstantTimeCompare([]byte(proof), []byte(want)) != 1 {
		return "", false
	}
	return clientNonce, s.nonces.spend(strings.ToLower(clientNonce))
}

// nonceBook remembers the client nonces that were used with the boot nonce of now. When it is full the boot nonce
// is renewed, which makes all old proofs worthless, and the book starts empty.
type nonceBook struct {
	renew func() error
	max   int

	mu    sync.Mutex
	spent map[string]struct{}
}

// spend is true the first time a nonce is seen. It is false when that could not be made sure.
func (b *nonceBook) spend(nonce string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, seen := b.spent[nonce]; seen {
		return false
	}
	if len(b.spent) >= b.max {
		if err := b.renew(); err != nil {
			return false
		}
		clear(b.spent)
		return false // this proof was made over the old boot nonce; the addon dials again
	}
	b.spent[nonce] = struct{}{}
	return true
}

// waitingRoom bounds the connections that have not been upgraded. When it is full the oldest is closed: an addon
// is through within milliseconds, so whoever has waited longest is not one.
type waitingRoom struct {
	max int

	mu    sync.Mutex
	order list.List
	byCon map[net.Conn]*list.Element
}

// track is the server's ConnState hook.
func (w *waitingRoom) track(conn net.Conn, state http.ConnState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch state {
	case http.StateNew:
		if w.byCon == nil {
			w.byCon = map[net.Conn]*list.Element{}
		}
		w.byCon[conn] = w.order.PushBack(conn)
		if w.order.Len() > w.max {
			w.evict()
		}
	case http.StateHijacked, http.StateClosed:
		if e, ok := w.byCon[conn]; ok {
			w.order.Remove(e)
			delete(w.byCon, conn)
		}
	case http.StateActive, http.StateIdle:
	}
}

func (w *waitingRoom) evict() {
	front := w.order.Front()
	conn, ok := w.order.Remove(front).(net.Conn)
	if !ok {
		return
	}
	delete(w.byCon, conn)
	_ = conn.Close()
}
