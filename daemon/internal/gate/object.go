package gate

import (
	"bytes"
	"encoding/json"
)

// member is one entry of a JSON object. quoted is its name as it is written there.
type member struct {
	name          string
	quoted, value json.RawMessage
}

// membersOf takes a valid object apart, in its order. The object may be large, so its values are only passed over.
func membersOf(object json.RawMessage) []member {
	var members []member
	var m member
	depth, from := 0, 0 // from: where the value begins
	for i := 0; i < len(object); i++ {
		switch object[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := i + stringLength(object[i:])
			if depth == 1 && m.quoted == nil {
				m.quoted = object[i:end]
				m.name = nameOf(m.quoted)
				end += bytes.IndexByte(object[end:], ':') + 1
				from = end
			}
			i = end - 1
			continue
		}
		if m.quoted != nil && (depth == 0 || depth == 1 && object[i] == ',') {
			m.value = bytes.TrimSpace(object[from:i])
			members = append(members, m)
			m = member{}
		}
	}
	return members
}

// objectOf puts members together again.
func objectOf(members []member) json.RawMessage {
	size := 2
	for _, m := range members {
		size += len(m.quoted) + len(m.value) + len(":,")
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(m.quoted)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// stringLength is the length of the valid JSON string that b begins with, quotes included.
func stringLength(b []byte) int {
	from := 1
	end := from + bytes.IndexByte(b[from:], '"')
	for {
		backslash := bytes.IndexByte(b[from:end], '\\')
		if backslash < 0 {
			return end + 1
		}
		if from += backslash + 2; from > end { // the quote was an escaped one
			end = from + bytes.IndexByte(b[from:], '"')
		}
	}
}

// nameOf reads a valid JSON string.
func nameOf(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var name string
	_ = json.Unmarshal(quoted, &name) // valid, so it succeeds
	return name
}
