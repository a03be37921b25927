package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// catchUp brings state up to what the files hold, other processes' lines included, and mends the end. The lock is held.
func (l *Log) catchUp() error {
	text, err := l.readHead()
	if err != nil {
		return err
	}
	if text == nil || !bytes.Equal(text, l.headText) {
		h, ok := l.keys.parseHead(text, filepath.Base(l.opts.Path))
		if !ok {
			if err := l.rebuildHead(); err != nil {
				return err
			}
		} else {
			l.state, l.headText = h, bytes.Clone(text)
		}
	}
	return l.compare()
}

// readHead gives the head file's text, valid until the next call; nil when there is none.
func (l *Log) readHead() ([]byte, error) {
	info, _, err := l.headFile.fresh()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the audit head: %w", err)
	}
	text := l.headRead[:]
	if info.Size() == headBytes {
		text = text[:headBytes] // a longer read asks the system twice, to hear that this was the end
	}
	n, err := l.headFile.file.ReadAt(text, 0)
	if n == 0 && err != nil {
		return nil, nil
	}
	return l.headRead[:n], nil
}

// compare looks whether the file is what state says, and mends what is not.
func (l *Log) compare() error {
	info, changed, err := l.data.fresh()
	if errors.Is(err, fs.ErrNotExist) {
		return l.missing()
	}
	if err != nil {
		return fmt.Errorf("opening the audit file: %w", err)
	}
	if (changed || info.Size() != l.state.Size) && exists(olderPath(l.opts.Path, l.state.Gen)) {
		// Whoever rotated the file died before the head said so.
		l.state.Gen, l.state.Size = l.state.Gen+1, 0
	}
	if info.Size() == l.state.Size {
		return nil
	}
	return l.mend(info.Size())
}

// missing makes the file, which is not there: it was rotated away, or taken away, or there never was one.
func (l *Log) missing() error {
	if exists(olderPath(l.opts.Path, l.state.Gen)) {
		l.state.Gen++
	} else if l.state.Size > 0 {
		l.note(EventCut, fmt.Sprintf("the file was gone: its lines up to #%d are missing", l.state.Seq))
	}
	l.state.Size = 0
	if err := l.data.create(); err != nil {
		return fmt.Errorf("making the audit file: %w", err)
	}
	return nil
}

// note keeps a note for the next write, as long as it takes.
func (l *Log) note(event, text string) {
	l.notes = append(l.notes, l.stamped(Entry{Kind: KindNote, Event: event, Note: text}))
}

// commit writes entries in one write, and the new head. After an error the file is as it was before, or holds whole
// lines more, which state then counts.
func (l *Log) commit(entries []Entry) error {
	buf, next, err := l.encode(entries)
	if err != nil {
		return err
	}
	if l.state.Size > 0 && next.Size > l.rotateAt {
		if err := l.rotate(next.Size); err != nil {
			return err
		}
		if buf, next, err = l.encode(entries); err != nil {
			return err
		}
	}
	if n, err := l.write(l.data.file, buf); err != nil || n < len(buf) {
		err = errors.Join(fmt.Errorf("writing the audit file: %d of %d bytes", n, len(buf)), err)
		return l.takeBack(err, n, next)
	}
	if err := l.writeHead(next); err != nil {
		return l.takeBack(err, len(buf), next)
	}
	l.state, l.notes, l.lost = next, nil, 0
	return nil
}

// takeBack takes lines off again that were not written as a whole. Where that fails too, state counts whole ones, and
// the next catchUp takes off a half one.
func (l *Log) takeBack(cause error, written int, next head) error {
	if written == 0 {
		return cause
	}
	if err := l.data.file.Truncate(l.state.Size); err != nil {
		if l.state.Size+int64(written) == next.Size {
			l.state, l.notes, l.lost = next, nil, 0
		}
		return errors.Join(cause, fmt.Errorf("taking a line back: %w", err))
	}
	return cause
}

// encode makes the lines of entries, and of what has to stand before them, with the head that they lead to.
func (l *Log) encode(entries []Entry) ([]byte, head, error) {
	next := l.state
	var first []Entry
	if next.Size == 0 && next.Seq > 0 {
		gens, err := older(l.opts.Path)
		if err != nil {
			return nil, next, err
		}
		e := l.stamped(Entry{Kind: KindRotated, Files: min(len(gens), l.opts.Keep)})
		first = append(first, e)
	}
	first = append(first, l.notes...)
	if l.lost > 0 {
		text := fmt.Sprintf("%d outcomes could not be written and were not kept", l.lost)
		first = append(first, l.stamped(Entry{Kind: KindNote, Event: EventLost, Note: text}))
	}
	buf := make([]byte, 0, 1024*(len(first)+len(entries)))
	var err error
	for _, e := range append(first, entries...) {
		next.Seq++
		e.Seq = next.Seq
		if buf, next.MAC, err = l.keys.appendLine(buf, e, next.MAC); err != nil {
			return nil, next, err
		}
	}
	next.Size += int64(len(buf))
	return buf, next, nil
}

// writeHead overwrites the head file. It is not synced: after a power cut the head may be older than the file, whose
// whole lines are then adopted, or newer, which reads like a cut-off end.
func (l *Log) writeHead(h head) error {
	text, err := l.keys.encodeHead(h)
	if err != nil {
		return err
	}
	if _, err := l.headFile.file.WriteAt(text, 0); err != nil {
		l.headText = nil // whatever is there now is read again
		return fmt.Errorf("writing the audit head: %w", err)
	}
	l.headText = text
	return nil
}

// newHead makes the head file anew, in one step.
func (l *Log) newHead(h head) error {
	text, err := l.keys.encodeHead(h)
	if err != nil {
		return err
	}
	if err := writeWhole(l.headFile.path, text); err != nil {
		return fmt.Errorf("making the audit head: %w", err)
	}
	if _, _, err := l.headFile.fresh(); err != nil {
		return fmt.Errorf("opening the audit head: %w", err)
	}
	l.state, l.headText = h, text
	return nil
}

// rotate gives the file its number and begins a new one. The head follows with the first line: until then, a file with
// the number of the head says that it was rotated. wanted is the size that the file was to get.
func (l *Log) rotate(wanted int64) error {
	if err := l.sync(l.data.file); err != nil {
		return fmt.Errorf("syncing the audit file: %w", err)
	}
	if err := os.Rename(l.opts.Path, olderPath(l.opts.Path, l.state.Gen)); err != nil {
		// Where an open file keeps its name, a reader is in the way: go on with this one and try again later.
		l.rotateAt = wanted + l.opts.MaxBytes/8
		return nil
	}
	l.state.Gen, l.state.Size = l.state.Gen+1, 0
	l.rotateAt = l.opts.MaxBytes
	if err := l.data.create(); err != nil {
		return fmt.Errorf("making the audit file: %w", err)
	}
	if err := syncFolder(filepath.Dir(l.opts.Path)); err != nil {
		return fmt.Errorf("syncing the audit folder: %w", err)
	}
	l.prune()
	return nil
}

// prune removes the files above those that are kept. One that cannot be removed is tried again with the next rotation.
func (l *Log) prune() {
	gens, err := older(l.opts.Path)
	for err == nil && len(gens) > l.opts.Keep {
		err = os.Remove(olderPath(l.opts.Path, gens[0]))
		gens = gens[1:]
	}
}
