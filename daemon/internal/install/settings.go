package install

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// pluginSection and enabledKey are where a project lists its enabled addons.
const (
	pluginSection = "editor_plugins"
	enabledKey    = "enabled"
)

// span is a stretch of bytes.
type span struct{ from, to int }

// layout is what matters of a project.godot: where its sections begin, and the values of the keys that are looked
// for. Everything else is never touched.
type layout struct {
	section span // the whole text of [editor_plugins], header included; empty when there is none
	enabled span // the value of enabled in it; empty when there is none
	version string
}

// Enable gives the text of project.godot with the plugin listed as enabled. Every other byte stays. changed is false
// when it is listed already.
func Enable(text []byte, plugin string) (out []byte, changed bool, err error) {
	l, err := read(text)
	if err != nil {
		return nil, false, err
	}
	if v, err := strconv.Atoi(l.version); l.version != "" && (err != nil || v < 5) {
		return nil, false, errors.New("project.godot is not that of a Godot 4 project (config_version is below 5)")
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	entry := `"` + plugin + `"`
	switch {
	case l.enabled.to > 0:
		return enableIn(text, l.enabled, entry)
	case l.section.to > 0:
		head := text[l.section.from:l.section.to]
		at := l.section.from + lineEnd(head)
		line := newline + newline + enabledKey + "=PackedStringArray(" + entry + ")"
		return insert(text, at, line), true, nil
	}
	tail := "[" + pluginSection + "]" + newline + newline + enabledKey + "=PackedStringArray(" + entry + ")" + newline
	switch {
	case len(text) == 0 || bytes.HasSuffix(text, []byte(newline+newline)):
	case bytes.HasSuffix(text, []byte("\n")):
		tail = newline + tail
	default:
		tail = newline + newline + tail
	}
	return append(bytes.Clone(text), tail...), true, nil
}

// enableIn adds the entry to an existing list.
func enableIn(text []byte, value span, entry string) ([]byte, bool, error) {
	list := string(text[value.from:value.to])
	inner, ok := strings.CutPrefix(list, "PackedStringArray(")
	if ok {
		inner, ok = strings.CutSuffix(inner, ")")
	}
	if !ok {
		return nil, false, errors.New("project.godot lists its addons in a form that is not known; enable the addon by hand in the project settings")
	}
	if strings.Contains(inner, entry) {
		return text, false, nil
	}
	at := value.to - 1
	kept := strings.TrimRight(inner, " \t\r\n")
	at -= len(inner) - len(kept)
	switch {
	case kept == "":
	case strings.HasSuffix(kept, ","):
		entry = " " + entry
	default:
		entry = ", " + entry
	}
	return insert(text, at, entry), true, nil
}

func insert(text []byte, at int, what string) []byte {
	out := make([]byte, 0, len(text)+len(what))
	out = append(out, text[:at]...)
	out = append(out, what...)
	return append(out, text[at:]...)
}

// lineEnd is the length of the first line without its line break.
func lineEnd(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i - boolInt(i > 0 && text[i-1] == '\r')
	}
	return len(text)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// read finds the layout. Values may span lines and hold texts that look like sections, so brackets and quotes are
// followed.
func read(text []byte) (layout, error) {
	var l layout
	section := ""
	for at := 0; at < len(text); {
		line := text[at : at+lineEnd(text[at:])]
		trimmed := bytes.TrimSpace(line)
		switch {
		case len(trimmed) == 0 || trimmed[0] == ';':
			at += len(line)
		case trimmed[0] == '[':
			section = strings.TrimSuffix(strings.TrimPrefix(string(trimmed), "["), "]")
			if section == pluginSection {
				l.section = span{at, at + len(line)}
			}
			at += len(line)
		default:
			key, value, end, err := readEntry(text, at)
			if err != nil {
				return layout{}, err
			}
			l.note(section, key, value, text)
			at = end
		}
		for at < len(text) && (text[at] == '\r' || text[at] == '\n') {
			at++
		}
	}
	return l, nil
}

func (l *layout) note(section, key string, value span, text []byte) {
	switch {
	case section == "" && key == "config_version":
		l.version = string(text[value.from:value.to])
	case section == pluginSection && key == enabledKey:
		l.enabled = value
	}
}

// readEntry reads "key=value" from at on; value is the stretch of the value without blanks around it.
func readEntry(text []byte, at int) (key string, value span, end int, err error) {
	sign := bytes.IndexByte(text[at:], '=')
	if sign < 0 || bytes.IndexByte(text[at:at+sign], '\n') >= 0 {
		return "", span{}, 0, errors.New("project.godot has a line that is neither a section nor a setting")
	}
	from := at + sign + 1
	depth, quoted := 0, false
	for end = from; end < len(text); end++ {
		switch c := text[end]; {
		case quoted && c == '\\':
			end++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		if !quoted && depth <= 0 && end < len(text) && text[end] == '\n' {
			break
		}
	}
	end = min(end, len(text))
	if quoted || depth > 0 {
		return "", span{}, 0, errors.New("project.godot ends inside a value")
	}
	raw := text[from:end]
	left := len(raw) - len(bytes.TrimLeft(raw, " \t\r\n"))
	right := len(bytes.TrimRight(raw, " \t\r\n"))
	key = strings.TrimSpace(string(text[at : at+sign]))
	return key, span{from + left, from + max(left, right)}, end, nil
}
