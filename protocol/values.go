package protocol

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxValueDepth bounds how deeply lists and objects of a caller's value may nest.
const MaxValueDepth = 64

const (
	// maxExactDigits and maxExactExponent bound the decimal literals that Godot reads exactly: digits that fit a
	// float64 mantissa, scaled once by a power of ten that is itself exact. A third of all other literals come out
	// one unit off (measured on 4.6.3), so those travel as their bits.
	maxExactDigits   = 15
	maxExactExponent = 22
)

// EncodeValue turns a caller's JSON value into the form of Godot's JSON.from_native, in which 64-bit integers stay
// integers: "i:1", "f:1.5", "s:text", true, null, lists, and {"type":"Dictionary","args":[key, value, …]} with the
// keys in the caller's order. Tags such as {"$type": …} pass as dictionaries; the addon reads them. Whatever Godot
// could not hold unchanged is refused: numbers out of range, U+0000, unpaired surrogates, invalid UTF-8, a key that
// stands twice, too much depth.
func EncodeValue(raw json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(raw) {
		return nil, Fail(ValidationError, "the value is not JSON").With("reason", "invalid_json")
	}
	if !utf8.Valid(raw) {
		return nil, Fail(ValidationError, "the value is not valid UTF-8").With("reason", "invalid_text")
	}
	enc := valueEncoder{in: raw, out: make([]byte, 0, len(raw)+len(raw)/2+16)}
	if err := enc.value(0); err != nil {
		return nil, err
	}
	return enc.out, nil
}

// valueEncoder walks text that json.Valid has passed, so it checks only what JSON itself allows.
type valueEncoder struct {
	in  []byte
	pos int
	out []byte
}

// value re-encodes the value that starts at pos. The result is nil or *Error.
func (e *valueEncoder) value(depth int) error {
	e.space()
	switch e.in[e.pos] {
	case '{':
		return e.object(depth + 1)
	case '[':
		return e.list(depth + 1)
	case '"':
		return e.text()
	case 't', 'n':
		e.copy(len("true"))
	case 'f':
		e.copy(len("false"))
	default:
		return e.number()
	}
	return nil
}

func (e *valueEncoder) space() {
	for e.pos < len(e.in) && strings.IndexByte(" \t\r\n", e.in[e.pos]) >= 0 {
		e.pos++
	}
}

func (e *valueEncoder) copy(n int) {
	e.out = append(e.out, e.in[e.pos:e.pos+n]...)
	e.pos += n
}

func (e *valueEncoder) list(depth int) error {
	if depth > MaxValueDepth {
		return tooDeep()
	}
	e.copy(1)
	for e.space(); e.in[e.pos] != ']'; e.space() {
		if e.in[e.pos] == ',' {
			e.copy(1)
		}
		if err := e.value(depth); err != nil {
			return err
		}
	}
	e.copy(1)
	return nil
}

func (e *valueEncoder) object(depth int) error {
	if depth > MaxValueDepth {
		return tooDeep()
	}
	e.out = append(e.out, `{"type":"Dictionary","args":[`...)
	seen := map[string]bool{}
	e.pos++
	for e.space(); e.in[e.pos] != '}'; e.space() {
		if e.in[e.pos] == ',' {
			e.copy(1)
			e.space()
		}
		if err := e.key(seen); err != nil {
			return err
		}
		if err := e.value(depth); err != nil {
			return err
		}
	}
	e.pos++
	e.out = append(e.out, "]}"...)
	return nil
}

// key re-encodes an object's key and its colon, and remembers the key in its decoded form: "a" and "\u0061" are one.
func (e *valueEncoder) key(seen map[string]bool) error {
	start := e.pos
	if err := e.text(); err != nil {
		return err
	}
	key := string(e.in[start+1 : e.pos-1])
	if strings.IndexByte(key, '\\') >= 0 {
		if err := json.Unmarshal(e.in[start:e.pos], &key); err != nil {
			return Fail(ValidationError, "a key is not JSON text").With("reason", "invalid_json")
		}
	}
	if seen[key] {
		return Fail(ValidationError, "the key %q stands twice in one object", key).
			With("reason", "duplicate_key").With("key", key)
	}
	seen[key] = true
	e.space()
	e.pos++ // the colon
	e.out = append(e.out, ',')
	return nil
}

