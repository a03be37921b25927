package gate

import "drawbridge/protocol"

// defaultMaxAffected is the limit of a gate that was given none.
const defaultMaxAffected = 20

// limit refuses a file-writing call that would reach more targets or files than the operator allows in one call.
func (g *Gate) limit(c *call) *protocol.Error {
	count := max(len(c.result.Plan.Targets), len(c.result.Plan.Files))
	if !c.tool.WritesFiles() || count <= g.opts.MaxAffected {
		return nil
	}
	return protocol.Fail(protocol.TooManyTargets, "%s would affect %d targets; at most %d are allowed in one call",
		c.tool.Name(), count, g.opts.MaxAffected).
		With("count", count).With("limit", g.opts.MaxAffected).
		WithHint("split the call; the operator sets the limit with GODOT_MCP_MAX_AFFECTED")
}
