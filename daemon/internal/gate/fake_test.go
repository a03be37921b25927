package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/lock"
	"drawbridge/daemon/internal/recovery"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is an editor that records every frame that would reach the wire.
type fake struct {
	mu      sync.Mutex
	ids     int
	frames  []protocol.Request
	editor  bridge.Editor
	linked  bool
	asked   []bridge.OutcomeKey
	answer  func(r protocol.Request) (*protocol.Response, error)
	outcome func(key bridge.OutcomeKey) (bridge.Outcome, error)
}

func (f *fake) NewID() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids++
	return fmt.Sprintf("fake-%d", f.ids)
}

func (f *fake) Editor(string) (bridge.Editor, bool) { return f.editor, f.linked }

func (f *fake) Refusals() []bridge.Refusal { return nil }

func (f *fake) record(r protocol.Request) (*protocol.Response, error) {
	f.mu.Lock()
	f.frames = append(f.frames, r)
	answer := f.answer
	f.mu.Unlock()
	if answer != nil {
		return answer(r)
	}
	return good(r), nil
}

func (f *fake) Query(_ context.Context, _ string, r protocol.Request) (*protocol.Response, error) {
	if r.Phase == protocol.PhaseApply {
		panic("a query cannot apply")
	}
	return f.record(r)
}

func (f *fake) Send(_ context.Context, _ string, permit *safety.Permit) (*protocol.Response, error) {
	r, err := permit.Spend()
	if err != nil {
		return nil, err
	}
	return f.record(r)
}

func (f *fake) Outcome(_ context.Context, _ string, key bridge.OutcomeKey) (bridge.Outcome, error) {
	f.mu.Lock()
	f.asked = append(f.asked, key)
	f.mu.Unlock()
	if f.outcome == nil {
		return bridge.Outcome{}, protocol.Fail(protocol.Timeout, "no answer")
	}
	return f.outcome(key)
}

func (f *fake) sent() []protocol.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]protocol.Request{}, f.frames...)
}

func (f *fake) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frames, f.asked = nil, nil
}

// good is what an editor answers when all is well.
func good(r protocol.Request) *protocol.Response {
	result := &protocol.Result{Data: json.RawMessage(`{"path":"A"}`), Scene: r.Scene}
	if r.Phase != protocol.PhaseQuery {
		yes := true
		result.Plan = &protocol.Plan{
			Targets: []string{"A"}, Effects: r.Effects, Undoable: true,
			Persistence: []protocol.Verdict{{Target: "A", Persisted: &yes}},
		}
	}
	if r.Phase == protocol.PhaseApply {
		result.Done = &protocol.Done{Undoable: true, UndoAction: r.Action, SceneDirty: true}
	}
	return &protocol.Response{ID: r.ID, OK: true, Result: result}
}

// rig is a gate over a fake editor, with a project on the disk and one client.
type rig struct {
	t      testing.TB
	gate   *Gate
	link   *fake
	tools  *catalog.Catalog
	client *session.Client
	dir    string
	store  *recovery.Store
	rev    int64 // how often the state has changed
	// written is what the audit got.
	written *journal
}

// journal is an audit in memory.
type journal struct {
	mu       sync.Mutex
	intents  []audit.Entry
	outcomes []audit.Entry
	dangling []audit.Entry
	broken   error
}

func (j *journal) Intent(e audit.Entry) (audit.Mark, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return nil, j.broken
	}
	j.intents = append(j.intents, e)
	return e.Mark(), nil
}

func (j *journal) Outcome(_ audit.Mark, e audit.Entry, _ bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	j.outcomes = append(j.outcomes, e)
	return nil
}

func (j *journal) Dangling() ([]audit.Entry, error) { return j.dangling, j.broken }

func (j *journal) Recheck() ([]audit.Entry, error) { return j.dangling, j.broken }

// freeLocks are held by nobody.
type freeLocks struct{}

