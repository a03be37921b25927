package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"drawbridge/protocol"
)

// Args are the decoded arguments of one call, defaults included. They never change.
type Args struct {
	tool   *Tool
	values map[string]any
	digest func() (string, error) // asked for several times in a call, worked out once
}

func newArgs(t *Tool, values map[string]any) Args {
	return Args{tool: t, values: values, digest: sync.OnceValues(Args{tool: t, values: values}.hash)}
}

// Has tells whether the argument is there, given or by default.
func (a Args) Has(name string) bool {
	_, ok := a.values[name]
	return ok
}

// Text gives a textual argument, or "" when it is not there.
func (a Args) Text(name string) string {
	text, _ := a.values[name].(string)
	return text
}

// Int gives a whole number, or 0 when it is not there.
func (a Args) Int(name string) int64 {
	n, _ := a.values[name].(int64)
	return n
}

// Bool gives a truth value; what is not there is false.
func (a Args) Bool(name string) bool {
	b, _ := a.values[name].(bool)
	return b
}

// Raw gives an argument that is kept as the caller wrote it, or nil.
func (a Args) Raw(name string) json.RawMessage {
	raw, _ := a.values[name].(json.RawMessage)
	return raw
}

// DryRun tells whether the call only asks what would happen.
func (a Args) DryRun() bool { return a.shared(DryRun) && a.Bool(DryRun) }

// Confirmed tells whether the caller set confirm.
func (a Args) Confirmed() bool { return a.shared(Confirm) && a.Bool(Confirm) }

// ConfirmToken is the token of a dry run that the caller presents; "" for none.
func (a Args) ConfirmToken() string {
	if !a.shared(ConfirmToken) {
		return ""
	}
	return a.Text(ConfirmToken)
}

// IdempotencyKey is the caller's own name for this call.
func (a Args) IdempotencyKey() string {
	if !a.shared(IdempotencyKey) {
		return ""
	}
	return a.Text(IdempotencyKey)
}

// Timeout is how long the call may take, and whether the caller said so.
func (a Args) Timeout() (time.Duration, bool) {
	if a.shared(TimeoutSeconds) && a.Has(TimeoutSeconds) {
		return seconds(a.Int(TimeoutSeconds)), true
	}
	return a.tool.Deadline(), false
}

// shared tells whether name is the class's parameter here, not a tool's own one of the same name.
func (a Args) shared(name string) bool {
	if a.tool == nil { // no arguments were decoded
		return false
	}
	i, ok := a.tool.index[name]
	return ok && a.tool.params[i].Shared
}

// AsDryRun gives the same arguments as a dry run, or false when the tool has none.
func (a Args) AsDryRun() (Args, bool) {
	if !a.shared(DryRun) {
		return Args{}, false
	}
	copied := make(map[string]any, len(a.values))
	for k, v := range a.values {
		copied[k] = v
	}
	copied[DryRun] = true
	return newArgs(a.tool, copied), true
}

// AsRehearsal gives the same arguments as a dry run that presents no token.
func (a Args) AsRehearsal() (Args, bool) {
	dry, ok := a.AsDryRun()
	if ok && a.shared(ConfirmToken) {
		delete(dry.values, ConfirmToken)
	}
	return dry, ok
}

// Code lists the texts among the arguments that are program code.
func (a Args) Code() []string {
	if a.tool == nil { // no arguments were decoded
		return nil
	}
	var code []string
	for _, p := range a.tool.params {
		if text, given := a.values[p.Name].(string); given && p.Code {
			code = append(code, text)
		}
	}
	return code
}

// PathArg is a file that an argument names.
type PathArg struct {
	Param  string
	Path   string
	Writes bool // it is written
	Scene  bool // it is a scene file
}

// Paths lists the files that the arguments name. An optional path left empty names none.
func (a Args) Paths() []PathArg {
	if a.tool == nil { // no arguments were decoded
		return nil
	}
	var paths []PathArg
	for _, p := range a.tool.params {
		text, given := a.values[p.Name].(string)
		if !p.Kind.path() || !given || (text == "" && p.Default == "") {
			continue
		}
		paths = append(paths, PathArg{p.Name, text, a.tool.WritesFiles() && !p.ReadsOnly, p.Kind == ScenePath})
	}
	return paths
}

// Values lists the arguments in client form, by parameter name; they may name resources.
func (a Args) Values() map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	for _, p := range a.tool.params {
		if p.Kind == Value || p.Kind == ValueMap {
			if raw := a.Raw(p.Name); raw != nil {
				values[p.Name] = raw
			}
		}
	}
	return values
}

// Wire encodes the tool's own arguments for the addon: values in tagged form, the rest as plain JSON.
func (a Args) Wire() (json.RawMessage, error) {
	b := &bytes.Buffer{}
	b.WriteByte('{')
	for _, p := range a.tool.params {
		v, given := a.values[p.Name]
		if p.Shared || !given {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(jsonText(p.Name))
		b.WriteByte(':')
		if err := p.writeWire(b, v); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (p Param) writeWire(b *bytes.Buffer, v any) error {
	raw, isRaw := v.(json.RawMessage)
	if !isRaw {
		b.Write(jsonText(v))
		return nil
	}
	if p.Kind == Object || p.Kind == Commands {
		b.Write(raw)
		return nil
	}
	encoded, err := protocol.EncodeValue(raw)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", p.Name, err)
	}
	b.Write(encoded)
	return nil
}

// Digest hashes tool and arguments in canonical form, defaults included. It leaves out what may differ between two
// calls that mean the same: dry_run, confirm, its token, how long the caller waits, and the idempotency key itself.
func (a Args) Digest() (string, error) {
	if a.tool == nil {
		return "", errors.New("hashing the arguments: none were decoded")
	}
	return a.digest()
}

func (a Args) hash() (string, error) {
	plain := make(map[string]any, len(a.values))
	for name, v := range a.values {
		if a.shared(name) && slices.Contains([]string{DryRun, Confirm, ConfirmToken, TimeoutSeconds, IdempotencyKey}, name) {
			continue
		}
		if raw, ok := v.(json.RawMessage); ok {
			parsed, err := canonical(raw)
			if err != nil {
				return "", fmt.Errorf("hashing %s: %w", name, err)
			}
			v = parsed
		}
		plain[name] = v
	}
	text, err := json.Marshal(plain) // maps are written with sorted keys
	if err != nil {
		return "", fmt.Errorf("hashing the arguments: %w", err)
	}
	sum := sha256.Sum256(append([]byte(a.tool.Name()+"\n"), text...))
	return hex.EncodeToString(sum[:]), nil
}

// Action is the name of the undo action, as the user reads it in the editor's history.
func (a Args) Action() string {
	if a.tool.spec.Action == "" {
		return ""
	}
	text := &strings.Builder{}
	for rest := a.tool.spec.Action; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		text.WriteString(before)
		if !found {
			break
		}
		name, tail, _ := strings.Cut(after, "}")
		name, word, _ := strings.Cut(name, "|")
		if value := a.Text(name); value != "" {
			word = value
		}
		text.WriteString(printable(word))
		rest = tail
	}
	return "Drawbridge: " + text.String()
}

// printable keeps a caller's text on one short line of the editor's history.
func printable(s string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s))
	if len(runes) > 60 {
		runes = append(runes[:60], '…')
	}
	return string(runes)
}
