package audit

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childEnv makes the test binary act as another daemon: what, file, folder of the key, size of a file, how many.
const childEnv = "DRAWBRIDGE_AUDIT_CHILD"

// child is the other daemon: it writes until it is killed, or a number of calls, or one intent.
func child(order []string) error {
	size, err := strconv.ParseInt(order[3], 10, 64)
	if err != nil {
		return err
	}
	keep, err := strconv.Atoi(order[4])
	if err != nil {
		return err
	}
	l, err := Open(Options{Path: order[1], KeyDir: order[2], Boot: "child" + strconv.Itoa(os.Getpid()), MaxBytes: size, Keep: keep})
	if err != nil {
		return err
	}
	if order[0] == "intent" {
		_, err := l.Intent(call("save_scene"))
		fmt.Println("written")
		time.Sleep(time.Minute)
		return err
	}
	fmt.Println("open")
	for n := 0; order[0] == "forever" || n < 100; n++ {
		e := call("tool" + strconv.Itoa(n))
		e.Durable = n%10 == 0
		m, err := l.Intent(e)
		if err != nil {
			return err
		}
		if err := l.Outcome(m, ended(e.Tool, OutcomeApplied), e.Durable); err != nil {
			return err
		}
	}
	return l.Close()
}

// daemon starts a child and waits for its first word.
func (r *rig) daemon(what string) *exec.Cmd {
	r.t.Helper()
	cmd := exec.Command(os.Args[0])
	size, keep := strconv.FormatInt(r.opts.MaxBytes, 10), strconv.Itoa(r.opts.Keep)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{what, r.opts.Path, r.opts.KeyDir, size, keep}, "\n"))
	out, err := cmd.StdoutPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, cmd.Start())
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(r.t, err)
	return cmd
}

// kill ends a child like a crash.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Process.Kill())
	var exit *exec.ExitError
	require.True(t, errors.As(cmd.Wait(), &exit))
}

func TestAKilledDaemonLeavesItsIntentAndAFreeLog(t *testing.T) {
	r := newRig(t)
	cmd := r.daemon("intent")
	assert.Empty(t, lost(t, r.open()), "it lives")
	kill(t, cmd)
	begin := time.Now()
	l := r.open()
	assert.Less(t, time.Since(begin), time.Second)
	found := lost(t, l)
	require.Len(t, found, 1)
	assert.Equal(t, "save_scene", found[0].Tool)
	assert.Equal(t, "child"+strconv.Itoa(cmd.Process.Pid), found[0].Boot)
	r.whole()
}

func TestProcessesKeepOneChainOverRotations(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxBytes, o.Keep = 30_000, 1000 })
	var children []*exec.Cmd
	for range 3 {
		children = append(children, r.daemon("some"))
	}
	l := r.open()
	r.write(l, 100)
	for _, cmd := range children {
		require.NoError(t, cmd.Wait())
	}
	require.NoError(t, l.Close())
	report := r.whole()
	assert.Empty(t, report.Notes)
	assert.Greater(t, len(report.Files), 4)
	assert.EqualValues(t, 4*202+len(report.Files)-1, report.Last)
	assert.Zero(t, report.Open)
}

func TestKillsAtAnyMomentLeaveAWholeChain(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxBytes, o.Keep = 8_000, 20 })
	steady := r.open()
	for round := range 10 {
		a, b := r.daemon("forever"), r.daemon("forever")
		time.Sleep(time.Duration(round) * 3 * time.Millisecond)
		kill(t, a)
		r.write(steady, 3)
		kill(t, b)
		report := r.verify()
		require.True(t, report.OK, report.Problems)
		found, err := steady.Recheck()
		require.NoError(t, err)
		require.LessOrEqual(t, len(found), 2)
		for _, e := range found {
			require.NoError(t, steady.Outcome(e.Mark(), ended(e.Tool, OutcomeUnknown), true))
		}
	}
	assert.Zero(t, r.whole().Open)
	assert.Empty(t, lost(t, r.open()))
}
