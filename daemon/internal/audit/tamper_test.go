package audit

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A whole log of one daemon that was killed: start, and three calls with intent and outcome.
const tamperLines = 7

// tampering is what somebody did to a log. edit gets its lines, without line feeds.
type tampering struct {
	name   string
	edit   func(lines []string) []string
	beside func(r *rig) error // to other files
	// found is what Verify says then; "" for one that keeps the chain whole.
	found string
	// broken says that the log cannot be gone on with; else goesOn is what Verify finds after that.
	broken bool
	goesOn string
}

func tamperings() []tampering {
	without := func(from, to int) func([]string) []string {
		return func(l []string) []string { return slices.Delete(l, from, to) }
	}
	swap := func(a, b string) func([]string) []string {
		return func(l []string) []string { l[2] = strings.Replace(l[2], a, b, 1); return l }
	}
	join := func(more ...string) func([]string) []string {
		return func(l []string) []string { return append(l, more...) }
	}
	head := func(text string) func(*rig) error {
		return func(r *rig) error { return os.WriteFile(r.opts.Path+headSuffix, []byte(text), 0o600) }
	}
	key := hex.EncodeToString(make([]byte, keyBytes))
	return []tampering{
		{name: "nothing"},
		{name: "a value edited", edit: swap("applied", "denied "), found: FoundChanged, goesOn: FoundChanged},
		{name: "a longer value", edit: swap("applied", "not applied"), found: FoundChanged, goesOn: FoundChanged},
		{name: "a mac edited", edit: swap(`"mac":"`, `"mac":"0`), found: EventForeign, goesOn: EventForeign},
		{name: "upper case mac", edit: func(l []string) []string {
			at := strings.Index(l[2], `"mac":`)
			l[2] = l[2][:at] + `"mac":"` + strings.ToUpper(l[2][at+7:])
			return l
		}, found: EventForeign, goesOn: EventForeign},
		{name: "a field added", edit: swap(`{"kind"`, `{"x":1,"kind"`), found: FoundChanged, goesOn: FoundChanged},
		{name: "one deleted in the middle", edit: without(2, 3), found: FoundMissing, goesOn: FoundMissing},
		{name: "several deleted", edit: without(2, 5), found: FoundMissing, goesOn: FoundMissing},
		{name: "the first deleted", edit: without(0, 1), found: FoundMissing, goesOn: FoundMissing},
		{name: "two in another order", edit: func(l []string) []string { l[2], l[4] = l[4], l[2]; return l }, found: FoundOrder, goesOn: FoundOrder},
		{name: "one twice", edit: func(l []string) []string { return slices.Insert(l, 3, l[2]) }, found: FoundOrder, goesOn: FoundOrder},
		{name: "the last twice", edit: func(l []string) []string { return append(l, l[6]) }, found: FoundOrder, goesOn: EventForeign},
		{name: "the tail cut", edit: without(5, 7), found: EventCut, goesOn: EventCut},
		{name: "half of the last line cut", edit: func(l []string) []string { l[6] = l[6][:40]; return l }, found: EventCut, goesOn: EventCut},
		{name: "emptied", edit: without(0, 7), found: EventCut, goesOn: EventCut},
		{name: "a foreign line", edit: join("Jan 1 root logged in"), found: EventForeign, goesOn: EventForeign},
		{name: "a foreign line in the middle", edit: func(l []string) []string { return slices.Insert(l, 3, `{"kind":"outcome"}`) }, found: EventForeign, goesOn: EventForeign},
		{name: "an overlong line", edit: join(strings.Repeat("x", 3*maxLine)), found: EventForeign, broken: true},
		{name: "an empty line", edit: func(l []string) []string { return slices.Insert(l, 3, "") }, found: EventForeign, goesOn: EventForeign},
		{name: "the file removed", beside: func(r *rig) error { return os.Remove(r.opts.Path) }, found: EventCut, goesOn: EventCut},
		{name: "another key", beside: func(r *rig) error {
			return os.WriteFile(filepath.Join(r.opts.KeyDir, keyName), []byte(key), 0o600)
		}, found: FoundChanged, broken: true},
		{name: "the key removed", beside: func(r *rig) error { return os.Remove(filepath.Join(r.opts.KeyDir, keyName)) }, found: "error", broken: true},
		{name: "the head removed", beside: func(r *rig) error { return os.Remove(r.opts.Path + headSuffix) }, found: FoundHead, goesOn: EventHeadRebuilt},
		{name: "the head emptied", beside: head(""), found: FoundHead, goesOn: EventHeadRebuilt},
		{name: "the head edited", beside: func(r *rig) error {
			text, err := os.ReadFile(r.opts.Path + headSuffix)
			if err != nil {
				return err
			}
			return head(strings.Replace(string(text), `"seq":7`, `"seq":5`, 1))(r)
		}, found: FoundHead, goesOn: EventHeadRebuilt},
		{name: "head removed and tail cut", edit: without(5, 7), beside: func(r *rig) error { return os.Remove(r.opts.Path + headSuffix) }, found: FoundHead, goesOn: EventHeadRebuilt},
		{name: "head removed and one edited", edit: swap("applied", "denied "), beside: func(r *rig) error { return os.Remove(r.opts.Path + headSuffix) }, found: FoundChanged, broken: true},
		{name: "all but the head of another log", beside: headOfAnother, found: FoundHead, goesOn: EventHeadRebuilt},
		{name: "the lock removed", beside: func(r *rig) error { return os.Remove(r.opts.Path + lockSuffix) }},
	}
}

