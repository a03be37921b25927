// Package audit keeps the record of what was asked and what became of it: JSON Lines, each with a mac over itself and
// the mac before it, so that an edit, a removal or a new order shows. A head file beside the log says where the chain
// ends, so that a cut-off end shows too.
//
// Several processes write one file. Each append holds a lock beside the file for a few µs, in which it reads the head,
// takes up what others wrote, writes its lines and the new head. A process that dies in between frees the lock, and
// the next one adopts its whole lines and takes off, with a note, one that is half written.
//
// What this cannot show: someone who is the same user can read the key, and can put file and head back to an earlier
// state together. Head gives what a second place has to remember against that.
package audit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"drawbridge/daemon/internal/lock"
	"drawbridge/protocol"
)

const (
	// defaultMaxBytes is some 30,000 calls; with defaultKeep the log takes 144 MiB at most.
	defaultMaxBytes = 16 << 20
	defaultKeep     = 8
	// maxPending bounds the outcomes that wait for the file to be writable again.
	maxPending = 1024
	// maxFileName leaves a head file's sector enough room.
	maxFileName = 100
)

// ErrClosed is the error for the use of a closed log.
var ErrClosed = errors.New("the audit log is closed")

// Options configure a Log.
type Options struct {
	// Path is the file, absolute. Its folder is made when it is missing.
	Path string
	// KeyDir is the folder with the key, which is made when it is missing.
	KeyDir string
	// Boot names this run of the daemon.
	Boot string
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// MaxBytes is the size at which a file is rotated. Default 16 MiB.
	MaxBytes int64
	// Keep is how many older files are kept. Default 8.
	Keep int
}

// Log is an open audit log. It is safe for concurrent use, also by several processes on one file.
type Log struct {
	opts  Options
	guard *lock.File
	run   string
	alive *lock.File // held for as long as this Log is open: see running

	// The two ways to the disk, which tests make fail.
	write func(*os.File, []byte) (int, error)
	sync  func(*os.File) error

	mu       sync.Mutex
	keys     *keys
	data     handle
	headFile handle
	state    head                // the end of the chain as far as we know
	headText []byte              // the head file as we last saw it
	headRead [headBytes + 1]byte // one more shows a file that is not ours
	notes    []Entry
	pending  []Entry  // outcomes that could not be written yet
	lost     int      // outcomes that are not even pending
	found    files    // the log as it was at the start, until somebody asks for what dangles in it
	living   []string // who ran then
	dangling []Entry
	rotateAt int64
	closed   bool
}

// PathFor is the file of a project's log below dir.
func PathFor(dir, project string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		project = strings.ToLower(project) // one folder, whatever way it is spelled there
	}
	sum := sha256.Sum256([]byte(project))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".jsonl")
}

// Open opens a log, takes up its chain and writes a start line. It fails when others could write the file or put one
// in its place, and when the chain cannot be taken up: then a person has to look, and to move the file away.
func Open(o Options) (*Log, error) {
	l, err := prepare(o)
	if err != nil {
		return nil, fmt.Errorf("opening the audit log: %w", err)
	}
	if err := l.start(); err != nil {
		l.letGo()
		return nil, fmt.Errorf("opening the audit log %s: %w", o.Path, err)
	}
	return l, nil
}

