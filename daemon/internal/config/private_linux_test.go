//go:build linux

package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unprivileged runs do on a thread whose file access is nobody's, if it was root's. The thread dies with its goroutine.
func unprivileged(t *testing.T, do func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				done <- err
				return
			}
		}
		do()
		done <- nil
	}()
	require.NoError(t, <-done)
}

func TestAPolicyFileThatCannotBeReadStopsTheStart(t *testing.T) {
	u := newUser(t)
	u.says(`{"mode":"read_only"}`)
	for dir := u.dir; dir != "/tmp" && dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	folder := filepath.Dir(u.file())
	for _, modes := range []struct {
		folder, file os.FileMode
		want         string
	}{
		{0o755, 0o000, "opening it"},
		{0o600, 0o600, "permission denied"}, // what is in the folder cannot even be looked at
	} {
		require.NoError(t, os.Chmod(u.file(), modes.file))
		require.NoError(t, os.Chmod(folder, modes.folder))
		unprivileged(t, func() {
			_, err := u.load(nil)
			assert.ErrorContains(t, err, "CONFIG_INVALID")
			assert.ErrorContains(t, err, modes.want)
		})
		require.NoError(t, os.Chmod(folder, 0o700))
	}
	require.NoError(t, os.Chmod(u.dir, 0o000))
	unprivileged(t, func() {
		_, err := u.load(nil)
		assert.ErrorContains(t, err, "its folder cannot be checked")
	})
	require.NoError(t, os.Chmod(u.dir, 0o700))
}
