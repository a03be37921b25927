//go:build unix

package audit

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// noFollow makes opening a symbolic link fail.
const noFollow = syscall.O_NOFOLLOW

// ours refuses what belongs to another user, or has one of the refused modes.
func ours(path string, info fs.FileInfo, refused fs.FileMode) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("checking %s: its owner cannot be told", path)
	}
	if int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("checking %s: it belongs to another user", path)
	}
	if mode := info.Mode().Perm(); mode&refused != 0 {
		return fmt.Errorf("checking %s: mode %04o lets others in; run chmod go-w on it (go= for a key)", path, mode)
	}
	return nil
}

// syncFolder sees the names in a folder on the disk.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
