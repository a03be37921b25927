package gate

import (
	"context"
	"errors"
	"os"
	"time"

	"drawbridge/daemon/internal/lock"
	"drawbridge/protocol"
)

// Locks keep other daemons from writing to a project at the same time; *lock.Locks is one.
type Locks interface {
	Lease(ctx context.Context, project string, h lock.Holder) (*lock.Lease, error)
}

// lock waits for the project's turn, in this daemon and among all of them, and refuses while an earlier write is in
// doubt.
func (g *Gate) lock(ctx context.Context, c *call) (func(), *protocol.Error) {
	line := &c.place.line
	wait := g.opts.LockWait
	if timeout, given := c.args.Timeout(); given {
		wait = min(wait, timeout)
	}
	until := time.Now().Add(wait)
	if refusal := line.enter(ctx, c.tool.Name(), wait); refusal != nil {
		return nil, refusal
	}
	lease, refusal := g.alone(ctx, c, until)
	if refusal == nil {
		if refusal = c.certain(lease.Died); refusal == nil {
			return func() { lease.Release(); line.leave() }, nil
		}
		lease.Release()
	}
	line.leave()
	return nil, refusal
}

// certain refuses while it is not known what became of an earlier write: of ours, of a daemon before this one, or of
// one that died just now with the lock in its hand.
func (c *call) certain(died *lock.Holder) *protocol.Error {
	if refusal := c.place.remember(); refusal != nil {
		return refusal
	}
	if died != nil {
		if refusal := c.place.bereft(); refusal != nil {
			return refusal
		}
	}
	return c.place.line.doubtful(c.keys()...)
}

// alone takes the lock that all daemons of this user share. One that cannot be had is held.
func (g *Gate) alone(ctx context.Context, c *call, until time.Time) (*lock.Lease, *protocol.Error) {
	if g.opts.Locks == nil {
		return nil, protocol.Fail(protocol.ProjectWriteLocked, "there is no lock against other daemons")
	}
	bounded, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	lease, err := g.opts.Locks.Lease(bounded, c.project, lock.Holder{
		PID: os.Getpid(), Client: c.client.Name, Tool: c.tool.Name(), Since: time.Now(),
	})
	var held *lock.Held
	switch {
	case err == nil:
		return lease, nil
	case errors.As(err, &held):
		return nil, protocol.Fail(protocol.ProjectWriteLocked, "another daemon holds the project: %s", held.Holder.Tool).
			With("holder", held.Holder.Tool).With("holder_pid", held.Holder.PID).With("holder_client", held.Holder.Client).
			With("held_ms", time.Since(held.Holder.Since).Milliseconds())
	case ctx.Err() != nil:
		return nil, neverSent()
	}
	return nil, protocol.Fail(protocol.ProjectWriteLocked, "the project's lock cannot be had: %v", err)
}
