package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

func spec() tool.Spec {
	return tool.Spec{
		Name: "paint_node", Summary: "Paint a node.", Toolset: "node",
		Effects: []safety.Effect{safety.EditsMemory},
		Params: []tool.Param{
			{Name: "node_path", Kind: tool.NodePath, Required: true, Doc: "The node."},
			{Name: "count", Kind: tool.Int, Default: int64(1), Min: 1, Max: 5, Doc: "How often."},
			{Name: "mode", Kind: tool.String, Default: "wet", Enum: []string{"wet", "dry"}, Doc: "How."},
			{Name: "node_name", Kind: tool.NodeName, Default: "", Doc: "Name."},
			{Name: "deep", Kind: tool.Bool, Default: false, Doc: "All below."},
			{Name: "value", Kind: tool.Value, Doc: "The value."},
			{Name: "properties", Kind: tool.ValueMap, Doc: "More."},
			{Name: "names", Kind: tool.StringList, Doc: "Names."},
			{Name: "file", Kind: tool.ResPath, Doc: "A file."},
		},
		InScene: true, Action: "Paint {node_name|node} of {node_path}", Undo: "all of it",
		Example: tool.Example{Scene: "a.tscn", Arguments: `{"node_path":"A"}`},
	}
}

func build(t *testing.T, s tool.Spec) *tool.Tool {
	t.Helper()
	tl, err := tool.New(s)
	require.NoError(t, err)
	return tl
}

func TestNewRefusesAToolThatLeavesAFactOut(t *testing.T) {
	cases := map[string]func(s *tool.Spec){
		"no name":            func(s *tool.Spec) { s.Name = "" },
		"bad name":           func(s *tool.Spec) { s.Name = "Paint-Node" },
		"name in one letter": func(s *tool.Spec) { s.Name = "p" },
		"name from a digit":  func(s *tool.Spec) { s.Name = "2_paint" },
		"name with a space":  func(s *tool.Spec) { s.Name = "paint node" },
		"long name":          func(s *tool.Spec) { s.Name = strings.Repeat("p", 65) },
		"no summary":         func(s *tool.Spec) { s.Summary = "" },
		"no toolset":         func(s *tool.Spec) { s.Toolset = "" },
		"no example":         func(s *tool.Spec) { s.Example = tool.Example{} },
		"bad example":        func(s *tool.Spec) { s.Example.Arguments = `{"node_path":1}` },
		"unknown effect":     func(s *tool.Spec) { s.Effects = []safety.Effect{"glows"} },
		"no action":          func(s *tool.Spec) { s.Action = "" },
		"no undo":            func(s *tool.Spec) { s.Undo = "" },
		"nothing discarded":  func(s *tool.Spec) { s.Effects = append(s.Effects, safety.Removes) },
		"param without doc":  func(s *tool.Spec) { s.Params[0].Doc = "" },
		"param without kind": func(s *tool.Spec) { s.Params[0].Kind = 0 },
		"param without name": func(s *tool.Spec) { s.Params[0].Name = "" },
		"int without bounds": func(s *tool.Spec) { s.Params[1].Max = 0 },
		"default over bound": func(s *tool.Spec) { s.Params[1].Default = int64(9) },
		"default of a kind":  func(s *tool.Spec) { s.Params[1].Default = "1" },
		"required default":   func(s *tool.Spec) { s.Params[1].Required = true },
		"param twice":        func(s *tool.Spec) { s.Params[1] = s.Params[0] },
		"shared name taken":  func(s *tool.Spec) { s.Params[1].Name = tool.DryRun },
		"form of nothing":    func(s *tool.Spec) { s.OneOf = [][]string{{"absent"}} },
		"local with effects": func(s *tool.Spec) {
			s.Local = func(tool.Host, tool.Args) (any, *protocol.Error) { return nil, nil }
		},
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			s := spec()
			spoil(&s)
			_, err := tool.New(s)
			assert.Error(t, err)
		})
	}
}

