package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// injections are texts that try to write lines of their own, or to steer whoever reads them.
func injections() []string {
	return []string{
		"a\nb", "a\r\n{\"kind\":\"outcome\",\"seq\":1}", "\x1b[2J\x1b]0;title\x07", "\x00", "a\u202eb\u2066c\u2069", "\u200b\ufeff\u2028\u2029",
		"\u0085\u009b31m", "\x7f", "\xff\xfe\xed\xa0\x80", "\U000e0041\U000f0000", `","mac":"` + zeroMAC() + `"}`, `\u000a`, "<script>&", "名前 🎮",
		strings.Repeat("n", 1<<20), strings.Repeat("\x00", 1<<20), strings.Repeat("é", 1<<19), strings.Repeat("\U000e0041", 1<<18),
	}
}

// hostile is an entry that says a text wherever it can.
func hostile(text string) Entry {
	e := Entry{
		Client: text, ClientName: text, Project: text, Editor: text, Tool: text, Class: text, Mode: text, Outcome: text,
		ArgsDigest: text, RequestID: text, IdempotencyKey: text, TokenDigest: text, Code: text, Approval: text, Trace: text,
	}
	for range 100 {
		e.Targets = append(e.Targets, text)
	}
	return e
}

// printable checks that a text is one line that shows.
func printable(t testing.TB, text string) {
	t.Helper()
	for _, c := range text {
		if !unicode.IsPrint(c) || c == utf8.RuneError {
			t.Fatalf("%q is in %.300q", c, text)
		}
	}
}

func TestNoTextOfACallerStandsOutOfItsLine(t *testing.T) {
	for _, text := range injections() {
		r := newRig(t, func(o *Options) { o.Boot = text })
		l := r.open()
		m, err := l.Intent(hostile(text))
		require.NoError(t, err)
		require.NoError(t, l.Outcome(m, hostile(text), false))
		lines := strings.Split(strings.TrimSuffix(r.text(), "\n"), "\n")
		require.Len(t, lines, 3)
		for _, line := range lines {
			assert.LessOrEqual(t, len(line), maxLine)
			printable(t, line)
		}
		r.whole()
		for _, f := range []Filter{{}, {JSON: true}} {
			var shown bytes.Buffer
			require.NoError(t, Show(&shown, r.opts.Path, 10, f))
			require.Equal(t, 3, strings.Count(shown.String(), "\n"))
			for _, line := range strings.Split(strings.TrimSuffix(shown.String(), "\n"), "\n") {
				printable(t, line)
			}
		}
	}
}

func TestWhatIsShownOfAForeignFileCannotSteerATerminal(t *testing.T) {
	for _, text := range injections() {
		r := newRig(t)
		text = text[:min(len(text), 100_000)] // more than a line may have is enough here
		raw, err := json.Marshal(map[string]any{"kind": text, "note": text, "tool": text, "targets": []string{text}})
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(r.opts.Path), 0o700))
		require.NoError(t, os.WriteFile(r.opts.Path, []byte(text+"\n"+string(raw)+"\n"), 0o600))
		for _, f := range []Filter{{}, {JSON: true}} {
			var shown bytes.Buffer
			require.NoError(t, Show(&shown, r.opts.Path, 10, f))
			for _, line := range strings.Split(strings.TrimSuffix(shown.String(), "\n"), "\n") {
				printable(t, line)
			}
		}
	}
}

func TestWhatDoesNotFitIsCounted(t *testing.T) {
	e := hostile(strings.Repeat("n", 1000)).capped()
	assert.Less(t, len(e.Targets), 10)
	assert.Equal(t, 100, len(e.Targets)+e.TargetsLeftOut)
	assert.Equal(t, strings.Repeat("n", 128)+"…[+872 bytes]", e.Tool)
	few := Entry{Targets: []string{"a", "b"}}
	assert.Equal(t, few, few.capped())
	many := Entry{Targets: make([]string, 50)}.capped()
	assert.Len(t, many.Targets, maxTargets)
	assert.Equal(t, 50-maxTargets, many.TargetsLeftOut)
	assert.Equal(t, "é…[+2 bytes]", cut("éé", 3))
}

func TestShowFilters(t *testing.T) {
	r := newRig(t)
	l := r.open()
	r.write(l, 3)
	e := ended("get_node", OutcomeRead)
	e.Client, e.Project, e.Code, e.MayHaveApplied, e.TargetsLeftOut = "c2", "/q", "TIMEOUT", true, 4
	require.NoError(t, l.Outcome(nil, e, false))
	for name, c := range map[string]struct {
		filter Filter
		want   int
	}{
		"all":     {Filter{}, 8},
		"kind":    {Filter{Kind: KindIntent}, 3},
		"tool":    {Filter{Tool: "tool1"}, 2},
		"outcome": {Filter{Outcome: OutcomeApplied}, 3},
		"client":  {Filter{Client: "c2"}, 1},
		"project": {Filter{Project: "/q", JSON: true}, 1},
		"since":   {Filter{Since: time.Unix(1_900_000_000, 0)}, 0},
	} {
		var shown bytes.Buffer
		require.NoError(t, Show(&shown, r.opts.Path, 100, c.filter))
		assert.Equal(t, c.want, strings.Count(shown.String(), "\n"), name)
		if name == "client" {
			assert.Contains(t, shown.String(), "TIMEOUT")
			assert.Contains(t, shown.String(), "may_have_applied")
			assert.Contains(t, shown.String(), "4 targets more")
		}
	}
}

