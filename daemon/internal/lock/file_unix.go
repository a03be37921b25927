//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// File is the system's lock on a file, which the system frees when the process dies. The file is made when it is
// missing, stays open between two uses, and is never removed. Not for concurrent use.
type File struct {
	path string
	file *os.File
}

// NewFile makes the lock of a path. Nothing is touched yet.
func NewFile(path string) *File { return &File{path: path} }

// Path is the file.
func (f *File) Path() string { return f.path }

// TryLock takes the lock when nobody has it, and tells whether it did.
func (f *File) TryLock() (bool, error) {
	for {
		if f.file == nil {
			file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
			if err != nil {
				return false, err
			}
			f.file = file
		}
		fd := int(f.file.Fd())
		switch err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case err != nil:
			return false, errors.Join(fmt.Errorf("locking %s: %w", f.path, err), f.Close())
		}
		var stat syscall.Stat_t
		if err := syscall.Fstat(fd, &stat); err != nil {
			return false, errors.Join(fmt.Errorf("checking %s: %w", f.path, err), f.Close())
		}
		if stat.Nlink > 0 {
			return true, nil
		}
		// Somebody removed the file: others lock the next one of this name, so that one has to be locked.
		if err := f.Close(); err != nil {
			return false, err
		}
	}
}

// Unlock lets the lock go.
func (f *File) Unlock() error {
	if f.file == nil {
		return nil
	}
	if err := syscall.Flock(int(f.file.Fd()), syscall.LOCK_UN); err != nil {
		return errors.Join(err, f.Close()) // closing frees it as well
	}
	return nil
}

// Close lets the lock and the file go.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	return file.Close()
}
