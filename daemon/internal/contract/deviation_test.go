package contract_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/contract"
)

// deviations gives a JSON value with one fact changed, for each fact in it, by the path of the fact.
func deviations(v any, at string) map[string]any {
	out := map[string]any{}
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			for path, changed := range deviations(value, at+"/"+key) {
				copied := maps.Clone(v)
				copied[key] = changed
				out[path] = copied
			}
		}
	case []any:
		for i, value := range v {
			for path, changed := range deviations(value, at+"/*") {
				copied := slices.Clone(v)
				copied[i] = changed
				out[path+" "+string(rune('a'+i))] = copied
			}
			out[at+"/-"+string(rune('a'+i))] = slices.Delete(slices.Clone(v), i, i+1)
		}
	case string:
		out[at] = v + "x"
	case bool:
		out[at] = !v
	case json.Number:
		out[at] = json.Number("-7")
	}
	return out
}

// loose reads JSON as plain values.
func loose(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&v))
	return v
}

func text(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return raw
}

func TestEachDeviationFromTheGoldenIsFound(t *testing.T) {
	d := build(t).Document
	count := 0
	for _, e := range d.Tools {
		golden := alone(d, e).Golden
		for path, changed := range deviations(loose(t, text(t, e)), "") {
			now := contract.Entry{Schema: e.Schema}
			require.NoError(t, json.Unmarshal(text(t, changed), &now), path)
			facts := alone(d, now)
			facts.Golden = golden
			assert.NotEmpty(t, errorsOf(contract.Verify(facts), now.Name), "%s %s", e.Name, path)
			count++
		}
	}
	t.Logf("%d deviations", count)
}

