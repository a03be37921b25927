//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package lock

import "github.com/gofrs/flock"

// File is the system's lock on a file, which the system frees when the process dies. The file is made when it is
// missing and is never removed. Not for concurrent use.
type File struct{ file *flock.Flock }

// NewFile makes the lock of a path. Nothing is touched yet.
func NewFile(path string) *File {
	return &File{flock.New(path, flock.SetPermissions(0o600))}
}

// Path is the file.
func (f *File) Path() string { return f.file.Path() }

// TryLock takes the lock when nobody has it, and tells whether it did.
func (f *File) TryLock() (bool, error) { return f.file.TryLock() }

// Unlock lets the lock go.
func (f *File) Unlock() error { return f.file.Unlock() }

// Close lets the lock and the file go.
func (f *File) Close() error { return f.file.Close() }
