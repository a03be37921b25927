package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// nameSetting is the setting that holds a project's name.
	nameSetting = "application/config/name"
	// mostProjectBytes bounds project.godot; large ones have a few hundred kilobytes.
	mostProjectBytes = 4 << 20
)

// ProjectName reads application/config/name from a project's project.godot, as text and strictly: the engine's parser
// forgives much, and a name that two readers could read differently is no identity. It is an error when the file is a
// link, is too large, is not UTF-8, cannot be followed, or has no name or two.
func ProjectName(dir string) (string, error) {
	path := filepath.Join(dir, ProjectFile)
	info, err := os.Lstat(path)
	if err != nil {
		return "", fmt.Errorf("looking for the project's name: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("reading the project's name: %s is not a plain file", ProjectFile)
	}
	data, err := readSame(path, info, mostProjectBytes)
	if err != nil {
		return "", fmt.Errorf("reading the project's name: %w", err)
	}
	name, err := nameIn(data)
	if err != nil {
		return "", fmt.Errorf("reading the project's name from %s: %w", ProjectFile, err)
	}
	return name, nil
}

// nameIn finds the name in the text of a project.godot.
func nameIn(data []byte) (string, error) {
	if !utf8.Valid(data) || bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) || bytes.IndexByte(data, 0) >= 0 {
		return "", errors.New("it is not plain UTF-8")
	}
	r := settingsReader{text: strings.ReplaceAll(string(data), "\r\n", "\n"), line: 1}
	name, found := "", false
	for {
		setting, value, err := r.next()
		switch {
		case err != nil:
			return "", fmt.Errorf("line %d: %w", r.line, err)
		case setting == "":
			if !found {
				return "", errors.New("it has no " + nameSetting)
			}
			return name, nil
		case setting != nameSetting:
			continue
		case found:
			return "", fmt.Errorf("line %d: %s comes twice", r.line, nameSetting)
		}
		if name, err = unquote(value); err != nil {
			return "", fmt.Errorf("line %d: %w", r.line, err)
		}
		found = true
	}
}

// settingsReader walks the settings of a project.godot. A value ends at the end of its line, unless a text or a
// bracket is open there.
type settingsReader struct {
	text    string
	at      int
	line    int
	section string
}

// blanks are what the engine skips around keys and values.
const blanks = " \t\r\v\f"

// next gives the next setting with its section before it, and its value as it is written; "" at the end.
func (r *settingsReader) next() (setting, value string, err error) {
	for {
		start := r.at
		line, ok := r.cut()
		trimmed := strings.Trim(line, blanks)
		switch {
		case !ok:
			return "", "", nil
		case trimmed == "" || trimmed[0] == ';':
		case trimmed[0] == '[':
			if r.section, ok = strings.CutSuffix(trimmed[1:], "]"); !ok || unclear(r.section) {
				return "", "", errors.New("a section cannot be read")
			}
		default:
			return r.setting(line, start)
		}
	}
}

// unclear says whether a name of a section or setting holds something that the engine might read differently.
func unclear(name string) bool {
	return strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == 0x7f || strings.ContainsRune("\"\\;=[](){}&^", c) })
}

// cut takes the next line.
func (r *settingsReader) cut() (string, bool) {
	if r.at >= len(r.text) {
		return "", false
	}
	if r.at > 0 {
		r.line++
	}
	line, _, _ := strings.Cut(r.text[r.at:], "\n")
	r.at += len(line) + 1
	return line, true
}

// setting splits a line, which starts at start, at its first equals sign and adds the lines that belong to its value.
func (r *settingsReader) setting(line string, start int) (string, string, error) {
	key, value, ok := strings.Cut(line, "=")
	begin := start + len(line) - len(value)
	if key = strings.Trim(key, blanks); !ok || key == "" || unclear(key) {
		return "", "", errors.New("a setting cannot be read")
	}
	if strings.Trim(value, blanks) == "" {
		return "", "", errors.New("a setting has no value on its line")
	}
	var scan valueScan
	for {
		if err := scan.feed(value + "\n"); err != nil {
			return "", "", err
		}
		if scan.complete() {
			break
		}
		if value, ok = r.cut(); !ok {
			return "", "", errors.New("a value does not end")
		}
	}
	if r.section != "" {
		key = r.section + "/" + key
	}
	return key, strings.Trim(r.text[begin:min(r.at-1, len(r.text))], blanks), nil
}

// valueScan follows the texts and brackets of a value, line by line.
type valueScan struct {
	depth           int
	inText, escaped bool
}

// complete says whether no text and no bracket is open.
func (s *valueScan) complete() bool { return s.depth == 0 && !s.inText }

// feed takes a piece. What the engine would take for a comment or for the start of another setting is refused.
func (s *valueScan) feed(piece string) error {
	for i := range len(piece) {
		c := piece[i]
		switch {
		case s.escaped:
			s.escaped = false
		case s.inText:
			s.escaped, s.inText = c == '\\', c != '"'
		case c == '"':
			s.inText = true
		case strings.IndexByte("([{", c) >= 0:
			s.depth++
		case strings.IndexByte(")]}", c) >= 0:
			if s.depth--; s.depth < 0 {
				return errors.New("a bracket closes that was not open")
			}
		case c == ';':
			return errors.New("a comment follows a value")
		case c == '=' && s.depth == 0:
			return errors.New("two settings share a line")
		}
	}
	return nil
}

// textEnd is where the text that starts at i ends; -1 when it does not.
func textEnd(value string, i int) int {
	for i++; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// unquote reads a value that is one text.
func unquote(value string) (string, error) {
	if len(value) < 2 || value[0] != '"' || textEnd(value, 0) != len(value)-1 {
		return "", errors.New(nameSetting + " is not one text")
	}
	var out strings.Builder
	inner := value[1 : len(value)-1]
	for i := 0; i < len(inner); i++ {
		if inner[i] != '\\' {
			out.WriteByte(inner[i])
			continue
		}
		i++ // a backslash is never the last: the quote after it would not have ended the text
		size := 0
		switch inner[i] {
		case '"', '\\', '\'':
			out.WriteByte(inner[i])
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		case 'u':
			size = 4
		case 'U':
			size = 6
		default:
			return "", fmt.Errorf("%s has an escape that is not known", nameSetting)
		}
		if size == 0 {
			continue
		}
		r, ok := hexRune(inner[i+1:], size)
		if !ok {
			return "", fmt.Errorf("%s has an escape that is not a character", nameSetting)
		}
		out.WriteRune(r)
		i += size
	}
	return out.String(), nil
}

// hexRune reads a character as that many hex digits.
func hexRune(text string, size int) (rune, bool) {
	if len(text) < size {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:size], 16, 32)
	return rune(n), err == nil && utf8.ValidRune(rune(n)) && n != 0
}
