package harness

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives the child its own process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends the child; Windows has no signal for a group.
func killGroup(p *os.Process) {
	_ = p.Kill()
}

// askToEnd has nothing softer than killing on Windows.
func askToEnd(p *os.Process) {
	_ = p.Kill()
}
