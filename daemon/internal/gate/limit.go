package gate

import "drawbridge/protocol"

// defaultMaxAffected is the limit of a gate that was given none.
const defaultMaxAffected = 20

// limit refuses a file-writing call that would reach more targets or files than the operator allows in one call.
func (g *Gate) limit(c *call) *protocol.Error {
	count := max(len(c.result.Plan.Targets), len(c.result.Plan.Files))
	if !c.tool.WritesFiles() || count <= c.place.Policy.MaxAffected {
		return nil
	}
	return protocol.Fail(protocol.TooManyTargets, "%s would affect %d targets; at most %d are allowed in one call",
		c.tool.Name(), count, c.place.Policy.MaxAffected).
		With("count", count).With("limit", c.place.Policy.MaxAffected).
		WithHint("split the call; the limit is the operator's: max_affected in the policy file")
}
