package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failing makes the next writes fail after some bytes.
func failing(l *Log, after int) {
	l.write = func(f *os.File, text []byte) (int, error) {
		n, _ := f.Write(text[:min(after, len(text))])
		return n, errors.New("no space left on device")
	}
}

func TestAFullDisk(t *testing.T) {
	for _, after := range []int{0, 1, 300, 1 << 20} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			r := newRig(t)
			l := r.open()
			m, err := l.Intent(call("a"))
			require.NoError(t, err)
			failing(l, after)
			for range 3 {
				_, err := l.Intent(call("b"))
				require.ErrorContains(t, err, "no space left")
			}
			require.Error(t, l.Outcome(m, ended("a", OutcomeApplied), true))
			require.Error(t, l.Outcome(nil, ended("get_node", OutcomeRead), false))
			l.write = (*os.File).Write
			_, err = l.Intent(call("c"))
			require.NoError(t, err, "it works again")
			got := r.entries()
			assert.Equal(t, "c", got[len(got)-1].Tool)
			assert.Equal(t, OutcomeApplied, got[2].Outcome, "what happened meanwhile is told first")
			assert.EqualValues(t, 2, got[2].Intent)
			assert.Equal(t, OutcomeRead, got[3].Outcome)
			assert.Len(t, got, 5)
			r.whole()
		})
	}
}

func TestOutcomesAboveTheBoundAreCounted(t *testing.T) {
	r := newRig(t)
	l := r.open()
	failing(l, 0)
	for range maxPending + 5 { // each try is one line only
		require.Error(t, l.Outcome(nil, ended("a", OutcomeRead), false))
	}
	l.write = (*os.File).Write
	require.NoError(t, l.Outcome(nil, ended("z", OutcomeRead), false))
	report := r.verify()
	require.Equal(t, []string{EventLost}, kinds(report.Problems))
	assert.Contains(t, report.Problems[0].Text, "5 outcomes")
}

func TestADiskThatCannotSync(t *testing.T) {
	r := newRig(t)
	l := r.open()
	l.sync = func(*os.File) error { return errors.New("input/output error") }
	e := call("delete_file")
	e.Durable = true
	_, err := l.Intent(e)
	require.ErrorContains(t, err, "input/output error")
	require.ErrorContains(t, l.Outcome(nil, ended("a", OutcomeDenied), true), "input/output error")
	_, err = l.Intent(call("b"))
	require.NoError(t, err, "one that need not be on the disk")
	got := r.entries()
	assert.Equal(t, KindIntent, got[1].Kind)
	assert.EqualValues(t, 2, got[2].Intent, "the intent is taken back")
	assert.Equal(t, OutcomeDenied, got[2].Outcome)
	assert.Equal(t, "AUDIT_UNAVAILABLE", got[2].Code)
	l.sync = (*os.File).Sync
	r.whole()
}

func TestALineThatCannotBeTakenBackStays(t *testing.T) {
	r := newRig(t)
	l := r.open()
	l.write = func(f *os.File, text []byte) (int, error) { // the whole line, and then a file that cannot be cut
		n, _ := f.Write(text)
		l.data.close()
		l.data.file, _ = os.Open(r.opts.Path)
		return n, errors.New("a late error")
	}
	_, err := l.Intent(call("a"))
	require.ErrorContains(t, err, "a late error")
	l.write = (*os.File).Write
	l.data.close()
	require.NoError(t, l.Outcome(nil, ended("b", OutcomeRead), false))
	got := r.entries()
	require.Len(t, got, 4)
	assert.EqualValues(t, 2, got[2].Intent, "it is said that nothing came of it")
	assert.Equal(t, OutcomeDenied, got[2].Outcome)
	r.whole()
}

func TestRotation(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxBytes, o.Keep = 4000, 2 })
	l := r.open()
	r.write(l, 30)
	gens, err := older(r.opts.Path)
	require.NoError(t, err)
	require.Len(t, gens, 2)
	report := r.whole()
	assert.Len(t, report.Files, 3)
	assert.Greater(t, report.First, uint64(1))
	first := r.entries()[0]
	assert.Equal(t, KindRotated, first.Kind)
	assert.Equal(t, 2, first.Files)
	var shown bytes.Buffer
	require.NoError(t, Show(&shown, r.opts.Path, 8, Filter{Kind: KindOutcome}))
	lines := strings.Split(strings.TrimSpace(shown.String()), "\n")
	require.Len(t, lines, 8, "over several files")
	assert.Contains(t, lines[7], "tool29")
	assert.Contains(t, lines[0], "tool22")
}

func TestAnIntentIsRememberedOverRotations(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxBytes, o.Keep = 4000, 50 })
	l := r.open()
	_, err := l.Intent(call("lost"))
	require.NoError(t, err)
	r.write(l, 20)
	crash(l)
	found := lost(t, r.open())
	require.Len(t, found, 1)
	assert.Equal(t, "lost", found[0].Tool)
}

func TestARotationThatDiedHalfWay(t *testing.T) {
	for name, more := range map[string]func(r *rig){
		"before the new file": func(*rig) {},
		"with an empty one":   func(r *rig) { require.NoError(r.t, os.WriteFile(r.opts.Path, nil, 0o600)) },
		"with half a line":    func(r *rig) { require.NoError(r.t, os.WriteFile(r.opts.Path, []byte(`{"ki`), 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			l, other := r.open(), r.open()
			r.write(l, 2)
			crash(l)
			require.NoError(t, os.Rename(r.opts.Path, olderPath(r.opts.Path, 1)))
			more(r)
			assert.Empty(t, r.verify().Problems)
			r.write(other, 1)
			r.write(r.open(), 1)
			report := r.whole()
			assert.Len(t, report.Files, 2)
			assert.Equal(t, KindRotated, r.entries()[0].Kind)
		})
	}
}