// text copies a string with its escapes, which Godot reads the same way, once it is known to hold nothing that Godot
// would change.
func (e *valueEncoder) text() error {
	start := e.pos + 1
	end := start
	for e.in[end] != '"' {
		if e.in[end] != '\\' {
			end++
			continue
		}
		n, ok := escapeLength(e.in[end:])
		if !ok {
			return Fail(ValidationError, "text must not hold U+0000 or half of a surrogate pair").
				With("reason", "invalid_text").With("escape", string(e.in[end:end+6]))
		}
		end += n
	}
	e.out = append(e.out, `"s:`...)
	e.out = append(e.out, e.in[start:end+1]...)
	e.pos = end + 1
	return nil
}

// escapeLength is the length of the escape at the start of b (a surrogate pair counts as one), and whether Godot can
// hold what it stands for.
func escapeLength(b []byte) (int, bool) {
	if b[1] != 'u' {
		return 2, true
	}
	unit := hexUnit(b[2:6])
	switch {
	case unit == 0:
		return 6, false
	case unit < 0xd800 || unit > 0xdfff:
		return 6, true
	case unit > 0xdbff || len(b) < 12 || b[6] != '\\' || b[7] != 'u':
		return 6, false
	}
	low := hexUnit(b[8:12])
	return 12, low >= 0xdc00 && low <= 0xdfff
}

// hexUnit reads four hex digits. Callers pass digits that json.Valid has seen, or get a value that no test accepts.
func hexUnit(digits []byte) uint64 {
	unit, err := strconv.ParseUint(string(digits), 16, 32)
	if err != nil {
		return 0
	}
	return unit
}

func (e *valueEncoder) number() error {
	start := e.pos
	for e.pos < len(e.in) && strings.IndexByte("+-.0123456789eE", e.in[e.pos]) >= 0 {
		e.pos++
	}
	literal := string(e.in[start:e.pos])
	if strings.ContainsAny(literal, ".eE") {
		return e.float(literal)
	}
	i, err := strconv.ParseInt(literal, 10, 64)
	if err != nil {
		return Fail(ValidationError, "the integer %s does not fit 64 bits", clip(literal)).
			With("reason", "int_out_of_range").WithHint("write it with a decimal point when a float is meant")
	}
	e.out = append(e.out, `"i:`...)
	e.out = strconv.AppendInt(e.out, i, 10)
	e.out = append(e.out, '"')
	return nil
}

func (e *valueEncoder) float(literal string) error {
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || f == 0 && strings.ContainsAny(mantissa(literal), "123456789") {
		return Fail(ValidationError, "the number %s does not fit a 64-bit float", clip(literal)).
			With("reason", "float_out_of_range").WithHint(`infinity is written {"$float":"inf"}`)
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !exactInGodot(text) {
		e.out = fmt.Appendf(e.out, `{"type":"Dictionary","args":["s:$float","s:0x%016x"]}`, math.Float64bits(f))
		return nil
	}
	e.out = append(e.out, `"f:`...)
	e.out = append(e.out, text...)
	e.out = append(e.out, '"')
	return nil
}

// exactInGodot says whether Godot's own number reader gives exactly the float that the literal stands for.
func exactInGodot(literal string) bool {
	digits := strings.TrimPrefix(mantissa(literal), "-")
	exponent := 0
	if at := strings.IndexByte(literal, 'e'); at >= 0 {
		parsed, err := strconv.Atoi(literal[at+1:])
		if err != nil {
			return false
		}
		exponent = parsed
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent -= len(fraction)
	// Godot counts leading zeros as digits too.
	return len(whole)+len(fraction) <= maxExactDigits &&
		exponent >= -maxExactExponent && exponent <= maxExactExponent
}

// mantissa is the part of a float literal before its exponent.
func mantissa(literal string) string {
	if at := strings.IndexAny(literal, "eE"); at >= 0 {
		return literal[:at]
	}
	return literal
}

func tooDeep() error {
	return Fail(ValidationError, "the value nests more than %d levels", MaxValueDepth).With("reason", "too_deep")
}

// clip keeps a message readable when the offending text is long.
func clip(text string) string {
	const limit = 40
	if len(text) <= limit {
		return text
	}
	return text[:limit] + "…"
}
