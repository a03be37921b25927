package tool

import (
	"fmt"
	"slices"

	"drawbridge/daemon/internal/safety"
)

// Lowering says with which value of a parameter a call does less than the tool can do. The tool's effects are the
// ceiling: schema, annotations and class follow them, demands follow the call.
type Lowering struct {
	// Param is a parameter of kind Bool.
	Param string
	// Value is what it has to be.
	Value bool
	// Effects are what is left: some of the tool's effects, at least one and not all.
	Effects []safety.Effect
}

// checkLowerings refuses a lowering that would not lower, or that names what is not there.
func (t *Tool) checkLowerings() error {
	for _, l := range t.spec.Lowerings {
		i, ok := t.index[l.Param]
		if !ok || t.params[i].Kind != Bool || t.params[i].Shared {
			return fmt.Errorf("a lowering names %q, which is no yes/no parameter of its own", l.Param)
		}
		for _, e := range l.Effects {
			if !slices.Contains(t.spec.Effects, e) {
				return fmt.Errorf("a lowering has the effect %s, which the tool does not declare", e)
			}
		}
		if len(l.Effects) == 0 || len(l.Effects) >= len(t.spec.Effects) {
			return fmt.Errorf("the lowering by %s leaves all effects, or none", l.Param)
		}
	}
	return nil
}

// Lowerings say when a call does less than the tool can do. It returns a fresh slice.
func (t *Tool) Lowerings() []Lowering { return slices.Clone(t.spec.Lowerings) }

// Effects are what this call can do: those of the tool, or fewer when an argument lowers them.
func (a Args) Effects() []safety.Effect {
	if a.tool == nil { // no arguments were decoded
		return nil
	}
	for _, l := range a.tool.spec.Lowerings {
		if value, given := a.values[l.Param].(bool); given && value == l.Value {
			return slices.Clone(l.Effects)
		}
	}
	return a.tool.Effects()
}

// Demands are what this call has to say because of its effects.
func (a Args) Demands() safety.Demands {
	demands, err := safety.DemandsOf(a.Effects())
	if err != nil { // the tool's effects were checked when it was made
		return a.tool.demands
	}
	return demands
}