// derived are the facts that follow from others, so that a lie about them is found although it was committed.
func derived(path string) bool {
	for _, prefix := range []string{"/class", "/flags", "/demands", "/annotations", "/command", "/runs", "/schema_sha256", "/parameters/*/kind"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

func TestALieAboutWhatFollowsIsFoundAlthoughItWasCommitted(t *testing.T) {
	d := build(t).Document
	for _, e := range d.Tools {
		facts := alone(d, e)
		require.Empty(t, errorsOf(contract.Verify(facts), e.Name))
		for path, changed := range deviations(loose(t, text(t, e)), "") {
			if !derived(path) {
				continue
			}
			now := contract.Entry{Schema: e.Schema}
			require.NoError(t, json.Unmarshal(text(t, changed), &now), path)
			assert.NotEmpty(t, errorsOf(contract.Verify(alone(d, now)), e.Name), "%s %s", e.Name, path)
		}
	}
}

// without takes a shared parameter away.
func without(name string) func(e *contract.Entry) bool {
	return func(e *contract.Entry) bool {
		at := slices.IndexFunc(e.Parameters, func(p contract.Parameter) bool { return p.Name == name && p.Shared })
		if at < 0 {
			return false
		}
		e.Parameters = slices.Delete(slices.Clone(e.Parameters), at, at+1)
		return true
	}
}

// surplus adds a shared parameter that is not there.
func surplus(name, kind string) func(e *contract.Entry) bool {
	return func(e *contract.Entry) bool {
		if slices.ContainsFunc(e.Parameters, func(p contract.Parameter) bool { return p.Name == name }) {
			return false
		}
		e.Parameters = append(slices.Clone(e.Parameters), contract.Parameter{Name: name, Kind: kind, Shared: true})
		return true
	}
}

// lies are changes of an entry that are wrong whatever was committed. Each says whether it could be made.
func lies() map[string]func(e *contract.Entry) bool {
	return map[string]func(e *contract.Entry) bool{
		"without dry_run": without("dry_run"), "without confirm": without("confirm"),
		"without confirm_token": without("confirm_token"), "without idempotency_key": without("idempotency_key"),
		"surplus dry_run": surplus("dry_run", "boolean"), "surplus confirm": surplus("confirm", "boolean"),
		"surplus confirm_token": surplus("confirm_token", "string"), "surplus idempotency_key": surplus("idempotency_key", "string"),
		"unknown effect": func(e *contract.Entry) bool { e.Effects = append(slices.Clone(e.Effects), "nothing_bad"); return true },
		"no class":       func(e *contract.Entry) bool { e.Class = ""; return true },
		"no summary":     func(e *contract.Entry) bool { e.Summary = ""; return true },
		"no undo":        func(e *contract.Entry) bool { had := e.Undo != ""; e.Undo = ""; return had },
		"no discards":    func(e *contract.Entry) bool { had := e.Discards != ""; e.Discards = ""; return had },
		"writes": func(e *contract.Entry) bool {
			if len(e.Writes) > 0 {
				e.Writes = nil
			} else {
				e.Writes = []string{"plan"}
			}
			return true
		},
		"carries beyond its class": func(e *contract.Entry) bool {
			e.Calls = append(slices.Clone(e.Calls), "runtime")
			return !e.Previews && e.Class != "runtime"
		},
		"a preview": func(e *contract.Entry) bool {
			had := e.Previews
			e.Previews = true
			return !had && !(e.Runs == contract.RunsCarrier && e.Class == "read_only")
		},
		"twice": func(e *contract.Entry) bool {
			if len(e.Parameters) == 0 {
				return false
			}
			e.Parameters = append(slices.Clone(e.Parameters), e.Parameters[0])
			return true
		},
		"a lowering that leaves all": func(e *contract.Entry) bool {
			if len(e.Lowerings) == 0 {
				return false
			}
			e.Lowerings = slices.Clone(e.Lowerings)
			e.Lowerings[0].Effects = e.Effects
			return true
		},
	}
}

func TestEachLieAboutEachToolIsFoundAlthoughItWasCommitted(t *testing.T) {
	d := build(t).Document
	for name, lie := range lies() {
		told := 0
		for _, e := range d.Tools {
			if lie(&e) {
				told++
				assert.NotEmpty(t, errorsOf(contract.Verify(alone(d, e)), e.Name), "%s: %s", e.Name, name)
			}
		}
		assert.NotZero(t, told, name)
	}
}

func TestEachFaultOfEachSchemaIsFoundAlthoughItWasCommitted(t *testing.T) {
	d := build(t).Document
	for _, e := range d.Tools {
		schema := loose(t, e.Schema).(map[string]any)
		for path, changed := range deviations(schema, "") {
			if strings.HasSuffix(path, "/description") || strings.Contains(path, "/items/") {
				continue // texts, which the golden keeps, and what is within a list, below
			}
			assert.NotEmpty(t, errorsOf(reschema(t, d, e, changed), e.Name), "%s %s", e.Name, path)
		}
		for _, change := range []func(map[string]any){
			func(s map[string]any) { delete(s, "additionalProperties") },
			func(s map[string]any) { s["additionalProperties"] = map[string]any{} },
			func(s map[string]any) { s["patternProperties"] = map[string]any{} },
			func(s map[string]any) { s["anyOf"] = []any{} },
			func(s map[string]any) { delete(s, "type") },
			func(s map[string]any) { s["required"] = []any{"nothing"} },
			func(s map[string]any) {
				s["properties"] = maps.Clone(s["properties"].(map[string]any))
				s["properties"].(map[string]any)["new"] = map[string]any{"type": "string", "description": "x"}
			},
		} {
			changed := maps.Clone(schema)
			change(changed)
			assert.NotEmpty(t, errorsOf(reschema(t, d, e, changed), e.Name), "%s %v", e.Name, changed)
		}
		for name, property := range schema["properties"].(map[string]any) {
			for _, key := range []string{"type", "minimum", "maximum", "minItems", "maxItems", "default", "enum"} {
				property := maps.Clone(property.(map[string]any))
				if _, there := property[key]; !there {
					continue
				}
				delete(property, key)
				changed := maps.Clone(schema)
				changed["properties"] = maps.Clone(schema["properties"].(map[string]any))
				changed["properties"].(map[string]any)[name] = property
				assert.NotEmpty(t, errorsOf(reschema(t, d, e, changed), e.Name), "%s %s without %s", e.Name, name, key)
			}
		}
		assert.NotEmpty(t, errorsOf(reschema(t, d, e, "none"), e.Name))
	}
}

// reschema verifies a tool with another schema, committed as it is.
func reschema(t *testing.T, d contract.Document, e contract.Entry, schema any) []contract.Finding {
	t.Helper()
	e.Schema = text(t, schema)
	e.SchemaSHA256 = contract.Hash(e.Schema)
	return contract.Verify(alone(d, e))
}

func TestWithinListsNumbersAreBoundedAndObjectsClosed(t *testing.T) {
	d := build(t).Document
	low, high := int64(1), int64(9)
	e := contract.Entry{
		Name: "list_things", Summary: "List.", Toolset: "core", Effects: nil, Class: "read_only",
		Annotations: contract.Annotations{ReadOnly: true, Idempotent: true}, Demands: contract.Demands{Confirm: "none"},
		Runs: contract.RunsDaemon, Parameters: []contract.Parameter{{Name: "calls", Kind: "calls", Minimum: &low, Maximum: &high}},
	}
	const form = `{"type":"object","properties":{"calls":{"type":"array","description":"x","minItems":1,"maxItems":9,"items":ITEM}},` +
		`"additionalProperties":false}`
	for item, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`: "",
		`{"type":"integer","minimum":1,"maximum":2}`:                                          "",
		`{"type":"object","properties":{"a":{"type":"string"}}}`:                              "schema_open",
		`{"type":"integer"}`:                        "number_unbounded",
		`{"type":"number","minimum":0}`:             "number_unbounded",
		`{"type":"number","minimum":2,"maximum":1}`: "number_unbounded",
		`{"type":"object","properties":{"a":{"type":"number","maximum":1}},"additionalProperties":false}`: "number_unbounded",
		`{"type":"string","pattern":".*"}`: "schema_unreadable",
		`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":"false"}}`: "schema_open",
	} {
		found := reschema(t, d, e, json.RawMessage(strings.Replace(form, "ITEM", item, 1)))
		if want == "" {
			assert.Empty(t, errorsOf(found, e.Name), item)
		} else {
			has(t, found, e.Name, want)
		}
	}
}

func TestARegisteredToolThatIsNotTheTables(t *testing.T) {
	whole := build(t)
	entries := map[string]contract.Entry{}
	for _, e := range whole.Document.Tools {
		entries[e.Name] = e
	}
	for _, registered := range loose(t, whole.Fronts[0].List).(map[string]any)["tools"].([]any) {
		one := registered.(map[string]any)
		name := one["name"].(string)
		facts := alone(whole.Document, entries[name])
		with := func(listed ...any) []contract.Finding {
			facts.Fronts = []contract.Front{{List: text(t, map[string]any{"tools": listed}), Listed: []string{name}}}
			return contract.Verify(facts)
		}
		require.Empty(t, errorsOf(with(one), name))
		for path, changed := range deviations(one, "") {
			if !strings.HasPrefix(path, "/outputSchema") { // that is the same for all tools, and says nothing
				assert.NotEmpty(t, errorsOf(with(changed), name), "%s %s", name, path)
			}
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			bare := maps.Clone(one)
			bare["annotations"] = maps.Clone(one["annotations"].(map[string]any))
			delete(bare["annotations"].(map[string]any), hint)
			has(t, with(bare), name, "registered_annotations")
		}
		has(t, with(), name, "not_registered")
		has(t, with(one, one), name, "registered_twice")
		has(t, with(one, map[string]any{"name": "rm_rf", "inputSchema": map[string]any{}}), "rm_rf", "registered_unknown")
	}
	hidden := whole
	hidden.Fronts = []contract.Front{{List: whole.Fronts[0].List, Listed: whole.Fronts[0].Listed[1:]}}
	has(t, contract.Verify(hidden), whole.Fronts[0].Listed[0], "registered_unlisted")
	for _, bad := range []string{"", "x", `{"tools":1}`, `{"tools":[],"nextCursor":"more"}`} {
		facts := whole
		facts.Fronts = []contract.Front{{List: json.RawMessage(bad)}}
		has(t, contract.Verify(facts), contract.SubjectMCP, "list_unreadable")
	}
}
