package lock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// childEnv makes the test binary act as another process: "<what> <folder> <file>".
const childEnv = "DRAWBRIDGE_LOCK_CHILD"

func TestMain(m *testing.M) {
	if order := os.Getenv(childEnv); order != "" {
		if err := child(strings.Split(order, "\n")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// child is the other process: it holds the lock until it is killed, or counts up a file under the lock.
func child(order []string) error {
	locks, err := New(order[1])
	if err != nil {
		return err
	}
	if order[0] == "hold" {
		if _, err := locks.Acquire(context.Background(), "p", Holder{PID: os.Getpid(), Client: "child", Tool: "save_scene"}); err != nil {
			return err
		}
		fmt.Println("held")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return nil
	}
	for range 200 {
		release, err := locks.Acquire(context.Background(), "p", Holder{PID: os.Getpid()})
		if err != nil {
			return err
		}
		if err := countUp(order[2]); err != nil {
			return err
		}
		release()
	}
	return nil
}

// countUp adds one to a number in a file, in a way that loses counts when two do it at once.
func countUp(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return err
	}
	runtime.Gosched()
	return os.WriteFile(file, []byte(strconv.Itoa(n+1)), 0o600)
}

func start(t *testing.T, order ...string) (*exec.Cmd, *bufio.Reader, io.WriteCloser) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(order, "\n"))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewReader(out), in
}

func newLocks(t testing.TB) *Locks {
	t.Helper()
	l, err := New(filepath.Join(t.TempDir(), "locks"))
	require.NoError(t, err)
	t.Cleanup(l.Close)
	return l
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestOneAtATimeInsideAProcess(t *testing.T) {
	l := newLocks(t)
	release, err := l.Acquire(t.Context(), "p", Holder{Tool: "first", Client: "c\x1b[31m"})
	require.NoError(t, err)
	other, err := l.Acquire(t.Context(), "q", Holder{})
	require.NoError(t, err, "another project is another lock")
	other()
	_, err = l.Acquire(within(t, 20*time.Millisecond), "p", Holder{Tool: "second"})
	var held *Held
	require.ErrorAs(t, err, &held)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, "first", held.Holder.Tool)
	assert.NotContains(t, err.Error(), "\x1b")
	release()
	release()
	again, err := l.Acquire(within(t, time.Second), "p", Holder{})
	require.NoError(t, err)
	release() // one that was used does not free what another has
	_, err = l.Acquire(within(t, 5*time.Millisecond), "p", Holder{})
	require.Error(t, err)
	again()
}

func TestAnEndedContextGetsNoLock(t *testing.T) {
	l := newLocks(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("client is gone"))
	for range 50 {
		_, err := l.Acquire(ctx, "p", Holder{})
		require.ErrorContains(t, err, "client is gone")
	}
	release, err := l.Acquire(within(t, time.Second), "p", Holder{})
	require.NoError(t, err)
	release()
}

func TestGoroutinesTakeTurns(t *testing.T) {
	l := newLocks(t)
	var inside, n int
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				release, err := l.Acquire(t.Context(), "p", Holder{})
				if !assert.NoError(t, err) {
					return
				}
				inside++
				assert.Equal(t, 1, inside)
				n++
				inside--
				release()
			}
		})
	}
	all.Wait()
	assert.Equal(t, 400, n)
}

func TestProcessesNeverHoldAtOnce(t *testing.T) {
	l := newLocks(t)
	file := filepath.Join(t.TempDir(), "n")
	require.NoError(t, os.WriteFile(file, []byte("0"), 0o600))
	var children []*exec.Cmd
	for range 3 {
		cmd, _, in := start(t, "count", l.dir, file)
		require.NoError(t, in.Close())
		children = append(children, cmd)
	}
	for range 200 {
		release, err := l.Acquire(t.Context(), "p", Holder{})
		require.NoError(t, err)
		require.NoError(t, countUp(file))
		release()
	}
	for _, cmd := range children {
		require.NoError(t, cmd.Wait())
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "800", string(text))
}

func TestAKilledHolderFreesAtOnceAndIsNamed(t *testing.T) {
	l := newLocks(t)
	cmd, out, _ := start(t, "hold", l.dir)
	said, err := out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", said)
	_, err = l.Acquire(within(t, 30*time.Millisecond), "p", Holder{})
	var held *Held
	require.ErrorAs(t, err, &held)
	assert.Equal(t, cmd.Process.Pid, held.Holder.PID)
	assert.Contains(t, err.Error(), `"save_scene"`)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // says that it was killed
	begin := time.Now()
	lease, err := l.Lease(within(t, time.Second), "p", Holder{Tool: "next"})
	require.NoError(t, err)
	assert.Less(t, time.Since(begin), 100*time.Millisecond)
	require.NotNil(t, lease.Died)
	assert.Equal(t, "save_scene", lease.Died.Tool)
	lease.Release()
	lease, err = l.Lease(t.Context(), "p", Holder{})
	require.NoError(t, err)
	assert.Nil(t, lease.Died, "whoever let go has not died")
	lease.Release()
}

