package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"drawbridge/daemon/internal/lock"
)

// The kinds of what Verify finds, beside the events of notes.
const (
	FoundChanged = "changed" // a line that was not written like this, or not by us
	FoundMissing = "missing" // lines are gone in front of this one
	FoundOrder   = "order"   // a line that stands twice, or too late
	FoundHead    = "head"    // the head file is gone, not ours, or of another chain
	FoundBehind  = "behind"  // whole lines behind the head: their writer died before it wrote the head
	FoundAccess  = "access"  // others could write
	FoundFile    = "file"    // an older file is gone
)

const (
	// maxFindings bounds the findings that a report lists.
	maxFindings = 100
	// snapshotWait is how long Verify waits for the writers; without the lock it looks anyway.
	snapshotWait = 2 * time.Second
)

// Finding is one thing that Verify has to say.
type Finding struct {
	Kind string `json:"kind"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // from 1
	Seq  uint64 `json:"seq,omitempty"`
	Text string `json:"text"`
}

// Report is what Verify found.
type Report struct {
	// OK says that the chain is whole: every line is ours, none is missing, and the end is the one of the head.
	OK    bool     `json:"ok"`
	Files []string `json:"files"`
	Lines int      `json:"lines"`
	First uint64   `json:"first_seq"`
	Last  uint64   `json:"last_seq"`
	// Head is the mac of the last line, to compare with what a second place remembers.
	Head string `json:"head"`
	// Open counts the intents without an outcome, those of calls in flight included.
	Open int `json:"open_intents"`
	// Problems break the chain, Notes do not.
	Problems []Finding `json:"problems,omitempty"`
	Notes    []Finding `json:"notes,omitempty"`
	// LeftOut counts findings above those listed.
	LeftOut int `json:"findings_left_out,omitempty"`
}

// verifier goes along the lines of a log.
type verifier struct {
	keys   *keys
	report Report
	head   head
	hasOne bool // there is a head of ours

	file    string
	line    int
	started bool
	seq     uint64 // of the last line in order
	mac     string
	files   int // how many older files the newest rotated line tells of
	open    map[uint64]Entry
}

// Verify checks the log at path with the key in keyDir. It writes nothing. An error means that it could not look; what
// it found is in the report.
func Verify(path, keyDir string) (Report, error) {
	secret, err := loadKey(keyDir, false)
	if err != nil {
		return Report{}, fmt.Errorf("verifying the audit log: %w", err)
	}
	found, headText, err := snapshot(path)
	if err != nil {
		return Report{}, fmt.Errorf("verifying the audit log: %w", err)
	}
	defer found.close()
	if len(found) == 0 && headText == nil {
		return Report{}, fmt.Errorf("verifying the audit log: there is none at %s: %w", path, fs.ErrNotExist)
	}
	v := &verifier{keys: newKeys(secret), mac: zeroMAC(), open: map[uint64]Entry{}}
	v.head, v.hasOne = v.keys.parseHead(headText, filepath.Base(path))
	v.access(path)
	for _, file := range found {
		if err := v.read(file); err != nil {
			return Report{}, fmt.Errorf("verifying the audit log: %w", err)
		}
	}
	v.older(found)
	v.end(headText)
	v.report.Last, v.report.Head, v.report.Open = v.seq, v.mac, len(v.open)
	v.report.OK = len(v.report.Problems) == 0
	return v.report, nil
}

// snapshot opens files and head as they are at one moment, which takes the writers' lock where there is one.
func snapshot(path string) (files, []byte, error) {
	if exists(path + lockSuffix) {
		guard := lock.NewFile(path + lockSuffix)
		if hold(guard, snapshotWait) == nil {
			defer guard.Close()
		}
	}
	found, err := openFiles(path)
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(path + headSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		found.close()
		return nil, nil, fmt.Errorf("reading the audit head: %w", err)
	}
	return found, text, nil
}

// access tells who else could write.
func (v *verifier) access(path string) {
	if err := checkFolder(filepath.Dir(path)); err != nil {
		v.problem(FoundAccess, 0, err.Error())
	}
	for _, name := range []string{path, path + headSuffix} {
		info, err := os.Lstat(name)
		if err == nil {
			err = checkFile(name, info)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			v.problem(FoundAccess, 0, err.Error())
		}
	}
}

func (v *verifier) problem(kind string, seq uint64, text string) {
	v.add(&v.report.Problems, kind, seq, text)
}

func (v *verifier) add(to *[]Finding, kind string, seq uint64, text string) {
	if len(*to) >= maxFindings {
		v.report.LeftOut++
		return
	}
	*to = append(*to, Finding{Kind: kind, File: v.file, Line: v.line, Seq: seq, Text: text})
}

// read goes along one file.
func (v *verifier) read(file openFile) error {
	v.file, v.line = filepath.Base(file.name), 0
	v.report.Files = append(v.report.Files, v.file)
	all := newLines(file.reader())
	for {
		l, err := all.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", file.name, err)
		}
		v.line++
		if !l.ended && file.gen == 0 {
			v.add(&v.report.Notes, EventTorn, 0, "the last line is only half written: its writer died, and what it was to tell did not happen")
			continue
		}
		v.report.Lines++
		v.take(l)
	}
}

// take judges one line.
func (v *verifier) take(l line) {
	s, ok := split(l.text)
	e, readable := decode(l.text)
	if !ok || !readable || !l.whole {
		v.problem(EventForeign, 0, "this is no line of an audit log: "+sample(l.text))
		return
	}
	if !v.keys.genuine(s) {
		v.problem(FoundChanged, e.Seq, "the line was changed, or not written with this key")
		if v.started && s.prev == v.mac { // what follows hangs on the mac that it shows
			v.seq, v.mac = max(v.seq, e.Seq), s.mac
		}
		return
	}
	if !v.follows(s, e) {
		return
	}
	v.started, v.seq, v.mac = true, e.Seq, s.mac
	if v.hasOne && e.Seq == v.head.Seq && s.mac != v.head.MAC {
		v.problem(FoundHead, e.Seq, "the head file belongs to another chain")
	}
	v.tell(e, l.text)
}

// follows judges the place of a genuine line; false when it does not belong here.
func (v *verifier) follows(s signed, e Entry) bool {
	switch {
	case !v.started:
		v.report.First = e.Seq
		if e.Kind != KindRotated && (e.Seq != 1 || s.prev != zeroMAC()) {
			v.problem(FoundMissing, e.Seq, fmt.Sprintf("the log does not begin with this line: what was before #%d is missing", e.Seq))
		}
	case e.Seq <= v.seq:
		v.problem(FoundOrder, e.Seq, fmt.Sprintf("line #%d stands behind #%d: it was copied or moved", e.Seq, v.seq))
		return false
	case e.Seq > v.seq+1:
		v.problem(FoundMissing, e.Seq, fmt.Sprintf("lines #%d to #%d are missing", v.seq+1, e.Seq-1))
	case s.prev != v.mac:
		v.problem(FoundChanged, e.Seq, "the line before this one is not the one that was written")
	}
	return true
}

// tell collects what a genuine line says of the log itself.
func (v *verifier) tell(e Entry, text []byte) {
	switch e.Kind {
	case KindRotated:
		v.files = e.Files
	case KindNote:
		to := &v.report.Problems
		if e.Event == EventTorn {
			to = &v.report.Notes
		}
		v.add(to, e.Event, e.Seq, e.Note)
	default:
		weigh(v.keys, text, v.open)
	}
}

// older misses files that the last rotated line told of.
func (v *verifier) older(found files) {
	v.file, v.line = "", 0
	gens := map[uint64]bool{}
	for _, file := range found {
		gens[file.gen] = true
	}
	if v.hasOne && !gens[0] && v.head.Size > 0 && !gens[v.head.Gen] {
		v.problem(EventCut, 0, "the file itself is gone")
	}
	last := v.head.Gen // the number of the one that is written
	if !v.hasOne {
		return
	}
	if gens[last] { // it was rotated, and the head not written yet
		last++
	}
	for back := 1; back <= v.files && uint64(back) < last; back++ {
		if gen := last - uint64(back); !gens[gen] {
			v.problem(FoundFile, 0, fmt.Sprintf("the older file with the number %d is gone", gen))
		}
	}
}

// end compares the last line with the head.
func (v *verifier) end(text []byte) {
	switch {
	case text == nil:
		v.problem(FoundHead, 0, "there is no head file: that lines were cut off the end cannot be ruled out")
	case !v.hasOne:
		v.problem(FoundHead, 0, "the head file was changed, or not written with this key for this log")
	case v.seq < v.head.Seq:
		v.problem(EventCut, v.head.Seq, fmt.Sprintf("the log ends with #%d, and its head knows #%d: lines were cut off (or lost in a power cut)",
			v.seq, v.head.Seq))
	case v.seq > v.head.Seq:
		v.add(&v.report.Notes, FoundBehind, v.seq, fmt.Sprintf("%d whole lines are behind the head: their writer died in between",
			v.seq-v.head.Seq))
	}
}
