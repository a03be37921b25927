package safety_test

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

func decision() safety.Decision {
	effects := []safety.Effect{safety.EditsMemory, safety.Removes}
	return safety.Decision{
		Tool: "delete_node", Effects: effects, Confirmed: true,
		Request: protocol.Request{
			ID: "a-1", Command: "delete_node", Phase: protocol.PhaseApply, Params: json.RawMessage(`{"a":1}`),
			Confirmed: true, Effects: safety.Names(effects),
			Expect: &protocol.Expect{Files: map[string]string{"res://a": "00"}},
		},
	}
}

func TestAPermitIsSpentOnce(t *testing.T) {
	permit, err := safety.Mint(decision())
	require.NoError(t, err)
	request, err := permit.Spend()
	require.NoError(t, err)
	assert.Equal(t, decision().Request, request)
	_, err = permit.Spend()
	assert.ErrorContains(t, err, "spent")
}

func TestOfManySpendersOneWins(t *testing.T) {
	permit, err := safety.Mint(decision())
	require.NoError(t, err)
	var wins atomic.Int32
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			if _, err := permit.Spend(); err == nil {
				wins.Add(1)
			}
		})
	}
	all.Wait()
	assert.Equal(t, int32(1), wins.Load())
}

func TestAPermitThatWasNotMintedAllowsNothing(t *testing.T) {
	_, err := (&safety.Permit{}).Spend()
	assert.Error(t, err)
	_, err = (*safety.Permit)(nil).Spend()
	assert.Error(t, err)
}

func TestAPermitHoldsWhatWasDecidedOn(t *testing.T) {
	d := decision()
	permit, err := safety.Mint(d)
	require.NoError(t, err)
	copy(d.Request.Params, `{"b":2}`)
	d.Request.Effects[0] = "other"
	d.Request.Expect.Files["res://a"] = "ff"
	request, err := permit.Spend()
	require.NoError(t, err)
	assert.Equal(t, decision().Request, request)
}

func TestNoPermitForADecisionThatDoesNotHold(t *testing.T) {
	cases := map[string]func(d *safety.Decision){
		"no tool":              func(d *safety.Decision) { d.Tool = "" },
		"no id":                func(d *safety.Decision) { d.Request.ID = "" },
		"no command":           func(d *safety.Decision) { d.Request.Command = "" },
		"phase query":          func(d *safety.Decision) { d.Request.Phase = protocol.PhaseQuery },
		"phase plan":           func(d *safety.Decision) { d.Request.Phase = protocol.PhasePlan },
		"no phase":             func(d *safety.Decision) { d.Request.Phase = "" },
		"unknown effect":       func(d *safety.Decision) { d.Effects = append(d.Effects, "more") },
		"a read":               func(d *safety.Decision) { d.Effects, d.Request.Effects = nil, nil },
		"not confirmed":        func(d *safety.Decision) { d.Confirmed, d.Request.Confirmed = false, false },
		"frame not confirmed":  func(d *safety.Decision) { d.Request.Confirmed = false },
		"frame alone":          func(d *safety.Decision) { d.Confirmed = false },
		"frame has less":       func(d *safety.Decision) { d.Request.Effects = d.Request.Effects[:1] },
		"frame has an unknown": func(d *safety.Decision) { d.Request.Effects = append(d.Request.Effects, "x") },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			d := decision()
			spoil(&d)
			permit, err := safety.Mint(d)
			assert.Error(t, err)
			assert.Nil(t, permit)
		})
	}
}