// headOfAnother puts the head of another log with the same key in place of the log's own.
func headOfAnother(r *rig) error {
	other := newRig(r.t, func(o *Options) { o.KeyDir, o.Path = r.opts.KeyDir, filepath.Join(filepath.Dir(o.Path), "q.jsonl") })
	crash(other.open())
	text, err := os.ReadFile(other.opts.Path + headSuffix)
	if err != nil {
		return err
	}
	return os.WriteFile(r.opts.Path+headSuffix, text, 0o600)
}

func TestTampering(t *testing.T) {
	for _, c := range tamperings() {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			l := r.open()
			r.write(l, 3)
			crash(l)
			lines := strings.Split(strings.TrimSuffix(r.text(), "\n"), "\n")
			require.Len(t, lines, tamperLines)
			if c.edit != nil {
				text := strings.Join(append(c.edit(lines), ""), "\n")
				if strings.HasPrefix(c.name, "half") {
					text = strings.TrimSuffix(text, "\n")
				}
				require.NoError(t, os.WriteFile(r.opts.Path, []byte(text), 0o600))
			}
			if c.beside != nil {
				require.NoError(t, c.beside(r))
			}
			r.finds(c.found)
			l, err := Open(r.opts)
			if c.broken {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			r.write(l, 2)
			require.NoError(t, l.Close())
			r.finds(c.goesOn)
		})
	}
}

// finds checks that Verify has a problem of a kind, or none for "".
func (r *rig) finds(kind string) {
	r.t.Helper()
	report, err := Verify(r.opts.Path, r.opts.KeyDir)
	switch kind {
	case "error":
		require.Error(r.t, err)
	case "":
		require.NoError(r.t, err)
		assert.True(r.t, report.OK, report.Problems)
	default:
		require.NoError(r.t, err)
		assert.False(r.t, report.OK)
		assert.Contains(r.t, kinds(report.Problems), kind)
	}
}

func TestATornLastLineIsToldAndTheChainGoesOn(t *testing.T) {
	for _, torn := range []string{"{", `{"kind":"outcome","seq":8,"ti`, strings.Repeat("\x00", 4096), "\x1b[2J", strings.Repeat("y", 3*maxLine)} {
		r := newRig(t)
		l := r.open()
		r.write(l, 3)
		crash(l)
		f, err := os.OpenFile(r.opts.Path, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString(torn)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		report := r.whole()
		assert.Equal(t, []string{EventTorn}, kinds(report.Notes))
		assert.Equal(t, tamperLines, report.Lines)
		r.write(r.open(), 1)
		report = r.whole()
		assert.Equal(t, []string{EventTorn}, kinds(report.Notes))
		assert.NotContains(t, r.text(), "\x1b")
		assert.Len(t, r.entries(), tamperLines+4, "each line is JSON")
	}
}

func TestWholeLinesBehindTheHeadAreAdopted(t *testing.T) {
	r := newRig(t)
	l := r.open()
	before, err := os.ReadFile(r.opts.Path + headSuffix)
	require.NoError(t, err)
	r.write(l, 2)
	crash(l)
	require.NoError(t, os.WriteFile(r.opts.Path+headSuffix, before, 0o600))
	assert.Equal(t, []string{FoundBehind}, kinds(r.whole().Notes))
	r.write(r.open(), 1)
	assert.Empty(t, r.whole().Notes)
}

func TestARunningDaemonMendsAndNotes(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(r *rig) error
		found string
	}{
		"the file removed": {func(r *rig) error { return os.Remove(r.opts.Path) }, EventCut},
		"the head removed": {func(r *rig) error { return os.Remove(r.opts.Path + headSuffix) }, EventHeadRebuilt},
		"the tail cut":     {func(r *rig) error { return os.Truncate(r.opts.Path, 700) }, EventCut},
		"replaced":         {func(r *rig) error { return os.WriteFile(r.opts.Path, []byte(strings.Repeat("x\n", 9000)), 0o600) }, EventForeign},
		"a lock removed":   {func(r *rig) error { return os.Remove(r.opts.Path + lockSuffix) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			l, other := r.open(), r.open()
			r.write(l, 3)
			require.NoError(t, c.spoil(r))
			r.write(l, 1)
			r.write(other, 1)
			r.write(l, 1)
			r.finds(c.found)
		})
	}
}

func TestAnOlderFileIsMissed(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(r *rig) error
		found string
	}{
		"removed": {func(r *rig) error { return os.Remove(olderPath(r.opts.Path, 2)) }, FoundFile},
		"all removed": {func(r *rig) error {
			for gen := range uint64(3) {
				if err := os.Remove(olderPath(r.opts.Path, gen+1)); err != nil {
					return err
				}
			}
			return nil
		}, FoundFile},
		"cut": {func(r *rig) error { return os.Truncate(olderPath(r.opts.Path, 2), 1000) }, FoundMissing},
		"edited": {func(r *rig) error {
			text, err := os.ReadFile(olderPath(r.opts.Path, 2))
			if err != nil {
				return err
			}
			return os.WriteFile(olderPath(r.opts.Path, 2), []byte(strings.Replace(string(text), "applied", "read", 1)), 0o600)
		}, FoundChanged},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.MaxBytes = 4000 })
			l := r.open()
			for !exists(olderPath(r.opts.Path, 3)) {
				r.write(l, 1)
			}
			r.whole()
			require.NoError(t, c.spoil(r))
			r.finds(c.found)
		})
	}
}
