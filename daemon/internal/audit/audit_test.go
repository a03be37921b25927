package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

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

// rig is a log with a folder for its file and one for its key.
type rig struct {
	t    testing.TB
	opts Options
}

func newRig(t testing.TB, change ...func(*Options)) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{t: t, opts: Options{
		Path: filepath.Join(dir, "state", "p.jsonl"), KeyDir: filepath.Join(dir, "keys"), Boot: "boot1",
		Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
	}}
	for _, f := range change {
		f(&r.opts)
	}
	return r
}

func (r *rig) open() *Log {
	r.t.Helper()
	l, err := Open(r.opts)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = l.Close() })
	return l
}

// crash ends a Log like a kill: nothing more is written, and its locks are free.
func crash(l *Log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	_ = l.alive.Close()
	_ = l.guard.Close()
	l.data.close()
	l.headFile.close()
}

func call(tool string) Entry {
	return Entry{
		Client: "c1", ClientName: "agent", Project: "/p", Tool: tool, Class: "destructive", Mode: "execute",
		Targets: []string{"res://a.tscn"}, ArgsDigest: strings.Repeat("ab", 32), RequestID: "7",
	}
}

// ended is a call with its outcome.
func ended(tool, outcome string) Entry {
	e := call(tool)
	e.Outcome = outcome
	return e
}

// write makes n calls with intent and outcome.
func (r *rig) write(l *Log, n int) {
	r.t.Helper()
	for i := range n {
		m, err := l.Intent(call(fmt.Sprint("tool", i)))
		require.NoError(r.t, err)
		require.NoError(r.t, l.Outcome(m, ended(fmt.Sprint("tool", i), OutcomeApplied), false))
	}
}

func (r *rig) verify() Report {
	r.t.Helper()
	report, err := Verify(r.opts.Path, r.opts.KeyDir)
	require.NoError(r.t, err)
	return report
}

// whole checks that the chain is whole.
func (r *rig) whole() Report {
	r.t.Helper()
	report := r.verify()
	assert.True(r.t, report.OK, report)
	return report
}

func (r *rig) text() string {
	r.t.Helper()
	text, err := os.ReadFile(r.opts.Path)
	require.NoError(r.t, err)
	return string(text)
}

// entries reads the file.
func (r *rig) entries() []Entry {
	r.t.Helper()
	var out []Entry
	for _, line := range strings.Split(strings.TrimSpace(r.text()), "\n") {
		var e Entry
		require.NoError(r.t, json.Unmarshal([]byte(line), &e), line)
		out = append(out, e)
	}
	return out
}

func kinds(found []Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Kind)
	}
	return out
}

func TestIntentsAndOutcomesMakeAChain(t *testing.T) {
	r := newRig(t)
	l := r.open()
	e := call("delete_node")
	e.Durable = true
	e.Kind, e.Seq, e.Note, e.Outcome, e.Files = "start", 99, "forged", "applied", 3
	m, err := l.Intent(e)
	require.NoError(t, err)
	require.NoError(t, l.Outcome(m, ended("delete_node", OutcomeApplied), true))
	require.NoError(t, l.Outcome(nil, ended("get_node", OutcomeRead), false))
	require.NoError(t, l.Outcome(nil, ended("get_node", "splendid"), false))
	seq, mac := l.Head()
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	got := r.entries()
	require.Len(t, got, 6)
	for i, want := range []struct{ kind, outcome string }{
		{KindStart, ""},
		{KindIntent, ""},
		{KindOutcome, OutcomeApplied},
		{KindOutcome, OutcomeRead},
		{KindOutcome, OutcomeUnknown},
		{KindStop, ""},
	} {
		assert.Equal(t, want.kind, got[i].Kind)
		assert.Equal(t, want.outcome, got[i].Outcome)
		assert.EqualValues(t, i+1, got[i].Seq)
		assert.Equal(t, "boot1", got[i].Boot)
		assert.NotEmpty(t, got[i].Run)
		assert.Empty(t, got[i].Note)
	}
	assert.EqualValues(t, 2, got[2].Intent)
	assert.Equal(t, e.Targets, got[1].Targets)
	assert.Equal(t, e.ArgsDigest, got[1].ArgsDigest)
	report := r.whole()
	assert.EqualValues(t, 6, report.Last)
	assert.Zero(t, report.Open)
	assert.EqualValues(t, 5, seq)
	assert.Len(t, mac, 64)
	_, err = l.Intent(call("a"))
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, l.Outcome(nil, ended("a", OutcomeRead), false), ErrClosed)
	_, err = l.Recheck()
	require.ErrorIs(t, err, ErrClosed)
}