func TestSharedParametersFollowTheClass(t *testing.T) {
	names := func(effects ...safety.Effect) []string {
		s := spec()
		s.Effects, s.Discards = effects, "paint"
		var shared []string
		for _, p := range build(t, s).Params() {
			if p.Shared {
				shared = append(shared, p.Name)
			}
		}
		return shared
	}
	assert.Equal(t, []string{"scene", "project", "timeout_seconds"}, names())
	assert.Equal(t, []string{"dry_run", "idempotency_key", "scene", "project", "timeout_seconds"}, names(safety.ChangesView))
	assert.Equal(t, []string{"dry_run", "confirm", "confirm_token", "idempotency_key", "scene", "project", "timeout_seconds"}, names(safety.Removes))
	assert.Equal(t, []string{"idempotency_key", "scene", "project", "timeout_seconds"}, names(safety.ControlsRun))
	assert.Equal(t, []string{"dry_run", "confirm", "confirm_token", "idempotency_key", "scene", "project", "timeout_seconds"}, names(safety.ExecutesCode))
}

func TestSchemaUsesFewKeywordsAndBoundsEveryNumber(t *testing.T) {
	var schema struct {
		Type                 string                    `json:"type"`
		Properties           map[string]map[string]any `json:"properties"`
		Required             []string                  `json:"required"`
		AdditionalProperties *bool                     `json:"additionalProperties"`
	}
	require.NoError(t, json.Unmarshal(build(t, spec()).Schema(), &schema))
	assert.Equal(t, "object", schema.Type)
	assert.Equal(t, []string{"node_path"}, schema.Required)
	require.NotNil(t, schema.AdditionalProperties)
	assert.False(t, *schema.AdditionalProperties)
	for name, p := range schema.Properties {
		for keyword := range p {
			assert.Contains(t, []string{"type", "description", "enum", "items", "minimum", "maximum", "default"}, keyword)
		}
		if p["type"] == "integer" {
			assert.Contains(t, p, "minimum", name)
			assert.Contains(t, p, "maximum", name)
		}
	}
}

func TestDecodeFillsDefaults(t *testing.T) {
	args, err := build(t, spec()).Decode(json.RawMessage(`{"node_path":"A/B/"}`))
	require.NoError(t, err)
	assert.Equal(t, "A/B", args.Text("node_path"))
	assert.Equal(t, int64(1), args.Int("count"))
	assert.Equal(t, "wet", args.Text("mode"))
	assert.False(t, args.Has("value"))
	wire, err := args.Wire()
	require.NoError(t, err)
	assert.JSONEq(t, `{"node_path":"A/B","count":1,"mode":"wet","node_name":"","deep":false}`, string(wire))
}

func TestDecodeRefuses(t *testing.T) {
	cases := map[string]struct{ raw, detail string }{
		"no object":             {`[]`, "expected"},
		"text":                  {`"x"`, "expected"},
		"missing":               {`{}`, "param"},
		"unknown":               {`{"node_path":"A","extra":1}`, "unknown"},
		"another letter case":   {`{"node_path":"A","Count":1}`, "unknown"},
		"a look-alike":          {`{"node_path":"A","conſirm":true}`, "unknown"},
		"a NUL behind":          {`{"node_path":"A","count\u0000":1}`, "unknown"},
		"duplicate":             {`{"node_path":"A","node_path":"B"}`, "duplicate"},
		"duplicate in escapes":  {`{"node_path":"A","node\u005fpath":"B"}`, "duplicate"},
		"duplicate below":       {`{"node_path":"A","value":[{"a":1,"a":2}]}`, "duplicate"},
		"text for a path":       {`{"node_path":1}`, "param"},
		"null":                  {`{"node_path":null}`, "param"},
		"empty path":            {`{"node_path":""}`, "param"},
		"path with a property":  {`{"node_path":"A:position"}`, "param"},
		"name with a slash":     {`{"node_path":"A","node_name":"a/b"}`, "param"},
		"below the bound":       {`{"node_path":"A","count":0}`, "param"},
		"above the bound":       {`{"node_path":"A","count":6}`, "param"},
		"fraction":              {`{"node_path":"A","count":1.5}`, "param"},
		"text for a number":     {`{"node_path":"A","count":"1"}`, "param"},
		"exponent":              {`{"node_path":"A","count":1e0}`, "param"},
		"huge":                  {`{"node_path":"A","count":99999999999999999999}`, "param"},
		"number for a boolean":  {`{"node_path":"A","deep":1}`, "param"},
		"text for a boolean":    {`{"node_path":"A","deep":"true"}`, "param"},
		"not in the enum":       {`{"node_path":"A","mode":"moist"}`, "param"},
		"list for a map":        {`{"node_path":"A","properties":[]}`, "param"},
		"number in a text list": {`{"node_path":"A","names":["a",1]}`, "param"},
		"text for a list":       {`{"node_path":"A","names":"a"}`, "param"},
		"NUL in a text":         {`{"node_path":"A","names":["a\u0000"]}`, "param"},
	}
	tl := build(t, spec())
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := tl.Decode(json.RawMessage(c.raw))
			var failure *protocol.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, protocol.ValidationError, failure.Code)
			assert.Contains(t, failure.Details, c.detail)
		})
	}
}

