package safety

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"drawbridge/protocol"
)

// Decision is what the gate has found out about a call when it asks for a permit.
type Decision struct {
	Tool      string
	Effects   []Effect
	Confirmed bool
	Request   protocol.Request
}

// Permit allows one effect, once. It holds the frozen command: what was decided on is what runs. The zero Permit
// allows nothing.
type Permit struct {
	minted  bool
	spent   atomic.Bool
	request protocol.Request
}

// Mint makes the permit for a decision, or says why there is none. It is the only constructor, and only the gate
// calls it.
func Mint(d Decision) (*Permit, error) {
	class, err := Classify(d.Effects)
	if err != nil {
		return nil, fmt.Errorf("minting a permit for %s: %w", d.Tool, err)
	}
	demands, err := DemandsOf(d.Effects)
	if err != nil {
		return nil, fmt.Errorf("minting a permit for %s: %w", d.Tool, err)
	}
	r := d.Request
	switch {
	case d.Tool == "" || r.ID == "" || r.Command == "":
		return nil, errors.New("minting a permit: tool, request id and command must be set")
	case class == ReadOnly:
		return nil, fmt.Errorf("minting a permit for %s: a read needs none", d.Tool)
	case r.Phase != protocol.PhaseApply:
		return nil, fmt.Errorf("minting a permit for %s: phase %q is not apply", d.Tool, r.Phase)
	case demands.Confirm == ConfirmDemanded && !d.Confirmed:
		return nil, fmt.Errorf("minting a permit for %s: not confirmed", d.Tool)
	case r.Confirmed != d.Confirmed:
		return nil, fmt.Errorf("minting a permit for %s: the frame's confirmation is not the decision's", d.Tool)
	case !slices.Equal(r.Effects, Names(d.Effects)):
		return nil, fmt.Errorf("minting a permit for %s: the frame's effects are not the tool's", d.Tool)
	}
	return &Permit{minted: true, request: freeze(r)}, nil
}

// Spend gives the frozen command, the first time only.
func (p *Permit) Spend() (protocol.Request, error) {
	if p == nil || !p.minted {
		return protocol.Request{}, errors.New("spending a permit: it was never minted")
	}
	if !p.spent.CompareAndSwap(false, true) {
		return protocol.Request{}, errors.New("spending a permit: it is spent")
	}
	return freeze(p.request), nil
}

// Names gives the wire names of effects.
func Names(effects []Effect) []string {
	names := make([]string, len(effects))
	for i, e := range effects {
		names[i] = string(e)
	}
	return names
}

// freeze copies everything that a holder of the original could still change.
func freeze(r protocol.Request) protocol.Request {
	r.Params = slices.Clone(r.Params)
	r.Effects = slices.Clone(r.Effects)
	if r.Expect != nil {
		expect := *r.Expect
		expect.Files = maps.Clone(expect.Files)
		r.Expect = &expect
	}
	return r
}
