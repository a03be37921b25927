package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A line ends with the mac of the line before it and its own, which covers everything in front of it:
//
//	{"kind":…,"prev":"<64 hex>","mac":"<64 hex>"}
const (
	prevKey  = `,"prev":"`
	macKey   = `","mac":"`
	lineEnd  = `"}`
	macChars = 2 * sha256.Size
	bodyTail = len(prevKey) + macChars
	lineTail = bodyTail + len(macKey) + macChars + len(lineEnd)
)

// keys are the two secrets made from the one on the disk, so that no head passes for a line. Not for concurrent use.
type keys struct {
	line, head hash.Hash
}

func newKeys(secret []byte) *keys {
	derive := func(use string) hash.Hash {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte("drawbridge audit " + use))
		return hmac.New(sha256.New, h.Sum(nil))
	}
	return &keys{line: derive("line"), head: derive("head")}
}

// sign gives the mac of a text as hex.
func sign(with hash.Hash, text []byte) string {
	var sum [sha256.Size]byte
	with.Reset()
	with.Write(text)
	return hex.EncodeToString(with.Sum(sum[:0]))
}

// zeroMAC stands for the mac of the line before the first.
func zeroMAC() string { return string(bytes.Repeat([]byte{'0'}, macChars)) }

// appendLine adds the line of an entry, with its line feed, to out and gives its mac.
func (k *keys) appendLine(out []byte, e Entry, prev string) (line []byte, mac string, err error) {
	text, err := json.Marshal(e.capped())
	if err != nil {
		return out, "", fmt.Errorf("encoding an audit line: %w", err)
	}
	from := len(out)
	out = appendPrintable(out, text[:len(text)-1])
	out = append(append(out, prevKey...), prev...)
	mac = sign(k.line, out[from:])
	out = append(append(append(out, macKey...), mac...), lineEnd...)
	return append(out, '\n'), mac, nil
}

// signed is a line taken apart.
type signed struct {
	body      []byte // what the mac covers
	prev, mac string
}

// split takes a line without its line feed apart; false when it has not the form of one.
func split(line []byte) (signed, bool) {
	at := len(line) - lineTail
	if at < 1 || line[0] != '{' {
		return signed{}, false
	}
	tail := line[at:]
	s := signed{
		body: line[:at+bodyTail],
		prev: string(tail[len(prevKey):bodyTail]),
		mac:  string(tail[bodyTail+len(macKey) : len(tail)-len(lineEnd)]),
	}
	whole := string(tail) == prevKey+s.prev+macKey+s.mac+lineEnd
	return s, whole && isHex(s.prev) && isHex(s.mac)
}

func isHex(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// genuine tells whether a line was written with our key.
func (k *keys) genuine(s signed) bool {
	return hmac.Equal([]byte(sign(k.line, s.body)), []byte(s.mac))
}

// decode reads the entry of a line.
func decode(line []byte) (Entry, bool) {
	var e Entry
	if json.Unmarshal(line, &e) != nil {
		return Entry{}, false
	}
	return e, true
}

// appendPrintable adds JSON text to out with everything escaped that does not show: control characters, marks that
// turn the direction of text, invisible ones. JSON has such characters in strings only, where an escape is the same.
func appendPrintable(out, text []byte) []byte {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		switch {
		case r >= ' ' && r < 0x7f, r != utf8.RuneError && unicode.IsPrint(r):
			out = append(out, text[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}

// visible is a text as it may be shown on a terminal.
func visible(text string) string { return string(appendPrintable(nil, []byte(text))) }

// sample is the start of what was found in a file, for a note.
func sample(text []byte) string {
	return strconv.Quote(string(text[:min(len(text), maxTarget)]))
}
