//go:build unix

package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPolicyFileThatOthersMayUseStopsTheStart(t *testing.T) {
	u := newUser(t)
	u.says(`{"mode":"suggest"}`)
	for mode := range os.FileMode(0o1000) {
		if mode&0o700 != 0o600 && mode&0o700 != 0o400 {
			continue // the user's own bits decide only whether it can be read, which is tested elsewhere
		}
		require.NoError(t, os.Chmod(u.file(), mode))
		if mode&0o077 == 0 {
			assert.EqualValues(t, "suggest", u.loads(nil).Policy.Mode, "%04o", mode)
		} else {
			assert.Contains(t, u.refuses(nil).Message, fmt.Sprintf("its mode %04o lets others in", mode))
		}
	}
}

func TestAFolderThatOthersMayWriteStopsTheStart(t *testing.T) {
	u := newUser(t)
	folder := filepath.Dir(u.file())
	for _, text := range []string{"", "{}"} { // others may also have removed the file
		u.says(text)
		for mode, ok := range map[os.FileMode]bool{0o700: true, 0o755: true, 0o770: false, 0o702: false, 0o777: false, 0o777 | os.ModeSticky: false} {
			require.NoError(t, os.Chmod(folder, mode))
			if ok {
				u.loads(nil)
			} else {
				assert.Contains(t, u.refuses(nil).Message, "its folder is not private", "%v %q", mode, text)
			}
		}
	}
	require.NoError(t, os.Chmod(folder, 0o700))
}

// Only root can give files away, so for other users this shows nothing.
func TestAPolicyOfAnotherUserStopsTheStart(t *testing.T) {
	u := newUser(t)
	folder := filepath.Dir(u.file())
	if os.Getuid() != 0 {
		return
	}
	const somebody = 65534
	for _, path := range []string{u.file(), folder} {
		u.says("{}")
		require.NoError(t, os.Chown(path, somebody, -1))
		assert.Contains(t, u.refuses(nil).Message, "belongs to another user", path)
		require.NoError(t, os.Chown(path, 0, -1))
	}
	u.loads(nil)
}

func TestAPipeForAPolicyStopsTheStart(t *testing.T) {
	u := newUser(t)
	require.NoError(t, syscall.Mkfifo(u.file(), 0o600))
	assert.Contains(t, u.refuses(nil).Message, "not a plain file")
}