func TestTheChainGoesOnAfterARestart(t *testing.T) {
	r := newRig(t)
	for range 3 {
		l := r.open()
		r.write(l, 2)
		require.NoError(t, l.Close())
	}
	report := r.whole()
	assert.Equal(t, 18, report.Lines)
	for _, name := range []string{r.opts.Path, r.opts.Path + headSuffix, r.opts.Path + lockSuffix, filepath.Join(r.opts.KeyDir, keyName)} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, name)
	}
	left, err := filepath.Glob(r.opts.Path + runSuffix + "*")
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestSeveralLogsOnOneFileKeepOneChain(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxBytes, o.Keep = 20_000, 100 })
	var all sync.WaitGroup
	for range 4 {
		l := r.open()
		for range 3 {
			all.Go(func() {
				for range 25 {
					m, err := l.Intent(call("a"))
					if assert.NoError(t, err) {
						assert.NoError(t, l.Outcome(m, ended("a", OutcomeApplied), false))
					}
				}
			})
		}
	}
	all.Wait()
	report := r.whole()
	assert.Greater(t, len(report.Files), 3)
	assert.EqualValues(t, 604+len(report.Files)-1, report.Last)
}

// lost lists what dangles.
func lost(t *testing.T, l *Log) []Entry {
	t.Helper()
	list, err := l.Dangling()
	require.NoError(t, err)
	return list
}

func TestWhatMayHaveAppliedDanglesUntilMoreIsKnown(t *testing.T) {
	r := newRig(t)
	l := r.open()
	m, err := l.Intent(call("save_scene"))
	require.NoError(t, err)
	doubt := ended("save_scene", OutcomeUnknown)
	doubt.MayHaveApplied = true
	require.NoError(t, l.Outcome(m, doubt, true))
	require.NoError(t, l.Close())
	next := r.open()
	require.Len(t, lost(t, next), 1)
	require.NoError(t, next.Outcome(m, ended("save_scene", OutcomeUnknown), true))
	assert.Empty(t, lost(t, next))
	assert.Empty(t, lost(t, r.open()))
}

func TestDanglingIntentsAreThoseOfTheDead(t *testing.T) {
	r := newRig(t)
	dead, living := r.open(), r.open()
	_, err := dead.Intent(call("save_scene"))
	require.NoError(t, err)
	m, err := living.Intent(call("in_flight"))
	require.NoError(t, err)
	r.write(dead, 1)
	seen := r.open()
	assert.Empty(t, lost(t, seen), "both live")
	crash(dead)
	assert.Empty(t, lost(t, seen))
	found, err := seen.Recheck()
	require.NoError(t, err)
	require.Len(t, found, 1)
	next := r.open()
	found = lost(t, next)
	require.Len(t, found, 1)
	assert.Equal(t, "save_scene", found[0].Tool)
	assert.Equal(t, []string{"res://a.tscn"}, found[0].Targets)
	assert.Equal(t, 2, r.verify().Open)
	require.NoError(t, next.Outcome(found[0].Mark(), ended("save_scene", OutcomeUnknown), true))
	assert.Empty(t, lost(t, next), "settled")
	require.NoError(t, living.Outcome(m, ended("in_flight", OutcomeApplied), false))
	assert.Empty(t, lost(t, r.open()))
	assert.Zero(t, r.whole().Open)
}

