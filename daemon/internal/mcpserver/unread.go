package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxHead is how much of a line that is not read is looked at for its id. Whoever writes id and method first needs
	// less than 100 bytes.
	maxHead = 4096
	// maxDepth is how deep a line may be nested: the bound of encoding/json.
	maxDepth = 10_000
)

// tooDeep tells whether a line that is not valid is so because of its depth.
func tooDeep(line []byte) bool {
	var syntax *json.SyntaxError
	var all json.RawMessage
	return errors.As(json.Unmarshal(line, &all), &syntax) && strings.HasSuffix(syntax.Error(), "exceeded max depth")
}

// headID finds the id of a request that is not read, in the beginning of its line. Only an id that stands there whole,
// with the method beside it, is one: without a method the line could be an answer of the client's, with an id of ours.
// The zero ID is null.
func headID(line []byte) jsonrpc.ID {
	head := line[:min(len(line), maxHead)]
	read := json.NewDecoder(bytes.NewReader(head))
	if begin, err := read.Token(); err != nil || begin != json.Delim('{') {
		return jsonrpc.ID{}
	}
	found := map[string]json.RawMessage{}
	for found["id"] == nil || found["method"] == nil {
		key, err := read.Token()
		name, isKey := key.(string)
		if err != nil || !isKey || found[name] != nil {
			return jsonrpc.ID{}
		}
		var value json.RawMessage
		if err := read.Decode(&value); err != nil || read.InputOffset() >= int64(len(head)) {
			return jsonrpc.ID{} // it may go on behind the head
		}
		found[name] = value
	}
	if found["method"][0] != '"' || !plainID(found["id"]) {
		return jsonrpc.ID{}
	}
	id, err := decodeID(found["id"])
	if err != nil {
		return jsonrpc.ID{}
	}
	return id
}

// plainID tells whether an id comes back as it was written: a text without escapes, or a whole number that every client
// can hold.
func plainID(raw json.RawMessage) bool {
	if raw[0] == '"' {
		return utf8.Valid(raw) && bytes.IndexByte(raw, '\\') < 0
	}
	number, err := strconv.ParseInt(string(raw), 10, 54)
	return err == nil && strconv.FormatInt(number, 10) == string(raw)
}
