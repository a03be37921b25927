//go:build unix && !linux

package harness

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the child its own process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
