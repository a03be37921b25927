package contract

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// badCall is a call that must be refused.
type badCall struct {
	tool string
	args string // raw, so that keys may stand twice
	code protocol.Code
}

// badCalls are one example of each kind of bad input that tools take; the schema tests have all of them for every
// tool.
func badCalls() []badCall {
	const (
		invalid = protocol.ValidationError
		missing = protocol.ResourceNotFound
		outside = protocol.PathOutsideProject
		noPath  = protocol.InvalidPath
		needs   = protocol.PreconditionFailed
		fixture = harness.FixtureRes
	)
	return []badCall{
		{"get_node", `{"node_path":5}`, invalid},
		{"get_node", `{"node_path":null}`, invalid},
		{"get_node", `{"node_path":["Player"]}`, invalid},
		{"get_node", `{"node_path":"Player","foo":1}`, invalid},
		{"get_node", `{"node_path":"Player","node_path":"Title"}`, invalid},
		{"get_node", `{"node_path":"Player","n\u006fde_path":"Title"}`, invalid},
		{"get_node", `{}`, invalid},
		{"get_node", `[]`, invalid},
		{"get_node", `{"node_path":"Player","timeout_seconds":1000000000}`, invalid},
		{"get_scene_tree", `{"limit":-1}`, invalid},
		{"get_scene_tree", `{"limit":1e99}`, invalid},
		{"set_node_property", `{"node_path":"Player"}`, invalid},
		{"set_node_property", `{"node_path":"Player","property":"position","value":"nonsense"}`, invalid},
		{"set_node_property", `{"node_path":"Player","property":"position","value":[1,2,3]}`, invalid},
		{"set_node_property", `{"node_path":"Player","property":"z_index","value":99999999999999999999}`, invalid},
		{"set_node_property", `{"node_path":"Player","property":"visible","value":{"a":1,"a":2}}`, invalid},
		{"create_node", `{"node_type":"Node","node_name":"a/b"}`, invalid},
		{"call_read_tool", `{"tool":"no_such_tool","arguments":{}}`, invalid},
		{"call_read_tool", `{"tool":"delete_node","arguments":{"node_path":"Player","confirm":true}}`, invalid},
		{"get_node", `{"node_path":"Nobody"}`, missing},
		{"delete_node", `{"node_path":"Nobody","confirm":true}`, missing},
		{"delete_node", `{"node_path":"Player"}`, needs},
		{"save_scene", `{}`, needs},
		{"delete_node", `{"node_path":".","confirm":true}`, protocol.ProtectedTarget},
		{"open_scene", `{"scene_path":"res://../x.tscn"}`, outside},
		{"open_scene", `{"scene_path":"res://a\\..\\x.tscn"}`, outside},
		{"open_scene", `{"scene_path":"/etc/passwd"}`, noPath},
		{"open_scene", `{"scene_path":"user://x.tscn"}`, noPath},
		{"open_scene", `{"scene_path":"res://a\u0000.tscn"}`, noPath},
		{"open_scene", `{"scene_path":"res://a\r\nb.tscn"}`, noPath},
		{"save_scene", `{"scene_path":"res://addons/drawbridge/x.tscn","confirm":true}`, protocol.ProtectedTarget},
		{"open_scene", `{"scene_path":"` + fixture + `/absent.tscn"}`, missing},
		{"open_scene", `{"scene_path":"` + fixture + `/garbage.tscn"}`, invalid},
		{"open_scene", `{"scene_path":"` + fixture + `/broken_dependency.tscn"}`, needs},
	}
}

// testBadCalls: all of them at once, a good call after each one. The good ones are answered as if nothing had been.
func (b *bed) testBadCalls(t *testing.T) {
	b.ready(t)
	before := b.state(t)
	var bad, good []*flight
	start := time.Now()
	for _, c := range badCalls() {
		bad = append(bad, b.launch(t, c.tool, json.RawMessage(c.args)))
		good = append(good, b.launch(t, "get_node", args{"node_path": "Player"}))
	}
	for i, c := range badCalls() {
		about := c.tool + " " + c.args
		reply := bad[i].land(t, 10*time.Second)
		failure := failsWith(t, c.code, about, reply)
		assert.NotEmpty(t, failure.Hint, about)
		assert.False(t, failure.MayHaveApplied, about)
		assert.LessOrEqual(t, bad[i].took, soon, about)
		reply = good[i].land(t, 10*time.Second)
		assert.True(t, reply.OK, "the good call after %s: %s", about, reply.Raw)
		assert.LessOrEqual(t, good[i].took, soon, "the good call after %s", about)
	}
	t.Logf("%d bad and %d good calls in %s", len(bad), len(good), time.Since(start))
	b.same(t, before, "bad calls")
}

// testDyingScript: a user's setter that dies is never a bare success, and the property is as the reply says.
func (b *bed) testDyingScript(t *testing.T) {
	b.ready(t)
	for _, property := range []string{"dies_before", "dies_after"} {
		reply, took := b.timed(t, b.daemon, "set_node_property", args{"node_path": ".", "property": property, "value": 5})
		assert.LessOrEqual(t, took, soon, property)
		var now struct {
			Text string `json:"text"`
		}
		b.fault.act(t, "peek", map[string]any{"node": ".", "property": property}, &now)
		if !reply.OK {
			assert.Contains(t, []protocol.Code{protocol.ValueRejected, protocol.ScriptFault}, reply.Error.Code, "%s", reply.Raw)
			assert.Equal(t, "0", now.Text, "%s: refused, so the old value is back: %s", property, reply.Raw)
			assert.Contains(t, string(reply.Raw), "nothing", "%s: the reply names the script's error", property)
			continue
		}
		assert.Equal(t, "5", now.Text, "%s: done, so the value is kept: %s", property, reply.Raw)
		assert.NotEmpty(t, engineErrors(t, reply), "%s: the script's error is in the reply: %s", property, reply.Raw)
	}
	b.ok(t, "set_node_property", args{"node_path": ".", "property": "plain", "value": 1})
}
