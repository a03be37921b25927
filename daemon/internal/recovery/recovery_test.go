package recovery

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a store with a clock of its own, and a project.
type rig struct {
	t       testing.TB
	store   *Store
	project string
	now     time.Time
}

func newRig(t testing.TB, change ...func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, now: time.Unix(1_800_000_000, 0).UTC()}
	var err error
	r.project, err = filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	o := Options{Dir: filepath.Join(t.TempDir(), "kept"), Now: func() time.Time { return r.now }}
	for _, f := range change {
		f(&o)
	}
	r.store, err = New(o)
	require.NoError(t, err)
	return r
}

func (r *rig) write(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.project, filepath.FromSlash(name))
	require.NoError(r.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(r.t, os.WriteFile(file, []byte(text), 0o644))
}

// permit allows one order.
func permit(t testing.TB, command string, order Order) *safety.Permit {
	t.Helper()
	params, err := json.Marshal(order)
	require.NoError(t, err)
	p, err := safety.Mint(safety.Decision{
		Tool: "a_tool", Effects: []safety.Effect{safety.KeepsBytes},
		Request: protocol.Request{
			ID: "1", Command: command, Phase: protocol.PhaseApply, Params: params, Effects: []string{string(safety.KeepsBytes)},
		},
	})
	require.NoError(t, err)
	return p
}

func (r *rig) keep(names ...string) map[string]string {
	r.t.Helper()
	sums, err := r.store.Keep(r.t.Context(), r.project, permit(r.t, CommandKeep, r.order(names...)))
	require.NoError(r.t, err)
	return sums
}

func (r *rig) order(names ...string) Order {
	order := Order{Tool: "a_tool"}
	for _, name := range names {
		order.Files = append(order.Files, "res://"+name)
	}
	return order
}

func (r *rig) list() []Entry {
	r.t.Helper()
	page, err := r.store.List(r.project, "", 0, 1000)
	require.NoError(r.t, err)
	return page.Entries
}

func (r *rig) read(e Entry) string {
	r.t.Helper()
	bytes, err := r.store.Read(r.project, e)
	require.NoError(r.t, err)
	return string(bytes)
}

func TestOnlyAPermitForThisPortKeepsAnything(t *testing.T) {
	r := newRig(t)
	r.write("a.gd", "a")
	spent := permit(t, CommandKeep, r.order("a.gd"))
	_, err := spent.Spend()
	require.NoError(t, err)
	for name, p := range map[string]*safety.Permit{
		"none": nil, "zero": {}, "spent": spent, "another": permit(t, "save_scene", r.order("a.gd")),
		"the other one": permit(t, CommandCheckpoint, Order{Name: "a"}),
	} {
		_, err := r.store.Keep(t.Context(), r.project, p)
		require.Error(t, err, name)
	}
	_, err = r.store.Checkpoint(t.Context(), r.project, permit(t, CommandKeep, r.order("a.gd")))
	require.Error(t, err)
	assert.Empty(t, r.list())
}

func TestBytesComeBackAsTheyWere(t *testing.T) {
	r := newRig(t)
	r.write("sub/a.gd", "one")
	first := r.keep("sub/a.gd", "missing.gd")
	assert.Len(t, first["res://sub/a.gd"], 64)
	assert.Empty(t, first["res://missing.gd"])
	r.write("sub/a.gd", "two")
	second := r.keep("sub/a.gd")
	entries := r.list()
	require.Len(t, entries, 2)
	assert.Equal(t, "two", r.read(entries[0]))
	assert.Equal(t, "one", r.read(entries[1]))
	found, err := r.store.Find(r.project, "res://sub/a.gd", "", second["res://sub/a.gd"])
	require.NoError(t, err)
	assert.Equal(t, "one", r.read(found), "the latest is the newest that is unlike now")
	_, err = r.store.Find(r.project, "res://sub/a.gd", "00", "")
	require.ErrorIs(t, err, ErrNotKept)
	r.now = r.now.Add(time.Hour)
	r.keep("sub/a.gd")
	require.Len(t, r.list(), 2, "unchanged: one entry, of the later time")
	assert.Equal(t, r.now, r.list()[0].Time)
}

func TestTheStoreIsPrivateAndNoWriteIsHalfDone(t *testing.T) {
	r := newRig(t)
	r.write("a.gd", "a")
	r.keep("a.gd")
	err := filepath.WalkDir(r.store.opts.Dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.Zero(t, info.Mode().Perm()&0o077, path)
		}
		assert.False(t, strings.HasPrefix(d.Name(), ".new-"), path)
		return nil
	})
	require.NoError(t, err)
}