func TestDecodeRefusesBrokenTextAndDepth(t *testing.T) {
	tl := build(t, spec())
	for name, raw := range map[string]string{
		"lone surrogate": `{"node_path":"A","value":"\ud800"}`,
		"too deep":       `{"node_path":"A","value":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tl.Decode(json.RawMessage(raw))
			assert.ErrorContains(t, err, string(protocol.ValidationError))
		})
	}
	_, err := tl.Decode(json.RawMessage(`{"node_path":"A","value":"a real \ufffd"}`))
	assert.NoError(t, err)
}

func TestWholeNumbersMayBeWrittenAsDecimals(t *testing.T) {
	args, err := build(t, spec()).Decode(json.RawMessage(`{"node_path":"A","count":3.0}`))
	require.NoError(t, err)
	assert.Equal(t, int64(3), args.Int("count"))
}

func TestNoArgumentsAreAnEmptyObject(t *testing.T) {
	s := spec()
	s.Params, s.Example.Arguments, s.Action = nil, `{}`, "Paint"
	for _, raw := range []string{"", "null", " {} "} {
		_, err := build(t, s).Decode(json.RawMessage(raw))
		assert.NoError(t, err, raw)
	}
}

func TestExactlyOneForm(t *testing.T) {
	s := spec()
	s.OneOf = [][]string{{"file", "value"}, {"properties"}}
	s.Example.Arguments = `{"node_path":"A","properties":{}}`
	tl := build(t, s)
	for raw, fine := range map[string]bool{
		`{"node_path":"A"}`:                                         false,
		`{"node_path":"A","file":"res://a"}`:                        false,
		`{"node_path":"A","file":"res://a","value":null}`:           true,
		`{"node_path":"A","properties":{}}`:                         true,
		`{"node_path":"A","properties":{},"value":1}`:               false,
		`{"node_path":"A","properties":{},"file":"x","value":1}`:    false,
		`{"node_path":"A","properties":{},"file":"","deep":true}`:   true,
		`{"node_path":"A","file":"","value":1,"deep":true}`:         false,
		`{"node_path":"A","file":"res://a","value":0,"deep":false}`: true,
	} {
		_, err := tl.Decode(json.RawMessage(raw))
		assert.Equal(t, fine, err == nil, raw)
	}
}

func digest(t *testing.T, tl *tool.Tool, raw string) string {
	t.Helper()
	args, err := tl.Decode(json.RawMessage(raw))
	require.NoError(t, err)
	sum, err := args.Digest()
	require.NoError(t, err)
	return sum
}

func TestTheDigestIsThatOfTheMeaning(t *testing.T) {
	s := spec()
	s.Effects, s.Discards = append(s.Effects, safety.Removes), "paint"
	tl := build(t, s)
	base := digest(t, tl, `{"node_path":"A","value":{"a":1,"b":[2]}}`)
	for _, same := range []string{
		`{ "value" : {"b":[2], "a":1}, "node_path":"A" }`,
		`{"node_path":"A","value":{"a":1,"b":[2]},"count":1,"mode":"wet"}`,
		`{"node_path":"A","value":{"a":1,"b":[2]},"dry_run":true}`,
		`{"node_path":"A","value":{"a":1,"b":[2]},"confirm":true,"idempotency_key":"k"}`,
		`{"node_path":"A","value":{"a":1,"b":[2]},"timeout_seconds":60}`,
	} {
		assert.Equal(t, base, digest(t, tl, same), same)
	}
	for _, other := range []string{
		`{"node_path":"B","value":{"a":1,"b":[2]}}`,
		`{"node_path":"A","value":{"a":2,"b":[2]}}`,
		`{"node_path":"A","value":{"a":9007199254740993,"b":[2]}}`,
		`{"node_path":"A","value":{"a":1,"b":[2]},"count":2}`,
		`{"node_path":"A","value":{"a":1,"b":[2]},"scene":"res://a.tscn"}`,
	} {
		assert.NotEqual(t, base, digest(t, tl, other), other)
	}
	assert.NotEqual(t,
		digest(t, tl, `{"node_path":"A","value":9007199254740993}`),
		digest(t, tl, `{"node_path":"A","value":9007199254740992}`))
}

func TestValuesTravelTaggedAndInOrder(t *testing.T) {
	args, err := build(t, spec()).Decode(json.RawMessage(
		`{"node_path":"A","properties":{"z":9007199254740993,"a":1.5},"value":null}`))
	require.NoError(t, err)
	wire, err := args.Wire()
	require.NoError(t, err)
	assert.Contains(t, string(wire), `"value":null`)
	assert.Contains(t, string(wire), `"properties":{"type":"Dictionary","args":["s:z","i:9007199254740993","s:a","f:1.5"]}`)
}

func TestTheActionNamesWhatIsDone(t *testing.T) {
	for raw, want := range map[string]string{
		`{"node_path":"A"}`:                               "Drawbridge: Paint node of A",
		`{"node_path":"A","node_name":"Sky"}`:             "Drawbridge: Paint Sky of A",
		`{"node_path":"` + strings.Repeat("é", 99) + `"}`: "Drawbridge: Paint node of " + strings.Repeat("é", 60) + "…",
	} {
		args, err := build(t, spec()).Decode(json.RawMessage(raw))
		require.NoError(t, err)
		assert.Equal(t, want, args.Action())
	}
}

func TestEveryPathOfAWritingToolCountsAsWritten(t *testing.T) {
	s := spec()
	s.Effects, s.Discards = []safety.Effect{safety.TouchesDisk}, "files"
	s.Params = append(s.Params, tool.Param{Name: "source", Kind: tool.ResPath, ReadsOnly: true, Doc: "From."})
	args, err := build(t, s).Decode(json.RawMessage(`{"node_path":"A","file":"res://a","source":"res://b"}`))
	require.NoError(t, err)
	assert.Equal(t, []tool.PathArg{
		{Param: "file", Path: "res://a", Writes: true}, {Param: "source", Path: "res://b"},
	}, args.Paths())
}

func TestALoweringLeavesFewerEffects(t *testing.T) {
	all := []safety.Effect{safety.EditsMemory, safety.Removes}
	lowered := func(param string, effects ...safety.Effect) tool.Spec {
		s := spec()
		s.Effects, s.Discards = all, "paint"
		s.Lowerings = []tool.Lowering{{Param: param, Value: true, Effects: effects}}
		return s
	}
	for name, wrong := range map[string]tool.Spec{
		"all effects": lowered("deep", all...), "none": lowered("deep"), "another": lowered("deep", safety.TouchesDisk),
		"no such parameter": lowered("deeper", safety.EditsMemory), "a text": lowered("mode", safety.EditsMemory),
		"a shared parameter": lowered("confirm", safety.EditsMemory),
	} {
		_, err := tool.New(wrong)
		require.Error(t, err, name)
	}
	tl := build(t, lowered("deep", safety.EditsMemory))
	assert.Equal(t, safety.Destructive, tl.Class(), "the class is the ceiling's")
	for raw, want := range map[string]struct {
		effects []safety.Effect
		confirm safety.Confirm
	}{
		`{"node_path":"A"}`:              {all, safety.ConfirmDemanded},
		`{"node_path":"A","deep":false}`: {all, safety.ConfirmDemanded},
		`{"node_path":"A","deep":true}`:  {[]safety.Effect{safety.EditsMemory}, safety.ConfirmNone},
	} {
		args, err := tl.Decode(json.RawMessage(raw))
		require.NoError(t, err)
		assert.Equal(t, want.effects, args.Effects(), raw)
		assert.Equal(t, want.confirm, args.Demands().Confirm, raw)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"node_path":"A"}`, `{"node_path":"A","value":[1,{"a":2}]}`, `[`, `{"a":{"a":1},"a":2}`, ``} {
		f.Add(seed)
	}
	tl, err := tool.New(spec())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, raw string) {
		args, err := tl.Decode(json.RawMessage(raw))
		if err != nil {
			return
		}
		if wire, err := args.Wire(); err == nil {
			require.True(t, json.Valid(wire))
		}
		_, err = args.Digest()
		require.NoError(t, err)
	})
}
