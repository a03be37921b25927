package harness

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"time"
)

// EditorOptions vary how an editor is started. The zero value is a headless editor.
type EditorOptions struct {
	// Drawn starts an editor with a window and software GL instead of a headless one.
	Drawn bool
	// Display is the DISPLAY of a drawn editor; empty: a display of its own, which ends with the editor.
	Display string
	// Args are added to the command line.
	Args []string
	// Env is added to the project's environment.
	Env []string
}

// Editor is a running Godot editor on a project. It shares the project's HOME with the daemon, so the two find each
// other.
type Editor struct {
	child   *process
	display *Xvfb
	out     *lockedText
}

// StartEditor starts an editor on p. It does not wait until the editor is up: a link at the daemon shows that.
func (k *Kit) StartEditor(ctx context.Context, p *Project, o EditorOptions) (*Editor, error) {
	ports, err := freePorts(ctx, 3)
	if err != nil {
		return nil, err
	}
	args := []string{
		"--editor", "--path", p.Dir, "--lsp-port", ports[0], "--dap-port", ports[1],
		"--debug-server", "tcp://127.0.0.1:" + ports[2],
	}
	env := append(p.Env(), o.Env...)
	e := &Editor{out: &lockedText{}}
	if o.Drawn {
		args = append(args, "--display-driver", "x11", "--rendering-driver", "opengl3", "--audio-driver", "Dummy")
		display := o.Display
		if display == "" {
			if e.display, err = k.StartXvfb(ctx); err != nil {
				return nil, err
			}
			display = e.display.Display
		}
		env = append(env, "DISPLAY="+display)
	} else {
		args = append(args, "--headless")
	}
	cmd := exec.Command(k.godot, append(args, o.Args...)...)
	cmd.Dir, cmd.Env = p.Dir, env
	cmd.Stdout, cmd.Stderr = e.out, e.out
	if e.child, err = startProcess(cmd); err != nil {
		e.closeDisplay()
		return nil, fmt.Errorf("starting the editor: %w", err)
	}
	return e, nil
}

// PID is the editor's process id.
func (e *Editor) PID() int { return e.child.pid() }

// Done is closed when the editor has ended.
func (e *Editor) Done() <-chan struct{} { return e.child.done }

// Output is what the editor wrote to its standard output and error so far.
func (e *Editor) Output() string { return e.out.String() }

// Kill ends the editor the hard way, as a crash would, and waits until it is gone.
func (e *Editor) Kill() {
	e.child.kill()
	e.closeDisplay()
}

// Stop asks the editor to end (it does so without saving or asking) and waits; one that stays is killed and reported.
func (e *Editor) Stop(limit time.Duration) error {
	defer e.closeDisplay()
	askToEnd(e.child.cmd.Process)
	if !e.child.wait(limit) {
		e.child.kill()
		return fmt.Errorf("the editor did not end within %s; killed\n%s", limit, e.Output())
	}
	return nil // its exit status only says that a signal ended it
}

// Wait waits until the editor ends by itself, or ctx does.
func (e *Editor) Wait(ctx context.Context) error {
	select {
	case <-e.child.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the editor to end: %w", ctx.Err())
	}
}

// closeDisplay ends the editor's own display, if it has one.
func (e *Editor) closeDisplay() {
	if e.display != nil {
		// Xvfb is ours and is being thrown away; how it ends does not matter.
		_ = e.display.Close()
	}
}

// freePorts asks the system for ports that nobody uses now: editors that share a port stay up without a word, and a
// client would talk to the wrong one.
func freePorts(ctx context.Context, n int) ([]string, error) {
	var ports []string
	lc := net.ListenConfig{}
	for range n {
		l, err := lc.Listen(ctx, "tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("finding a free port: %w", err)
		}
		defer l.Close() // all are held until the last is found, so that no two are the same
		if addr, ok := l.Addr().(*net.TCPAddr); ok {
			ports = append(ports, strconv.Itoa(addr.Port))
		}
	}
	return ports, nil
}
