package contract

import (
	"bytes"
	_ "embed" // the golden
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

//go:embed golden.json
var committed []byte

// Golden is the contract as it was committed. It is generated, and its diff is what a reviewer of a tool reads.
func Golden() []byte { return slices.Clone(committed) }

// lineWidth is the longest line of the golden on which an object or list still stands whole.
const lineWidth = 140

// Render gives the golden's text: JSON in which whatever fits on a line stands on one, so that a changed fact is a
// changed line.
func Render(d Document) []byte {
	b := &bytes.Buffer{}
	layOut(b, d.JSON(), "")
	b.WriteByte('\n')
	return b.Bytes()
}

// layOut writes compact JSON, broken up where it is too long for a line.
func layOut(b *bytes.Buffer, raw json.RawMessage, indent string) {
	brackets, parts := takeApart(raw)
	if len(indent)+len(raw) <= lineWidth || len(parts) == 0 {
		b.Write(raw)
		return
	}
	b.WriteByte(brackets[0])
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent + "  ")
		if p.key != "" {
			b.WriteString(p.key + ": ")
		}
		layOut(b, p.value, indent+"  ")
	}
	b.WriteString("\n" + indent)
	b.WriteByte(brackets[1])
}

// part is an entry of an object, with its key as JSON, or of a list.
type part struct {
	key   string
	value json.RawMessage
}

// takeApart gives the entries of an object or list in their order; none for anything else.
func takeApart(raw json.RawMessage) (brackets string, parts []part) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	opening, err := dec.Token()
	switch {
	case err != nil:
		return "", nil
	case opening == json.Delim('{'):
		brackets = "{}"
	case opening == json.Delim('['):
		brackets = "[]"
	default:
		return "", nil
	}
	for dec.More() {
		var p part
		if brackets == "{}" {
			key, err := dec.Token()
			if err != nil {
				return "", nil
			}
			p.key = string(encode(key))
		}
		if err := dec.Decode(&p.value); err != nil {
			return "", nil
		}
		parts = append(parts, p)
	}
	return brackets, parts
}

// parse reads a golden strictly.
func parse(text []byte) (Document, error) {
	var d Document
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Document{}, fmt.Errorf("reading the golden: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Document{}, errors.New("reading the golden: there is something behind it")
	}
	if d.SchemaVersion != SchemaVersion {
		return Document{}, fmt.Errorf("reading the golden: its form is version %d and not %d", d.SchemaVersion, SchemaVersion)
	}
	return d, nil
}
