package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// DaemonOptions vary how the daemon is started. The zero value serves the given project.
type DaemonOptions struct {
	// Args replace the default "serve --project <dir>".
	Args []string
	// Env is added to the project's environment.
	Env []string
	// Dir is the working directory; empty: the project's folder.
	Dir string
}

// Daemon is the real binary over stdio.
type Daemon struct {
	*Client

	child *process
	log   *lockedText
}

// StartDaemon builds the daemon if needed and starts it. The MCP session is not opened: see Initialize.
func (k *Kit) StartDaemon(ctx context.Context, p *Project, o DaemonOptions) (*Daemon, error) {
	binary, err := k.Binary(ctx)
	if err != nil {
		return nil, err
	}
	args := o.Args
	if args == nil {
		args = []string{"serve", "--project", p.Dir}
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = p.Dir
	if o.Dir != "" {
		cmd.Dir = o.Dir
	}
	cmd.Env = append(p.Env(), o.Env...)
	log := &lockedText{}
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("piping the daemon's input: %w", err)
	}
	// A pipe of our own: exec's StdoutPipe is closed by Wait, which would lose the last lines of a daemon that ends.
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("piping the daemon's output: %w", err)
	}
	cmd.Stdout = write
	child, err := startProcess(cmd)
	write.Close()
	if err != nil {
		read.Close()
		return nil, err
	}
	return &Daemon{Client: NewClient(in, read), child: child, log: log}, nil
}

// PID is the daemon's process id.
func (d *Daemon) PID() int { return d.child.pid() }

// Done is closed when the process has ended.
func (d *Daemon) Done() <-chan struct{} { return d.child.done }

// Log is what the daemon wrote to its standard error so far.
func (d *Daemon) Log() string { return d.log.String() }

// Kill ends the daemon the hard way, as a crash would, and waits until it is gone.
func (d *Daemon) Kill() {
	d.child.kill()
	<-d.Ended()
}

// Signal sends a signal to the daemon alone.
func (d *Daemon) Signal(s os.Signal) error {
	if err := d.child.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("signalling the daemon: %w", err)
	}
	return nil
}

// Stop closes the daemon's input, which must end it, and waits; a daemon that stays is killed and reported.
func (d *Daemon) Stop(limit time.Duration) error {
	// The pipe may be closed already when the daemon is gone.
	_ = d.Close()
	if !d.child.wait(limit) {
		d.Kill()
		return errors.New("the daemon did not end when its input did; killed")
	}
	<-d.Ended()
	if d.child.err != nil {
		return fmt.Errorf("the daemon ended badly: %w\n%s", d.child.err, d.Log())
	}
	return nil
}

// lockedText is a writer that can be read while it grows.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write appends.
func (l *lockedText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String gives all so far.
func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
