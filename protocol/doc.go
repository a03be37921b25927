// Package protocol is the vocabulary that the daemon and the addon share: frames, error codes, verdicts,
// values and paths. It is a leaf of pure types: the standard library only, no I/O, no clock, no policy.
// What the addon needs of it is generated into addon/protocol.gd (see daemon/internal/gen), never retyped.
package protocol

import "time"

const (
	// Version is the wire version that both sides compare in the hello. It changes when a frame's meaning does.
	Version = 1
	// ProductVersion is the version of daemon and addon; the hello carries it for people and for drift warnings.
	ProductVersion = "0.1.0"
	// Subprotocol is the WebSocket subprotocol without which no link is accepted.
	Subprotocol = "drawbridge.v1"
	// LinkPath is the only HTTP path that the daemon's link listener serves.
	LinkPath = "/link"
	// MaxFrame is the largest text frame, in bytes, either way. Both sides set it before connecting.
	MaxFrame = 16 << 20
	// MaxCommands bounds the command list of a hello.
	MaxCommands = 2000
	// MaxDaemons is how many daemons one addon links to at once.
	MaxDaemons = 8
	// MinGodotMinor is the oldest Godot 4 minor release that the addon runs on (Logger appeared there).
	MinGodotMinor = 5
)

const (
	// BeatInterval is how often the editor's main loop says that it is alive.
	BeatInterval = time.Second
	// BlockedAfter is the silence after which the editor counts as blocked; no link is ever ended for it.
	BlockedAfter = 3 * time.Second
	// GraceForLink is how long a call waits for the editor after the daemon's start or the loss of a link.
	GraceForLink = 3 * time.Second
	// DefaultDeadline is a command's deadline when neither tool nor caller says otherwise.
	DefaultDeadline = 10 * time.Second
	// FileDeadline is the deadline of commands that write files.
	FileDeadline = 60 * time.Second
	// MaxDeadline is the largest timeout_seconds that a caller may ask for.
	MaxDeadline = 600 * time.Second
)
