package harness

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Xvfb is a virtual display of its own. Give Env to a drawn editor.
type Xvfb struct {
	// Display is the value of DISPLAY, like ":3".
	Display string

	child *process
}

// StartXvfb starts a display. Xvfb itself picks a free number and tells it, so that concurrent runs never collide.
func (k *Kit) StartXvfb(ctx context.Context) (*Xvfb, error) {
	find := exec.CommandContext(ctx, "bash", filepath.Join(k.root, "scripts", "xvfb.sh"))
	find.Stderr = k.log
	path, err := find.Output()
	if err != nil {
		return nil, fmt.Errorf("getting Xvfb with scripts/xvfb.sh: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making Xvfb's pipe: %w", err)
	}
	defer read.Close()
	cmd := exec.Command(strings.TrimSpace(string(path)),
		"-displayfd", "3", "-screen", "0", "1280x720x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{write}
	child, err := startProcess(cmd)
	write.Close()
	if err != nil {
		return nil, err
	}
	number, err := readDisplay(ctx, read)
	if err != nil {
		child.kill()
		return nil, err
	}
	return &Xvfb{Display: ":" + number, child: child}, nil
}

// readDisplay reads the display's number; a dead Xvfb ends the pipe, a silent one meets the deadline.
func readDisplay(ctx context.Context, pipe *os.File) (string, error) {
	limit := time.Now().Add(20 * time.Second)
	if end, ok := ctx.Deadline(); ok && end.Before(limit) {
		limit = end
	}
	if err := pipe.SetReadDeadline(limit); err != nil {
		return "", fmt.Errorf("bounding Xvfb's start: %w", err)
	}
	line, err := bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("waiting for Xvfb's display number: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// Env is what a drawn program needs beside its own environment.
func (x *Xvfb) Env() []string { return []string{"DISPLAY=" + x.Display} }

// Close ends the display.
func (x *Xvfb) Close() error {
	// Xvfb ends by the signal that we send, so its exit error says nothing.
	_ = x.child.stop(5 * time.Second)
	return nil
}
