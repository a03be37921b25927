package gate

import (
	"encoding/json"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// tripwire looks through the code that the arguments give. Code that the editor runs by itself is refused when it trips;
// of other code it is only told. It is a tripwire and no boundary: code that means to hides from it.
func (g *Gate) tripwire(c *call) *protocol.Error {
	for _, text := range c.args.Code() {
		c.code = c.code || safety.IsToolScript(text)
		c.found = append(c.found, safety.Tripwire(text)...)
	}
	return g.judgeCode(c)
}

// plannedCode looks at what the plan says of the whole text, of which the call may have given only a part.
func (g *Gate) plannedCode(c *call) *protocol.Error {
	if c.code || len(c.args.Code()) == 0 {
		return nil
	}
	var data struct {
		Tool *bool `json:"contains_tool"`
	}
	if json.Unmarshal(c.result.Data, &data) != nil || data.Tool == nil || *data.Tool {
		c.code = true // also when it could not be told
	}
	return g.judgeCode(c)
}

// judgeCode refuses code that trips, and rules anew when the call turns out to give code that runs.
func (g *Gate) judgeCode(c *call) *protocol.Error {
	runs := c.code || safety.FlagsOf(c.args.Effects()).ExecutesCode
	if !runs {
		return nil
	}
	if len(c.found) > 0 {
		return protocol.Fail(protocol.CodePatternBlocked, "the code has %s in line %d", c.found[0].Pattern, c.found[0].Line).
			With("findings", c.found)
	}
	return g.rule(c)
}
