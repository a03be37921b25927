package tool

import (
	"bytes"
	"encoding/json"

	"drawbridge/protocol"
)

// RecoveryRole says what the store of kept bytes has to do with a tool. Whatever a tool writes, the bytes that were
// there are kept before; that needs no role.
type RecoveryRole int

// The roles.
const (
	NoRecovery         RecoveryRole = iota
	MakesCheckpoint                 // the daemon itself keeps the project's files; the editor has no part in it
	RestoresFile                    // the editor gets the kept bytes of one file
	RestoresCheckpoint              // the editor gets the kept bytes of all files that differ from a checkpoint
)

// Command is one call of a batch.
type Command struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Commands gives the calls of a batch.
func (a Args) Commands(name string) []Command {
	var list []Command
	_ = json.Unmarshal(a.Raw(name), &list) // readCommands has read it before
	return list
}

// readCommands checks a list of calls. It is kept as it was written: what is inside is decoded by the tools named.
func (p Param) readCommands(raw json.RawMessage) (any, *protocol.Error) {
	var items []map[string]json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return nil, p.wrong(raw)
	}
	if n := int64(len(items)); n < p.Min || n > p.Max {
		return nil, p.wrong(raw).With("count", n)
	}
	for i, item := range items {
		if failure := p.checkCommand(raw, item); failure != nil {
			return nil, failure.With("entry", i)
		}
	}
	return raw, nil
}

func (p Param) checkCommand(raw json.RawMessage, item map[string]json.RawMessage) *protocol.Error {
	if item == nil {
		return p.wrong(raw)
	}
	for key, value := range item {
		var name string
		switch value = bytes.TrimSpace(value); key {
		case "tool":
			if value[0] != '"' || json.Unmarshal(value, &name) != nil || name == "" {
				return p.wrong(raw)
			}
		case "arguments":
			if value[0] != '{' {
				return p.wrong(raw)
			}
		default:
			return p.wrong(raw).With("unknown", []string{key})
		}
	}
	if item["tool"] == nil {
		return p.wrong(raw)
	}
	return nil
}
