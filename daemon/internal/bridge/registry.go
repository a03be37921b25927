package bridge

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/protocol"
)

// requiredLink is what a call lacks when no editor is linked.
const requiredLink = "bridge_connected"

// Refusal is a hello that was not taken. An editor that dials again and is refused for the same reason is one refusal.
type Refusal struct {
	Time        time.Time // of the last time
	ProjectPath string
	Editor      string
	Reject      protocol.Reject
}

// registry knows the one link of each project.
type registry struct {
	opts    Options
	started time.Time

	mu       sync.Mutex
	links    map[string]*link
	lostAt   map[string]time.Time
	changed  chan struct{} // closed and replaced when links change
	refusals []Refusal
}

func newRegistry(o Options) *registry {
	return &registry{
		opts: o, started: time.Now(), changed: make(chan struct{}),
		links: map[string]*link{}, lostAt: map[string]time.Time{},
	}
}

// add enters a link. A second editor never replaces the first, unless the first has been silent for long: then it
// is a ghost, and is closed.
func (r *registry) add(l *link) *protocol.Reject {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.links[l.project]; first != nil {
		if first.silence() <= r.opts.SilentAfter {
			return refuse(reasonSecondEditor, "editor_pid", first.hello.PID, "project_path", l.project)
		}
		first.log.Warn("a silent editor is replaced", "silent_ms", first.silence().Milliseconds())
		first.end(cause{why: "the editor was silent and another took the project over", code: protocol.BridgeDisconnected})
		go func() { _ = first.conn.CloseNow() }() // ends with the ghost's reader, which is waited for
	}
	r.links[l.project] = l
	delete(r.lostAt, l.project)
	r.signal()
	return nil
}

// remove takes a link out and starts the grace in which calls wait for the next one.
func (r *registry) remove(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.links[l.project] != l {
		return
	}
	delete(r.links, l.project)
	r.lostAt[l.project] = time.Now()
	r.signal()
}

// signal wakes everyone who waits for a link. The lock is held.
func (r *registry) signal() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// wake makes waiting calls look again; used at the end, when no link will come.
func (r *registry) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started = time.Time{}
	clear(r.lostAt)
	r.signal()
}

// wait gives the project's link. Shortly after the start or after a lost link it waits for one; else a missing link
// is a failure at once.
func (r *registry) wait(ctx context.Context, project string, late <-chan time.Time) (*link, *protocol.Error) {
	l, left, changed := r.find(project)
	if l != nil {
		return l, nil
	}
	if canonical, err := canonicalPath(project); project != "" && err == nil {
		project = canonical
		l, left, changed = r.find(project)
	}
	var grace <-chan time.Time
	if l == nil && left > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		grace = timer.C
	}
	for l == nil {
		if left <= 0 {
			return nil, r.unlinked(project)
		}
		select {
		case <-changed:
			l, left, changed = r.find(project)
		case <-grace:
			return nil, r.unlinked(project)
		case <-late:
			return nil, r.unlinked(project)
		case <-ctx.Done():
			return nil, r.unlinked(project)
		}
	}
	return l, nil
}

// find gives the link, or how long it is still worth waiting for one, and the channel that tells of a change.
func (r *registry) find(project string) (*link, time.Duration, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.opts.Grace - time.Since(r.started)
	if at, ok := r.lostAt[project]; ok {
		left = max(left, r.opts.Grace-time.Since(at))
	}
	return r.links[project], left, r.changed
}

// unlinked is the failure of a call without an editor. It was never sent.
func (r *registry) unlinked(project string) *protocol.Error {
	e := protocol.Fail(protocol.BridgeDisconnected, "no editor is linked for this project").Needs(requiredLink)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, refusal := range slices.Backward(r.refusals) {
		if refusal.Reject.Reason != reasonProject && (refusal.ProjectPath == "" || samePath(refusal.ProjectPath, project)) {
			return e.With("last_refusal", refusal.Reject)
		}
	}
	return e
}

// samePath compares an editor's own spelling of a path with a canonical one.
func samePath(path, canonical string) bool {
	real, err := canonicalPath(path)
	return err == nil && real == canonical
}

// remember keeps the last refusals, and tells whether this one is new.
func (r *registry) remember(refusal Refusal) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.refusals)
	r.refusals = slices.DeleteFunc(r.refusals, func(old Refusal) bool {
		return old.Editor == refusal.Editor && old.ProjectPath == refusal.ProjectPath && old.Reject.Reason == refusal.Reject.Reason
	})
	isNew := len(r.refusals) == before
	r.refusals = append(r.refusals, refusal)
	if n := len(r.refusals); n > maxRefusals {
		r.refusals = slices.Clone(r.refusals[n-maxRefusals:])
	}
	return isNew
}

// all gives the links of now, in the order of their projects.
func (r *registry) all() []*link {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*link, 0, len(r.links))
	for _, l := range r.links {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b *link) int { return strings.Compare(a.project, b.project) })
	return out
}
