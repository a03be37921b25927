package bridge

import (
	"log/slog"
	"time"

	"drawbridge/protocol"
)

const (
	// headerTimeout is how long a connection may take to say what it wants.
	headerTimeout = 4 * time.Second
	// maxHeaderBytes is far above what an addon sends.
	maxHeaderBytes = 8 << 10
	// maxPendingHandshakes bounds connections that have not been upgraded; the oldest gives way.
	maxPendingHandshakes = 64
	// maxLinks bounds accepted and greeting sockets together.
	maxLinks = 64
	// maxNonces is how many client nonces are remembered before the boot nonce is renewed.
	maxNonces = 1 << 15
	// helloLimit bounds the hello frame; above it the socket closes without a reason.
	helloLimit = 4 << 20
	// discardLimit is how much of an oversized frame is read and thrown away to keep the link; beyond it the link
	// closes with 1009.
	discardLimit = 4 * protocol.MaxFrame
	// writeQueue bounds the frames that wait for the writer of one link.
	writeQueue = 1024
	// closeGrace is how long Close waits for editors to answer the close frame.
	closeGrace = 500 * time.Millisecond
	// rejectLinger is how long a refused addon may take to read why; an unfocused editor looks each 100 ms.
	rejectLinger = 300 * time.Millisecond
	// rejectGrace is how long a refused peer has to answer the close frame.
	rejectGrace = 2 * time.Second
	// maxRefusals is how many refused hellos are remembered for people who ask why nothing links.
	maxRefusals = 16
)

// Options configure a Server. ConfigDir and Projects are required; the rest has defaults.
type Options struct {
	// ConfigDir is the user's configuration folder (os.UserConfigDir), in which addons look for daemons.
	ConfigDir string
	// Projects gives the project folders whose editors are taken. It is asked at each hello; nil takes none.
	Projects func() []string
	// Admit says why the operator does not allow a project, "" when he does. It is asked at each hello, because a
	// project can change its name. Nil allows all.
	Admit func(project string) (why string)
	// Log gets what happens on the links. Nothing in it is secret. Nil: nothing is logged.
	Log *slog.Logger

	// HelloTimeout bounds welcome, hello and accept together. Default 5 s.
	HelloTimeout time.Duration
	// Grace is how long a call waits for the editor after the start and after a lost link. Default
	// protocol.GraceForLink; negative: no wait.
	Grace time.Duration
	// BlockedAfter is the silence after which new calls are refused. Default protocol.BlockedAfter.
	BlockedAfter time.Duration
	// SilentAfter is the silence after which another editor may take the project over. Default 30 s.
	SilentAfter time.Duration
	// WriteTimeout ends a link whose peer takes no bytes. Default protocol.MaxDeadline, so that a blocked editor
	// never loses its link while a call may still be waiting for it.
	WriteTimeout time.Duration
}

// withDefaults fills what was left out.
func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Projects == nil {
		o.Projects = func() []string { return nil }
	}
	if o.Admit == nil {
		o.Admit = func(string) string { return "" }
	}
	o.HelloTimeout = orDefault(o.HelloTimeout, 5*time.Second)
	o.Grace = orDefault(o.Grace, protocol.GraceForLink)
	o.BlockedAfter = orDefault(o.BlockedAfter, protocol.BlockedAfter)
	o.SilentAfter = orDefault(o.SilentAfter, 30*time.Second)
	o.WriteTimeout = orDefault(o.WriteTimeout, protocol.MaxDeadline)
	return o
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}
