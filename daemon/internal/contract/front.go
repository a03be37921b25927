package contract

import (
	"bytes"
	"encoding/json"
	"slices"

	"drawbridge/daemon/internal/safety"
)

// face is a tool as a client gets it. A hint that is not there is not false: the protocol's defaults differ.
type face struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	InputSchema json.RawMessage  `json:"inputSchema"`
	Hints       map[string]*bool `json:"annotations"`
	Meta        struct {
		Class safety.Class `json:"safety_class"`
	} `json:"_meta"`
}

// fronts compares what clients get with the table.
func (c *check) fronts(d Document, fronts []Front) {
	if len(fronts) == 0 {
		c.add(Finding{Warning, SubjectMCP, "list_absent", "what clients get was not looked at"})
	}
	for _, f := range fronts {
		c.front(d, f)
	}
}

// front compares one list.
func (c *check) front(d Document, f Front) {
	var list struct {
		Tools []face `json:"tools"`
		Next  string `json:"nextCursor"`
	}
	if err := json.Unmarshal(f.List, &list); err != nil || list.Next != "" {
		c.err(SubjectMCP, "list_unreadable", "it is no list of tools, or not all of one")
		return
	}
	table := byName(d.Tools)
	seen := map[string]bool{}
	for _, t := range list.Tools {
		c.want(!seen[t.Name], t.Name, "registered_twice", "clients get it twice")
		seen[t.Name] = true
		e, known := table[t.Name]
		if !known {
			c.err(t.Name, "registered_unknown", "clients get a tool that is not in the table")
			continue
		}
		c.want(slices.Contains(f.Listed, t.Name), t.Name, "registered_unlisted", "clients get it, and it is not to be listed")
		c.face(e, t)
	}
	for _, name := range f.Listed {
		c.want(seen[name], name, "not_registered", "clients do not get it")
	}
}

// face compares one tool as clients get it with the table.
func (c *check) face(e Entry, t face) {
	want := map[string]bool{
		"readOnlyHint": e.Annotations.ReadOnly, "destructiveHint": e.Annotations.Destructive,
		"idempotentHint": e.Annotations.Idempotent, "openWorldHint": e.Annotations.OpenWorld,
	}
	for _, hint := range keysOf(want) {
		got := t.Hints[hint]
		c.want(got != nil && *got == want[hint], e.Name, "registered_annotations", "%s is not %t", hint, want[hint])
	}
	c.want(t.Meta.Class == e.Class, e.Name, "registered_class", "clients get %q", t.Meta.Class)
	c.want(sameJSON(t.InputSchema, e.Schema), e.Name, "registered_schema", "clients get another schema")
	c.want(t.Description == e.Summary, e.Name, "registered_summary", "clients get another text")
}

// sameJSON compares two texts, whatever the order of their keys.
func sameJSON(a, b json.RawMessage) bool {
	x, okX := normal(a)
	y, okY := normal(b)
	return okX && okY && bytes.Equal(x, y)
}

func normal(raw json.RawMessage) ([]byte, bool) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil, false
	}
	return encode(v), true
}