func TestWhatCannotBeKeptSafelyIsAnError(t *testing.T) {
	cases := map[string]func(r *rig) Order{
		"a folder":    func(r *rig) Order { r.write("dir/a.gd", ""); return r.order("dir") },
		"no path":     func(r *rig) Order { return Order{Files: []string{"/etc/passwd"}} },
		"out of it":   func(r *rig) Order { return Order{Files: []string{"res://../a.gd"}} },
		"too large":   func(r *rig) Order { r.write("big.res", strings.Repeat("x", 2000)); return r.order("big.res") },
		"a bad index": func(r *rig) Order { r.spoil(indexName, "{"); return r.order("a.gd") },
		"a new index": func(r *rig) Order { r.spoil(indexName, `{"version":2}`); return r.order("a.gd") },
		"a link out": func(r *rig) Order {
			require.NoError(r.t, os.Symlink("/etc/hosts", filepath.Join(r.project, "link.gd")))
			return r.order("link.gd")
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.MaxBytes = 1000 })
			r.write("a.gd", "a")
			r.keep("a.gd")
			_, err := r.store.Keep(t.Context(), r.project, permit(t, CommandKeep, prepare(r)))
			require.Error(t, err)
		})
	}
	r := newRig(t)
	r.store.opts.Dir = filepath.Join(r.project, "kept")
	_, err := r.store.Keep(t.Context(), r.project, permit(t, CommandKeep, r.order("a.gd")))
	require.ErrorContains(t, err, "inside of the project")
	_, err = New(Options{Dir: "relative"})
	require.Error(t, err)
}

func (r *rig) spoil(name, text string) {
	r.t.Helper()
	require.NoError(r.t, os.WriteFile(filepath.Join(r.store.folder(r.project), name), []byte(text), 0o600))
}

func TestDamagedBytesAreNotHandedOut(t *testing.T) {
	r := newRig(t)
	r.write("a.gd", "a")
	r.keep("a.gd")
	entry := r.list()[0]
	require.NoError(t, os.WriteFile(r.store.File(r.project, entry.SHA256), []byte("b"), 0o600))
	_, err := r.store.Read(r.project, entry)
	require.ErrorContains(t, err, "damaged")
	_, err = r.store.Read(r.project, Entry{SHA256: "../../x"})
	require.Error(t, err)
	_, err = r.store.Read(r.project, Entry{SHA256: strings.Repeat("0", 64)})
	require.ErrorIs(t, err, ErrNotKept)
}

func TestALockedFolderIsWaitedForAndThenGivenUp(t *testing.T) {
	r := newRig(t)
	r.write("a.gd", "a")
	held, err := r.store.open(t.Context(), r.project)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = r.store.Keep(ctx, r.project, permit(t, CommandKeep, r.order("a.gd")))
	require.Error(t, err)
	require.NoError(t, held.close())
	r.keep("a.gd")
}

