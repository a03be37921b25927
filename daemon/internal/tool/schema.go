package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// buildSchema writes the input schema with a small set of keywords, the ones that clients understand: type,
// properties, required, additionalProperties, description, enum, items, minimum, maximum, default.
func (t *Tool) buildSchema() json.RawMessage {
	b := &bytes.Buffer{}
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, p := range t.params {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%s:", jsonText(p.Name))
		p.writeSchema(b)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	b.WriteString(`}`)
	if len(required) > 0 {
		fmt.Fprintf(b, `,"required":%s`, jsonText(required))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

func (p Param) writeSchema(b *bytes.Buffer) {
	b.WriteByte('{')
	if typ := p.Kind.jsonType(); typ != "" {
		fmt.Fprintf(b, `"type":%q,`, typ)
	}
	if p.Shared { // the server's instructions explain those once, for all tools
		b.Truncate(b.Len() - 1)
	} else {
		fmt.Fprintf(b, `"description":%s`, jsonText(p.Doc))
	}
	if len(p.Enum) > 0 {
		fmt.Fprintf(b, `,"enum":%s`, jsonText(p.Enum))
	}
	switch p.Kind {
	case StringList:
		b.WriteString(`,"items":{"type":"string"}`)
	case Commands:
		fmt.Fprintf(b, `,"items":{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},`+
			`"required":["tool"],"additionalProperties":false},"minItems":%d,"maxItems":%d`, p.Min, p.Max)
	case Int:
		fmt.Fprintf(b, `,"minimum":%d,"maximum":%d`, p.Min, p.Max)
	}
	if p.Default != nil && p.Default != "" {
		fmt.Fprintf(b, `,"default":%s`, jsonText(p.Default))
	}
	b.WriteByte('}')
}

// jsonText encodes plain texts, lists of texts, numbers and booleans, which cannot fail.
func jsonText(v any) []byte {
	b := &bytes.Buffer{}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}
