package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Filter says which lines are shown, and how. An empty field takes all.
type Filter struct {
	Kind, Tool, Outcome, Client, Project string
	Since                                time.Time
	// JSON shows lines as they stand in the file, instead of a text for people.
	JSON bool
}

// takes tells whether a line is wanted. One that cannot be read is: it is what a person has to see.
func (f Filter) takes(text []byte) bool {
	e, ok := decode(text)
	if !ok {
		return true
	}
	for _, want := range [][2]string{
		{f.Kind, e.Kind}, {f.Tool, e.Tool}, {f.Outcome, e.Outcome}, {f.Client, e.Client}, {f.Project, e.Project},
	} {
		if want[0] != "" && want[0] != want[1] {
			return false
		}
	}
	return !e.Time.Before(f.Since)
}

// format is a line as it is shown. Nothing in it can steer a terminal, whoever wrote it.
func (f Filter) format(text []byte) string {
	e, ok := decode(text)
	switch {
	case !ok:
		return "? not a line of an audit log: " + sample(text)
	case f.JSON:
		return visible(string(text))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s #%d %s", e.Time.Format("2006-01-02T15:04:05.000Z07:00"), e.Seq, e.Kind)
	if e.Outcome != "" {
		b.WriteString(" " + e.Outcome)
	}
	if e.Intent != 0 {
		fmt.Fprintf(&b, " of #%d", e.Intent)
	}
	for _, part := range [][2]string{
		{"", e.Tool},
		{"", e.Class},
		{"", e.Code},
		{"event", e.Event},
		{"mode", e.Mode},
		{"client", e.Client},
		{"name", e.ClientName},
		{"project", e.Project},
		{"approval", e.Approval},
		{"request", e.RequestID},
		{"", e.Note},
	} {
		switch {
		case part[1] == "":
		case part[0] == "":
			b.WriteString(" " + part[1])
		default:
			fmt.Fprintf(&b, " %s=%q", part[0], part[1])
		}
	}
	if e.Kind == KindOutcome {
		fmt.Fprintf(&b, " %dms", e.DurationMS)
	}
	if e.MayHaveApplied {
		b.WriteString(" may_have_applied")
	}
	for _, target := range e.Targets {
		fmt.Fprintf(&b, " %q", target)
	}
	if e.TargetsLeftOut > 0 {
		fmt.Fprintf(&b, " and %d targets more", e.TargetsLeftOut)
	}
	return visible(b.String())
}

// Show writes the last n lines that the filter takes, oldest first. It does not check the chain: Verify does.
func Show(w io.Writer, path string, n int, f Filter) error {
	found, err := openFiles(path)
	if err != nil {
		return fmt.Errorf("showing the audit log: %w", err)
	}
	defer found.close()
	if len(found) == 0 {
		return fmt.Errorf("showing the audit log: there is none at %s: %w", path, fs.ErrNotExist)
	}
	var shown []string // newest first
	for _, file := range slices.Backward(found) {
		if len(shown) >= n {
			break
		}
		last, err := lastOf(file, n-len(shown), f)
		if err != nil {
			return fmt.Errorf("showing %s: %w", file.name, err)
		}
		slices.Reverse(last)
		shown = append(shown, last...)
	}
	for _, text := range slices.Backward(shown) {
		if _, err := fmt.Fprintln(w, text); err != nil {
			return fmt.Errorf("showing the audit log: %w", err)
		}
	}
	return nil
}

// lastOf gives the last n lines of a file that the filter takes.
func lastOf(file openFile, n int, f Filter) ([]string, error) {
	var last []string
	all := newLines(file.reader())
	for {
		l, err := all.next()
		if errors.Is(err, io.EOF) {
			return last[max(0, len(last)-n):], nil
		}
		if err != nil {
			return nil, err
		}
		if !f.takes(l.text) {
			continue
		}
		if last = append(last, f.format(l.text)); len(last) >= 2*n {
			last = slices.Clone(last[len(last)-n:])
		}
	}
}

// Follow writes the last n lines and then each new one, looking every so often, until the context ends. A log that
// does not exist yet is waited for.
func Follow(ctx context.Context, w io.Writer, path string, n int, f Filter, every time.Duration) error {
	t := tail{path: path, filter: f, to: w}
	defer t.close()
	err := Show(w, path, n, f)
	if err == nil {
		err = t.skip()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := t.more(); err != nil {
			return fmt.Errorf("following the audit log: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// tail is a place in a file that grows.
type tail struct {
	path   string
	filter Filter
	to     io.Writer
	file   *os.File
	at     int64
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // opened for reading
		t.file = nil
	}
}

// skip goes to the end of what was shown. A line that comes in between is shown by neither: this is for watching.
func (t *tail) skip() error {
	one, err := openOne(t.path)
	if err != nil {
		return err
	}
	from := max(0, one.size-maxLine)
	text := make([]byte, one.size-from)
	if _, err := one.file.ReadAt(text, from); err != nil && !errors.Is(err, io.EOF) {
		return errors.Join(err, one.file.Close())
	}
	// Half a line comes again as a whole.
	t.file, t.at = one.file, from+int64(bytes.LastIndexByte(text, '\n'))+1
	return nil
}

// more shows what is new, first in the file that is open and then, after a rotation, in the next.
func (t *tail) more() error {
	if t.file != nil {
		if err := t.drain(); err != nil {
			return err
		}
		opened, err := t.file.Stat()
		if err != nil {
			return err
		}
		now, err := os.Lstat(t.path)
		if err != nil || os.SameFile(opened, now) {
			if err == nil && now.Size() < t.at {
				t.at = now.Size() // its end was taken off
			}
			return nil
		}
		if err := t.drain(); err != nil { // what came before it was rotated
			return err
		}
		t.close()
	}
	one, err := openOne(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	t.file, t.at = one.file, 0
	return t.drain()
}

// drain shows the whole lines from the place on.
func (t *tail) drain() error {
	info, err := t.file.Stat()
	if err != nil {
		return err
	}
	all := newLines(io.NewSectionReader(t.file, t.at, max(0, info.Size()-t.at)))
	for {
		l, err := all.next()
		if errors.Is(err, io.EOF) || err == nil && !l.ended {
			return nil
		}
		if err != nil {
			return err
		}
		t.at += int64(len(l.text)) + 1
		if !l.whole {
			t.at = info.Size() // longer than a line may be: go on behind it
		}
		if t.filter.takes(l.text) {
			if _, err := fmt.Fprintln(t.to, t.filter.format(l.text)); err != nil {
				return err
			}
		}
	}
}
