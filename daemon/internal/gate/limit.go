package gate

import "drawbridge/protocol"

// defaultMaxAffected is the limit of a gate that was given none.
const defaultMaxAffected = 20

// limit refuses a file-writing call that would reach more targets or files than the operator allows in one call. What
// the calls of a batch reach is added up: a batch is one call.
func (g *Gate) limit(c *call) *protocol.Error {
	if !c.tool.WritesFiles() {
		return nil
	}
	counted := c
	if c.of != nil {
		counted = c.of
	}
	return c.overLimit(counted.tool.Name(), counted.reach.add(c.result.Plan))
}

// limitNamed is the same for the files that the arguments of a batch's calls name, before the first of them runs.
func (c *call) limitNamed() *protocol.Error {
	files := map[string]bool{}
	for _, e := range c.batch.entries {
		for _, p := range e.args.Paths() {
			if p.Writes {
				files[p.Path] = true
			}
		}
	}
	return c.overLimit(c.tool.Name(), len(files))
}

// reach is what file-writing calls would reach, by name.
type reach struct{ targets, files map[string]bool }

// add adds what a plan reaches, and tells how many targets or files there are in all, whichever are more.
func (r *reach) add(plan *protocol.Plan) int {
	if r.targets == nil {
		r.targets, r.files = map[string]bool{}, map[string]bool{}
	}
	for _, target := range plan.Targets {
		r.targets[target] = true
	}
	for _, file := range plan.Files {
		r.files[file.Path] = true
	}
	return max(len(r.targets), len(r.files), len(plan.Targets), len(plan.Files))
}

func (c *call) overLimit(name string, count int) *protocol.Error {
	if count <= c.place.Policy.MaxAffected {
		return nil
	}
	return protocol.Fail(protocol.TooManyTargets, "%s would affect %d targets; at most %d are allowed in one call",
		name, count, c.place.Policy.MaxAffected).
		With("count", count).With("limit", c.place.Policy.MaxAffected).
		WithHint("split the call; the limit is the operator's: max_affected in the policy file")
}
