package gate

import "drawbridge/daemon/internal/contract"

// Contract checks the safety contract: the tool table against what was committed, what clients get, and the commands
// of each editor that is linked now.
func (g *Gate) Contract() any {
	facts := contract.Facts{Document: contract.Of(g.opts.Tools.All()), Golden: contract.Golden()}
	for _, p := range g.places {
		if editor, linked := g.opts.Link.Editor(p.Dir); linked {
			facts.Editors = append(facts.Editors, contract.Editor{Project: p.Dir, Commands: editor.Hello.Commands})
		}
	}
	if g.opts.Front != nil {
		facts.Fronts = append(facts.Fronts, g.opts.Front())
	}
	return contract.Check(facts)
}