func TestOnlyAGenuineOutcomeSettlesAnIntent(t *testing.T) {
	r := newRig(t)
	l := r.open()
	_, err := l.Intent(call("save_scene"))
	require.NoError(t, err)
	require.NoError(t, l.Outcome(nil, ended("get_node", OutcomeRead), false))
	crash(l)
	text := strings.Replace(r.text(), `"kind":"outcome","seq":3,`, `"kind":"outcome","seq":3,"intent":2,`, 1)
	require.NoError(t, os.WriteFile(r.opts.Path, []byte(text), 0o600))
	found, err := openFiles(r.opts.Path)
	require.NoError(t, err)
	defer found.close()
	list, err := dangling(l.keys, found, nil)
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func TestWhatOthersCouldWriteIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(r *rig) error{
		"file for all":   func(r *rig) error { return os.Chmod(r.opts.Path, 0o666) },
		"file for group": func(r *rig) error { return os.Chmod(r.opts.Path, 0o620) },
		"head for all":   func(r *rig) error { return os.Chmod(r.opts.Path+headSuffix, 0o666) },
		"folder for all": func(r *rig) error { return os.Chmod(filepath.Dir(r.opts.Path), 0o777) },
		"key for group":  func(r *rig) error { return os.Chmod(filepath.Join(r.opts.KeyDir, keyName), 0o640) },
		"a link": func(r *rig) error {
			return errors.Join(os.Rename(r.opts.Path, r.opts.Path+"x"), os.Symlink(r.opts.Path+"x", r.opts.Path))
		},
		"a linked folder": func(r *rig) error {
			dir := filepath.Dir(r.opts.Path)
			return errors.Join(os.Rename(dir, dir+"x"), os.Symlink(dir+"x", dir))
		},
		"a folder": func(r *rig) error {
			return errors.Join(os.Rename(r.opts.Path, r.opts.Path+"x"), os.Mkdir(r.opts.Path, 0o700))
		},
		"a linked head": func(r *rig) error {
			return errors.Join(os.Rename(r.opts.Path+headSuffix, r.opts.Path+"x"), os.Symlink(r.opts.Path+"x", r.opts.Path+headSuffix))
		},
		"a linked key": func(r *rig) error {
			key := filepath.Join(r.opts.KeyDir, keyName)
			return errors.Join(os.Rename(key, key+"x"), os.Symlink(key+"x", key))
		},
		"a short key": func(r *rig) error { return os.WriteFile(filepath.Join(r.opts.KeyDir, keyName), []byte("ab"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			l := r.open()
			r.write(l, 1)
			require.NoError(t, spoil(r))
			_, err := Open(r.opts)
			require.Error(t, err)
			report, err := Verify(r.opts.Path, r.opts.KeyDir)
			assert.True(t, err != nil || !report.OK)
			if strings.HasPrefix(name, "file") || name == "a link" || strings.HasPrefix(name, "head") {
				_, err = l.Intent(call("a"))
				require.Error(t, err, "a running daemon sees it too")
			}
		})
	}
}

func TestWhatCannotBeALog(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"relative":     func(o *Options) { o.Path = "a.jsonl" },
		"relative key": func(o *Options) { o.KeyDir = "keys" },
		"a long name":  func(o *Options) { o.Path += strings.Repeat("x", 200) },
		"a bidi name":  func(o *Options) { o.Path += "\u202e" },
	} {
		_, err := Open(newRig(t, change).opts)
		require.Error(t, err, name)
	}
	r := newRig(t)
	_, err := Verify(r.opts.Path, r.opts.KeyDir)
	require.Error(t, err)
	require.ErrorIs(t, Show(&bytes.Buffer{}, r.opts.Path, 1, Filter{}), os.ErrNotExist)
	assert.NotEqual(t, PathFor("/d", "/a"), PathFor("/d", "/b"))
}
