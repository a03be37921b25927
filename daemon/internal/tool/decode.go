package tool

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"

	"drawbridge/protocol"
)

// Decode reads the arguments of a call strictly: unknown and duplicate keys, wrong types and values out of bounds
// are refused with what was expected; defaults are filled in.
func (t *Tool) Decode(raw json.RawMessage) (Args, error) {
	args, err := t.decode(raw)
	if err != nil { // a plain nil, not a nil *protocol.Error inside an error
		return Args{}, err
	}
	return args, nil
}

func (t *Tool) decode(raw json.RawMessage) (Args, *protocol.Error) {
	object, err := parseObject(raw)
	if err != nil {
		return Args{}, err
	}
	if err := t.refuseUnknown(object); err != nil {
		return Args{}, err
	}
	args := newArgs(t, make(map[string]any, len(t.params)))
	for _, p := range t.params {
		value, given := object[p.Name]
		switch {
		case given && p.leftOut(value):
		case given:
			v, err := p.read(value)
			if err != nil {
				return Args{}, err
			}
			args.values[p.Name] = v
		case p.Required:
			return Args{}, protocol.Fail(protocol.ValidationError, "%s is missing", p.Name).
				With("param", p.Name).With("expected", p.expected())
		case p.Default != nil:
			args.values[p.Name] = p.Default
		}
	}
	return args, t.checkForm(args)
}

func (t *Tool) refuseUnknown(object map[string]json.RawMessage) *protocol.Error {
	var unknown []string
	for _, key := range sortedKeys(object) {
		if _, ok := t.index[key]; !ok {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	allowed := make([]string, len(t.params))
	for i, p := range t.params {
		allowed[i] = p.Name
	}
	return protocol.Fail(protocol.ValidationError, "unknown argument: %s", strings.Join(unknown, ", ")).
		With("unknown", unknown).With("allowed", allowed).
		WithHint("%s takes: %s", t.Name(), strings.Join(allowed, ", "))
}

// checkForm sees that exactly one of the tool's forms is given, and given whole.
func (t *Tool) checkForm(a Args) *protocol.Error {
	if len(t.spec.OneOf) == 0 {
		return nil
	}
	whole, touched := 0, 0
	for _, form := range t.spec.OneOf {
		given := 0
		for _, name := range form {
			if a.Has(name) {
				given++
			}
		}
		if given > 0 {
			touched++
		}
		if given == len(form) {
			whole++
		}
	}
	if whole == 1 && touched == 1 {
		return nil
	}
	forms := make([]string, len(t.spec.OneOf))
	for i, form := range t.spec.OneOf {
		forms[i] = strings.Join(form, " with ")
	}
	return protocol.Fail(protocol.ValidationError, "give exactly one of: %s", strings.Join(forms, "; or ")).
		With("one_of", t.spec.OneOf)
}

// leftOut tells whether an optional name or path is given as "", which callers write for "none".
func (p Param) leftOut(raw json.RawMessage) bool {
	return !p.Required && p.Default == nil && p.Kind.text() && len(p.Enum) == 0 && string(raw) == `""`
}

// read decodes one value by the parameter's kind.
func (p Param) read(raw json.RawMessage) (any, *protocol.Error) {
	switch p.Kind {
	case Value:
		return raw, nil
	case ValueMap, Object:
		if raw[0] != '{' {
			return nil, p.wrong(raw)
		}
		return raw, nil
	case Bool:
		return p.readBool(raw)
	case Int:
		return p.readInt(raw)
	case StringList:
		return p.readList(raw)
	case Commands:
		return p.readCommands(raw)
	default:
		return p.readText(raw)
	}
}

func (p Param) readBool(raw json.RawMessage) (any, *protocol.Error) {
	switch string(raw) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, p.wrong(raw)
}

// readInt takes 5 and 5.0, which JSON Schema calls integers alike, exactly and within bounds.
func (p Param) readInt(raw json.RawMessage) (any, *protocol.Error) {
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') || len(raw) > 40 {
		return nil, p.wrong(raw)
	}
	if strings.ContainsAny(string(raw), "eE") {
		return nil, p.wrong(raw)
	}
	number, ok := new(big.Rat).SetString(string(raw))
	if !ok || !number.IsInt() || !number.Num().IsInt64() {
		return nil, p.wrong(raw)
	}
	if n := number.Num().Int64(); n >= p.Min && n <= p.Max {
		return n, nil
	}
	return nil, p.wrong(raw)
}

func (p Param) readList(raw json.RawMessage) (any, *protocol.Error) {
	var items []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return nil, p.wrong(raw)
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		text, err := p.readText(item)
		if err != nil {
			return nil, p.wrong(raw)
		}
		list = append(list, text.(string))
	}
	return list, nil
}

func (p Param) readText(raw json.RawMessage) (any, *protocol.Error) {
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return nil, p.wrong(raw)
	}
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, text) {
		return nil, p.wrong(raw).With("enum", p.Enum)
	}
	// Godot's strings end at a NUL. A path with one is refused with its own code at the containment step.
	if !p.Kind.path() && strings.ContainsRune(text, 0) {
		return nil, p.wrong(raw)
	}
	return p.readName(text, raw)
}

// readName checks the texts that have a form of their own. One that is empty by default may be given as empty.
func (p Param) readName(text string, raw json.RawMessage) (any, *protocol.Error) {
	if text == "" && p.Default == "" || p.Kind == String || p.Kind.path() {
		return text, nil
	}
	var failure *protocol.Error
	switch p.Kind {
	case NodePath:
		text, failure = protocol.ParseNodePath(text)
	case NodeName:
		text, failure = protocol.ParseNodeName(text)
	case TypeName:
		if !isIdentifier(text) { // it may end up in the text of a script
			failure = p.wrong(raw)
		}
	default:
		if text == "" {
			failure = p.wrong(raw)
		}
	}
	if failure != nil {
		return nil, failure.With("param", p.Name)
	}
	return text, nil
}

// isIdentifier tells whether a text can be the name of a class: a letter or underscore, then also digits and marks.
func isIdentifier(text string) bool {
	for i, r := range text {
		switch {
		case r == '_' || unicode.IsLetter(r):
		case i > 0 && (unicode.IsDigit(r) || unicode.IsMark(r)):
		default:
			return false
		}
	}
	return text != ""
}

// wrong names the parameter, what it takes and what came, cut to a glance.
func (p Param) wrong(raw json.RawMessage) *protocol.Error {
	got := []rune(string(raw))
	if len(got) > 80 {
		got = append(got[:80], '…')
	}
	return protocol.Fail(protocol.ValidationError, "%s takes %s, not %s", p.Name, p.expected(), string(got)).
		With("param", p.Name).With("expected", p.expected()).With("got", string(got))
}

// seconds turns a checked number of seconds into a duration.
func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }
