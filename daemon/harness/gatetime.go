package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/gate"
	"drawbridge/daemon/internal/lock"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/session"
	"drawbridge/protocol"
)

// GateTimes measures what the gate itself costs: n plain writes against a link that answers at once, so that only
// our own steps are left.
func GateTimes(ctx context.Context, p *Project, n int) (times []time.Duration, err error) {
	tools, err := catalog.New()
	if err != nil {
		return nil, fmt.Errorf("timing the gate: %w", err)
	}
	g, done, err := timedGate(p, tools)
	if err != nil {
		return nil, fmt.Errorf("timing the gate: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	client := session.New("")
	arguments := json.RawMessage(`{"node_path":"Some/Node","property":"position","value":[1,2]}`)
	times = make([]time.Duration, n)
	for i := range times {
		start := time.Now()
		reply := g.Call(ctx, client, "set_node_property", arguments)
		times[i] = time.Since(start)
		if reply.Failed {
			return nil, fmt.Errorf("timing the gate: %s", reply.Text)
		}
	}
	return times, nil
}

// timedGate is a gate with the audit log and the lock of a real daemon, in a folder that done removes.
func timedGate(p *Project, tools *catalog.Catalog) (g *gate.Gate, done func() error, err error) {
	dir, err := os.MkdirTemp("", "gate-times-")
	if err != nil {
		return nil, nil, err
	}
	journal, err := audit.Open(audit.Options{
		Path: filepath.Join(dir, "audit", "log.jsonl"), KeyDir: filepath.Join(dir, "keys"), Boot: "timed",
	})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	done = func() error { return errors.Join(journal.Close(), os.RemoveAll(dir)) }
	locks, err := lock.New(filepath.Join(dir, "locks"))
	if err != nil {
		return nil, nil, errors.Join(err, done())
	}
	g, err = gate.New(gate.Options{
		Tools: tools, Link: instantLink{editor: linkedEditor(p, tools.Commands())}, Locks: locks, Rate: 1 << 30,
		Projects: []gate.Project{{
			Dir: p.Dir, Audit: journal, Policy: gate.Policy{Mode: safety.ModeExecute, Profile: safety.Standard},
		}},
	})
	if err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return g, done, nil
}

// linkedEditor is an editor as the registry would show it.
func linkedEditor(p *Project, commands []string) bridge.Editor {
	return bridge.Editor{
		Project: p.Dir, State: bridge.StateLinked, Scene: "res://main.tscn",
		Hello: protocol.Hello{
			Commands: commands, AddonPath: protocol.DefaultAddonPath, AddonVersion: protocol.ProductVersion,
		},
	}
}

// instantLink is a link whose editor needs no time at all.
type instantLink struct {
	editor bridge.Editor
}

// NewID gives an id.
func (instantLink) NewID() string { return strconv.FormatInt(time.Now().UnixNano(), 36) }

// Editor is always linked.
func (l instantLink) Editor(string) (bridge.Editor, bool) { return l.editor, true }

// Refusals are none.
func (instantLink) Refusals() []bridge.Refusal { return nil }

// Query is not measured.
func (instantLink) Query(context.Context, string, protocol.Request) (*protocol.Response, error) {
	return nil, errors.New("the instant link answers writes only")
}

// Outcome is not measured.
func (instantLink) Outcome(context.Context, string, bridge.OutcomeKey) (bridge.Outcome, error) {
	return bridge.Outcome{}, errors.New("the instant link answers writes only")
}

// Send answers at once what an editor would.
func (instantLink) Send(_ context.Context, _ string, permit *safety.Permit) (*protocol.Response, error) {
	r, err := permit.Spend()
	if err != nil {
		return nil, err
	}
	yes := true
	return &protocol.Response{ID: r.ID, OK: true, Result: &protocol.Result{
		Data:  json.RawMessage(`{"path":"Some/Node","properties":{"position":{"type":"Vector2","value":[1.0,2.0]}}}`),
		Scene: r.Scene,
		Plan: &protocol.Plan{
			Targets: []string{"Some/Node"}, Effects: r.Effects, Undoable: true,
			Persistence: []protocol.Verdict{{Target: "Some/Node", Persisted: &yes}},
		},
		Done: &protocol.Done{Undoable: true, UndoAction: r.Action, SceneDirty: true},
	}}, nil
}
