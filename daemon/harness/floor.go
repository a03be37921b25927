package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/protocol"
)

// Floor is a link of our own to the editor, without MCP and without the gate: the floor below which no call of a
// client can be. The addon serves it beside the daemon, over the same kind of socket.
type Floor struct {
	server  *bridge.Server
	project string
}

// OpenFloor listens for the editor of p. Close it.
func OpenFloor(ctx context.Context, p *Project) (*Floor, error) {
	server, err := bridge.Listen(ctx, bridge.Options{
		ConfigDir: filepath.Join(p.Home, ".config"),
		Projects:  func() []string { return []string{p.Dir} },
	})
	if err != nil {
		return nil, fmt.Errorf("opening the floor: %w", err)
	}
	return &Floor{server: server, project: p.Dir}, nil
}

// Close ends the link.
func (f *Floor) Close() error { return f.server.Close() }

// Echo sends one small frame to the editor and waits until it is back.
func (f *Floor) Echo(ctx context.Context) error {
	response, err := f.server.Query(ctx, f.project, protocol.Request{
		ID: f.server.NewID(), Command: "echo", Phase: protocol.PhaseQuery,
		Params:         json.RawMessage(`{"text":"0123456789abcdef"}`),
		DeadlineUnixMS: time.Now().Add(protocol.DefaultDeadline).UnixMilli(),
	})
	if err != nil {
		return fmt.Errorf("echo: %w", err)
	}
	if !response.OK {
		return fmt.Errorf("echo: %w", response.Error)
	}
	return nil
}

// Linked waits until the editor answers an echo.
func (f *Floor) Linked(ctx context.Context) error {
	for {
		err := f.Echo(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the editor: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
