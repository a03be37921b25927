package gate

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"drawbridge/daemon/internal/approval"
)

// What a person gets to read at once. The rest is told to be there: nobody reads more before they say yes.
const (
	maxShownTargets = 20
	maxShownCode    = 2000
	maxShownPreview = 1500
)

// inWords is the question as the person in front of the client reads it. What comes from the project or the client is
// shown as data, on lines of its own that begin with a bar.
func inWords(q approval.Question) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "Allow %s (%s) in the project %s?\n", q.Tool, q.Class, quoted(filepath.Base(q.Project)))
	bars(b, "targets", strings.Join(firstOf(q.Targets, maxShownTargets), "\n"))
	for i, e := range q.Entries {
		fmt.Fprintf(b, "%d. %s (%s)\n", i+1, e.Tool, e.Class)
		bars(b, "targets", strings.Join(firstOf(e.Targets, maxShownTargets), "\n"))
	}
	bars(b, "code", firstPart(q.Code, maxShownCode))
	bars(b, "what it would do", firstPart(string(q.Preview), maxShownPreview))
	return b.String()
}

// bars writes data line by line behind bars, so that none of it can pass for the question.
func bars(b *strings.Builder, what, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "%s:\n", what)
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(b, "| %s\n", quoted(line))
	}
}

// quoted is text without what could turn a line or hide one.
func quoted(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func firstOf(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(append([]string{}, list[:most]...), fmt.Sprintf("… and %d more", len(list)-most))
}

func firstPart(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + fmt.Sprintf("\n… and %d characters more", len(runes)-most)
}
