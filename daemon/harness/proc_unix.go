//go:build unix

package harness

import (
	"os"
	"syscall"
)

// killGroup ends the child's whole group; the child leads it.
func killGroup(p *os.Process) {
	// The group may be gone already: then there is nothing to do.
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
}

// askToEnd sends SIGTERM to the child alone.
func askToEnd(p *os.Process) {
	_ = p.Signal(syscall.SIGTERM)
}
