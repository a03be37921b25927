// Package token keeps confirm tokens: proof that a call was prepared, with exactly these arguments, in exactly this
// place, a short while ago. A token shows deliberation, never that a human agreed.
//
// Tokens are in memory only and die with the daemon. A token is spent by being shown, whatever comes of it, so that a
// wrong guess costs it too.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"drawbridge/protocol"
)

const (
	// defaultTTL is how long a token lives when the options do not say: the design's 300 s.
	defaultTTL = 300 * time.Second
	// defaultPerClient bounds what one client can make the daemon remember; nobody prepares 64 calls at once.
	defaultPerClient = 64
	// keepExpired is how long a token that is too old is still known, so that whoever shows it is told that it is too
	// old rather than that it never was.
	keepExpired = 10 * time.Minute
)

// Binding is what a token is good for.
type Binding struct {
	Tool       string
	ArgsDigest string
	// Project is the canonical folder.
	Project string
	// Editor is the editor's instance: one that was restarted is another.
	Editor string
	// Client is the client's ID, not its label.
	Client string
	// Epoch names the policy in force.
	Epoch string
	// Fingerprint is the state of what the call is about. It is kept and given back, not compared here: only the
	// holder of the project's lock can tell what the state is now.
	Fingerprint string
}

// Options configure a Store.
type Options struct {
	// TTL is how long a token lives. Default 300 s.
	TTL time.Duration
	// Now tells the time; it has to have a monotonic part, so that setting the clock back gives no token a longer life.
	// Default time.Now.
	Now func() time.Time
	// PerClient is how many tokens one client can have; above it its oldest gives way. Default 64.
	PerClient int
}

// digest is what is kept of a token, so that no copy of the daemon's memory holds one that works.
type digest [sha256.Size]byte

// record is a token that was not shown yet.
type record struct {
	Binding
	issued, expires time.Time
}

// over tells whether the record is too old. A clock that runs backwards ends it too.
func (r record) over(now time.Time) bool { return now.Before(r.issued) || !now.Before(r.expires) }

// Store holds the tokens of one daemon. It is safe for concurrent use.
type Store struct {
	opts Options

	mu      sync.Mutex
	records map[digest]record
	byAge   map[string][]digest // client -> its tokens, oldest first
}

// New makes an empty store.
func New(o Options) *Store {
	if o.TTL <= 0 {
		o.TTL = defaultTTL
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.PerClient <= 0 {
		o.PerClient = defaultPerClient
	}
	return &Store{opts: o, records: map[digest]record{}, byAge: map[string][]digest{}}
}

// Issue makes a token for a prepared call. The oldest token of a client with too many gives way.
func (s *Store) Issue(b Binding) (id string, expires time.Time) {
	id = rand.Text()
	sum := digest(sha256.Sum256([]byte(id)))
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	s.forgetOld(now)
	if own := s.byAge[b.Client]; len(own) >= s.opts.PerClient {
		s.remove(own[0])
	}
	expires = now.Add(s.opts.TTL)
	s.records[sum] = record{Binding: b, issued: now, expires: expires}
	s.byAge[b.Client] = append(s.byAge[b.Client], sum)
	return id, expires
}

// Spend takes a token and says whether it is for this call. It gives the fingerprint that the call was prepared with,
// which the caller compares once it holds the project. The token is gone afterwards, whatever the answer.
func (s *Store) Spend(id string, b Binding) (fingerprint string, failure *protocol.Error) {
	sum := digest(sha256.Sum256([]byte(id)))
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	s.forgetOld(now)
	r, known := s.records[sum]
	if !known {
		return "", protocol.Fail(protocol.ConfirmTokenInvalid, "this confirm_token is unknown, or was used before")
	}
	s.remove(sum)
	if r.over(now) {
		return "", protocol.Fail(protocol.ConfirmTokenExpired, "this confirm_token is too old").
			With("ttl_seconds", int64(s.opts.TTL/time.Second))
	}
	if failure := r.compare(b); failure != nil {
		return "", failure
	}
	return r.Fingerprint, nil
}

// compare says in which respect a call is not the one that was prepared.
func (r record) compare(b Binding) *protocol.Error {
	switch {
	case r.Tool != b.Tool:
		return protocol.Fail(protocol.ConfirmTokenAction, "this confirm_token was made for another tool")
	case r.ArgsDigest != b.ArgsDigest:
		return protocol.Fail(protocol.ConfirmTokenArgs, "this confirm_token was made for other arguments")
	}
	for _, part := range []struct{ name, was, is string }{
		{"project", r.Project, b.Project},
		{"editor", r.Editor, b.Editor},
		{"client", r.Client, b.Client},
		{"policy", r.Epoch, b.Epoch},
	} {
		if part.was != part.is {
			return protocol.Fail(protocol.ConfirmTokenContext, "this confirm_token was made for another %s", part.name).
				With("differs", part.name)
		}
	}
	return nil
}

// DropEditor forgets the tokens of an editor that is gone.
func (s *Store) DropEditor(editor string) {
	s.drop(func(r record) bool { return r.Editor == editor })
}

// DropClient forgets the tokens of a client that is gone.
func (s *Store) DropClient(client string) {
	s.drop(func(r record) bool { return r.Client == client })
}

// drop forgets the tokens that match.
func (s *Store) drop(match func(record) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sum, r := range s.records {
		if match(r) {
			s.remove(sum)
		}
	}
}

// forgetOld forgets what expired long ago; the lock is held.
func (s *Store) forgetOld(now time.Time) {
	for _, own := range s.byAge {
		for _, sum := range own { // oldest first, and all live equally long
			if now.Before(s.records[sum].expires.Add(keepExpired)) {
				break
			}
			s.remove(sum)
		}
	}
}

// remove forgets one token; the lock is held.
func (s *Store) remove(sum digest) {
	client := s.records[sum].Client
	delete(s.records, sum)
	own := s.byAge[client]
	if i := slices.Index(own, sum); i >= 0 {
		own = slices.Delete(slices.Clone(own), i, i+1)
	}
	if s.byAge[client] = own; len(own) == 0 {
		delete(s.byAge, client)
	}
}
