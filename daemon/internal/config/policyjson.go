package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostDepth is how deep the policy file nests at most; 4 is what it needs.
const mostDepth = 8

// object is a JSON object of the policy file, read strictly: each key is taken once by its exact name and type, what
// is left at the end is unknown. The first thing that is wrong is kept, in a place that all objects of a file share.
type object struct {
	at     string // where it is, such as projects./games/a; empty for the whole file
	fields map[string]any
	wrong  *error
}

// parseObject reads the file's text. encoding/json alone would take keys in another case, keys that come twice and
// text that is not UTF-8.
func parseObject(data []byte) (object, error) {
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return object{}, errors.New("it starts with a byte order mark; save it without")
	}
	if !utf8.Valid(data) {
		return object{}, errors.New("it is not UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return object{}, fmt.Errorf("it is not one JSON value: line %d: %w", lineOf(data, err), err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	value, err := readValue(d, "", 0)
	if err != nil {
		return object{}, err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return object{}, errors.New("it is not a JSON object")
	}
	return object{fields: fields, wrong: new(error)}, nil
}

// lineOf is the line of a mistake in the form of the text.
func lineOf(data []byte, err error) int {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return 1
	}
	return 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
}

// readValue reads the next value: an object as a map, an array as a slice, a number as json.Number.
func readValue(d *json.Decoder, at string, depth int) (any, error) {
	if depth > mostDepth {
		return nil, errors.New("it nests too deep")
	}
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return readFields(d, at, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := readValue(d, at, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := d.Token()
		return list, err
	}
	return token, nil
}

// readFields reads the rest of an object whose brace was read.
func readFields(d *json.Decoder, at string, depth int) (map[string]any, error) {
	fields := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("reading it: %w", err)
		}
		key, ok := token.(string)
		if !ok {
			return nil, errors.New("a key is not a text")
		}
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("the key %s comes twice", shown(join(at, key)))
		}
		if fields[key], err = readValue(d, join(at, key), depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return fields, err
}

// join names a key by the way to it.
func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

// shown quotes a text that somebody else wrote, cut to a length for messages.
func shown(text string) string {
	const most = 120
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(text)
}

// fail keeps what is wrong with a key, unless something was wrong before.
func (o object) fail(key, format string, args ...any) {
	if *o.wrong == nil {
		*o.wrong = fmt.Errorf("%s %s", shown(join(o.at, key)), fmt.Sprintf(format, args...))
	}
}

// take removes a key.
func (o object) take(key string) (any, bool) {
	value, ok := o.fields[key]
	delete(o.fields, key)
	return value, ok
}

// end complains about what was not taken.
func (o object) end() {
	for _, key := range sortedKeys(o.fields) {
		o.fail(key, "is not a known key here")
	}
}

// text takes a text that is not empty and holds no control characters.
func (o object) text(key string) (string, bool) {
	value, ok := o.take(key)
	if !ok {
		return "", false
	}
	text, isText := value.(string)
	if !isText || text == "" || unprintable(text) {
		o.fail(key, "has to be a text, not empty and without control characters")
		return "", false
	}
	return text, true
}

// unprintable says whether a text holds what could forge a line of a log or turn its direction.
func unprintable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || r != ' ' && !unicode.IsPrint(r) })
}

// whole takes a whole number within bounds; 0 when the key is missing.
func (o object) whole(key string, b bounds) int {
	value, ok := o.take(key)
	if !ok {
		return 0
	}
	number, isNumber := value.(json.Number)
	n, ok := parseWhole(number.String(), b)
	if !isNumber || !ok {
		o.fail(key, "has to be a whole number from %d to %d", b.least, b.most)
		return 0
	}
	return n
}

// flag takes true or false; nil when the key is missing.
func (o object) flag(key string) *bool {
	value, ok := o.take(key)
	if !ok {
		return nil
	}
	on, isBool := value.(bool)
	if !isBool {
		o.fail(key, "has to be true or false")
		return nil
	}
	return &on
}

// path takes an absolute path; empty when the key is missing.
func (o object) path(key string) string {
	text, ok := o.text(key)
	if ok && !filepath.IsAbs(text) {
		o.fail(key, "has to be an absolute path")
	}
	return text
}

// texts takes a list of texts; nil when the key is missing, empty when the list is.
func (o object) texts(key string) []string {
	value, ok := o.take(key)
	if !ok {
		return nil
	}
	list, isList := value.([]any)
	texts := []string{}
	for _, entry := range list {
		text, isText := entry.(string)
		if !isText || text == "" || unprintable(text) {
			isList = false
			break
		}
		texts = append(texts, text)
	}
	if !isList {
		o.fail(key, "has to be a list of texts, none empty or with control characters")
		return nil
	}
	return texts
}

// object takes an object; ok is false when the key is missing or holds something else.
func (o object) object(key string) (object, bool) {
	value, ok := o.take(key)
	if !ok {
		return object{}, false
	}
	return o.as(key, value)
}

// as makes an object of a value that was taken.
func (o object) as(key string, value any) (object, bool) {
	fields, isObject := value.(map[string]any)
	if !isObject {
		o.fail(key, "has to be an object")
		return object{}, false
	}
	return object{at: join(o.at, key), fields: fields, wrong: o.wrong}, true
}

// objects takes a list of objects; ok is false when the key is missing or holds something else.
func (o object) objects(key string) ([]object, bool) {
	value, ok := o.take(key)
	if !ok {
		return nil, false
	}
	list, isList := value.([]any)
	if !isList {
		o.fail(key, "has to be a list of objects")
		return nil, false
	}
	out := []object{}
	for i, entry := range list {
		inner, isObject := o.as(fmt.Sprintf("%s[%d]", key, i), entry)
		if !isObject {
			return nil, false
		}
		out = append(out, inner)
	}
	return out, true
}

// sortedKeys lists the keys of an object.
func sortedKeys(fields map[string]any) []string { return slices.Sorted(maps.Keys(fields)) }
