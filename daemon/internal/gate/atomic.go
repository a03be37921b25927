package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// atomicEntry is one call of an atomic batch as the addon gets it.
type atomicEntry struct {
	Command   string          `json:"command"`
	Params    json.RawMessage `json:"params"`
	Effects   []string        `json:"effects"`
	Confirmed bool            `json:"confirmed"`
}

// effects are what a call can do; of a batch, what its calls can do together.
func (c *call) effects() []safety.Effect {
	if c.batch == nil {
		return c.args.Effects()
	}
	var all []safety.Effect
	for _, effect := range safety.Effects() { // in one order
		if slices.ContainsFunc(c.batch.entries, func(e *call) bool { return slices.Contains(e.args.Effects(), effect) }) {
			all = append(all, effect)
		}
	}
	return all
}

// confirmed tells whether the call was confirmed: a batch, when one of its calls was. Each that has to be, is.
func (c *call) confirmed() bool {
	if c.batch == nil {
		return c.args.Confirmed()
	}
	return slices.ContainsFunc(c.batch.entries, func(e *call) bool { return e.args.Confirmed() })
}

// checkAtomic refuses what could not be one undo action of one scene.
func (g *Gate) checkAtomic(c *call) *protocol.Error {
	if failure := g.version(c); failure != nil {
		return failure
	}
	for i, e := range c.batch.entries {
		refuse := func(why string) *protocol.Error {
			return ofEntry(protocol.Fail(protocol.ValidationError, "%s cannot be part of an atomic batch: %s", e.name, why).
				WithHint("leave it out, or run the batch without atomic"), i, e)
		}
		effects := e.args.Effects()
		other := slices.DeleteFunc(slices.Clone(effects), func(one safety.Effect) bool {
			return one == safety.EditsMemory || one == safety.Removes
		})
		switch {
		case !slices.Contains(effects, safety.EditsMemory) || len(other) > 0:
			return refuse("it is no edit that the scene's undo takes back")
		case !e.tool.InScene():
			return refuse("it is for no scene")
		case e.scene != c.batch.entries[0].scene:
			return refuse("it is for another scene than the first call")
		}
	}
	c.scene = c.batch.entries[0].scene
	return nil
}

// runAtomic sends all calls in one frame: the addon does all of them, as one undo action, or none.
func (g *Gate) runAtomic(ctx context.Context, c *call) *protocol.Error {
	if failure := g.apply(ctx, c); failure != nil {
		if at, ok := failure.Details["entry"].(float64); ok && int(at) >= 0 && int(at) < len(c.batch.entries) {
			failure = failure.With("entry_tool", c.batch.entries[int(at)].name)
		}
		return failure
	}
	var answer struct {
		Results []protocol.Result `json:"results"`
	}
	if err := json.Unmarshal(c.result.Data, &answer); err != nil || len(answer.Results) != len(c.batch.entries) {
		failure := protocol.Fail(protocol.BridgeProtocolError, "the editor did not answer for each call of the batch")
		failure.MayHaveApplied = true
		return failure
	}
	for i, e := range c.batch.entries {
		// The action is the batch's, and so is what is said of it.
		one := &answer.Results[i]
		one.Done, e.result = nil, one
		data, err := withExtras(one.Data, extras(one, false))
		if err != nil {
			failure := protocol.Fail(protocol.BridgeProtocolError, "%v", err)
			failure.MayHaveApplied = true
			return failure
		}
		e.data = data
		c.batch.note(e, nil)
	}
	if done := c.result.Done; done != nil {
		c.batch.done, c.batch.dirty, c.batch.fresh = done, done.SceneDirty, !done.Deduplicated
	}
	c.client.Saw(c.project, c.result.Scene)
	return c.batch.tell(c, -1)
}

// atomicParams are the parameters of the one frame.
func (b *batch) atomicParams() (json.RawMessage, error) {
	var entries []atomicEntry
	for _, e := range b.entries {
		params, err := e.args.Wire()
		if err != nil {
			return nil, err
		}
		entries = append(entries, atomicEntry{
			Command: e.tool.Name(), Params: params, Effects: safety.Names(e.args.Effects()), Confirmed: e.args.Confirmed(),
		})
	}
	return json.Marshal(map[string]any{"entries": entries})
}

// action is the name of the one undo action.
func (b *batch) action() string { return fmt.Sprintf("Drawbridge: %d edits", len(b.entries)) }
