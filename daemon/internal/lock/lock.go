// Package lock lets one writer at a time into a project, over all daemons of a user on one machine: a queue inside the
// process, and the system's file lock between processes. The system frees the lock of a process that dies, at once;
// so there is no heartbeat, no time after which a lock is stale, and no guess from process numbers.
//
// Network file systems are not supported: some do not share locks between machines.
package lock

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	lockSuffix   = ".lock"
	holderSuffix = ".holder"
	// holderBytes is the size of a holder file: one sector of a disk.
	holderBytes = 512
	// maxText bounds a text of a holder, in bytes, so that all of them fit.
	maxText = 48
	// The waits between two looks at a lock that another process holds.
	firstPoll = 200 * time.Microsecond
	lastPoll  = 10 * time.Millisecond
)

// Holder says who holds a project. It is for people: nothing is decided by it.
type Holder struct {
	PID    int       `json:"pid"`
	Host   string    `json:"host,omitempty"`
	Client string    `json:"client,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Since  time.Time `json:"since"`
}

// Held is the error for a project that was not let go in time.
type Held struct {
	// Holder is who has it; the zero Holder when that cannot be told.
	Holder Holder
	// Waited is for how long it was waited for.
	Waited time.Duration
	cause  error
}

// Error names the holder.
func (h *Held) Error() string {
	if h.Holder == (Holder{}) {
		return fmt.Sprintf("waited %v for the project's lock: %v", h.Waited.Round(time.Millisecond), h.cause)
	}
	return fmt.Sprintf("waited %v for the project's lock, which %q of client %q (process %d on %q) has held since %s: %v",
		h.Waited.Round(time.Millisecond), h.Holder.Tool, h.Holder.Client, h.Holder.PID, h.Holder.Host,
		h.Holder.Since.Format(time.RFC3339), h.cause)
}

// Unwrap is why the wait ended: the context's error.
func (h *Held) Unwrap() error { return h.cause }

// Locks hands out the projects' locks. It is safe for concurrent use.
type Locks struct {
	dir string

	mu       sync.Mutex
	projects map[string]*project
}

// project is one lock.
type project struct {
	turn chan struct{} // holds a token while someone in this process has the lock or waits for other processes
	file *File

	path   string
	holder *os.File // belongs to whoever has the turn

	mu   sync.Mutex
	here Holder // who in this process has the turn
}

// New makes the folder for the locks, for this user alone.
func New(dir string) (*Locks, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("making the locks: %q is not an absolute folder", dir)
	}
	l := &Locks{dir: dir, projects: map[string]*project{}}
	if err := l.makeFolder(); err != nil {
		return nil, fmt.Errorf("making the locks: %w", err)
	}
	return l, nil
}

func (l *Locks) makeFolder() error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return fmt.Errorf("making %s: %w", l.dir, err)
	}
	info, err := os.Lstat(l.dir)
	if err != nil {
		return fmt.Errorf("checking %s: %w", l.dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("checking %s: it is not a folder (a link is not taken either)", l.dir)
	}
	// Modes mean nothing on Windows; the user's own folders are private there by their access lists.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("checking %s: mode %04o lets others in; run chmod go= on it", l.dir, mode)
	}
	return nil
}

// Acquire waits for a project's lock, in turn with others in this process, until ctx ends. Its error is *Held when
// somebody else had it. release may be called more than once.
func (l *Locks) Acquire(ctx context.Context, project string, h Holder) (release func(), err error) {
	lease, err := l.Lease(ctx, project, h)
	if err != nil {
		return nil, err
	}
	return lease.Release, nil
}

// Lease is a lock that is held. The zero Lease holds nothing.
type Lease struct {
	// Died is the holder before this one, when its process died while it held the lock: what it was doing may be half
	// done. nil otherwise.
	Died *Holder

	once    sync.Once
	project *project
}

// Lease is Acquire, telling more.
func (l *Locks) Lease(ctx context.Context, name string, h Holder) (*Lease, error) {
	begin := time.Now()
	p := l.project(name)
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, &Held{Holder: p.inside(), Waited: time.Since(begin), cause: context.Cause(ctx)}
	}
	p.enter(h)
	if err := l.lockFile(ctx, p); err != nil {
		p.leave()
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
			return nil, &Held{Holder: p.outside(), Waited: time.Since(begin), cause: cause}
		}
		return nil, err
	}
	died, err := p.takeOver(h)
	if err != nil {
		_ = p.file.Unlock() // when it fails, closing the file freed it
		p.leave()
		return nil, err
	}
	return &Lease{Died: died, project: p}, nil
}

// Release lets the next one in. Calling it again does nothing.
func (l *Lease) Release() {
	l.once.Do(func() {
		if l.project == nil {
			return
		}
		_, _ = l.project.holder.WriteAt(blank(), 0) // for people; at worst the next holder hears that this one died
		_ = l.project.file.Unlock()                 // when it fails, closing the file freed it
		l.project.leave()
	})
}

// project gives the lock of a project.
func (l *Locks) project(name string) *project {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		name = strings.ToLower(name) // one folder, whatever way it is spelled there
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.projects[name]
	if p == nil {
		sum := sha256.Sum256([]byte(name))
		path := filepath.Join(l.dir, hex.EncodeToString(sum[:16]))
		p = &project{
			turn: make(chan struct{}, 1), path: path,
			file: NewFile(path + lockSuffix),
		}
		l.projects[name] = p
	}
	return p
}

// Close lets the files go, except those of locks that are held.
func (l *Locks) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.projects {
		select {
		case p.turn <- struct{}{}:
			p.close()
			<-p.turn
		default:
		}
	}
}

// enter and leave bracket the time in which somebody in this process has the turn. Those who wait get it in the order
// in which they came: that is how channels serve senders.
func (p *project) enter(h Holder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.here = h
}

func (p *project) leave() { <-p.turn }

// inside is who in this process has the turn.
func (p *project) inside() Holder {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here
}

// lockFile takes the file lock. There is no way to be woken by another process, so it looks again and again.
func (l *Locks) lockFile(ctx context.Context, p *project) error {
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		got, err := p.file.TryLock()
		if errors.Is(err, fs.ErrNotExist) { // somebody removed the folder
			if err = l.makeFolder(); err == nil {
				p.close()
				got, err = p.file.TryLock()
			}
		}
		if err != nil {
			return fmt.Errorf("locking the project: %w", err)
		}
		if got {
			return nil
		}
		wait := time.NewTimer(poll)
		select {
		case <-ctx.Done():
			wait.Stop()
		case <-wait.C:
		}
	}
}

// close lets the files go, which the next one to have the turn opens again.
func (p *project) close() {
	_ = p.file.Close() // nothing is written to it
	if p.holder != nil {
		_ = p.holder.Close() // for people only
		p.holder = nil
	}
}

// takeOver writes who holds the lock now, and tells of a holder that never let go.
func (p *project) takeOver(h Holder) (*Holder, error) {
	if p.holder == nil {
		var err error
		if p.holder, err = os.OpenFile(p.path+holderSuffix, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return nil, fmt.Errorf("opening the lock's holder file: %w", err)
		}
	}
	var died *Holder
	text := make([]byte, holderBytes)
	n, _ := p.holder.ReadAt(text, 0) // a short one is a new one
	if text = bytes.TrimSpace(text[:n]); len(text) > 0 {
		died = &Holder{}
		_ = json.Unmarshal(text, died) // one that cannot be read has died all the same
	}
	text, err := encode(h)
	if err != nil {
		return nil, err
	}
	if _, err := p.holder.WriteAt(text, 0); err != nil {
		return nil, fmt.Errorf("writing the lock's holder file: %w", err)
	}
	return died, nil
}

// outside is who in another process holds the lock.
func (p *project) outside() Holder {
	var h Holder
	text, err := os.ReadFile(p.path + holderSuffix)
	if err != nil || json.Unmarshal(text, &h) != nil {
		return Holder{}
	}
	return h
}

// encode is the text of a holder file.
func encode(h Holder) ([]byte, error) {
	for _, text := range []*string{&h.Host, &h.Client, &h.Tool} {
		*text = strings.ToValidUTF8((*text)[:min(len(*text), maxText)], "")
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding the lock's holder: %w", err)
	}
	if len(text) > holderBytes {
		text = fmt.Appendf(nil, `{"pid":%d}`, h.PID) // texts full of characters that need an escape
	}
	return append(text, blank()[len(text):]...), nil
}

// blank is a holder file of nobody.
func blank() []byte { return bytes.Repeat([]byte{' '}, holderBytes) }
