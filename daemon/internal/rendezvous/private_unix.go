//go:build unix

package rendezvous

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// onlyOurs refuses a file or folder of another user, or one that others may use.
func onlyOurs(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("checking %s: its owner cannot be told", path)
	}
	if int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("checking %s: it belongs to another user", path)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("checking %s: mode %04o lets others in; run chmod go= on it", path, mode)
	}
	return nil
}
