// Package session keeps what the daemon remembers of one client between its calls. It is no place for safety state:
// what a client may do never depends on what it did before.
package session

import "sync"

// Client is one client of the daemon. The zero value is a client that has done nothing yet.
type Client struct {
	mu     sync.Mutex
	scenes map[string]string // project -> the scene that the client last read or opened
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