func TestSeveralDaemonsLoseNothing(t *testing.T) {
	r := newRig(t)
	other, err := New(r.store.opts)
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range 20 {
		name := fmt.Sprintf("f%d.gd", i)
		r.write(name, name)
		store := []*Store{r.store, other}[i%2]
		p := permit(t, CommandKeep, r.order(name))
		all.Go(func() {
			_, err := store.Keep(context.Background(), r.project, p)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	assert.Len(t, r.list(), 20)
}

// TestPruningKeepsItsPromises walks at random: after each step all that is listed can be had, the newest of each path
// is listed, nothing else is left lying about, and the bounds hold for what may be dropped.
func TestPruningKeepsItsPromises(t *testing.T) {
	const most = 400
	for seed := range uint64(4) {
		r := newRig(t, func(o *Options) { o.MaxBytes, o.MaxAge = most, 100*time.Hour })
		draw := rand.New(rand.NewPCG(seed, 7))
		latest := map[string]string{}
		for step := range 40 {
			r.now = r.now.Add(time.Duration(draw.IntN(20)) * time.Hour)
			if draw.IntN(6) == 0 {
				name := fmt.Sprint("c", step)
				_, err := r.store.Checkpoint(t.Context(), r.project, permit(t, CommandCheckpoint, Order{Name: name}))
				require.NoError(t, err)
				_, err = r.store.Compare(t.Context(), r.project, name)
				require.NoError(t, err, "the newest checkpoint is there")
				continue
			}
			name := fmt.Sprintf("f%d.gd", draw.IntN(4))
			text := strings.Repeat(string(rune('a'+draw.IntN(26))), 1+draw.IntN(60))
			r.write(name, text)
			r.keep(name)
			latest["res://"+name] = text
			r.checkPromises(latest)
		}
	}
}

func (r *rig) checkPromises(latest map[string]string) {
	t := r.t
	t.Helper()
	needed, newest := map[string]bool{}, map[string]bool{}
	var total int64
	sizes := map[string]int64{}
	prunable := 0
	for _, e := range r.list() {
		text := r.read(e)
		if !newest[e.Path] {
			require.Equal(t, latest[e.Path], text)
			newest[e.Path] = true
		} else {
			prunable++
			require.False(t, e.Time.Before(r.now.Add(-r.store.opts.MaxAge)), "too old")
		}
		needed[e.SHA256], sizes[e.SHA256] = true, e.Size
	}
	require.Len(t, newest, len(latest))
	checkpoints, err := r.store.Checkpoints(r.project)
	require.NoError(t, err)
	for _, c := range checkpoints {
		files, err := readManifest(r.store.folder(r.project), c.Name)
		require.NoError(t, err)
		for _, f := range files {
			r.read(f)
			needed[f.SHA256], sizes[f.SHA256] = true, f.Size
		}
	}
	for _, size := range sizes {
		total += size
	}
	if prunable > 0 || len(checkpoints) > 1 {
		require.LessOrEqual(t, total, r.store.opts.MaxBytes)
	}
	objects, err := os.ReadDir(filepath.Join(r.store.folder(r.project), objectsName))
	require.NoError(t, err)
	require.LessOrEqual(t, len(needed), len(objects))
}

func TestACheckpointTellsWhatItLeavesOutAndWhatHasChanged(t *testing.T) {
	r := newRig(t)
	for name, text := range map[string]string{
		"project.godot": "p", "a.tscn": "a", "sub/b.gd": "b", "pic.png": "x", "pic.png.import": "i", ".godot/c.cfg": "c",
		".hidden/d.gd": "d", "addons/drawbridge/e.gd": "e", "addons/other/f.gd": "f", ".git/config.cfg": "g",
	} {
		r.write(name, text)
	}
	r.write("big.res", strings.Repeat("x", maxCheckpointFile+1))
	survey, err := r.store.Survey(t.Context(), r.project, "one")
	require.NoError(t, err)
	made, err := r.store.Checkpoint(t.Context(), r.project, permit(t, CommandCheckpoint, Order{Name: "one"}))
	require.NoError(t, err)
	assert.Equal(t, survey, made)
	assert.Equal(t, 5, made.Files)
	reasons := map[string][]string{}
	for _, l := range made.LeftOut {
		reasons[l.Reason] = l.Such
	}
	assert.Equal(t, map[string][]string{leftKind: {"res://pic.png"}, leftLarge: {"res://big.res"}}, reasons)
	_, err = r.store.Checkpoint(t.Context(), r.project, permit(t, CommandCheckpoint, Order{Name: "one"}))
	require.ErrorIs(t, err, ErrTaken)

	r.write("a.tscn", "changed")
	require.NoError(t, os.Remove(filepath.Join(r.project, "sub", "b.gd")))
	r.write("new.gd", "n")
	found, err := r.store.Compare(t.Context(), r.project, "one")
	require.NoError(t, err)
	var differ []string
	for _, e := range found.Differ {
		differ = append(differ, e.Path+"="+r.read(e))
	}
	assert.ElementsMatch(t, []string{"res://a.tscn=a", "res://sub/b.gd=b"}, differ)
	assert.Equal(t, []string{"res://new.gd"}, found.Newer)
	_, err = r.store.Compare(t.Context(), r.project, "two")
	require.ErrorIs(t, err, ErrNotKept)
}

func TestACheckpointHasABound(t *testing.T) {
	r := newRig(t, func(o *Options) { o.MaxBytes = 100 })
	for i := range 10 {
		r.write(fmt.Sprintf("f%d.gd", i), strings.Repeat(fmt.Sprint(i), 20))
	}
	made, err := r.store.Checkpoint(t.Context(), r.project, permit(t, CommandCheckpoint, Order{Name: "one"}))
	require.NoError(t, err)
	assert.Equal(t, 2, made.Files, "half of what the store holds")
	assert.Equal(t, 8, made.LeftOut[0].Files)
	assert.Equal(t, leftBound, made.LeftOut[0].Reason)
}
