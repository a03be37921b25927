package harness

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// process is a child in a process group of its own. It is waited for by one goroutine from the start, so that
// done, the exit error and kill never race, and a child is never left as a zombie.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
	once sync.Once
}

// startProcess starts cmd in its own group, bound to this process's life where the system can do that.
func startProcess(cmd *exec.Cmd) (*process, error) {
	ownGroup(cmd)
	// A grandchild that keeps a pipe open must not keep Wait from returning.
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// pid is the child's process id.
func (p *process) pid() int { return p.cmd.Process.Pid }

// kill ends the child and its group at once and waits until it is gone.
func (p *process) kill() {
	p.once.Do(func() { killGroup(p.cmd.Process) })
	<-p.done
}

// stop asks the child to end, waits for grace, and kills it if it is still there.
func (p *process) stop(grace time.Duration) error {
	askToEnd(p.cmd.Process)
	if p.wait(grace) {
		return p.err
	}
	p.kill()
	return errors.New("did not end when asked; killed")
}

// wait says whether the child ended within the time.
func (p *process) wait(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}
