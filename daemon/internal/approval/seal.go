package approval

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxState is the longest state that is looked at; ours are far shorter.
	maxState = 8 << 10
	// maxSealed is how many questions of one client may be open, maxAllSealed of all together; the oldest gives way.
	maxSealed, maxAllSealed = 64, 1024
)

// What is wrong with a state. All of them are a no.
var (
	ErrForged  = errors.New("this state was not made here")
	ErrSpent   = errors.New("this state was used before, or has given way to others")
	ErrExpired = errors.New("the answer came too late")
	ErrForeign = errors.New("this state belongs to another call")
)

// Asked is what a human at the client was asked, and what the gate has to know once the answer is there.
type Asked struct {
	Client      string    `json:"client"`
	Tool        string    `json:"tool"`
	ArgsSHA256  string    `json:"args_sha256"`
	Project     string    `json:"project"`
	Editor      string    `json:"editor"`
	Fingerprint string    `json:"fingerprint"`
	TokenSpent  bool      `json:"token_spent"` // a confirm token was shown with the call, and is gone
	Expires     time.Time `json:"expires"`
}

// sealed is what travels: what was asked, under an id that is good once.
type sealed struct {
	Asked
	ID string `json:"id"`
}

// ticket is what stays here of a sealed question. The time is kept with its monotonic part, which does not travel:
// setting the clock back gives no question a longer life.
type ticket struct {
	id, client string
	expires    time.Time
}

// Sealer seals what was asked into a state that travels through the client and comes back with the answer. The client
// can neither read nor change it, nor use it twice or with another call. The key is made anew with each Sealer, so no
// state outlives the daemon. It is safe for concurrent use.
type Sealer struct {
	aead cipher.AEAD

	mu   sync.Mutex
	open []ticket // oldest first; what is not here was spent
}

// NewSealer makes a sealer with a key of its own.
func NewSealer() *Sealer {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: it ends the process instead
	block, err := aes.NewCipher(key)
	if err != nil {
		return &Sealer{} // a key of 32 bytes is always right; without a cipher nothing is sealed or opened
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return &Sealer{}
	}
	return &Sealer{aead: aead}
}

// Seal makes the state of a question. Expires has to be set.
func (s *Sealer) Seal(a Asked) (state string, err error) {
	if s.aead == nil || a.Expires.IsZero() {
		return "", errors.New("sealing a question: it has no end, or there is no key")
	}
	id := rand.Text()
	plain, err := json.Marshal(sealed{a, id})
	if err != nil {
		return "", fmt.Errorf("sealing a question: %w", err)
	}
	state = base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, nil))
	if len(state) > maxState {
		return "", errors.New("sealing a question: it is too long")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(a.Client)
	s.open = append(s.open, ticket{id, a.Client, a.Expires})
	return state, nil
}

// makeRoom forgets the oldest question of a client with too many, or of all; the lock is held.
func (s *Sealer) makeRoom(client string) {
	oldest, count := 0, 0
	for i, t := range slices.Backward(s.open) {
		if t.client == client {
			oldest, count = i, count+1
		}
	}
	switch {
	case count >= maxSealed:
		s.open = slices.Delete(s.open, oldest, oldest+1)
	case len(s.open) >= maxAllSealed:
		s.open = slices.Delete(s.open, 0, 1)
	}
}

// Open gives back what was asked, once, when the state belongs to this call. Whatever is wrong with it, a state of
// ours is spent by being shown.
func (s *Sealer) Open(state string, now time.Time, client, tool, argsSHA256, project string) (Asked, error) {
	if s.aead == nil || len(state) > maxState || strings.ContainsAny(state, "\r\n") { // the decoder skips line breaks
		return Asked{}, ErrForged
	}
	box, err := base64.RawURLEncoding.Strict().DecodeString(state)
	if err != nil {
		return Asked{}, ErrForged
	}
	plain, err := s.aead.Open(nil, nil, box, nil)
	if err != nil {
		return Asked{}, ErrForged
	}
	var was sealed
	if err := json.Unmarshal(plain, &was); err != nil {
		return Asked{}, ErrForged
	}
	kept, isOpen := s.spend(was.ID)
	switch {
	case !isOpen:
		return Asked{}, ErrSpent
	case !now.Before(kept.expires):
		return Asked{}, ErrExpired
	case was.Client != client || was.Tool != tool || was.ArgsSHA256 != argsSHA256 || was.Project != project:
		return Asked{}, ErrForeign
	}
	was.Expires = kept.expires
	return was.Asked, nil
}

// spend takes the ticket of a state.
func (s *Sealer) spend(id string) (ticket, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.open, func(t ticket) bool { return t.id == id })
	if i < 0 {
		return ticket{}, false
	}
	t := s.open[i]
	s.open = slices.Delete(s.open, i, i+1)
	return t, true
}
