package protocol

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// RepairJSON makes valid JSON of what Godot writes wrongly inside strings: it leaves control characters raw and writes
// U+000B as \v. A frame without these comes back as it is, without a copy. It does not check the rest of the syntax;
// the decoder that follows does. A frame that must not be believed comes back as nil, which no decoder takes: invalid
// UTF-8 (Go would quietly change it), or a number that no float64 holds (Godot writes an untagged infinity as 1e99999).
func RepairJSON(frame []byte) []byte {
	if !utf8.Valid(frame) {
		return nil
	}
	var out []byte
	kept := 0 // frame[:kept] is in out already
	for i := 0; i < len(frame); {
		if frame[i] != '"' {
			if frame[i] < '0' || frame[i] > '9' {
				i++
				continue
			}
			end, ok := numberEnd(frame, i)
			if !ok {
				return nil
			}
			i = end
			continue
		}
		for i++; i < len(frame) && frame[i] != '"'; {
			if frame[i] >= 0x20 && frame[i] != '\\' {
				i++
				continue
			}
			n, fixed := stringUnit(frame[i:])
			if fixed != "" {
				out = append(append(out, frame[kept:i]...), fixed...)
				kept = i + n
			}
			i += n
		}
		i++
	}
	if kept == 0 {
		return frame
	}
	return append(out, frame[kept:]...)
}

// stringUnit is the length of the control character or escape at the start of b, inside a string, and what has to stand
// there instead (empty: it is fine).
func stringUnit(b []byte) (int, string) {
	switch {
	case b[0] < 0x20:
		return 1, fmt.Sprintf(`\u%04x`, b[0])
	case len(b) == 1 || b[1] < 0x20: // a backslash before nothing that it could escape: the decoder's fault to report
		return 1, ""
	case b[1] == 'v':
		return 2, `\u000b`
	}
	return 2, ""
}

// numberEnd is where the number at i ends, and whether a float64 holds it.
func numberEnd(frame []byte, i int) (int, bool) {
	end := i
	risky := false
	for end < len(frame) && strings.IndexByte("0123456789.eE+-", frame[end]) >= 0 {
		risky = risky || frame[end] == 'e' || frame[end] == 'E'
		end++
	}
	// Without an exponent it takes more than 300 digits to leave the range of float64.
	if !risky && end-i < 300 {
		return end, true
	}
	_, err := strconv.ParseFloat(string(frame[i:end]), 64)
	return end, !errors.Is(err, strconv.ErrRange)
}
