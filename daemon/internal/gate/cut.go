package gate

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"drawbridge/protocol"
)

// What a reply shows at most, in characters. Whatever is cut says so, and no call fails for the length of its reply:
// it may be a write, which is done by then.
const (
	maxMessage = 2000
	maxDetails = 16384
	maxContent = 200_000
	cutMark    = "… [cut]"

	noteRoom = 4000 // what the note on the cuts gets
	maxNoted = 10   // how many of them it names
	maxPath  = 100
	markRoom = 80 // what a mark gets
)

// cutNote is the part of a reply that says what was cut from it.
type cutNote struct {
	Characters int      `json:"characters"`
	Limit      int      `json:"limit"`
	Cut        []string `json:"cut"`
	Hint       string   `json:"hint"`
}

// cutValue stands for a value that is not shown: the mark that the addon has for values, too.
type cutValue struct {
	Kind   string `json:"$truncated"`
	Size   int    `json:"size"`
	Reason string `json:"reason"`
}

// fit replaces the largest parts of a reply's body by marks until it is short enough, and notes which. Small parts
// stay, so what a call did is always told.
func fit(body json.RawMessage) (json.RawMessage, error) {
	size := characters(body)
	if size <= maxContent {
		return body, nil
	}
	c := &cutter{}
	short, err := c.shorten("", body, maxContent-noteRoom)
	if err != nil {
		return nil, err
	}
	return withExtras(short, []field{{"truncated", cutNote{
		Characters: size, Limit: maxContent, Cut: c.cut,
		Hint: "ask for less: limit and offset page rows, properties names single values",
	}}})
}

// cutter keeps the paths of what it cut.
type cutter struct {
	cut []string
}

// shorten makes a value fit into so many characters. An object gives each member a fair share, and what one does not
// need goes to the larger ones; anything else is shown whole or not at all.
func (c *cutter) shorten(path string, value json.RawMessage, most int) (json.RawMessage, error) {
	size := characters(value)
	if size <= most {
		return value, nil
	}
	if value[0] != '{' {
		return c.mark(path, value, size)
	}
	var err error
	members := membersOf(value)
	order := make([]int, len(members))
	for i, m := range members {
		order[i] = i
		most -= len(m.name) + len(`"":,`)
	}
	if most < len(members)*markRoom {
		return c.mark(path, value, size)
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(members[a].value) - len(members[b].value) })
	for i, at := range order {
		m := &members[at]
		if m.value, err = c.shorten(path+"."+m.name, m.value, most/(len(order)-i)); err != nil {
			return nil, err
		}
		most -= characters(m.value)
	}
	return objectOf(members), nil
}

func (c *cutter) mark(path string, value json.RawMessage, size int) (json.RawMessage, error) {
	if len(c.cut) < maxNoted {
		c.cut = append(c.cut, cut(path[min(1, len(path)):], maxPath))
	}
	kind := "String"
	switch value[0] {
	case '{':
		kind = "Dictionary"
	case '[':
		kind = "Array"
	}
	return encode(cutValue{kind, size, "reply_size"})
}

// capped shortens what would flood the client, and says so.
func capped(e *protocol.Error) *protocol.Error {
	short := *e
	short.Message = cut(short.Message, maxMessage)
	short.Hint = cut(short.Hint, maxMessage)
	if text, err := encode(short.Details); err == nil && characters(text) > maxDetails {
		short.Details = map[string]any{"cut": cut(string(text), maxDetails), "truncated": true}
	}
	return &short
}

// cut gives the beginning of a text that is too long.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + cutMark
}

// characters counts the characters of JSON text.
func characters(text []byte) int {
	return utf8.RuneCount(text)
}
