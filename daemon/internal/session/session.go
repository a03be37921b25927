// Package session keeps what the daemon remembers of one client between its calls. It is no place for safety state:
// what a client may do never depends on what it did before.
package session

import (
	"crypto/rand"
	"strings"
	"sync"
	"unicode"
)

// maxLabel is how many characters of a client's label are kept: enough for a name and a version.
const maxLabel = 80

// Client is one client of the daemon. The zero value is a client without a name that has done nothing yet; what is
// bound to a client needs one that New made.
type Client struct {
	// ID tells this client from all others that ever were. It is random and is never sent to a client.
	ID string
	// Name is what the client calls itself: a label for people, never a reason to trust it. It is set before the
	// client's first call, and not changed after.
	Name string

	mu     sync.Mutex
	scenes map[string]string // project -> the scene that the client last read or opened
}

// New makes a client with an ID of its own.
func New(label string) *Client { return &Client{ID: rand.Text(), Name: Label(label)} }

// Label makes what a client says of itself fit for a line of a log or of a dialog: only printable characters, and not
// many of them.
func Label(text string) string {
	kept := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	if runes := []rune(kept); len(runes) > maxLabel {
		kept = string(runes[:maxLabel-1]) + "…"
	}
	return strings.TrimSpace(kept)
}

// Scene gives the scene of a project that the client last read or opened; "" when there was none.
func (c *Client) Scene(project string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.scenes[project]
}

// Saw remembers the scene that the client has just read, written or opened.
func (c *Client) Saw(project, scene string) {
	if scene == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.scenes == nil {
		c.scenes = map[string]string{}
	}
	c.scenes[project] = scene
}
