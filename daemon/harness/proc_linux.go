package harness

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the child its own process group, and has the kernel end it when this process dies, so that a
// killed test run leaves no editor behind.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
