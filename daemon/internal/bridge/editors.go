package bridge

import (
	"slices"
	"time"

	"drawbridge/protocol"
)

// State says whether an editor's main loop is alive.
type State string

// The states of a linked editor.
const (
	StateLinked  State = "linked"
	StateBlocked State = "blocked" // silent: new calls are refused, the link stays
)

// Editor is what is known of a linked editor, at one moment.
type Editor struct {
	// Project is the canonical path of the project; calls name it.
	Project  string
	Hello    protocol.Hello
	LinkedAt time.Time
	// LastFrame is when the editor last said anything; its main loop beats each second.
	LastFrame time.Time
	State     State
	// Scene is the edited scene and Rev the revision, by the last event.
	Scene string
	Rev   int64
	// FramesSent counts requests and cancels written, FramesReceived answers and events read, since the link began.
	FramesSent     uint64
	FramesReceived uint64
	// RepliesDropped counts answers that nobody asked for.
	RepliesDropped uint64
	// Pending counts the calls in flight.
	Pending int
}

// Editors lists the linked editors in the order of their projects.
func (s *Server) Editors() []Editor {
	links := s.editors.all()
	out := make([]Editor, len(links))
	for i, l := range links {
		out[i] = l.snapshot()
	}
	return out
}

// Editor gives the editor that is linked for a project.
func (s *Server) Editor(project string) (Editor, bool) {
	if l, _, _ := s.editors.find(project); l != nil {
		return l.snapshot(), true
	}
	canonical, err := canonicalPath(project)
	if project == "" || err != nil {
		return Editor{}, false
	}
	if l, _, _ := s.editors.find(canonical); l != nil {
		return l.snapshot(), true
	}
	return Editor{}, false
}

// Refusals gives the last hellos that were not taken, oldest first.
func (s *Server) Refusals() []Refusal {
	s.editors.mu.Lock()
	defer s.editors.mu.Unlock()
	return slices.Clone(s.editors.refusals)
}

func (l *link) snapshot() Editor {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := Editor{
		Project: l.project, Hello: l.hello, LinkedAt: l.since, LastFrame: time.Unix(0, l.lastFrame.Load()),
		State: StateLinked, Scene: l.scene, Rev: l.rev, Pending: len(l.pending),
		FramesSent: l.sent.Load(), FramesReceived: l.received.Load(), RepliesDropped: l.dropped.Load(),
	}
	e.Hello.Commands = slices.Clone(l.hello.Commands)
	if l.silence() > l.opts.BlockedAfter {
		e.State = StateBlocked
	}
	return e
}
