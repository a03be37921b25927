package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"drawbridge/daemon/harness"
)

const (
	handRes = "res://addons/testhand"
	portRes = "res://.godot/testhand_port"
	// probeWait bounds one answer of the probe: it comes in the editor's next frame, and one that shows 100,000 new
	// nodes is long.
	probeWait = 4 * time.Minute
)

// probe is the tests' hand in the editor (contract/gd/testhand), asked here how long the editor's frames take.
type probe struct {
	conn net.Conn
	in   *bufio.Reader
}

// installProbe puts the hand's addon beside the one under test. The editor must not run yet.
func installProbe(p *harness.Project) error {
	if err := os.CopyFS(p.Path(handRes), os.DirFS(p.Path("res://gd/testhand"))); err != nil {
		return fmt.Errorf("installing the probe: %w", err)
	}
	settings := p.Path("res://project.godot")
	text, err := os.ReadFile(settings)
	if err != nil {
		return fmt.Errorf("installing the probe: %w", err)
	}
	enabled := `"` + harness.AddonRes + `/plugin.cfg"`
	both := strings.Replace(string(text), enabled, enabled+`, "`+handRes+`/plugin.cfg"`, 1)
	if err := os.WriteFile(settings, []byte(both), 0o600); err != nil {
		return fmt.Errorf("installing the probe: %w", err)
	}
	return nil
}

// openProbe connects to the hand in the running editor.
func openProbe(ctx context.Context, p *harness.Project) (*probe, error) {
	port, err := os.ReadFile(p.Path(portRes))
	if err != nil {
		return nil, fmt.Errorf("finding the probe: %w", err)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
	if err != nil {
		return nil, fmt.Errorf("reaching the probe: %w", err)
	}
	return &probe{conn, bufio.NewReader(conn)}, nil
}

// close lets go of the hand.
func (p *probe) close() error { return p.conn.Close() }

// frame is the longest frame of a span: how long it was, and how much the editor worked in one at most. The second is
// what counts on a machine that others use.
type frame struct {
	whole, worked time.Duration
}

// longest is the longest frame since it was asked last.
func (p *probe) longest() (frame, error) {
	if err := p.conn.SetDeadline(time.Now().Add(probeWait)); err != nil {
		return frame{}, fmt.Errorf("asking the probe: %w", err)
	}
	if _, err := p.conn.Write([]byte("{\"do\":\"frames\"}\n")); err != nil {
		return frame{}, fmt.Errorf("asking the probe: %w", err)
	}
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		return frame{}, fmt.Errorf("asking the probe: %w", err)
	}
	var seen struct {
		Longest    float64 `json:"longest_usec"`
		LongestCPU float64 `json:"longest_cpu_usec"`
	}
	if err := json.Unmarshal(line, &seen); err != nil || seen.Longest == 0 {
		return frame{}, fmt.Errorf("asking the probe: %q", line)
	}
	const usec = float64(time.Microsecond)
	return frame{time.Duration(seen.Longest * usec), time.Duration(seen.LongestCPU * usec)}, nil
}

// calm waits until the editor has drawn what it had to draw: for a second no frame was long.
func (p *probe) calm(ctx context.Context) error {
	for quiet := 0; quiet < 5; {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the editor to come to rest: %w", ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
		longest, err := p.longest()
		if err != nil {
			return err
		}
		quiet++
		if longest.worked > 60*time.Millisecond {
			quiet = 0
		}
	}
	return nil
}
