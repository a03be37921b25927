package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// line is one line of a file.
type line struct {
	// text has no line feed, and at most maxLine bytes of a longer line.
	text []byte
	// whole tells that it ended with a line feed and was not longer than a line may be.
	whole bool
	// ended tells that it ended with a line feed.
	ended bool
}

// lines reads lines of bounded length.
type lines struct{ from *bufio.Reader }

func newLines(from io.Reader) lines { return lines{bufio.NewReaderSize(from, maxLine)} }

// next gives the next line, whose text is valid until the next call; io.EOF at the end.
func (l lines) next() (line, error) {
	text, err := l.from.ReadSlice('\n')
	switch {
	case err == nil:
		return line{text: text[:len(text)-1], whole: true, ended: true}, nil
	case errors.Is(err, io.EOF) && len(text) > 0:
		return line{text: text}, nil
	case !errors.Is(err, bufio.ErrBufferFull):
		return line{}, err
	}
	start := bytes.Clone(text)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.from.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return line{}, err
	}
	return line{text: start, ended: err == nil}, nil
}

// openFile is a file of a log, as long as it was when it was opened.
type openFile struct {
	file *os.File
	name string
	gen  uint64 // 0: the one that is written
	size int64
}

func (f openFile) reader() io.Reader { return io.NewSectionReader(f.file, 0, f.size) }

// files are those of a log, oldest first.
type files []openFile

func (f files) close() {
	for _, one := range f {
		_ = one.file.Close() // opened for reading
	}
}

// openFiles opens a log's files for reading. When none is there, the list is empty.
func openFiles(path string) (files, error) {
	gens, err := older(path)
	if err != nil {
		return nil, err
	}
	var found files
	for _, gen := range append(gens, 0) {
		name := path
		if gen > 0 {
			name = olderPath(path, gen)
		}
		one, err := openOne(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			found.close()
			return nil, err
		}
		one.gen = gen
		found = append(found, one)
	}
	return found, nil
}

func openOne(name string) (openFile, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return openFile{}, fmt.Errorf("opening an audit file: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a plain file")
	}
	if err != nil {
		return openFile{}, errors.Join(fmt.Errorf("opening the audit file %s: %w", name, err), f.Close())
	}
	return openFile{file: f, name: name, size: info.Size()}, nil
}

// The starts of the lines that matter for dangling intents: appendLine writes the fields in this order.
const (
	intentStart  = `{"kind":"` + KindIntent + `"`
	outcomeStart = `{"kind":"` + KindOutcome + `"`
	intentRef    = `,"intent":`
	// refWithin is where a reference stands at the latest: a number has at most 20 digits.
	refWithin = len(outcomeStart) + len(`,"seq":`) + 20 + len(intentRef)
)

// dangling lists the intents without an outcome of runs that do not live. An outcome counts only when it is genuine;
// an intent counts whatever it is, as doubt is to stop writes.
func dangling(k *keys, from files, living []string) ([]Entry, error) {
	open := map[uint64]Entry{}
	for _, file := range from {
		all := newLines(file.reader())
		for {
			l, err := all.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", file.name, err)
			}
			weigh(k, l.text, open)
		}
	}
	var out []Entry
	for _, e := range open {
		if !slices.Contains(living, e.Run) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int {
		switch {
		case a.Seq < b.Seq:
			return -1
		case a.Seq > b.Seq:
			return 1
		}
		return 0
	})
	return out, nil
}

// doubtful tells whether an outcome leaves open what became of its intent.
func (e Entry) doubtful() bool { return e.Outcome == OutcomeUnknown && e.MayHaveApplied }

// weigh counts one line in or out of the open intents.
func weigh(k *keys, text []byte, open map[uint64]Entry) {
	switch {
	case bytes.HasPrefix(text, []byte(intentStart)):
		if e, ok := decode(text); ok {
			open[e.Seq] = e
		}
	case bytes.HasPrefix(text, []byte(outcomeStart)):
		if !bytes.Contains(text[:min(len(text), refWithin)], []byte(intentRef)) {
			return
		}
		s, ok := split(text)
		e, readable := decode(text)
		if ok && readable && k.genuine(s) && !e.doubtful() {
			delete(open, e.Intent)
		}
	}
}