func (freeLocks) Lease(context.Context, string, lock.Holder) (*lock.Lease, error) {
	return &lock.Lease{}, nil
}

func newRig(t testing.TB, change ...func(*Options)) *rig {
	t.Helper()
	tools, err := catalog.New()
	require.NoError(t, err)
	return rigOf(t, tools, change...)
}

// rigOf is newRig with tools that were made before: making them takes some milliseconds, and there are hundreds of rigs.
func rigOf(t testing.TB, tools *catalog.Catalog, change ...func(*Options)) *rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project.godot"), nil, 0o600))
	link := &fake{linked: true, editor: bridge.Editor{
		Project: dir, State: bridge.StateLinked, Scene: "res://main.tscn",
		Hello: protocol.Hello{
			Editor: "first run", Commands: tools.Commands(), AddonPath: protocol.DefaultAddonPath, AddonVersion: protocol.ProductVersion,
		},
	}}
	store, err := recovery.New(recovery.Options{
		Dir: filepath.Join(t.TempDir(), "kept"), Now: func() time.Time { return time.Unix(1_800_000_000, 0) },
	})
	require.NoError(t, err)
	written := &journal{}
	o := Options{
		Tools: tools, Link: link, Recovery: store, Locks: freeLocks{}, Mode: safety.ModeExecute, Audit: written,
		Projects: []Project{{
			Dir: dir, Asked: dir, Audit: written, Policy: Policy{Mode: safety.ModeExecute, Profile: safety.Standard},
		}},
	}
	for _, f := range change {
		f(&o)
	}
	g, err := New(o)
	require.NoError(t, err)
	return &rig{
		t: t, gate: g, link: link, tools: tools, client: session.New("a client"), dir: dir, store: store, written: written,
	}
}

// reply is a reply of the gate, read back.
type reply struct {
	OK          bool            `json:"ok"`
	Data        map[string]any  `json:"data"`
	Error       *protocol.Error `json:"error"`
	Safety      safetyBlock     `json:"safety"`
	Persistence json.RawMessage `json:"persistence"`
	text        string
}

func (r *rig) call(name, arguments string) reply {
	r.t.Helper()
	return r.read(r.gate.Call(context.Background(), r.client, name, json.RawMessage(arguments)))
}

func (r *rig) read(answer tool.Reply) reply {
	r.t.Helper()
	var out reply
	require.NoError(r.t, json.Unmarshal(answer.Body, &out))
	require.Equal(r.t, !out.OK, answer.Failed)
	if out.OK {
		require.Equal(r.t, string(answer.Body), answer.Text)
	} else {
		require.Equal(r.t, out.Error.Error(), answer.Text)
		_, known := protocol.LookupCode(out.Error.Code)
		require.True(r.t, known, out.Error.Code)
		require.NotEmpty(r.t, out.Error.Hint)
	}
	out.text = answer.Text
	return out
}

// refused calls and sees that the call is refused with the code, and that nothing reached the wire.
func (r *rig) refused(code protocol.Code, name, arguments string) *protocol.Error {
	r.t.Helper()
	r.link.forget()
	got := r.call(name, arguments)
	require.False(r.t, got.OK, "%s %s", name, arguments)
	require.Equal(r.t, code, got.Error.Code, got.text)
	require.Empty(r.t, r.link.sent(), "%s %s", name, arguments)
	require.False(r.t, got.Safety.Executed)
	return got.Error
}

// with gives a tool's example with some arguments changed; nil takes one out.
func with(t *testing.T, tl *tool.Tool, change map[string]any) string {
	t.Helper()
	var arguments map[string]any
	require.NoError(t, json.Unmarshal([]byte(tl.Example().Arguments), &arguments))
	for name, value := range change {
		if value == nil {
			delete(arguments, name)
		} else {
			arguments[name] = value
		}
	}
	text, err := json.Marshal(arguments)
	require.NoError(t, err)
	return string(text)
}
