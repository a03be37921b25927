//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// onlyOurs says what is wrong with a file or folder that another user owns, or that has one of the forbidden bits.
func onlyOurs(info fs.FileInfo, forbidden fs.FileMode) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "its owner cannot be told"
	}
	if int(stat.Uid) != os.Getuid() {
		return "it belongs to another user"
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		return fmt.Sprintf("its mode %04o lets others in", mode)
	}
	return ""
}
