// Package recovery keeps the bytes of files before a call replaces or removes them, so that nothing a tool does to a
// file is final. It is an effect port: whatever it keeps, it keeps under a permit. It writes below the user's state
// folder only, never into a project: what was kept goes back through the editor, like every other write.
package recovery

import (
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
	"time"

	"github.com/gofrs/flock"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// The commands of this port, which its permits name.
const (
	CommandKeep       = "keep_bytes"
	CommandCheckpoint = "keep_checkpoint"
)

const (
	defaultMaxBytes = 256 << 20
	defaultMaxAge   = 30 * 24 * time.Hour
	lockWait        = 5 * time.Second
	lockPoll        = 5 * time.Millisecond

	indexName    = "index.json"
	lockName     = "lock"
	objectsName  = "objects"
	manifestName = "checkpoints"
)

// ErrNotKept is the error for what the store does not have (any more).
var ErrNotKept = errors.New("it is not kept")

// Options configure a Store.
type Options struct {
	// Dir is the folder in which each project gets one of its own.
	Dir string
	// MaxBytes is what a project's kept files may take together. Default 256 MiB.
	MaxBytes int64
	// MaxAge is how long something is kept. Default 30 days.
	MaxAge time.Duration
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

// Store keeps the bytes of files, by project. It is safe for concurrent use, also by several daemons.
type Store struct {
	opts Options
}

// New makes a store. Nothing is touched before something is kept.
func New(o Options) (*Store, error) {
	if !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("making the recovery store: %q is not an absolute folder", o.Dir)
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MaxAge == 0 {
		o.MaxAge = defaultMaxAge
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{opts: o}, nil
}

// Order is what a permit for this port asks for: the parameters of its frozen command.
type Order struct {
	Tool  string   `json:"tool"`
	Files []string `json:"files,omitempty"` // res:// paths
	Name  string   `json:"name,omitempty"`  // of a checkpoint
	Edits *Edits   `json:"edits,omitempty"` // and where the undo history is
}

// ordered spends a permit, which has to be for this command.
func ordered(permit *safety.Permit, command string) (Order, error) {
	request, err := permit.Spend()
	if err != nil {
		return Order{}, err
	}
	if request.Command != command {
		return Order{}, fmt.Errorf("the permit is for %s, not for %s", request.Command, command)
	}
	var order Order
	if err := json.Unmarshal(request.Params, &order); err != nil {
		return Order{}, fmt.Errorf("reading the permit: %w", err)
	}
	return order, nil
}

// folder is where a project's bytes are kept.
func (s *Store) folder(project string) string {
	sum := sha256.Sum256([]byte(project))
	return filepath.Join(s.opts.Dir, hex.EncodeToString(sum[:16]))
}

// box is a project's folder, held against other daemons for as long as something is written there.
type box struct {
	dir   string
	lock  *flock.Flock
	index index
	opts  Options
}

// open makes the project's folder if needed and takes hold of it.
func (s *Store) open(ctx context.Context, project string) (*box, error) {
	b := &box{dir: s.folder(project), opts: s.opts}
	if err := outside(project, b.dir); err != nil {
		return nil, err
	}
	for _, dir := range []string{s.opts.Dir, b.dir, b.path(objectsName), b.path(manifestName)} {
		if err := private(dir); err != nil {
			return nil, err
		}
	}
	b.lock = flock.New(b.path(lockName), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if held, err := b.lock.TryLockContext(ctx, lockPoll); err != nil || !held {
		return nil, fmt.Errorf("locking %s: %w", b.dir, errors.Join(err, b.lock.Close()))
	}
	var err error
	if b.index, err = readIndex(b.dir); err != nil {
		return nil, errors.Join(err, b.lock.Close())
	}
	b.index.Project = project
	return b, nil
}

func (b *box) path(name string) string { return filepath.Join(b.dir, name) }

// close lets the folder go.
func (b *box) close() error { return b.lock.Close() }

// outside refuses a store inside of the project: its files would become the project's.
func outside(project, dir string) error {
	if resolved, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(dir))); err == nil {
		dir = filepath.Join(resolved, filepath.Base(filepath.Dir(dir)), filepath.Base(dir))
	}
	rel, err := filepath.Rel(project, dir)
	if err != nil || filepath.IsLocal(rel) {
		return fmt.Errorf("%s is inside of the project", dir)
	}
	return nil
}

// private makes a folder that only this user can use, or sees to it that the one there is such.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making %s: %w", dir, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("checking %s: %w", dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("checking %s: it is not a folder", dir)
	}
	// Modes mean nothing on Windows; the user's own folders are private there by their access lists.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("checking %s: mode %04o lets others in; run chmod go= on it", dir, mode)
	}
	return nil
}

// put writes a file in one step, readable by this user alone: a reader sees the old one or the new.
func put(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("writing %s: %w", path, err), os.Remove(f.Name()))
		}
	}()
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close())
	}
	return settle(f, path)
}

// settle gives a finished temporary file its name, once its bytes are safely down.
func settle(f *os.File, path string) error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// relative is the place of a res:// path below the project's folder.
func relative(path string) (string, error) {
	checked, failure := protocol.ParseResPath(path)
	if failure != nil {
		return "", failure
	}
	return filepath.FromSlash(checked.Rel()), nil
}

// missing tells whether an error says that a file is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