// prepare checks the options and the folders and reads the key.
func prepare(o Options) (*Log, error) {
	if !filepath.IsAbs(o.Path) || !filepath.IsAbs(o.KeyDir) {
		return nil, fmt.Errorf("%q and %q have to be absolute", o.Path, o.KeyDir)
	}
	if name := filepath.Base(o.Path); len(name) > maxFileName || visible(name) != name {
		return nil, fmt.Errorf("the name %s is too long or does not show", sample([]byte(name)))
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := makeFolder(filepath.Dir(o.Path)); err != nil {
		return nil, err
	}
	secret, err := loadKey(o.KeyDir, true)
	if err != nil {
		return nil, err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails: it ends the process instead
	run := hex.EncodeToString(id[:])
	return &Log{
		opts: o, keys: newKeys(secret), run: run, rotateAt: o.MaxBytes,
		guard:    lock.NewFile(o.Path + lockSuffix),
		alive:    lock.NewFile(o.Path + runSuffix + run),
		write:    (*os.File).Write,
		sync:     (*os.File).Sync,
		data:     handle{path: o.Path, flag: os.O_RDWR | os.O_APPEND},
		headFile: handle{path: o.Path + headSuffix, flag: os.O_RDWR},
	}, nil
}

// start takes up the chain, writes the start line and keeps the files as they were for Dangling.
func (l *Log) start() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	l.found, l.living, err = l.begin()
	return err
}

// begin is the part of start that holds the lock.
func (l *Log) begin() (found files, living []string, err error) {
	if err := hold(l.guard, holdWait); err != nil {
		return nil, nil, err
	}
	defer l.free()
	if err := l.catchUp(); err != nil {
		return nil, nil, err
	}
	if living, err = running(l.opts.Path); err != nil {
		return nil, nil, err
	}
	if got, err := l.alive.TryLock(); err != nil || !got {
		return nil, nil, errors.Join(errors.New("marking this run as alive"), err)
	}
	if found, err = openFiles(l.opts.Path); err != nil {
		return nil, nil, err
	}
	err = l.commit([]Entry{l.stamped(Entry{Kind: KindStart, PID: os.Getpid()})})
	if err == nil {
		err = errors.Join(l.sync(l.data.file), syncFolder(filepath.Dir(l.opts.Path)))
	}
	if err != nil {
		found.close()
		return nil, nil, err
	}
	return found, append(living, l.run), nil
}

// free lets other processes write. The lock file is never removed: two processes could hold two locks of one name.
func (l *Log) free() { _ = l.guard.Unlock() } // when it fails, closing the file freed it

// stamped fills in when and by whom an entry is written.
func (l *Log) stamped(e Entry) Entry {
	e.Seq, e.Time, e.Boot, e.Run = 0, l.opts.Now().UTC(), l.opts.Boot, l.run
	return e
}

// of is a caller's entry as one of a kind, without the fields that are the log's own.
func (e Entry) of(kind string, intent uint64, outcome string) Entry {
	e.Kind, e.Intent, e.Outcome = kind, intent, outcome
	e.PID, e.Event, e.Note, e.Files = 0, "", "", 0
	return e
}

// Intent writes that something is about to be changed; with e.Durable it is on the disk when Intent returns. After an
// error nothing may be changed. The mark is for the Outcome.
func (l *Log) Intent(e Entry) (Mark, error) {
	e = e.of(KindIntent, 0, "")
	seq, written, err := l.add(e, e.Durable)
	if err == nil {
		return mark(seq), nil
	}
	if written { // the line may stay: say that nothing came of it
		e = e.of(KindOutcome, seq, OutcomeDenied)
		e.Code = string(protocol.AuditUnavailable)
		l.mu.Lock()
		l.remember(e)
		l.mu.Unlock()
	}
	return nil, fmt.Errorf("writing an audit intent: %w", err)
}

// Outcome writes how a call ended: the one with the intent of the mark, or, with nil, one that had none. When it
// cannot be written it is kept and written before the next line. An intent may get a second outcome, once more is
// known of it.
func (l *Log) Outcome(m Mark, e Entry, durable bool) error {
	e = e.of(KindOutcome, 0, settled(e.Outcome))
	if m != nil {
		e.Intent = m.intent()
	}
	_, written, err := l.add(e, durable)
	if err != nil {
		if !written {
			l.mu.Lock()
			l.remember(e)
			l.mu.Unlock()
		}
		return fmt.Errorf("writing an audit outcome: %w", err)
	}
	if e.Intent != 0 && !e.doubtful() {
		l.mu.Lock()
		l.dangling = slices.DeleteFunc(l.dangling, func(d Entry) bool { return d.Seq == e.Intent })
		l.mu.Unlock()
	}
	return nil
}

// remember keeps an outcome that could not be written. The caller holds the mutex.
func (l *Log) remember(e Entry) {
	if l.closed {
		return
	}
	if len(l.pending) >= maxPending {
		l.lost++
		return
	}
	l.pending = append(l.pending, l.stamped(e.capped()))
}

// add writes a line, after those that are pending. written tells whether the line may be in the file.
func (l *Log) add(e Entry, durable bool) (seq uint64, written bool, err error) {
	file, seq, written, err := l.append(e, durable)
	if err != nil || !durable {
		return seq, written, err
	}
	defer l.data.busy.RUnlock()
	if err := l.sync(file); err != nil {
		return seq, true, fmt.Errorf("syncing the audit log: %w", err)
	}
	return seq, true, nil
}

// append is add without the sync. When a sync is wanted the file comes back with its busy lock read-held.
func (l *Log) append(e Entry, durable bool) (file *os.File, seq uint64, written bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, 0, false, ErrClosed
	}
	if err := hold(l.guard, holdWait); err != nil {
		return nil, 0, false, err
	}
	defer l.free()
	if err := l.catchUp(); err != nil {
		return nil, 0, false, err
	}
	if len(l.pending) > 1 { // one shows whether the disk takes lines again, without encoding all of them each time
		if err := l.commit(l.pending[:1]); err != nil {
			return nil, 0, false, err
		}
		l.pending = l.pending[1:]
	}
	before := l.state
	if err := l.commit(append(slices.Clone(l.pending), l.stamped(e))); err != nil {
		whole := l.state.Seq != before.Seq
		if whole {
			l.pending = nil
		}
		return nil, l.state.Seq, whole, err
	}
	l.pending = nil
	if durable {
		l.data.busy.RLock()
	}
	return l.data.file, l.state.Seq, true, nil
}

// Head is the number and mac of the last line: what a second place may remember, to miss a log that was put back.
func (l *Log) Head() (seq uint64, mac string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.Seq, l.state.MAC
}

// Close writes what is pending and a stop line, and lets the files go. Closing twice is fine.
func (l *Log) Close() error {
	_, _, err := l.add(Entry{Kind: KindStop}, true)
	if errors.Is(err, ErrClosed) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.letGo()
	if err != nil {
		return fmt.Errorf("closing the audit log: %w", err)
	}
	return nil
}

// letGo frees what this Log holds.
func (l *Log) letGo() {
	l.found.close()
	l.found = nil
	_ = os.Remove(l.alive.Path()) // a leftover is swept by the next Open
	_ = l.alive.Close()
	_ = l.guard.Close()
	l.data.close()
	l.headFile.close()
}
