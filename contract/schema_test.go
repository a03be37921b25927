package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// breach is one way of calling a tool wrongly.
type breach struct {
	name string
	raw  string
}

// example are the arguments of a tool's example.
func example(t *testing.T, tool harness.ToolFacts) args {
	t.Helper()
	return decoded(t, tool.ExampleArguments)
}

// decoded reads arguments.
func decoded(t *testing.T, text string) args {
	t.Helper()
	var out args
	require.NoError(t, json.Unmarshal([]byte(text), &out), text)
	return out
}

func hasParam(tool harness.ToolFacts, name string) bool {
	return slices.ContainsFunc(tool.Params, func(p harness.ParamFacts) bool { return p.Name == name })
}

// with copies arguments and changes one.
func with(base args, key string, value any) args {
	out := args{key: value}
	for k, v := range base {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// without copies arguments and leaves one out.
func without(base args, key string) args {
	out := args{}
	for k, v := range base {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// breaches derives every breach of a tool's schema from the schema itself.
func breaches(t *testing.T, tool harness.ToolFacts) []breach {
	t.Helper()
	base := example(t, tool)
	out := []breach{
		{"unknown key", text(with(base, "no_such_key", 1))},
		{"unknown key in another letter case", text(with(base, "Timeout_Seconds", 1))},
		{"not an object", `[1]`},
	}
	for _, p := range tool.Params {
		if p.Required {
			out = append(out, breach{p.Name + " left out", text(without(base, p.Name))})
		}
		out = append(out, breach{p.Name + " twice", twice(base, p.Name)})
		for _, wrong := range wrongFor(p.Schema) {
			out = append(out, breach{fmt.Sprintf("%s is %v", p.Name, wrong), text(with(base, p.Name, wrong))})
		}
	}
	for _, form := range tool.OneOf {
		if given(base, form) {
			out = append(out, breach{form[0] + " left out", text(without(base, form[0]))})
		}
	}
	return out
}

func given(base args, form []string) bool {
	for _, name := range form {
		if _, ok := base[name]; !ok {
			return false
		}
	}
	return true
}

// twice writes a parameter two times with one value, which a lenient reader would let pass.
func twice(base args, name string) string {
	value, ok := base[name]
	if !ok {
		value = 1
	}
	both := fmt.Sprintf("%s:%s,%s:%s", text(name), text(value), text(name), text(value))
	rest := text(without(base, name))
	if rest == "{}" {
		return "{" + both + "}"
	}
	return "{" + both + "," + rest[1:]
}

// wrongFor are values that a parameter's schema does not allow.
func wrongFor(schema map[string]any) []any {
	var wrong []any
	switch schema["type"] {
	case "string":
		wrong = []any{5, true, []any{"x"}, map[string]any{}, "a\x00b"}
		if schema["enum"] != nil {
			wrong = append(wrong, "none_of_the_enum")
		}
	case "boolean":
		wrong = []any{"true", 1, 0, []any{}}
	case "integer":
		wrong = []any{"5", 1.5, true, []any{5}, json.RawMessage("1e400"), json.RawMessage("99999999999999999999")}
		for key, beyond := range map[string]float64{"minimum": -1, "maximum": 1} {
			if bound, ok := schema[key].(float64); ok {
				wrong = append(wrong, int64(bound+beyond))
			}
		}
	case "array":
		wrong = []any{"x", 1, map[string]any{}, []any{1}, []any{"x", nil}}
	case "object":
		wrong = []any{"x", 1, []any{}, true}
	}
	return wrong
}

// carrierOf is the tool that carries tools of a class.
func (r *rig) carrierOf(class string) string {
	for _, tool := range r.tools {
		if tool.Carries && !tool.Previews && slices.Contains(tool.Calls, class) {
			return tool.Name
		}
	}
	return ""
}

// testSchema: the example is accepted; every breach of the schema is refused, by name and through the carrier alike,
// before anything goes to the editor.
func (r *rig) testSchema(t *testing.T) {
	for _, tool := range r.tools {
		t.Run(tool.Name, func(t *testing.T) {
			r.silent(t, tool.Name, func() { r.checkBreaches(t, tool) })
			r.checkExample(t, tool)
		})
	}
}

func (r *rig) checkBreaches(t *testing.T, tool harness.ToolFacts) {
	t.Helper()
	for _, b := range breaches(t, tool) {
		reply, err := r.daemon.Call(r.ctx, tool.Name, json.RawMessage(b.raw))
		if b.name == "not an object" && err != nil {
			continue // the MCP layer may refuse it as a malformed request
		}
		require.NoError(t, err, "%s: %s", b.name, b.raw)
		r.checkRefusal(t, b.name+" "+b.raw, reply)
		if tool.Carries || b.name == "not an object" {
			continue
		}
		carried := fmt.Sprintf(`{"tool":%q,"arguments":%s}`, tool.Name, b.raw)
		reply, err = r.daemon.Call(r.ctx, r.carrierOf(tool.Class), json.RawMessage(carried))
		require.NoError(t, err, "%s: %s", b.name, carried)
		r.checkRefusal(t, "carried: "+b.name+" "+b.raw, reply)
	}
}

func (r *rig) checkRefusal(t *testing.T, about string, reply harness.Reply) {
	t.Helper()
	if !assert.NotNil(t, reply.Error, "%s was accepted: %s", about, reply.Raw) {
		return
	}
	codes := []protocol.Code{protocol.ValidationError, protocol.InvalidPath} // a path with a NUL is an invalid path
	assert.Contains(t, codes, reply.Error.Code, "%s: %s", about, reply.Raw)
	checkFailure(t, about, reply.Error)
}

// checkExample runs the tool's example on its fixture.
func (r *rig) checkExample(t *testing.T, tool harness.ToolFacts) {
	t.Helper()
	r.openExample(t, tool)
	r.ok(t, tool.Name, r.exampleHere(t, tool))
}

// openExample opens a copy of the scene that a tool's example works on, and puts something on the history.
func (r *rig) openExample(t *testing.T, tool harness.ToolFacts) string {
	t.Helper()
	scene := tool.ExampleScene
	if scene == "" {
		scene = "own_nodes.tscn" // an example without a scene, or a carrier: one with the nodes that examples name
	}
	path := r.open(t, scene)
	r.ok(t, "set_node_property", args{"node_path": ".", "property": "process_priority", "value": 1})
	return path
}

// exampleHere is the example with the scenes and files that it opens, changes or makes replaced by the test's own.
func (r *rig) exampleHere(t *testing.T, tool harness.ToolFacts) args {
	t.Helper()
	out := example(t, tool)
	for _, p := range tool.Params {
		if _, given := out[p.Name]; given && p.OpenScene {
			out[p.Name] = r.hand.glance(t).Edited
		}
	}
	if tool.Opens != "" && !slices.Contains(tool.ExampleFresh, tool.Opens) {
		path := r.copyFixture(t, tool.ExampleScene)
		t.Cleanup(func() { r.closeScene(t, path) })
		out[tool.Opens] = path
	}
	for _, name := range tool.ExampleCopies {
		out[name] = r.copyNamed(t, out[name])
	}
	for _, name := range tool.ExampleFresh {
		path := r.freshName(fmt.Sprint(out[name]))
		out[name] = path
		if name == tool.Opens {
			t.Cleanup(func() { r.closeScene(t, path) })
		}
	}
	r.keepFor(t, tool, out)
	r.first(t, tool, out)
	return out
}

// copyNamed gives the test its own copies of the file, or the list of files, that an argument names.
func (r *rig) copyNamed(t *testing.T, named any) any {
	t.Helper()
	list, isList := named.([]any)
	if !isList {
		return r.copyFile(t, fmt.Sprint(named))
	}
	copies := make([]any, len(list))
	for i, one := range list {
		copies[i] = r.copyFile(t, fmt.Sprint(one))
	}
	return copies
}

// first makes the calls that an example needs, on what the test put into it.
func (r *rig) first(t *testing.T, tool harness.ToolFacts, here args) {
	t.Helper()
	named := example(t, tool)
	for _, step := range tool.ExampleFirst {
		call := decoded(t, step.Arguments)
		for key, value := range call {
			for _, name := range slices.Concat(tool.ExampleCopies, tool.ExampleFresh) {
				if value == named[name] {
					call[key] = here[name]
				}
			}
		}
		r.ok(t, step.Tool, call)
	}
}

// testConfirm: what throws something away is refused without confirm, without a word to the editor.
func (r *rig) testConfirm(t *testing.T) {
	r.open(t, "own_nodes.tscn")
	for _, tool := range r.tools {
		if !tool.MustConfirm {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			r.silent(t, tool.Name, func() {
				for _, value := range []any{nil, false} {
					bare := without(example(t, tool), "confirm")
					if value != nil {
						bare["confirm"] = value
					}
					failure := r.refused(t, protocol.PreconditionFailed, tool.Name, bare)
					assert.Equal(t, "confirm", failure.Required)
					assert.Regexp(t, `^This call discards .+\. Set confirm=true to proceed\.$`, failure.Message)
					carrier := r.carrierOf(tool.Class)
					failure = r.refused(t, protocol.PreconditionFailed, carrier, args{"tool": tool.Name, "arguments": bare})
					assert.Equal(t, "confirm", failure.Required)
				}
			})
		})
	}
}
