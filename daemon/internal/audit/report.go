package audit

import (
	"fmt"
	"io"
	"strings"
)

// Write tells the report to people.
func (r Report) Write(w io.Writer) error {
	var b strings.Builder
	verdict := "whole"
	if !r.OK {
		verdict = "NOT whole"
	}
	fmt.Fprintf(&b, "The chain is %s: %d lines, #%d to #%d, in %d files.\n", verdict, r.Lines, r.First, r.Last, len(r.Files))
	fmt.Fprintf(&b, "The last line's mac is %s.\n", r.Head)
	if r.Open > 0 {
		fmt.Fprintf(&b, "%d intents have no outcome: calls in flight, or those of a daemon that died.\n", r.Open)
	}
	list := func(title string, found []Finding) {
		for _, f := range found {
			fmt.Fprintf(&b, "%s: %s", title, f.Kind)
			if f.File != "" && f.Line > 0 {
				fmt.Fprintf(&b, ", %s line %d", f.File, f.Line)
			}
			fmt.Fprintf(&b, ": %s\n", visible(f.Text))
		}
	}
	list("PROBLEM", r.Problems)
	list("note", r.Notes)
	if r.LeftOut > 0 {
		fmt.Fprintf(&b, "%d findings more are not listed.\n", r.LeftOut)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
