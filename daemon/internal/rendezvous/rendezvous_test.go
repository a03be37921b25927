package rendezvous

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

const testURL = "ws://127.0.0.1:1/link"

func publish(t *testing.T, dir string) *Entry {
	t.Helper()
	e, err := Publish(t.Context(), dir, testURL)
	require.NoError(t, err)
	return e
}

func read(t *testing.T, dir string, e *Entry) protocol.Rendezvous {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "drawbridge", "daemons", e.BootID()+".json"))
	require.NoError(t, err)
	var r protocol.Rendezvous
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "drawbridge", "daemons"))
	require.NoError(t, err)
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestTheFileSaysHowToFindTheDaemon(t *testing.T) {
	dir := t.TempDir()
	e := publish(t, dir)
	r := read(t, dir, e)
	assert.Equal(t, protocol.Rendezvous{
		Protocol: protocol.Version, URL: testURL, BootID: e.BootID(), BootNonce: e.BootNonce(),
		SecretFile: "link.secret", PID: os.Getpid(),
	}, r)
	require.NoError(t, e.Close())
	assert.Empty(t, names(t, dir))
}

func TestEverythingIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // modes mean nothing there
	}
	dir := t.TempDir()
	e := publish(t, dir)
	defer e.Close()
	for path, want := range map[string]os.FileMode{
		"drawbridge": 0o700, "drawbridge/daemons": 0o700, "drawbridge/link.secret": 0o600,
		"drawbridge/daemons/" + e.BootID() + ".json": 0o600, "drawbridge/daemons/" + e.BootID() + ".lock": 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, path))
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode().Perm(), path)
	}
}

func TestDaemonsShareOneSecretAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	a, b := publish(t, dir), publish(t, dir)
	assert.Equal(t, a.Secret(), b.Secret())
	assert.NotEqual(t, a.BootID(), b.BootID())
	assert.NotEqual(t, a.BootNonce(), b.BootNonce())
	assert.Len(t, names(t, dir), 4)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
}

func TestRenewChangesTheNonceInTheFile(t *testing.T) {
	dir := t.TempDir()
	e := publish(t, dir)
	defer e.Close()
	before := e.BootNonce()
	require.NoError(t, e.Renew())
	assert.NotEqual(t, before, e.BootNonce())
	assert.Equal(t, e.BootNonce(), read(t, dir, e).BootNonce)
}

func TestWhatDeadDaemonsLeftIsRemovedAndLivingOnesStay(t *testing.T) {
	dir := t.TempDir()
	alive := publish(t, dir)
	defer alive.Close()
	daemons := filepath.Join(dir, "drawbridge", "daemons")
	for _, name := range []string{"dead.json", "dead.lock", "nolock.json", "nofile.lock"} {
		require.NoError(t, os.WriteFile(filepath.Join(daemons, name), nil, 0o600))
	}
	held := flock.New(filepath.Join(daemons, "other.lock"))
	require.NoError(t, held.Lock())
	defer held.Close()
	require.NoError(t, os.WriteFile(filepath.Join(daemons, "other.json"), nil, 0o600))

	e := publish(t, dir)
	defer e.Close()
	assert.ElementsMatch(t, []string{
		alive.BootID() + ".json", alive.BootID() + ".lock", e.BootID() + ".json", e.BootID() + ".lock",
		"other.json", "other.lock",
	}, names(t, dir))
}

func TestDoubtfulFilesAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // modes mean nothing there
	}
	secret := func(dir string) string { return filepath.Join(dir, "drawbridge", "link.secret") }
	tests := map[string]struct {
		spoil func(t *testing.T, dir string)
		want  string
	}{
		"folder open to the group": {func(t *testing.T, dir string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, "drawbridge"), 0o750))
		}, "lets others in"},
		"daemons folder open to others": {func(t *testing.T, dir string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, "drawbridge", "daemons"), 0o701))
		}, "lets others in"},
		"secret readable by the group": {func(t *testing.T, dir string) {
			require.NoError(t, os.Chmod(secret(dir), 0o640))
		}, "lets others in"},
		"secret is a link": {func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(secret(dir), secret(dir)+".real"))
			require.NoError(t, os.Symlink(secret(dir)+".real", secret(dir)))
		}, "not a plain file"},
		"secret too short": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(secret(dir), []byte("abcd"), 0o600))
		}, "does not hold"},
		"secret empty": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(secret(dir), nil, 0o600))
		}, "does not hold"},
		"folder is a link": {func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "drawbridge"), filepath.Join(dir, "real")))
			require.NoError(t, os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "drawbridge")))
		}, "not a folder"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, publish(t, dir).Close())
			tt.spoil(t, dir)
			_, err := Publish(t.Context(), dir, testURL)
			require.ErrorContains(t, err, tt.want)
		})
	}
}
