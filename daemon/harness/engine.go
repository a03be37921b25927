package harness

import "os/exec"

// engine is a headless engine in p, not started. Callers add a display, ports or a script by args.
func (k *Kit) engine(p *Project, args ...string) *exec.Cmd {
	cmd := exec.Command(k.godot, append([]string{"--headless", "--path", p.Dir}, args...)...)
	cmd.Dir = p.Dir
	cmd.Env = p.Env()
	return cmd
}
