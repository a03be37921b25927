package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// maxMended is how much that is not ours is taken off the end of a file, with a note. More than a dead writer or a
// hand can leave there means that the file is not what it was, and a person has to look.
const maxMended = 2 * maxLine

// ErrDamaged is the error for a log whose chain cannot be taken up.
var ErrDamaged = errors.New("the chain cannot be taken up; look at it with `drawbridge audit verify`, then move the audit files away to begin a new log")

// mend takes up lines beyond the head, and takes off what is no line, or notes that lines are missing.
func (l *Log) mend(size int64) error {
	if size < l.state.Size || !endsLine(l.data.file, l.state.Size) {
		return l.cutOff(size)
	}
	end, last := l.follow(l.data.file, l.state, size)
	if err := l.takeOff(end, size); err != nil {
		return err
	}
	l.state = last
	l.state.Size = end
	return nil
}

// endsLine tells whether a line ends at a place.
func endsLine(f io.ReaderAt, at int64) bool {
	if at == 0 {
		return true
	}
	var c [1]byte
	_, err := f.ReadAt(c[:], at-1)
	return err == nil && c[0] == '\n'
}

// follow goes along the lines from where a head ends, as far as they carry the chain on.
func (l *Log) follow(f io.ReaderAt, from head, size int64) (end int64, last head) {
	end, last = from.Size, from
	lines := newLines(io.NewSectionReader(f, end, size-end))
	for {
		line, err := lines.next()
		if err != nil || !line.whole {
			return end, last
		}
		s, ok := split(line.text)
		if !ok || !l.keys.genuine(s) || s.prev != last.MAC {
			return end, last
		}
		e, ok := decode(line.text)
		if !ok || e.Seq != last.Seq+1 {
			return end, last
		}
		last.Seq, last.MAC = e.Seq, s.mac
		end += int64(len(line.text)) + 1
	}
}

// takeOff removes what is behind end, and notes it.
func (l *Log) takeOff(end, size int64) error {
	if end == size {
		return nil
	}
	text := make([]byte, min(size-end, maxMended+1))
	if _, err := l.data.file.ReadAt(text, end); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the end of the audit file: %w", err)
	}
	event, what := EventTorn, "a line that was only half written"
	if bytes.ContainsRune(text, '\n') || endsLine(l.data.file, size) {
		event, what = EventForeign, "text that this log did not write"
	}
	if len(text) > maxMended && event == EventForeign {
		return fmt.Errorf("%d bytes behind line #%d are not ours: %w", size-end, l.state.Seq, ErrDamaged)
	}
	if err := l.data.file.Truncate(end); err != nil {
		return fmt.Errorf("taking off the end of the audit file: %w", err)
	}
	l.note(event, fmt.Sprintf("%s was taken off the end: %d bytes, which began with %s", what, size-end, sample(text)))
	return nil
}

// cutOff goes on after a file that ends too early. The next line still follows the last one of the head, so that the
// gap stays visible.
func (l *Log) cutOff(size int64) error {
	from := max(0, min(size, l.state.Size)-maxLine)
	text := make([]byte, min(size, l.state.Size)-from)
	if _, err := l.data.file.ReadAt(text, from); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the end of the audit file: %w", err)
	}
	end := from + int64(bytes.LastIndexByte(text, '\n')) + 1
	if size-end > maxMended {
		return fmt.Errorf("the audit file is another one: %w", ErrDamaged)
	}
	if err := l.data.file.Truncate(end); err != nil {
		return fmt.Errorf("taking off the end of the audit file: %w", err)
	}
	l.note(EventCut, fmt.Sprintf("the file ended %d bytes too early: lines up to #%d are missing", l.state.Size-end, l.state.Seq))
	l.state.Size = end
	return nil
}

// rebuildHead makes the head file, which is missing or not ours: for a new log, or from what this process knows, or
// from the lines of the file, if every one is genuine.
func (l *Log) rebuildHead() error {
	if l.state.Gen > 0 {
		l.note(EventHeadRebuilt, "the head file was gone or not ours")
		return l.newHead(l.state)
	}
	gens, err := older(l.opts.Path)
	if err != nil {
		return err
	}
	info, _, err := l.data.fresh()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("opening the audit file: %w", err)
	}
	if err != nil || info.Size() == 0 {
		if len(gens) > 0 || exists(l.headFile.path) {
			return fmt.Errorf("the audit file is gone, and its head is not ours: %w", ErrDamaged)
		}
		return l.newHead(head{File: filepath.Base(l.opts.Path), MAC: zeroMAC(), Gen: 1})
	}
	return l.rebuildFrom(gens, info.Size())
}

// rebuildFrom makes the head from the file's lines.
func (l *Log) rebuildFrom(gens []uint64, size int64) error {
	h := head{File: filepath.Base(l.opts.Path), MAC: zeroMAC(), Gen: 1}
	if len(gens) > 0 {
		h.Gen = gens[len(gens)-1] + 1
	}
	line, err := newLines(io.NewSectionReader(l.data.file, 0, size)).next()
	s, ok := split(line.text)
	e, readable := decode(line.text)
	if err != nil || !ok || !readable || e.Seq == 0 {
		return fmt.Errorf("the audit file has no first line of ours, and its head is gone or not ours: %w", ErrDamaged)
	}
	h.MAC, h.Seq = s.prev, e.Seq-1
	end, last := l.follow(l.data.file, h, size)
	tail := make([]byte, min(size-end, maxLine))
	if _, err := l.data.file.ReadAt(tail, end); end < size && err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the end of the audit file: %w", err)
	}
	if end == 0 || bytes.ContainsRune(tail, '\n') {
		return fmt.Errorf("line %d of the audit file is not ours, and its head is gone or not ours (is the key another one?): %w",
			last.Seq+1, ErrDamaged)
	}
	l.note(EventHeadRebuilt, "the head file was gone or not ours: that lines were cut off the end cannot be ruled out")
	last.Size = end
	return l.newHead(last)
}
