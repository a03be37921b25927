package safety

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"drawbridge/protocol"
)

const (
	// maxFindings bounds what one text gives: who has read a hundred needs no more.
	maxFindings = 100
	// maxExcerpt bounds the code shown with a finding, in characters.
	maxExcerpt = 80
	// maxArgument bounds how far ahead the next argument of a call is looked for, in tokens. It keeps nested calls from
	// taking quadratic time; an argument behind more tokens counts as one that cannot be read.
	maxArgument = 64
)

// Finding is a construct of GDScript that code-executing tools refuse, and that script writes report.
type Finding struct {
	Pattern string `json:"pattern"` // what was found: a name such as OS.execute, or the name of a rule
	Line    int    `json:"line"`    // from 1
	Text    string `json:"text"`    // the code there, at most 80 printable characters
	Why     string `json:"why"`
}

// Tripwire looks through a GDScript text for constructs that start programs, use the network, call by a computed name,
// or get out of the project. It looks at tokens: what stands in comments and texts is not code. It stops accidents and
// plain attempts, and is not the boundary: code that wants to hide from it can (the tests show how), which is why code
// is confirmed, and asked for, whatever this says.
//
// It gives at most 100 findings, in the order of the text, and takes linear time.
func Tripwire(code string) []Finding {
	w := wire{code: code, tokens: tokens(code)}
	for i := range w.tokens {
		if len(w.found) >= maxFindings {
			break
		}
		w.look(i)
	}
	return w.found
}

// IsToolScript says whether a GDScript text may make a script that the editor runs: it has the annotation @tool outside
// of comments and texts. Where that cannot be told it is true.
func IsToolScript(code string) bool {
	all := tokens(code)
	for i, t := range all {
		if t.kind == fault || t.is("@") && i+1 < len(all) && all[i+1].is("tool") {
			return true
		}
	}
	return false
}

// wire is one look through a text.
type wire struct {
	code   string
	tokens []token
	found  []Finding
	looks  int // how often a token was looked at: tests hold it against their number
}

// at gives a token; beyond the ends there are signs that are nothing.
func (w *wire) at(i int) token {
	w.looks++
	if i < 0 || i >= len(w.tokens) {
		return token{kind: sign}
	}
	return w.tokens[i]
}

// report adds a finding at a token, once for each line and pattern.
func (w *wire) report(i int, pattern, why string) {
	t := w.at(i)
	line := int(t.line)
	if n := len(w.found); n > 0 && w.found[n-1].Line == line && w.found[n-1].Pattern == pattern {
		return
	}
	w.found = append(w.found, Finding{Pattern: pattern, Line: line, Text: excerpt(w.code, int(t.pos)), Why: why})
}

// look judges the token at i.
func (w *wire) look(i int) {
	switch t := w.at(i); t.kind {
	case fault:
		w.report(i, "unreadable", t.text+", so what the engine would read cannot be told")
	case literal:
		w.lookAtText(i, t.text)
	case word:
		if why := bannedWord(t.text); why != "" {
			w.report(i, t.text, why)
			return
		}
		if w.at(i - 1).is(".") {
			w.lookAtMember(i, t.text)
		}
		w.lookAtHolder(i, t.text)
		w.lookAtCall(i, t.text)
	}
}

// lookAtText finds the texts that are trouble wherever they stand.
func (w *wire) lookAtText(i int, text string) {
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(lower, strings.TrimPrefix(protocol.DefaultAddonPath, "res://")):
		w.report(i, "addon_path", "code has no business in Drawbridge's own addon")
	case strings.Contains(lower, "editor_plugins/enabled"):
		w.report(i, "editor_plugins", "enabling a plugin makes the editor run it")
	}
}

// lookAtMember judges a name behind a dot, whatever stands before it.
func (w *wire) lookAtMember(i int, name string) {
	if why := bannedMember(name); why != "" {
		w.report(i, name, why)
	}
	if name == "source_code" && w.at(i+1).is("=") && !w.at(i+2).is("=") {
		w.report(i, name, "sets the code of a script")
	}
	if (name == "get_var" || name == "to_native") && w.says(i+1, "true") {
		w.report(i, name, "decodes objects, which can bring code")
	}
}

// says says whether the list in brackets that begins at open holds a word, as far as it is looked at.
func (w *wire) says(open int, text string) bool {
	if !w.at(open).is("(") {
		return false
	}
	for i := open + 1; i < open+maxArgument && !w.at(i).is(")"); i++ {
		if w.at(i).is(text) {
			return true
		}
	}
	return false
}

// lookAtHolder judges a use of the classes that hold the dangerous members.
func (w *wire) lookAtHolder(i int, name string) {
	isHolder, isType := holder(name)
	if !isHolder || w.inNodePath(i) {
		return
	}
	if !w.at(i + 1).is(".") {
		passed := w.at(i-1).is("=") || w.at(i-1).is("(") || w.at(i-1).is("return")
		if !w.at(i-1).is(".") && (passed || !isType) {
			w.report(i, name, "hands "+name+" on under another name")
		}
		return
	}
	member := w.at(i + 2).text
	if why := bannedOf(name, member); why != "" {
		w.report(i, name+"."+member, why)
		return
	}
	if name == "FileAccess" || name == "DirAccess" {
		w.lookAtFile(i, name, member)
	}
	if name == "ResourceLoader" {
		w.lookAtLoad(i, name+"."+member, i+3)
	}
}