// book is a writer that others may read.
type book struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestFollowShowsWhatComesOverRotations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *Options) { o.MaxBytes = 3000 })
		ctx, cancel := context.WithCancel(t.Context())
		var shown book
		ended := make(chan error, 1)
		go func() { ended <- Follow(ctx, &shown, r.opts.Path, 5, Filter{Kind: KindIntent}, time.Millisecond) }()
		synctest.Wait() // it has looked, and the log does not exist yet
		l := r.open()
		for i := range 12 {
			r.write(l, 1)
			time.Sleep(2 * time.Millisecond) // of the test's own clock
			synctest.Wait()
			assert.Equal(t, i+1, strings.Count(shown.String(), "\n"), shown.String())
		}
		cancel()
		require.NoError(t, <-ended)
		printable(t, strings.ReplaceAll(shown.String(), "\n", ""))
	})
}

func TestFollowGoesBackWithAFileThatWasCut(t *testing.T) {
	r := newRig(t)
	l := r.open()
	r.write(l, 3)
	var shown book
	end := tail{path: r.opts.Path, filter: Filter{Kind: KindNote}, to: &shown}
	defer end.close()
	require.NoError(t, end.more())
	require.NoError(t, os.Truncate(r.opts.Path, 10))
	require.NoError(t, end.more())
	r.write(l, 1)
	require.NoError(t, end.more())
	assert.Contains(t, shown.String(), "too early")
}

func TestFollowBeginsWithTheLastLines(t *testing.T) {
	r := newRig(t)
	r.write(r.open(), 3)
	f, err := os.OpenFile(r.opts.Path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"half`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var shown book
	require.NoError(t, Follow(ctx, &shown, r.opts.Path, 2, Filter{Outcome: OutcomeApplied}, time.Hour))
	assert.Equal(t, 2, strings.Count(shown.String(), "\n"))
	require.Error(t, Follow(ctx, &shown, filepath.Dir(r.opts.Path), 2, Filter{}, time.Hour))
}

// FuzzVerify changes a log: whatever is found whole is what was written, a half line behind it aside.
func FuzzVerify(f *testing.F) {
	r := newRig(f)
	l := r.open()
	r.write(l, 2)
	crash(l)
	good := r.text()
	for _, edit := range []string{"", "x", "{\"kind\":\"note\"}\n", strings.Repeat("\x00", 100), good[:300], "\n"} {
		f.Add(uint16(0), uint16(0), edit)
		f.Add(uint16(len(good)), uint16(0), edit)
		f.Add(uint16(100), uint16(50), edit)
		f.Add(uint16(len(good)-500), uint16(500), edit)
	}
	f.Fuzz(func(t *testing.T, at, drop uint16, put string) {
		from := min(int(at), len(good))
		to := min(from+int(drop), len(good))
		text := good[:from] + put + good[to:]
		require.NoError(t, os.WriteFile(r.opts.Path, []byte(text), 0o600))
		report, err := Verify(r.opts.Path, r.opts.KeyDir)
		require.NoError(t, err)
		behind, isPrefix := strings.CutPrefix(text, good)
		same := isPrefix && !strings.Contains(behind, "\n")
		require.Equal(t, same, report.OK, "%q: %+v", text, report)
		found, err := openFiles(r.opts.Path)
		require.NoError(t, err)
		defer found.close()
		_, err = dangling(l.keys, found, nil)
		require.NoError(t, err)
	})
}

// FuzzEntry puts a text wherever a caller can: the line stays one line that shows and says the same again.
func FuzzEntry(f *testing.F) {
	for _, text := range injections() {
		f.Add(text[:min(len(text), 5000)])
	}
	k := newKeys([]byte("secret"))
	f.Fuzz(func(t *testing.T, text string) {
		want := hostile(text)
		want.Kind, want.Note = KindNote, text
		out, mac, err := k.appendLine(nil, want, zeroMAC())
		require.NoError(t, err)
		line := strings.TrimSuffix(string(out), "\n")
		require.Less(t, len(line), maxLine)
		printable(t, line)
		s, ok := split([]byte(line))
		require.True(t, ok)
		require.True(t, k.genuine(s))
		require.Equal(t, mac, s.mac)
		got, ok := decode([]byte(line))
		require.True(t, ok)
		require.Equal(t, strings.ToValidUTF8(cut(text, maxWord), "?") == strings.ToValidUTF8(text, "?"), len(text) <= maxWord)
		if len(text) <= maxWord && utf8.ValidString(text) {
			require.Equal(t, text, got.Tool)
		}
		for _, f := range []Filter{{}, {JSON: true}} {
			printable(t, f.format([]byte(line)))
			printable(t, f.format([]byte(text)))
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	r := newRig(b)
	l := r.open()
	e := ended("get_node", OutcomeRead)
	for b.Loop() {
		if err := l.Outcome(nil, e, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendDurable is an append that is on the disk: nearly all of it is the disk's.
func BenchmarkAppendDurable(b *testing.B) {
	r := newRig(b)
	l := r.open()
	e := call("delete_node")
	e.Durable = true
	for b.Loop() {
		if _, err := l.Intent(e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendBesideAnother appends while another Log appends to the same file: each has to read the other's head.
func BenchmarkAppendBesideAnother(b *testing.B) {
	r := newRig(b)
	l, other := r.open(), r.open()
	e := ended("get_node", OutcomeRead)
	for b.Loop() {
		if err := l.Outcome(nil, e, false); err != nil {
			b.Fatal(err)
		}
		if err := other.Outcome(nil, e, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	r := newRig(b)
	r.write(r.open(), 5000)
	b.SetBytes(int64(len(r.text())))
	for b.Loop() {
		r.whole()
	}
}
