package approval

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// maxPending is how many questions may lie on a desk. Nobody reads more, and each holds a call.
	maxPending = 64
	// deskWait is how long a question lies there that does not say when it expires: the longest that an operator may
	// set for an approval.
	deskWait = 120 * time.Second
)

// ErrNotPending says that there is no such question, or none any more.
var ErrNotPending = errors.New("this question is not open")

// Desk is where questions lie until somebody answers them: the port of the local page. Nobody there is a no, never an
// unreachable back end. It is safe for concurrent use.
type Desk struct {
	mu   sync.Mutex
	open []*paper // in the order in which they came
}

// paper is one open question.
type paper struct {
	Question
	answer chan Verdict // holds one
}

// NewDesk makes an empty desk.
func NewDesk() *Desk { return &Desk{} }

// Name is "page".
func (d *Desk) Name() string { return "page" }

// Ask lays a question on the desk and waits.
func (d *Desk) Ask(ctx context.Context, q Question) Verdict {
	if q.Expires.IsZero() {
		q.Expires = time.Now().Add(deskWait)
	}
	p := &paper{q, make(chan Verdict, 1)}
	if refusal := d.lay(p); refusal != "" {
		return no(refusal)
	}
	defer d.take(func(other *paper) bool { return other == p })
	expired := time.NewTimer(time.Until(q.Expires))
	defer expired.Stop()
	select {
	case verdict := <-p.answer:
		return verdict
	case <-expired.C:
		return no("nobody answered in time")
	case <-ctx.Done():
		return no("the call ended before somebody answered")
	}
}

// lay puts a question on the desk, or says why not.
func (d *Desk) lay(p *paper) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case p.ID == "" || p.ArgsSHA256 == "":
		return "the question has no id or no digest"
	case len(d.open) >= maxPending:
		return "too many questions are open"
	case slices.ContainsFunc(d.open, func(other *paper) bool { return other.ID == p.ID }):
		return "the question is open already"
	}
	d.open = append(d.open, p)
	return ""
}

// take takes a question off the desk; nil when it is not there.
func (d *Desk) take(which func(*paper) bool) *paper {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.open, which)
	if i < 0 {
		return nil
	}
	p := d.open[i]
	d.open = slices.Delete(d.open, i, i+1)
	return p
}

// Pending lists the open questions, oldest first.
func (d *Desk) Pending() []Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	var list []Question
	for _, p := range d.open {
		if now.Before(p.Expires) {
			list = append(list, p.Question)
		}
	}
	return list
}

// Answer answers an open question, once. by is who did. ErrNotPending: there is none with that id.
func (d *Desk) Answer(id string, yes bool, by string) error {
	p := d.take(func(p *paper) bool { return p.ID == id })
	if p == nil || !time.Now().Before(p.Expires) {
		return ErrNotPending
	}
	verdict := Verdict{Yes: yes, Reachable: true, By: said(by)}
	if !yes {
		verdict.Reason = "a human said no"
	}
	p.answer <- verdict
	return nil
}
