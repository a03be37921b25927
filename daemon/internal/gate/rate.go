package gate

import (
	"sync"

	"golang.org/x/time/rate"

	"drawbridge/daemon/internal/session"
	"drawbridge/protocol"
)

// defaultRate is how many calls a client may make each second.
const defaultRate = 5000

// maxRates bounds the clients that are remembered; beyond it the fullest buckets, which limit nobody, are forgotten.
const maxRates = 1024

// rates has one bucket for each client.
type rates struct {
	limit   int
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newRates(limit int) *rates {
	return &rates{limit: limit, buckets: map[string]*rate.Limiter{}}
}

// take lets a call of a client pass, or says that there were too many.
func (r *rates) take(client *session.Client) *protocol.Error {
	if r.bucket(client.ID).Allow() {
		return nil
	}
	return protocol.Fail(protocol.RateLimited, "more than %d calls in a second", r.limit).With("limit", r.limit)
}

func (r *rates) bucket(id string) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.buckets[id]
	if b == nil {
		if len(r.buckets) >= maxRates {
			r.forget()
		}
		b = rate.NewLimiter(rate.Limit(r.limit), 2*r.limit)
		r.buckets[id] = b
	}
	return b
}

// forget drops the buckets that are full again. The lock is held.
func (r *rates) forget() {
	for id, b := range r.buckets {
		if b.Tokens() >= float64(b.Burst()) {
			delete(r.buckets, id)
		}
	}
}
