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
	reached := c.reached()
	if c.of == nil {
		return c.overLimit(c.tool.Name(), len(reached))
	}
	return c.overLimit(c.of.tool.Name(), c.of.batch.reach(reached))
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

// reached are the targets or the files of the plan, whichever are more.
func (c *call) reached() []string {
	plan := c.result.Plan
	if len(plan.Targets) >= len(plan.Files) {
		return plan.Targets
	}
	files := make([]string, len(plan.Files))
	for i, f := range plan.Files {
		files[i] = f.Path
	}
	return files
}

// reach adds what one of the calls would reach, and tells how much that is in all.
func (b *batch) reach(names []string) int {
	if b.reached == nil {
		b.reached = map[string]bool{}
	}
	for _, name := range names {
		b.reached[name] = true
	}
	return len(b.reached)
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
