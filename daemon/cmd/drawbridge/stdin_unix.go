//go:build unix

package main

import (
	"os"
	"syscall"
)

// pollable makes a pipe or socket one that the runtime waits for without a thread of its own: a thread that sleeps in
// a read keeps its processor for a while, and with it the call that it has just read. Anything else stays as it is: a
// terminal is shared with the shell. It tells whether that went well.
func pollable(in *os.File) (*os.File, bool) {
	info, err := in.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return in, false
	}
	if err := syscall.SetNonblock(int(in.Fd()), true); err != nil {
		return in, false
	}
	return os.NewFile(in.Fd(), in.Name()), true
}