func TestTwoLocksInOneProcessExcludeEachOther(t *testing.T) {
	l := newLocks(t)
	other, err := New(l.dir)
	require.NoError(t, err)
	release, err := l.Acquire(t.Context(), "p", Holder{Tool: "a"})
	require.NoError(t, err)
	_, err = other.Acquire(within(t, 10*time.Millisecond), "p", Holder{})
	var held *Held
	require.ErrorAs(t, err, &held)
	assert.Equal(t, "a", held.Holder.Tool)
	release()
	release, err = other.Acquire(within(t, time.Second), "p", Holder{})
	require.NoError(t, err)
	other.Close() // lets go of what nobody uses
	release()
	other.Close()
}

func TestAHolderFileDecidesNothing(t *testing.T) {
	l := newLocks(t)
	for _, text := range []string{"{", "null", strings.Repeat("x", 3000), `{"pid":"x"}`, "\x00\x00"} {
		release, err := l.Acquire(t.Context(), "p", Holder{})
		require.NoError(t, err)
		release()
		require.NoError(t, os.WriteFile(l.project("p").path+holderSuffix, []byte(text), 0o600))
		lease, err := l.Lease(within(t, time.Second), "p", Holder{
			Client: strings.Repeat("\x00", 1<<20), Tool: strings.Repeat("ö", 100), Host: strings.Repeat("\x1b", 99),
		})
		require.NoError(t, err, text)
		require.NotNil(t, lease.Died, "in doubt it died")
		lease.Release()
	}
}

func TestTheFolderIsPrivateAndComesBack(t *testing.T) {
	l := newLocks(t)
	release, err := l.Acquire(t.Context(), "p", Holder{})
	require.NoError(t, err)
	release()
	files, err := os.ReadDir(l.dir)
	require.NoError(t, err)
	require.Len(t, files, 2, "the lock file stays")
	for _, file := range files {
		info, err := file.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, file.Name())
	}
	require.NoError(t, os.RemoveAll(l.dir))
	release, err = l.Acquire(t.Context(), "p", Holder{})
	require.NoError(t, err)
	assert.FileExists(t, l.project("p").path+lockSuffix)
	release()
	require.NoError(t, os.Remove(l.project("p").path+lockSuffix))
	release, err = l.Acquire(t.Context(), "p", Holder{})
	require.NoError(t, err)
	other, err := New(l.dir)
	require.NoError(t, err)
	defer other.Close()
	_, err = other.Acquire(within(t, 10*time.Millisecond), "p", Holder{})
	require.Error(t, err, "both lock the file that has the name now")
	release()
}

func TestAFolderThatCannotBeTrustedIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, make := range map[string]func(string) error{
		"open":  func(p string) error { return errors.Join(os.Mkdir(p, 0o700), os.Chmod(p, 0o777)) },
		"link":  func(p string) error { return os.Symlink(dir, p) },
		"file":  func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"under": func(p string) error { return os.WriteFile(filepath.Dir(p), nil, 0o600) },
	} {
		path := filepath.Join(dir, name)
		if name == "under" {
			path = filepath.Join(path, "locks")
		}
		require.NoError(t, make(path))
		_, err := New(path)
		require.Error(t, err, name)
	}
	_, err := New("relative")
	require.Error(t, err)
}

func TestALockThatCannotBeTakenIsAnError(t *testing.T) {
	l := newLocks(t)
	require.NoError(t, os.Mkdir(l.project("p").path+holderSuffix, 0o700))
	_, err := l.Acquire(t.Context(), "p", Holder{})
	require.ErrorContains(t, err, "holder")
	require.NoError(t, os.RemoveAll(l.dir))
	require.NoError(t, os.WriteFile(l.dir, nil, 0o600))
	_, err = l.Acquire(t.Context(), "p", Holder{})
	require.Error(t, err)
	require.NoError(t, os.Remove(l.dir))
	release, err := l.Acquire(within(t, time.Second), "p", Holder{})
	require.NoError(t, err, "and the next one may work again")
	release()
}

func BenchmarkAcquire(b *testing.B) {
	l := newLocks(b)
	h := Holder{PID: os.Getpid(), Host: "a", Client: "client", Tool: "set_property", Since: time.Now()}
	for b.Loop() {
		release, err := l.Acquire(b.Context(), "p", h)
		if err != nil {
			b.Fatal(err)
		}
		release()
	}
}