// inNodePath says whether the word at i is part of a $ path, where it is the name of a node.
func (w *wire) inNodePath(i int) bool {
	at := i - 1
	for ; at > i-maxArgument && w.at(at).is("/") && w.at(at-1).kind == word; at -= 2 {
	}
	return w.at(at).is("$")
}

// lookAtCall judges calls by what they are given.
func (w *wire) lookAtCall(i int, name string) {
	if !w.at(i + 1).is("(") {
		return
	}
	switch name {
	case "load", "preload":
		if !w.at(i - 1).is(".") {
			w.lookAtLoad(i, name, i+1)
		}
	case "get_singleton":
		w.lookAtName(i, name, 0, "names a singleton")
	case "instantiate", "class_call_static":
		if w.at(i-1).is(".") && w.at(i-2).is("ClassDB") {
			w.lookAtName(i, "ClassDB."+name, 0, "names a class")
			if name == "class_call_static" {
				w.lookAtName(i, "ClassDB."+name, 1, "names a method")
			}
		}
	default:
		if nth, dynamic := nameArgument(name); dynamic && !(name == "create" && !w.at(i-2).is("Callable")) {
			w.lookAtName(i, name, nth, "calls by a name")
		}
	}
}

// lookAtName judges an argument that names something to call or make. One that is not a plain text cannot be told; a
// call without arguments is that of a Callable.
func (w *wire) lookAtName(i int, pattern string, nth int, what string) {
	if w.at(i-1).is("func") || w.at(i+2).is(")") {
		return
	}
	text, plain := w.argument(i+1, nth)
	if !plain {
		w.report(i, pattern, what+" that is computed")
		return
	}
	isHolder, _ := holder(text)
	if isHolder || bannedWord(text) != "" || bannedMember(text) != "" || text == "execute" {
		w.report(i, pattern, what+": "+text)
	}
}

// argument gives the nth argument, from 0, of the call whose bracket is at open, when it is one plain text.
func (w *wire) argument(open, nth int) (string, bool) {
	depth := 0
	for i := open + 1; i < open+maxArgument; i++ {
		t := w.at(i)
		switch {
		case depth == 0 && nth == 0:
			end := w.at(i + 1)
			return t.text, t.kind == literal && (end.is(",") || end.is(")"))
		case t.is("(") || t.is("[") || t.is("{"):
			depth++
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		case t.is(",") && depth == 0:
			nth--
		}
		if depth < 0 {
			break
		}
	}
	return "", false
}

// lookAtLoad finds code and resources that are loaded from outside of the project.
func (w *wire) lookAtLoad(i int, pattern string, open int) {
	if text, plain := w.argument(open, 0); plain && !strings.HasPrefix(text, "uid://") && !insideProject(text) {
		w.report(i, pattern, "loads from outside of the project")
	}
}

// lookAtFile judges the static methods of FileAccess and DirAccess by the paths that they are given. A path that is
// computed is let pass only where it is just read.
func (w *wire) lookAtFile(i int, class, member string) {
	paths := pathArguments(member)
	reads := class == "FileAccess" && (strings.HasPrefix(member, "get_") || member == "file_exists" || w.onlyReads(i+3)) ||
		class == "DirAccess" && (strings.HasPrefix(member, "get_") || strings.HasSuffix(member, "_exists_absolute"))
	if !w.at(i + 3).is("(") {
		if paths > 0 && w.at(i+2).kind == word {
			w.report(i, class+"."+member, "hands the method on, so its path cannot be told")
		}
		return
	}
	for nth := range paths {
		text, plain := w.argument(i+3, nth)
		switch {
		case plain && !insideProject(text) && !strings.HasPrefix(text, "user://") || strings.Contains(text, ".."):
			w.report(i, class+"."+member, "a file outside of the project and user://")
		case !plain && !reads:
			w.report(i, class+"."+member, "a path that is computed")
		}
	}
}

// onlyReads says whether the call at open has FileAccess.READ as its whole second argument.
func (w *wire) onlyReads(open int) bool {
	for i := open + 1; i < open+maxArgument; i++ {
		if w.at(i).is(")") {
			return false
		}
		if w.at(i).is(",") {
			return w.at(i+1).is("FileAccess") && w.at(i+2).is(".") && w.at(i+3).is("READ") && w.at(i+4).is(")")
		}
	}
	return false
}

// insideProject says whether a path in code stays below res:// by its text, or is relative to it.
func insideProject(text string) bool {
	if strings.Contains(text, "..") {
		return false
	}
	return strings.HasPrefix(text, "res://") ||
		!strings.HasPrefix(text, "/") && !strings.HasPrefix(text, `\`) && !strings.Contains(text, ":")
}

// excerpt gives the code from the start of a line, or from the token when that is far, without what cannot be seen.
func excerpt(code string, pos int) string {
	from := strings.LastIndexByte(code[max(0, pos-maxExcerpt/2):pos], '\n') + 1 + max(0, pos-maxExcerpt/2)
	if from == pos-maxExcerpt/2 {
		from = pos
	}
	part := code[from:min(len(code), from+utf8.UTFMax*maxExcerpt)]
	part, _, _ = strings.Cut(part, "\n")
	seen := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) && r != '\t' {
			return -1
		}
		return r
	}, part)
	runes := []rune(strings.TrimSpace(strings.ReplaceAll(seen, "\t", " ")))
	return string(runes[:min(len(runes), maxExcerpt)])
}
