package tool

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"drawbridge/protocol"
)

// maxDepth bounds nesting; the editor's own parser has a limit too, and nothing real comes near.
const maxDepth = 64

// parseObject reads a JSON object and refuses what a lenient reader would resolve by itself: a key that is there
// twice at any depth, text that is not Unicode, nesting without end.
func parseObject(raw json.RawMessage) (map[string]json.RawMessage, *protocol.Error) {
	if len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return map[string]json.RawMessage{}, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, protocol.Fail(protocol.ValidationError, "the arguments are not a JSON object").
			With("expected", "an object")
	}
	if err := scan(raw); err != nil {
		return nil, err
	}
	return object, nil
}

// level is one open object or list of the scan; keys is nil in a list.
type level struct {
	keys    map[string]bool
	wantKey bool
}

func scan(raw json.RawMessage) *protocol.Error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var stack []level
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return protocol.Fail(protocol.ValidationError, "the arguments are not valid JSON")
		}
		switch tok := token.(type) {
		case json.Delim:
			if stack = nest(stack, tok); len(stack) > maxDepth {
				return protocol.Fail(protocol.ValidationError, "the arguments are nested more than %d deep", maxDepth)
			}
			continue
		case string:
			if strings.ContainsRune(tok, '\uFFFD') && !mayHoldReplacement(raw) {
				return protocol.Fail(protocol.ValidationError, "a text of the arguments is not valid Unicode")
			}
			if key, err := takeKey(stack, tok); err != nil || key {
				if err != nil {
					return err
				}
				continue
			}
		}
		valueDone(stack)
	}
}

// nest follows an opening or closing bracket.
func nest(stack []level, d json.Delim) []level {
	switch d {
	case '{':
		return append(stack, level{keys: map[string]bool{}, wantKey: true})
	case '[':
		return append(stack, level{})
	}
	stack = stack[:len(stack)-1]
	valueDone(stack)
	return stack
}

func takeKey(stack []level, text string) (bool, *protocol.Error) {
	if len(stack) == 0 || !stack[len(stack)-1].wantKey {
		return false, nil
	}
	top := &stack[len(stack)-1]
	if top.keys[text] {
		return false, protocol.Fail(protocol.ValidationError, "the key %q is there twice", text).With("duplicate", text)
	}
	top.keys[text] = true
	top.wantKey = false
	return true, nil
}

func valueDone(stack []level) {
	if len(stack) > 0 && stack[len(stack)-1].keys != nil {
		stack[len(stack)-1].wantKey = true
	}
}

// mayHoldReplacement tells whether the caller wrote U+FFFD itself. Otherwise one that appears while decoding stands
// for text that was broken, which must not be changed silently.
func mayHoldReplacement(raw []byte) bool {
	return bytes.ContainsRune(raw, '\uFFFD') || bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`))
}

// canonical re-encodes JSON with sorted keys and untouched numbers, so that equal arguments have equal bytes.
func canonical(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
