package safety

import (
	"strings"
	"unicode/utf8"
)

// kind says what a token of GDScript is, as far as looking for words needs it.
type kind uint8

const (
	word    kind = iota // an identifier or keyword
	literal             // a text of any form; text holds what it says, escapes resolved
	number
	sign  // any other character
	fault // what cannot be read for sure
)

// token is one token. Comments, blanks, line ends and line continuations are none.
type token struct {
	text string
	pos  int32 // byte offset in the code
	line int32 // from 1
	kind kind
}

// is says whether the token is this sign or word, and not a text that says the same.
func (t token) is(text string) bool { return (t.kind == word || t.kind == sign) && t.text == text }

// scanner splits GDScript into tokens the way the engine's own tokenizer does: what that one takes for a comment or a
// text is one here. Line ends are no tokens, so that no way of breaking a line hides anything.
type scanner struct {
	code string
	pos  int
	line int
	out  []token
}

// maxCode is the longest text that is read, in bytes: more than any script that the addon takes. It keeps positions in
// 32 bits, as there are many.
const maxCode = 4 << 20

// tokens reads all of code, in linear time. A fault is a token of its own: text that is not UTF-8, a text that does not
// end, or a control character over which readers of files differ (some drop it, which joins what stands beside it).
func tokens(code string) []token {
	if len(code) > maxCode {
		return []token{{text: "the text is too long", line: 1, kind: fault}}
	}
	s := scanner{code: strings.TrimPrefix(code, "\ufeff"), line: 1, out: make([]token, 0, len(code)/6)}
	shift := len(code) - len(s.code)
	if !utf8.ValidString(code) {
		s.add(fault, "the text is not UTF-8", 0, 1)
	}
	for s.pos < len(s.code) {
		s.next()
	}
	for i := range s.out {
		s.out[i].pos += int32(shift)
	}
	return s.out
}

func (s *scanner) add(k kind, text string, pos, line int) {
	s.out = append(s.out, token{text, int32(pos), int32(line), k})
}

// next reads one token, or what stands between two.
func (s *scanner) next() {
	at := s.pos
	c := s.code[at]
	switch {
	case c == '\n':
		s.line++
		s.pos++
	case c == ' ' || c == '\t':
		s.pos++
	case c == '\\' && s.breaksLine():
		s.pos++ // the line end is next
	case c == '#':
		s.comment()
	case c < ' ' || c == 0x7f:
		s.control()
	case c == '"' || c == '\'':
		s.text(false)
	case (c == 'r' || c == '&' || c == '^') && s.quoteAt(at+1):
		s.pos++
		s.text(c == 'r')
	case isWordByte(c):
		s.wordOrNumber()
	default:
		s.add(sign, s.code[at:at+1], at, s.line)
		s.pos++
	}
}

// breaksLine says whether the backslash at pos continues the line.
func (s *scanner) breaksLine() bool {
	rest := s.code[s.pos+1:]
	return strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n")
}

// control passes a carriage return that belongs to a line end, and makes a fault of any other control character.
func (s *scanner) control() {
	if !strings.HasPrefix(s.code[s.pos:], "\r\n") {
		s.add(fault, "a control character", s.pos, s.line)
	}
	s.pos++
}

// comment passes a comment, which only a line feed ends.
func (s *scanner) comment() {
	end := strings.IndexByte(s.code[s.pos:], '\n')
	if end < 0 {
		end = len(s.code) - s.pos
	}
	s.dropped(s.code[s.pos:s.pos+end], s.pos)
	s.pos += end
}

// dropped makes a fault of the characters in a comment or text which a reader may drop or end at.
func (s *scanner) dropped(part string, pos int) {
	if strings.IndexByte(part, 0) >= 0 || strings.Count(part, "\r") != strings.Count(part, "\r\n")+endsInCR(s.code, part, pos) {
		s.add(fault, "a control character", pos, s.line)
	}
}

// endsInCR counts the carriage return of the line end that stands right behind a part.
func endsInCR(code, part string, pos int) int {
	if end := pos + len(part); strings.HasSuffix(part, "\r") && end < len(code) && code[end] == '\n' {
		return 1
	}
	return 0
}

func (s *scanner) quoteAt(at int) bool {
	return at < len(s.code) && (s.code[at] == '"' || s.code[at] == '\'')
}

// isWordByte says whether a byte is part of a word or number: all that is not ASCII is, as the engine's words are
// compared byte by byte.
func isWordByte(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (s *scanner) wordOrNumber() {
	from := s.pos
	for s.pos < len(s.code) && isWordByte(s.code[s.pos]) {
		s.pos++
	}
	k := word
	if c := s.code[from]; c >= '0' && c <= '9' {
		k = number
	}
	s.add(k, s.code[from:s.pos], from, s.line)
}

// text reads a text from its opening quote: with one quote or three, over any number of lines. A backslash takes the
// character behind it out of the game in raw texts too.
func (s *scanner) text(raw bool) {
	from, line := s.pos, s.line
	quote := s.code[from : from+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(s.code[from:], triple) {
		quote = triple
	}
	s.pos += len(quote)
	body := s.pos
	for s.pos < len(s.code) {
		switch rest := s.code[s.pos:]; {
		case strings.HasPrefix(rest, quote):
			part := s.code[body:s.pos]
			s.dropped(part, body)
			s.add(literal, said(part, raw), from, line)
			s.pos += len(quote)
			return
		case rest[0] == '\n':
			s.line++
		case rest[0] == '\\' && len(rest) > 1 && rest[1] != '\n':
			s.pos++
		}
		s.pos++
	}
	s.add(fault, "a text that does not end", from, line)
}

// said gives what a text says: escapes resolved, unless it is raw.
func said(part string, raw bool) string {
	if raw || strings.IndexByte(part, '\\') < 0 {
		return part
	}
	var out strings.Builder
	for i := 0; i < len(part); i++ {
		if part[i] != '\\' || i+1 == len(part) {
			out.WriteByte(part[i])
			continue
		}
		i++
		if strings.HasPrefix(part[i:], "\r\n") {
			i++
		}
		digits := map[byte]int{'u': 4, 'U': 6}[part[i]]
		if r, ok := hexRune(part[i+1:], digits); ok {
			out.WriteRune(r)
			i += digits
			continue
		}
		out.WriteString(escaped(part[i]))
	}
	return out.String()
}

// escaped gives what a backslash and one character stand for. A line end behind it is none of the text; which blank or
// control character it is makes no difference here.
func escaped(c byte) string {
	switch c {
	case '\n':
		return ""
	case 'a', 'b', 'f', 'n', 'r', 't', 'v':
		return " "
	}
	return string([]byte{c})
}

func hexRune(rest string, digits int) (rune, bool) {
	if digits == 0 || len(rest) < digits {
		return 0, false
	}
	var r rune
	for _, c := range []byte(rest[:digits]) {
		at := strings.IndexByte("0123456789abcdef", c|0x20)
		if at < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(at)
	}
	return r, true
}
